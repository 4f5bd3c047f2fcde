"""The `LanguageModel` for every endpoint that speaks OpenAI's chat API: OpenAI, Groq, vLLM, Ollama, Azure."""

import asyncio
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import openai

from agents.breaker import BreakerPolicy, CircuitBreaker
from agents.language.llm.openai_wire import (
    WEAKER,
    OutputMode,
    PassingError,
    answer_of,
    failure_of,
    is_about_format,
    messages,
    output_format,
    short,
)
from agents.language.llm.port import ModelAnswer, ModelFailedError, ModelRequest
from agents.language.quota import CallTag


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where the model is and how it is spoken to; the settings fill it."""

    api_key: str = field(repr=False)
    base_url: str | None = None
    """None is OpenAI itself."""
    model: str = "gpt-4o-mini"
    models: Mapping[CallTag, str] = field(default_factory=dict)
    """Another model for some tags."""
    api_version: str = ""
    """Set for Azure-style endpoints: sent as a query parameter, and the key as their header."""
    output_mode: OutputMode = "schema"
    """The strictest mode to try; weaker ones follow where an endpoint lacks it."""
    timeout: float = 30.0
    """Seconds for one request, from the first byte sent to the last one received."""
    attempts: int = 3
    """Requests for one answer, if the failure may pass."""
    backoff: float = 0.5
    """Seconds before the second attempt, doubled for each later one, with jitter."""
    max_retry_after: float = 20.0
    """A server that asks for a longer pause is not waited for: the job goes on with rules."""
    max_concurrency: int = 32
    """Requests at once. Two stages of a worker, full of events that wait for their answers, are not held up."""
    max_response_bytes: int = 1_000_000
    """An answer is a few kilobytes; what is larger is no answer."""
    breaker: BreakerPolicy = field(default_factory=BreakerPolicy)


class OpenAIModel:
    """One endpoint with its breaker and its bounded concurrency. Retries are ours: the client makes none."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        clock: Callable[[], float],
        rng: random.Random,
        sleep: Callable[[float], Any] = asyncio.sleep,
    ) -> None:
        self._endpoint, self._rng, self._sleep = endpoint, rng, sleep
        self._client = _client(endpoint)
        self._slots = asyncio.Semaphore(endpoint.max_concurrency)
        self._modes: dict[str, OutputMode] = {}
        self.breaker = CircuitBreaker(clock, endpoint.breaker)

    def model_for(self, tag: CallTag) -> str:
        """The name of the model that answers calls of this tag."""
        return self._endpoint.models.get(tag, self._endpoint.model)

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        """Answers or raises ModelFailedError; every wait is bounded."""
        async with self._slots:
            for attempt in range(1, self._endpoint.attempts + 1):
                if not self.breaker.allows():
                    raise ModelFailedError(
                        "circuit_open", "the endpoint has failed repeatedly and is left alone for now"
                    )
                try:
                    answer = await self._one_request(request)
                except PassingError as error:
                    self.breaker.failed()
                    await self._pause(error, attempt)
                except ModelFailedError as error:
                    self._count(error)
                    raise
                except BaseException:
                    # Nobody waits for it any longer: it was too slow, and no trial may be left open for ever.
                    self.breaker.failed()
                    raise
                else:
                    self.breaker.succeeded()
                    return answer
        raise ModelFailedError("server_error", "no attempt was made")

    def _count(self, error: ModelFailedError) -> None:
        """A wrong key or model name fails every job; a request that is refused says that the endpoint is alive."""
        if error.reason in ("wrong_key", "unknown_model"):
            self.breaker.failed()
        else:
            self.breaker.succeeded()

    async def close(self) -> None:
        await self._client.close()

    async def _pause(self, error: PassingError, attempt: int) -> None:
        """Waits before the next attempt, or gives up: after the last one, or if the server asks for too long."""
        asked = error.retry_after
        if attempt >= self._endpoint.attempts or (asked is not None and asked > self._endpoint.max_retry_after):
            raise ModelFailedError(error.reason, str(error)) from error
        jitter = self._endpoint.backoff * 2 ** (attempt - 1) * self._rng.uniform(0.5, 1.5)
        await self._sleep(max(asked or 0.0, jitter))

    async def _one_request(self, request: ModelRequest) -> ModelAnswer:
        """One request in the strictest output mode that the endpoint is known to have, weaker ones if it lacks that."""
        model = self.model_for(request.tag)
        mode: OutputMode | None = self._modes.get(model, self._endpoint.output_mode)
        while mode is not None:
            try:
                answer = await self._send(request, model, mode)
            except openai.BadRequestError as error:
                if not is_about_format(error):
                    raise ModelFailedError("refused_request", short(error)) from error
                mode = WEAKER[mode]
            else:
                self._modes[model] = mode
                return answer
        raise ModelFailedError("refused_request", "the endpoint accepts no output mode")

    async def _send(self, request: ModelRequest, model: str, mode: OutputMode) -> ModelAnswer:
        try:
            async with asyncio.timeout(self._endpoint.timeout):
                body = await self._read(request, model, mode)
        except TimeoutError as error:
            raise PassingError("timeout", f"no answer within {self._endpoint.timeout:g} s") from error
        except openai.BadRequestError:
            raise
        except openai.APIStatusError as error:
            raise failure_of(error) from error
        except openai.APIError as error:
            raise PassingError("connection", short(error)) from error
        return answer_of(body, request, model)

    async def _read(self, request: ModelRequest, model: str, mode: OutputMode) -> bytes:
        """The raw body, read piece by piece so that an endless one can be cut off."""
        create = self._client.chat.completions.with_streaming_response.create
        async with create(
            model=model,
            messages=messages(request, mode),
            max_tokens=request.max_output_tokens,
            temperature=0.0,
            **output_format(request, mode),
        ) as response:
            return await self._body(response)

    async def _body(self, response: Any) -> bytes:
        pieces: list[bytes] = []
        size, limit = 0, self._endpoint.max_response_bytes
        try:
            async for piece in response.iter_bytes():
                pieces.append(piece)
                size += len(piece)
                if size > limit:
                    break
        except TimeoutError:
            raise
        except Exception as error:
            # What a connection that breaks in the middle raises depends on the HTTP library below the client.
            raise PassingError("connection", f"the answer broke off: {short(error)}") from error
        if size > limit:
            raise ModelFailedError("too_long", f"the answer exceeds {limit} bytes")
        return b"".join(pieces)


def _client(endpoint: Endpoint) -> openai.AsyncOpenAI:
    azure = bool(endpoint.api_version)
    return openai.AsyncOpenAI(
        api_key=endpoint.api_key,
        base_url=endpoint.base_url,
        max_retries=0,
        timeout=endpoint.timeout,
        default_query={"api-version": endpoint.api_version} if azure else None,
        default_headers={"api-key": endpoint.api_key} if azure else None,
    )
