"""Sentence vectors from an OpenAI-style endpoint. Nothing stands in for it: vectors of two models do not mix."""

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import openai

from agents.errors import DependencyDown, Transient
from agents.language.calibration import SimilarityCalibration
from agents.language.llm.openai_wire import retry_after, short
from agents.language.ports import Vectors

# Not fitted: between the cosines that unrelated and related texts are commonly reported to have with
# text-embedding-3-small. `models/fit_calibration.py openai` fits it with a key of your own, and
# VERISTREAM_OPENAI_CALIBRATION takes what it prints.
PROVISIONAL = SimilarityCalibration(zero=0.10, half=0.35, one=0.80)


@dataclass(frozen=True, slots=True)
class EmbeddingEndpoint:
    """Where the model is; the settings fill it."""

    api_key: str = field(repr=False)
    base_url: str | None = None
    model: str = "text-embedding-3-small"
    dimension: int = 1536
    calibration: SimilarityCalibration = PROVISIONAL
    batch: int = 128
    """Texts per request; the endpoint takes more, but a smaller request is retried more cheaply."""
    max_characters: int = 8_000
    """About a quarter of the model's context: a passage is never that long."""
    timeout: float = 30.0
    attempts: int = 3
    backoff: float = 0.5
    max_retry_after: float = 20.0
    max_concurrency: int = 4


class OpenAIEmbedder:
    """Batches texts, retries what may pass, and says which kind of failure it met."""

    def __init__(
        self,
        endpoint: EmbeddingEndpoint,
        *,
        rng: random.Random,
        sleep: Callable[[float], Any] = asyncio.sleep,
    ) -> None:
        self._endpoint, self._rng, self._sleep = endpoint, rng, sleep
        self._client = openai.AsyncOpenAI(
            api_key=endpoint.api_key, base_url=endpoint.base_url, max_retries=0, timeout=endpoint.timeout
        )
        self._slots = asyncio.Semaphore(endpoint.max_concurrency)

    @property
    def name(self) -> str:
        return f"openai-{self._endpoint.model}-{self._endpoint.dimension}"

    @property
    def dimension(self) -> int:
        return self._endpoint.dimension

    @property
    def calibration(self) -> SimilarityCalibration:
        return self._endpoint.calibration

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit row per text. An empty text, which the endpoint refuses, gives a zero row."""
        size = self._endpoint.batch
        cut = [text[: self._endpoint.max_characters] for text in texts]
        wanted = [index for index, text in enumerate(cut) if text.strip()]
        chunks = [wanted[start : start + size] for start in range(0, len(wanted), size)]
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        answers = await asyncio.gather(*(self._request([cut[index] for index in chunk]) for chunk in chunks))
        for chunk, vectors in zip(chunks, answers, strict=True):
            rows[chunk] = vectors
        return rows

    async def close(self) -> None:
        await self._client.close()

    async def _request(self, texts: Sequence[str]) -> Vectors:
        async with self._slots:
            for attempt in range(1, self._endpoint.attempts + 1):
                try:
                    return await self._one(texts)
                except openai.APIStatusError as error:
                    await self._after(error, _asked(error), attempt)
                except (openai.APIError, TimeoutError) as error:
                    await self._after(error, None, attempt)
        raise Transient("the embedding endpoint was not asked")

    async def _one(self, texts: Sequence[str]) -> Vectors:
        async with asyncio.timeout(self._endpoint.timeout):
            response = await self._client.embeddings.create(
                model=self._endpoint.model, input=list(texts), dimensions=self.dimension, encoding_format="float"
            )
        rows = np.array([one.embedding for one in sorted(response.data, key=lambda d: d.index)], dtype=np.float32)
        if rows.shape != (len(texts), self.dimension):
            raise DependencyDown(
                "embeddings", f"{self._endpoint.model} answered with shape {rows.shape}: check model and dimension"
            )
        rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
        return rows

    async def _after(self, error: Exception, asked: float | None, attempt: int) -> None:
        """Waits for the next attempt, or raises what the stage should do about it."""
        status = error.status_code if isinstance(error, openai.APIStatusError) else None
        if status in (401, 403, 404):
            raise DependencyDown("embeddings", f"status {status}: check the key, the model and the base URL") from error
        if status is not None and status < 500 and status not in (408, 409, 429):
            raise DependencyDown("embeddings", short(error)) from error
        if attempt >= self._endpoint.attempts or (asked or 0.0) > self._endpoint.max_retry_after:
            raise Transient(f"embeddings: {short(error)}", retry_after=asked) from error
        jitter = self._endpoint.backoff * 2 ** (attempt - 1) * self._rng.uniform(0.5, 1.5)
        await self._sleep(max(asked or 0.0, jitter))


def _asked(error: openai.APIStatusError) -> float | None:
    return retry_after(error.response.headers)
