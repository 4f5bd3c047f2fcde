"""The chain: order, moving on, guards, costs, dates, and the value that says nobody answered."""

import asyncio
from dataclasses import dataclass, field
from datetime import date

import pytest

from agents.breaker import BreakerPolicy
from agents.errors import DependencyDown, Permanent, Transient
from agents.evidence.ports import SearchOutcome, SearchResult
from agents.evidence.search import ProviderPolicy, SearchChain, SearchFailed
from tests.unit.evidence_web.local_web import Clock


def result(url: str = "https://a.test/1", published: date | None = None) -> SearchResult:
    return SearchResult("Title", url, "snippet", published, 1.0)


@dataclass
class Scripted:
    """A provider that does the next thing on its list, the last one for good."""

    name: str
    script: list[list[SearchResult] | Exception] = field(default_factory=lambda: [[result()]])
    asked: int = 0

    async def search(self, query: str, limit: int, as_of: date | None = None) -> list[SearchResult]:
        self.asked += 1
        step = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if isinstance(step, Exception):
            raise step
        return step


FREE = ProviderPolicy(rate=1_000.0, burst=1_000)


def chain(*providers: Scripted, clock: Clock | None = None, **policies: ProviderPolicy) -> SearchChain:
    clock = clock or Clock()
    known = {provider.name: FREE for provider in providers} | policies
    return SearchChain.of(providers, known, clock, clock.sleep)


async def test_the_first_provider_with_results_answers_and_the_rest_are_not_asked() -> None:
    first, second = Scripted("first"), Scripted("second")
    found = await chain(first, second, first=ProviderPolicy(cost=0.01)).search("query", 5)
    assert found.answered
    assert (found.provider, found.cost, len(found.results), second.asked) == ("first", 0.01, 1, 0)


@pytest.mark.parametrize(
    "failure",
    [
        SearchFailed("timeout", "slow"),
        SearchFailed("unauthorized", "key"),
        SearchFailed("bad_answer", "html"),
        Transient("later", retry_after=3.0),
        DependencyDown("engine"),
        Permanent("never"),
    ],
    ids=str,
)
async def test_a_failure_moves_on_to_the_next(failure: Exception) -> None:
    second = Scripted("second")
    found = await chain(Scripted("first", [failure]), second, first=ProviderPolicy(cost=0.01)).search("query", 5)
    assert found.answered
    assert found.provider == "second"
    assert found.attempts[0].provider == "first"
    # What failed costs nothing.
    assert (found.cost, second.asked) == (0.0, 1)


async def test_an_empty_answer_moves_on_and_is_an_answer_if_nobody_has_more() -> None:
    nothing: list[list[SearchResult] | Exception] = [[]]
    found = await chain(Scripted("first", nothing), Scripted("second")).search("query", 5)
    assert found.answered
    assert [attempt.outcome for attempt in found.attempts] == ["empty", "results"]
    down = Scripted("second", [SearchFailed("unavailable", "gone")])
    found = await chain(Scripted("first", [[]]), down).search("query", 5)
    assert found.answered
    assert found == SearchOutcome((), found.attempts)


async def test_all_failing_is_a_value_that_says_why() -> None:
    outcome = await chain(
        Scripted("first", [SearchFailed("timeout", "no answer within 8 s")]),
        Scripted("second", [SearchFailed("unauthorized", "status 401")]),
    ).search("query", 5)
    assert not outcome.answered
    assert [attempt.outcome for attempt in outcome.attempts] == ["timeout", "unauthorized"]
    assert "first: no answer within 8 s; second: status 401" in outcome.message


async def test_no_provider_at_all_is_the_same_value() -> None:
    outcome = await chain().search("query", 5)
    assert not outcome.answered
    assert outcome.message == "no search provider is configured"


async def test_nothing_published_after_the_date_is_returned() -> None:
    early, late = result("https://a.test/1", date(2024, 1, 1)), result("https://a.test/2", date(2024, 1, 2))
    undated = result("https://a.test/3")
    found = await chain(Scripted("first", [[late, early, undated]])).search("query", 5, date(2024, 1, 1))
    assert found.answered
    assert (list(found.results), found.dropped) == ([early, undated], 1)


