"""S and S_min of 002: the worked cases its policy's comment promises, the threshold, and where signals come from."""

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.derivation import replay
from scoring.retrieval_sufficiency import (
    RetrievalSignals,
    SufficiencyPolicy,
    compute_sufficiency,
    count_missing_constraints,
    recompute_sufficiency,
    retrieval_signals,
)
from scoring.values import NEUTRAL, Evidence, Stance

counts = st.integers(0, 50)
masses = st.floats(0, 50)


@pytest.mark.parametrize(
    ("signals", "s", "escalate", "share"),
    [
        (RetrievalSignals(2, 1.6, 0.0, 0), 1.3, False, 1.0),  # 2 * 0.25 + 1.6 * 0.5
        (RetrievalSignals(1, 1.0, 0.0, 0), 0.75, True, 0.75),  # one source, however clear
        (RetrievalSignals(2, 1.6, 0.4, 1), 0.85, True, 0.85),  # 1.3 - 0.4 * 0.5 - 0.25
        (RetrievalSignals(2, 1.6, 1.6, 0), 0.5, True, 0.5),  # conflict cancels support
        (RetrievalSignals(0, 0.0, 2.0, 3), -1.75, True, 0.0),  # the share never falls below 0
        (RetrievalSignals(2, 1.0, 0.0, 0), 1.0, False, 1.0),  # at S_min
        (RetrievalSignals(2, 0.99, 0.0, 0), 0.995, True, 0.995),  # just below
        (RetrievalSignals(2, 1.01, 0.0, 0), 1.005, False, 1.0),  # just above
    ],
)
def test_s_is_the_weighted_sum_and_only_s_min_decides(
    signals: RetrievalSignals, s: float, escalate: bool, share: float
) -> None:
    result = compute_sufficiency(signals)
    assert result.s.value == pytest.approx(s)
    assert result.escalate is escalate
    assert result.share == pytest.approx(share)


@given(counts, masses, masses, counts)
def test_s_can_be_recomputed_and_conflict_never_raises_it(
    clusters: int, support: float, conflict: float, missing: int
) -> None:
    result = compute_sufficiency(RetrievalSignals(clusters, support, conflict, missing))
    assert replay(result.s) == pytest.approx(result.s.value, abs=1e-9)
    assert recompute_sufficiency(json.loads(json.dumps(result.s.inputs))) == result.s
    by_hand = 0.25 * clusters + 0.5 * support - 0.5 * conflict - 0.25 * missing
    assert result.s.value == pytest.approx(by_hand, abs=1e-9)
    assert 0.0 <= result.share <= 1.0
    worse = compute_sufficiency(RetrievalSignals(clusters, support, conflict + 1, missing + 1))
    assert worse.s.value < result.s.value


def passage(name: str, relevance: float, stance: Stance) -> Evidence:
    return Evidence(id=name, text=name, origin="web", relevance=relevance, stance=stance)


def test_copies_of_one_story_are_one_cluster_and_count_by_the_most_telling() -> None:
    signals = retrieval_signals(
        [
            passage("a", 0.8, Stance(0.9, 0.05, 0.05)),
            replace(passage("copy", 1.0, Stance(0.8, 0.1, 0.1)), same_as="a"),
            passage("b", 0.5, Stance(0.1, 0.8, 0.1)),
            passage("off", 1.0, NEUTRAL),
            replace(passage("out", 1.0, Stance(1.0, 0.0, 0.0)), admissible=False),
        ],
        missing=1,
    )
    assert signals.ce_cluster_count == 1  # a and its copy; b refutes, the others say nothing or do not count
    assert signals.se_support_mass == pytest.approx(0.85)  # max(0.72, 0.8) + 0.5 * 0.1
    assert signals.conflict_mass == pytest.approx(0.5)  # max(0.04, 0.1) + 0.5 * 0.8
    assert signals.missing_constraints == 1


def test_a_constraint_is_missing_unless_one_passage_mentions_all_of_it() -> None:
    texts = ["The bridge opened in 2019 in Lisbon.", "It cost 12 million euros."]
    assert count_missing_constraints(["2019", "Lisbon", "12 million euros"], texts) == 0
    assert count_missing_constraints(["2020", "Porto", "13 million euros"], texts) == 3
    assert count_missing_constraints(["opened at Lisbon for 12 million euros"], texts) == 1
    assert count_missing_constraints(["It cost 12 million euros"], texts) == 0  # all of a passage is enough
    assert count_missing_constraints(["2019"], []) == 1
    assert count_missing_constraints([], texts) == 0


@pytest.mark.parametrize("field", ["ce_cluster_count", "se_support_mass", "conflict_mass", "missing_constraints"])
@pytest.mark.parametrize("bad", [math.nan, math.inf, -1])
def test_signals_that_are_no_amounts_are_refused_by_name(field: str, bad: Any) -> None:
    with pytest.raises(ValueError, match=field):
        replace(RetrievalSignals(1, 1.0, 0.0, 0), **{field: bad})


def test_a_weight_of_nothing_switches_a_signal_off() -> None:
    policy = SufficiencyPolicy(w3=0.0)
    assert compute_sufficiency(RetrievalSignals(2, 1.6, 9.0, 0), policy).s.value == pytest.approx(1.3)


@pytest.mark.parametrize(("field", "value"), [("w1", -0.1), ("w4", math.nan), ("s_min", 0.0), ("s_min", math.inf)])
def test_a_policy_that_makes_no_sense_is_refused(field: str, value: float) -> None:
    with pytest.raises(ValueError, match=field):
        SufficiencyPolicy(**{field: value})
