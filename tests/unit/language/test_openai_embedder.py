"""OpenAI's embeddings behind the same port: batches, order, unit rows, and which failure asks for what."""

import json
import random
from typing import Any

import numpy as np
import pytest

from agents.errors import DependencyDown, Transient
from agents.language.embedders.openai import EmbeddingEndpoint, OpenAIEmbedder
from tests.unit.language.fake_openai import FakeOpenAI, Reply, error, serving


def vectors(request: dict[str, Any], dimension: int = 8) -> Reply:
    """A vector per text that tells how long it is, in reverse order, as the API may send them."""
    data = [
        {"object": "embedding", "index": index, "embedding": [float(len(text)), 1.0, *[0.0] * (dimension - 2)]}
        for index, text in enumerate(request["input"])
    ]
    body = {"object": "list", "data": data[::-1], "model": "m", "usage": {"prompt_tokens": 1, "total_tokens": 1}}
    return Reply(body=json.dumps(body).encode())


def embedder(server: FakeOpenAI, **changes: Any) -> tuple[OpenAIEmbedder, list[float]]:
    waited: list[float] = []

    async def wait(seconds: float) -> None:
        waited.append(seconds)

    fields = {"api_key": "k", "base_url": server.base_url, "dimension": 8, "batch": 4, **changes}
    return OpenAIEmbedder(EmbeddingEndpoint(**fields), rng=random.Random(1), sleep=wait), waited


async def test_texts_go_out_in_batches_and_come_back_in_order_as_unit_rows() -> None:
    async with serving() as server:
        server.otherwise = vectors
        model, _ = embedder(server)
        rows = await model.embed(["x" * n for n in range(10)])
        assert (await model.embed([])).shape == (0, 8)
        await model.close()
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows[1:], axis=1), 1.0)
    assert not rows[0].any(), "an empty text is not sent and gives a zero row"
    ratios = rows[1:, 0] / rows[1:, 1]
    assert np.allclose(ratios, range(1, 10))
    assert sorted(len(request["input"]) for request in server.requests) == [1, 4, 4]
    assert model.name == "openai-text-embedding-3-small-8"


async def test_what_may_pass_is_retried_and_then_left_to_the_stage() -> None:
    async with serving([error(429, retry_after="2"), error(500)]) as server:
        server.otherwise = vectors
        model, waited = embedder(server)
        assert (await model.embed(["text"])).shape == (1, 8)
        assert waited[0] == 2.0
        server.script[:] = [error(429, retry_after="90")]
        with pytest.raises(Transient) as caught:
            await model.embed(["text"])
        assert caught.value.retry_after == 90.0
        await model.close()


@pytest.mark.parametrize("status", [400, 401, 404])
async def test_a_wrong_key_or_model_stops_the_stage_instead_of_the_event(status: int) -> None:
    async with serving([error(status)]) as server:
        model, _ = embedder(server)
        with pytest.raises(DependencyDown, match="embeddings is down"):
            await model.embed(["text"])
        await model.close()


async def test_vectors_of_another_dimension_are_refused() -> None:
    async with serving() as server:
        server.otherwise = lambda request: vectors(request, dimension=5)
        model, _ = embedder(server)
        with pytest.raises(DependencyDown, match="check model and dimension"):
            await model.embed(["text"])
        await model.close()