async def test_a_provider_with_later_results_only_has_none() -> None:
    late = result("https://a.test/2", date(2024, 1, 2))
    second = Scripted("second", [[result("https://b.test/")]])
    found = await chain(Scripted("first", [[late]]), second).search("query", 5, date(2024, 1, 1))
    assert found.answered
    assert (found.provider, found.dropped) == ("second", 1)


async def test_results_are_web_addresses_each_once_and_no_more_than_asked_for() -> None:
    urls = [
        "https://a.test/1",
        "http://www.a.test/1/",
        "ftp://a.test/2",
        "javascript:1",
        "http://[",
        "https://a.test/3",
    ]
    found = await chain(Scripted("first", [[result(url) for url in [*urls, "https://a.test/4"]]])).search("query", 2)
    assert found.answered
    assert [item.url for item in found.results] == ["https://a.test/1", "https://a.test/3"]


async def test_a_burst_is_served_at_once_and_then_at_the_rate() -> None:
    clock = Clock()
    searching = chain(Scripted("first"), clock=clock, first=ProviderPolicy(rate=2.0, burst=2, max_wait_s=5.0))
    for _ in range(4):
        await searching.search("query", 5)
    assert clock.slept == [0.5, 0.5]


async def test_who_would_wait_too_long_for_a_turn_moves_on() -> None:
    second = Scripted("second")
    searching = chain(Scripted("first"), second, first=ProviderPolicy(rate=0.1, burst=1, max_wait_s=5.0))
    await searching.search("query", 5)
    found = await searching.search("query", 5)
    assert found.answered
    assert (found.attempts[0].outcome, found.provider) == ("rate_limited", "second")


async def test_a_provider_that_asks_for_time_is_left_alone_for_so_long() -> None:
    clock = Clock()
    first = Scripted("first", [SearchFailed("rate_limited", "429", retry_after=60.0), [result()]])
    searching = chain(first, Scripted("second"), clock=clock)
    for wait, provider in ((0.0, "second"), (30.0, "second"), (30.0, "first")):
        clock.moment += wait
        found = await searching.search("query", 5)
        assert found.answered
        assert found.provider == provider
    assert first.asked == 2


async def test_a_provider_that_keeps_failing_is_not_asked_until_its_pause_is_over() -> None:
    clock = Clock()
    failing = SearchFailed("unavailable", "gone")
    first = Scripted("first", [failing, failing, [result()]])
    policy = ProviderPolicy(rate=100.0, burst=100, breaker=BreakerPolicy(failures=2, open_seconds=30.0))
    searching = chain(first, clock=clock, first=policy)
    for _ in range(4):
        outcome = await searching.search("query", 5)
    assert not outcome.answered
    assert (outcome.attempts[0].outcome, first.asked) == ("circuit_open", 2)
    clock.moment += 31.0
    assert (await searching.search("query", 5)).answered


async def test_a_refused_query_does_not_count_against_the_provider() -> None:
    first = Scripted("first", [SearchFailed("refused", "bad query")])
    searching = chain(first, first=ProviderPolicy(rate=100.0, burst=100, breaker=BreakerPolicy(failures=2)))
    for _ in range(5):
        await searching.search("query", 5)
    assert first.asked == 5


async def test_a_provider_that_never_answers_is_cut_off_by_the_guard() -> None:
    class Silent(Scripted):
        async def search(self, query: str, limit: int, as_of: date | None = None) -> list[SearchResult]:
            await asyncio.Event().wait()
            return []

    outcome = await chain(Silent("first"), first=ProviderPolicy(timeout_s=0.05)).search("query", 5)
    assert not outcome.answered
    assert outcome.attempts[0].outcome == "timeout"


async def test_a_search_for_nothing_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="a search needs"):
        await chain(Scripted("first")).search(" ", 5)


@pytest.mark.parametrize("bad", [{"rate": 0.0}, {"burst": 0}, {"timeout_s": 0.0}, {"cost": -1.0}, {"max_wait_s": -1.0}])
def test_a_policy_without_sense_is_refused(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must be above 0"):
        ProviderPolicy(**bad)  # type: ignore[arg-type] # one number at a time
