"""How a model is asked: from the cache if it can be, within the quota, with one repair, and never as an exception.

Whatever happens, the caller gets an `Answer`: a value, or the reason why there is none, so that rules take over.
"""

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from typing import Generic, Literal, TypeVar

from pydantic import BaseModel

from agents.language.cache import AnswerCache, cache_key
from agents.language.llm.parsing import UnusableAnswerError, parse
from agents.language.llm.port import LanguageModel, ModelAnswer, ModelFailedError, ModelRequest
from agents.language.quota import (
    CallTag,
    Price,
    Priority,
    QuotaPolicy,
    QuotaState,
    ask,
    fail,
    hit,
    shares,
    spend,
)

Parsed = TypeVar("Parsed", bound=BaseModel)
Source = Literal["model", "cache", "none"]


@dataclass(frozen=True, slots=True)
class Question(Generic[Parsed]):
    """One question of a task: its prompt with a version, its input, and the shape of its answer."""

    task: str
    version: str
    tag: CallTag
    priority: Priority
    system: str
    content: str
    schema: type[Parsed]


@dataclass(frozen=True, slots=True)
class Answer(Generic[Parsed]):
    """A value and where it came from, or None and the reason; and the job's quota after it."""

    value: Parsed | None
    state: QuotaState
    source: Source
    reason: str = ""


@dataclass(frozen=True, slots=True)
class AskPolicy:
    """Limits and prices of asking."""

    quota: QuotaPolicy
    prices: tuple[tuple[str, Price], ...] = ()
    """Model name and price; a model that is not listed costs nothing that we know of."""
    cache_ttl: timedelta = timedelta(hours=24)
    repairs: int = 1
    patience: float = 25.0
    """Seconds for one question, with retries and repair: less than any stage that asks may take for its whole step, so
    that a model that hangs costs its answer and never the job."""

    def price(self, model: str) -> Price | None:
        return dict(self.prices).get(model)


class Asker:
    """Asks one model on behalf of many jobs."""

    def __init__(self, model: LanguageModel, cache: AnswerCache, policy: AskPolicy) -> None:
        self._model, self._cache, self._policy = model, cache, policy

    def shares(self, state: QuotaState, parts: int) -> tuple[QuotaState, ...]:
        """What a job has left, divided among sub-jobs that run side by side."""
        return shares(state, self._policy.quota, parts)

    async def ask(self, question: Question[Parsed], state: QuotaState) -> Answer[Parsed]:
        """The answer to a question, by the first of: cache, model, model after repair. Otherwise the reason."""
        name = self._model.model_for(question.tag)
        key = cache_key(name, question.task, question.version, question.content)
        kept = await self._from_cache(key, question)
        if kept is not None:
            return Answer(kept, hit(state), "cache")
        repair, reason = "", ""
        ends = asyncio.get_running_loop().time() + self._policy.patience
        for attempt in range(self._policy.repairs + 1):
            # A repair competes like any other call: the slots of other critical calls are not spent on it.
            permission = ask(state, question.tag, question.priority if attempt == 0 else "normal", self._policy.quota)
            if not permission.granted:
                refused = permission.state if attempt == 0 else fail(state, question.tag, reason, self._policy.quota)
                return Answer(None, refused, "none", reason or str(permission.reason))
            state = permission.state
            try:
                answer = await self._answered(self._request(question, repair), ends)
            except ModelFailedError as error:
                return Answer(None, fail(state, question.tag, error.reason, self._policy.quota), "none", error.reason)
            state = spend(state, answer.tokens_in, answer.tokens_out, self._policy.price(answer.model))
            if answer.refusal:
                return Answer(None, fail(state, question.tag, "refusal", self._policy.quota), "none", "refusal")
            try:
                value = parse(answer.text, question.schema)
            except UnusableAnswerError as error:
                reason = "cut_off" if not answer.complete else "unusable_answer"
                repair = _repair(answer, str(error))
            else:
                await self._cache.put(key, answer.text, self._policy.cache_ttl)
                return Answer(value, state, "model")
        return Answer(None, fail(state, question.tag, reason, self._policy.quota), "none", reason)

    async def _answered(self, request: ModelRequest, ends: float) -> ModelAnswer:
        try:
            async with asyncio.timeout_at(ends):
                return await self._model.complete(request)
        except TimeoutError as error:
            raise ModelFailedError("timeout", f"no answer within {self._policy.patience:g} s") from error

    async def _from_cache(self, key: str, question: Question[Parsed]) -> Parsed | None:
        text = await self._cache.get(key)
        if text is None:
            return None
        try:
            return parse(text, question.schema)
        except UnusableAnswerError:
            return None

    def _request(self, question: Question[Parsed], repair: str) -> ModelRequest:
        return ModelRequest(
            tag=question.tag,
            system=question.system,
            content=question.content,
            schema=question.schema,
            max_output_tokens=self._policy.quota.output_cap(question.tag),
            repair=repair,
        )


def _repair(answer: ModelAnswer, problem: str) -> str:
    """What the model is shown in its second attempt: that the first did not fit, and why; not the whole of it again."""
    shown = answer.text[:600]
    return (
        f"Your previous answer could not be used: {problem}. It began with:\n{shown}\n"
        "Give the whole answer again as one JSON object of the required shape."
    )
