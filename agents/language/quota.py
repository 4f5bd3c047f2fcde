"""What one job may spend on language models (001), as a value that travels with the job.

Nothing here counts in memory: each step takes the state of the job and returns the next one, so the limits hold
across loops and workers.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Literal

Priority = Literal["low", "normal", "critical"]
SkipReason = Literal["call_quota", "token_quota", "degraded"]


class CallTag(StrEnum):
    """What a call is for: caps, models, reserved slots and metrics go by it."""

    CLAIM = "claim"
    QUERIES = "queries"
    FACTS = "facts"
    VERDICT = "verdict"
    SUMMARY = "summary"
    ARTICLE = "article"
    WRITER = "writer"
    SKEPTIC = "skeptic"
    JUDGE = "judge"


def _default_caps() -> Mapping[CallTag, int]:
    """Output tokens per call: about twice what a full answer of each schema needs."""
    return MappingProxyType(
        {
            CallTag.CLAIM: 1_200,
            CallTag.QUERIES: 300,
            CallTag.FACTS: 2_000,
            CallTag.VERDICT: 1_500,
            CallTag.SUMMARY: 400,
            CallTag.ARTICLE: 3_000,
            CallTag.WRITER: 2_000,
            CallTag.SKEPTIC: 1_000,
            CallTag.JUDGE: 1_500,
        }
    )


@dataclass(frozen=True, slots=True)
class QuotaPolicy:
    """The limits of one job."""

    max_calls: int = 8
    """Two calls settle a claim from the knowledge base, each loop adds one and each later set of queries another; four
    loops of two sets and one repair make eight."""
    max_tokens: int = 60_000
    """Tokens in and out together. Reserved calls may still run beyond it: they are bounded by their own caps."""
    reserved: Mapping[CallTag, int] = field(
        default_factory=lambda: MappingProxyType({CallTag.VERDICT: 1, CallTag.FACTS: 1})
    )
    """Calls that are kept free for a tag, whatever else a job asks for."""
    output_caps: Mapping[CallTag, int] = field(default_factory=_default_caps)
    degrade_after: int = 3
    """Failed calls after which a job asks for nothing but its reserved calls."""

    def __post_init__(self) -> None:
        if self.max_calls < 0 or self.max_tokens < 0 or self.degrade_after < 1:
            raise ValueError("max_calls and max_tokens must not be negative, and degrade_after must be at least 1")
        if sum(self.reserved.values()) > self.max_calls > 0:
            raise ValueError("max_calls must be at least the number of reserved calls")

    def output_cap(self, tag: CallTag) -> int:
        return self.output_caps.get(tag, 1_000)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A call that was not made, and why: the explicit marker of degraded work."""

    tag: CallTag
    reason: str


