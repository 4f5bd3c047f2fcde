"""Every stop reason has facts that lead to it, and the order of reasons is the one the handbook gives."""

from dataclasses import replace
from typing import Any, get_args

import pytest

from scoring.evoi import ExtractHistory, decide_extract, worthwhile_extracts
from scoring.stopping import LoopFacts, LoopPolicy, StopReason, claim_belief, stop_reason
from scoring.values import Evidence, Stance

GOING_ON = LoopFacts(loops=1, sufficient=False, set_pages=4, set_evidence=2)
END_OF_SET = replace(GOING_ON, planned=0)
REASONS: list[tuple[StopReason, LoopFacts]] = [
    ("cache", LoopFacts(loops=0, sufficient=True, settles=True)),
    ("sufficient", replace(GOING_ON, sufficient=True, route="strict:high_coverage")),
    ("confidence_mode", replace(GOING_ON, sufficient=True, route="confidence_mode")),
    ("deadline", replace(GOING_ON, overdue=True)),
    ("no_provider", replace(GOING_ON, provider=False)),
    ("comparative_monopoly", replace(GOING_ON, monopoly_loops=2)),
    ("evoi_below_cost", replace(GOING_ON, extraction="below_marginal_cost")),
    ("query_budget", replace(GOING_ON, queries_left=0)),
    ("url_exhausted", replace(GOING_ON, pages_left=0)),
    ("url_exhausted", replace(GOING_ON, extraction="max_extracts")),
    ("url_exhausted", replace(END_OF_SET, set_pages=0)),
    ("no_new_evidence", replace(END_OF_SET, set_evidence=0)),
    ("no_new_evidence", replace(END_OF_SET, next_planned=0)),
    ("no_new_evidence", LoopFacts(loops=0, sufficient=False, planned=0)),
    ("iteration_budget", replace(END_OF_SET, iterations_left=0)),
]


@pytest.mark.parametrize(("reason", "facts"), REASONS)
def test_each_reason_has_its_facts(reason: StopReason, facts: LoopFacts) -> None:
    assert stop_reason(facts) == reason


def test_the_cases_above_are_the_whole_closed_set() -> None:
    assert {reason for reason, _ in REASONS} == set(get_args(StopReason))


@pytest.mark.parametrize(
    "facts",
    [
        GOING_ON,
        END_OF_SET,
        replace(END_OF_SET, next_planned=2),
        replace(GOING_ON, monopoly_loops=1),
        replace(GOING_ON, set_pages=0, set_evidence=0),
        LoopFacts(loops=0, sufficient=False),
        LoopFacts(loops=0, sufficient=True, settles=False),
    ],
)
def test_otherwise_the_search_goes_on(facts: LoopFacts) -> None:
    assert stop_reason(facts) is None


def test_what_is_settled_is_settled_even_when_every_budget_is_spent() -> None:
    spent: dict[str, Any] = {"overdue": True, "provider": False, "queries_left": 0, "pages_left": 0, "planned": 0}
    assert stop_reason(replace(GOING_ON, sufficient=True, **spent)) == "sufficient"
    assert stop_reason(replace(GOING_ON, **spent)) == "deadline"


def voice(number: int, stance: Stance) -> Evidence:
    return Evidence(str(number), f"text {number}", "web", 0.8, stance, url=f"https://{number}.example/a")


def test_belief_leans_with_the_evidence_and_never_reaches_certainty() -> None:
    supports, refutes = Stance(0.9, 0.05, 0.05), Stance(0.05, 0.9, 0.05)
    assert claim_belief([]) == 0.5
    assert claim_belief([voice(1, supports), voice(2, refutes)]) == pytest.approx(0.5)
    leaning = [claim_belief([voice(number, supports) for number in range(count)]) for count in range(1, 6)]
    assert leaning == sorted(leaning)
    assert leaning[-1] < 0.9


@pytest.mark.parametrize(
    ("history", "sufficiency", "most", "pages"),
    [
        (ExtractHistory(), 0.0, 10, 5),  # 1, 0.85, 0.72, 0.61, 0.52 and then 0.44
        (ExtractHistory(), 0.0, 4, 4),
        (ExtractHistory(), 1.0, 10, 2),  # 0.5, 0.43: the second only because two are always tried
        (ExtractHistory(2, 0), 0.0, 10, 0),
        (ExtractHistory(4, 4), 0.0, 10, 4),  # 0.87, 0.74, 0.63, 0.53 and then 0.45
        (ExtractHistory(11, 11), 0.0, 10, 0),
        (ExtractHistory(12, 12), 0.0, 10, 0),
    ],
)
def test_as_many_pages_are_fetched_together_as_are_expected_to_be_worth_it(
    history: ExtractHistory, sufficiency: float, most: int, pages: int
) -> None:
    assert worthwhile_extracts(0.5, history, sufficiency, most=most) == pages
    assert decide_extract(0.5, history, sufficiency).proceed == (pages > 0)


def test_inline_sources_have_a_smaller_budget_of_their_own() -> None:
    policy = LoopPolicy()
    assert worthwhile_extracts(0.5, ExtractHistory(), 1.0, policy.inline, most=10) == 1
    assert worthwhile_extracts(0.5, ExtractHistory(4, 4), 0.0, policy.inline, most=10) == 0


@pytest.mark.parametrize("wrong", [{"monopoly_loops": 0}, {"top_k_growth": -1}, {"repeat_cosine": 1.5}])
def test_a_policy_that_cannot_be_meant_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        LoopPolicy(**wrong)
