"""The local transformer: unit rows that know what belongs together, whatever shares their batch."""

import asyncio
import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from agents.language.embedders.onnx import OnnxEmbedder
from agents.language.embedders.static import StaticEmbedder
from agents.language.model_files import model_folder
from agents.language.ports import embed_queries

FOLDER = model_folder("bge-small-en-v1.5")


@pytest.fixture(scope="module")
def embedder() -> Iterator[OnnxEmbedder]:
    model = OnnxEmbedder(FOLDER)
    yield model
    model.close()


async def test_rows_are_unit_float32_and_in_order(embedder: OnnxEmbedder) -> None:
    texts = ["The bridge opened in 1932.", "Bees make honey.", ""]
    rows = await embedder.embed(texts)
    assert rows.shape == (3, embedder.dimension)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
    assert (await embedder.embed([])).shape == (0, embedder.dimension)


async def test_a_text_is_closer_to_its_paraphrase_than_to_another_topic(embedder: OnnxEmbedder) -> None:
    claim, near, far = await embedder.embed(
        [
            "The city council approved the new tram line in March.",
            "In March, councillors voted for the construction of the tramway.",
            "Honey bees communicate by dancing.",
        ]
    )
    assert embedder.calibration(float(claim @ near)) > 0.5 > embedder.calibration(float(claim @ far))


async def test_a_claim_finds_its_passage_better_with_the_phrase_that_the_model_was_trained_with(
    embedder: OnnxEmbedder,
) -> None:
    (with_phrase,) = await embed_queries(embedder, ["Who built the dam?"])
    (spelled_out,) = await embedder.embed([f"{embedder.query_prefix}Who built the dam?"])
    assert float(with_phrase @ spelled_out) > 0.999
    static = StaticEmbedder()
    assert np.array_equal(await embed_queries(static, ["the dam"]), await static.embed(["the dam"]))


async def test_the_company_in_a_batch_hardly_changes_a_vector(embedder: OnnxEmbedder) -> None:
    """int8 activations are scaled per batch, so rows differ a little; far less than any threshold could feel."""
    text = "The dam is 85 metres high."
    alone = (await embedder.embed([text]))[0]
    jobs = [
        embedder.embed([text if n == 7 else f"Sentence number {n} about something else entirely."]) for n in range(16)
    ]
    together = (await asyncio.gather(*jobs))[7][0]
    assert float(alone @ together) > 0.98


def test_the_files_are_those_of_the_published_checksums() -> None:
    for line in (FOLDER / "SHA256SUMS").read_text(encoding="utf-8").splitlines():
        expected, name = line.split()
        assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == expected


def test_missing_files_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="fetch_embedder"):
        OnnxEmbedder(tmp_path)