@dataclass(frozen=True, slots=True)
class QuotaState:
    """What a job has spent so far."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0
    cache_hits: int = 0
    failures: int = 0
    reserved_used: Mapping[CallTag, int] = field(default_factory=dict)
    skipped: tuple[Skipped, ...] = ()
    degraded: bool = False

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out


@dataclass(frozen=True, slots=True)
class Permission:
    """Whether a call may be made. If so it is already counted in `state`; if not, `state` lists it as skipped."""

    granted: bool
    state: QuotaState
    reason: SkipReason | None = None


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens."""

    tokens_in: float
    tokens_out: float

    def cost(self, tokens_in: int, tokens_out: int) -> float:
        return (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / 1e6


def ask(state: QuotaState, tag: CallTag, priority: Priority, policy: QuotaPolicy) -> Permission:
    """May the job make one more call? A critical call finds its reserved slot even in a job that is out of all else."""
    if priority == "critical" and state.reserved_used.get(tag, 0) < policy.reserved.get(tag, 0):
        used = {**state.reserved_used, tag: state.reserved_used.get(tag, 0) + 1}
        return Permission(granted=True, state=replace(state, calls=state.calls + 1, reserved_used=used))
    reason = _refusal(state, policy)
    if reason is not None:
        return Permission(granted=False, state=skip(state, tag, reason), reason=reason)
    return Permission(granted=True, state=replace(state, calls=state.calls + 1))


def _refusal(state: QuotaState, policy: QuotaPolicy) -> SkipReason | None:
    kept_free = sum(max(0, count - state.reserved_used.get(tag, 0)) for tag, count in policy.reserved.items())
    if state.calls + kept_free >= policy.max_calls:
        return "call_quota"
    if state.tokens >= policy.max_tokens:
        return "token_quota"
    return "degraded" if state.degraded else None


def skip(state: QuotaState, tag: CallTag, reason: str) -> QuotaState:
    """The state with a call on record that was not made or gave nothing, so that rules did its work."""
    return replace(state, skipped=(*state.skipped, Skipped(tag, reason)))


def spend(state: QuotaState, tokens_in: int, tokens_out: int, price: Price | None = None) -> QuotaState:
    """The state after an answer; tokens that an endpoint does not report must be estimated before."""
    cost = price.cost(tokens_in, tokens_out) if price else 0.0
    return replace(
        state,
        tokens_in=state.tokens_in + max(0, tokens_in),
        tokens_out=state.tokens_out + max(0, tokens_out),
        cost_usd=state.cost_usd + cost,
    )


def hit(state: QuotaState) -> QuotaState:
    """The state after an answer from the cache: no call, no tokens."""
    return replace(state, cache_hits=state.cache_hits + 1)


def fail(state: QuotaState, tag: CallTag, reason: str, policy: QuotaPolicy) -> QuotaState:
    """The state after a call that gave nothing usable. After a few of them the job asks only for what is reserved."""
    failures = state.failures + 1
    degraded = state.degraded or failures >= policy.degrade_after
    return skip(replace(state, failures=failures, degraded=degraded), tag, reason)


def shares(state: QuotaState, policy: QuotaPolicy, parts: int) -> tuple[QuotaState, ...]:
    """Fresh states for the sub-claims of a job, which run side by side: together they spend what the job has left.

    What does not divide evenly goes to the first ones. A share too small for every reserved call keeps those that
    come first in the policy."""
    calls_left = max(0, policy.max_calls - state.calls)
    tokens_left = max(0, policy.max_tokens - state.tokens)
    return tuple(
        QuotaState(
            calls=policy.max_calls - calls,
            tokens_in=policy.max_tokens - tokens_left // parts,
            reserved_used=_unaffordable(policy, calls),
            degraded=state.degraded,
        )
        for calls in (calls_left // parts + (number < calls_left % parts) for number in range(parts))
    )


def _unaffordable(policy: QuotaPolicy, calls: int) -> dict[CallTag, int]:
    """Reserved slots that must count as used, so that a share of so few calls is not exceeded."""
    used: dict[CallTag, int] = {}
    for tag, count in policy.reserved.items():
        kept = min(count, calls)
        calls -= kept
        if kept < count:
            used[tag] = count - kept
    return used


def joined(state: QuotaState, share: QuotaState, end: QuotaState) -> QuotaState:
    """The job's state with what one sub-claim spent between its share and its end."""
    return replace(
        state,
        calls=state.calls + end.calls - share.calls,
        tokens_in=state.tokens_in + end.tokens_in - share.tokens_in,
        tokens_out=state.tokens_out + end.tokens_out - share.tokens_out,
        cost_usd=state.cost_usd + end.cost_usd - share.cost_usd,
        cache_hits=state.cache_hits + end.cache_hits - share.cache_hits,
        failures=state.failures + end.failures - share.failures,
        skipped=(*state.skipped, *end.skipped[len(share.skipped) :]),
        degraded=state.degraded or end.degraded,
    )


def report(state: QuotaState) -> dict[str, int | float | bool | list[str]]:
    """What a verdict package says about its language: calls, tokens, cost, and every call that rules stood in for."""
    return {
        "calls": state.calls,
        "tokens": state.tokens,
        "cost_usd": round(state.cost_usd, 6),
        "cache_hits": state.cache_hits,
        "skipped": [f"{one.tag}: {one.reason}" for one in state.skipped],
        "degraded": state.degraded or bool(state.skipped),
    }
