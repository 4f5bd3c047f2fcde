"""Trust of each passage and of all together: components, dedupe, self-weighted mean, agreement, grade, interval."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.derivation import replay
from scoring.inputs import constants
from scoring.trust import (
    Grade,
    TrustPolicy,
    evidence_trust,
    explain_evidence_trust,
    fixed_trust,
    grade_of,
    rank_by_trust,
    recompute_evidence_trust,
    recompute_fixed_trust,
)
from scoring.values import NEUTRAL, Evidence, Stance

YES, NO = Stance(0.9, 0.05, 0.05), Stance(0.05, 0.9, 0.05)
units = st.floats(0, 1)


def passage(id_: str = "a", **changes: Any) -> Evidence:
    base = Evidence(id_, f"statement {id_}", "web", 0.5, YES, semantic=0.6, credibility=0.7, recency=0.5)
    return replace(base, **changes)


def fixed(trusts: list[float], relations: list[str], seed: int = 7, **policy: Any) -> Any:
    return recompute_fixed_trust(
        {
            "evidence_ids": [f"e{n}" for n in range(len(trusts))],
            "evidence_trusts": trusts,
            "relations": relations,
            "seed": seed,
            "policy": constants(TrustPolicy(**policy)),
        }
    )


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"stance": Stance(0.8, 0.1, 0.1)}, 0.68),  # 0.4*0.6 + 0.3*0.7 + 0.2*0.9 + 0.1*0.5
        ({"stance": Stance(0.1, 0.8, 0.1)}, 0.68),  # refuting is worth as much
        ({"stance": NEUTRAL}, 0.50),  # 0.24 + 0.21 + 0 + 0.05
        ({"stance": NEUTRAL, "semantic": 0.0, "kg": 0.5}, 0.46),  # 0.20 + 0.21 + 0.05
        ({"stance": NEUTRAL, "credibility": 1.0, "recency": 1.0, "semantic": 1.0}, 0.80),  # 0.4 + 0.3 + 0.1
        ({"stance": NEUTRAL, "credibility": 0.0, "recency": 0.0, "semantic": 0.0}, 0.0),
        ({"stance": Stance(1, 0, 0), "credibility": 1.0, "recency": 1.0, "semantic": 1.0}, 1.0),
    ],
)
def test_trust_of_a_passage_is_made_of_four_components(changes: dict[str, Any], expected: float) -> None:
    assert evidence_trust(passage(**changes)) == pytest.approx(expected)


def test_the_explained_trust_is_the_same_number_and_can_be_recomputed() -> None:
    explained = explain_evidence_trust(passage())
    assert explained.value == pytest.approx(evidence_trust(passage()), abs=1e-12)
    assert replay(explained) == explained.value
    assert recompute_evidence_trust(explained.inputs) == explained


@pytest.mark.parametrize(
    ("trusts", "relations", "agreement", "value"),
    [
        ([0.8, 0.4], ["supports", "supports"], 1.0, 2 / 3),  # (0.64 + 0.16) / 1.2
        ([0.8, 0.4], ["supports", "contradicts"], 2 / 3, 5 / 9),  # 2/3 * (0.5 + 0.5 * 2/3)
        ([0.8, 0.4], ["contradicts", "contradicts"], 1.0, 2 / 3),  # all against is agreement too
        ([0.6, 0.6], ["supports", "contradicts"], 0.5, 0.45),  # 0.6 * 0.75
        ([0.8, 0.4], ["supports", "neutral"], 1.0, 2 / 3),  # nobody disagrees
        ([0.5, 0.5], ["qualifies", "neutral"], 1.0, 0.5),
        ([0.7], ["supports"], 1.0, 0.7),
        ([0.0, 0.0], ["supports", "contradicts"], 0.0, 0.0),
        ([], [], 0.0, 0.0),
    ],
)
def test_fixed_trust_is_the_self_weighted_mean_lowered_by_disagreement(
    trusts: list[float], relations: list[str], agreement: float, value: float
) -> None:
    found = fixed(trusts, relations)
    assert found.agreement_ratio == pytest.approx(agreement)
    assert found.value == pytest.approx(value)


@pytest.mark.parametrize(
    ("value", "grade"),
    [
        (1.0, "A"), (0.8, "A"), (0.7999, "B"), (0.6, "B"), (0.5999, "C"), (0.4, "C"), (0.3999, "D"), (0.0, "D"),
    ],
)  # fmt: skip
def test_grades_change_at_their_thresholds(value: float, grade: Grade) -> None:
    assert grade_of(value) == grade


@pytest.mark.parametrize(
    "other",
    [
        {"url": "https://www.example.org/x/?utm_source=a"},  # same page, other spelling
        {"text": "Statement  A", "url": "https://other.org/"},  # same statement elsewhere
        {"same_as": "a", "url": "https://wire.org/"},  # a copy that was recognised as one
    ],
)
def test_the_same_page_statement_or_story_counts_once_with_the_most_trusted(other: dict[str, Any]) -> None:
    first = passage("a", url="https://example.org/x")
    better = passage("b", credibility=0.9, **other)
    assert [item.id for item, _ in rank_by_trust([first, better])] == ["b"]


def test_passages_without_an_address_are_told_apart_by_what_they_state() -> None:
    assert len(rank_by_trust([passage("a"), passage("b")])) == 2


def test_trusted_evidence_is_ordered_by_trust_and_then_by_id() -> None:
    ranked = rank_by_trust([passage("c"), passage("b"), passage("a", credibility=0.1)])
    assert [item.id for item, _ in ranked] == ["b", "c", "a"]


def test_inadmissible_evidence_is_not_trusted() -> None:
    assert fixed_trust([passage(admissible=False)]).value == 0.0


def test_the_interval_of_one_passage_is_its_value() -> None:
    found = fixed([0.7], ["supports"])
    assert (found.ci_low, found.ci_high) == (pytest.approx(0.7), pytest.approx(0.7))


def test_equal_passages_leave_nothing_to_chance() -> None:
    found = fixed([0.6] * 5, ["supports"] * 5)
    assert (found.ci_low, found.ci_high) == (pytest.approx(0.6), pytest.approx(0.6))


def test_the_interval_is_the_percentile_bootstrap_of_the_raw_bit_stream() -> None:
    trusts, signs, seed = [0.9, 0.5, 0.2], [1, 1, -1], 11
    raw = np.random.PCG64(seed).random_raw(200 * 3)
    samples = []
    for row in range(200):
        picks = [int(raw[row * 3 + column]) % 3 for column in range(3)]
        total = sum(trusts[i] for i in picks)
        mean = sum(trusts[i] ** 2 for i in picks) / total
        with_it = sum(trusts[i] for i in picks if signs[i] > 0)
        samples.append(mean * (0.5 + 0.5 * max(with_it, total - with_it) / total))
    found = fixed(trusts, ["supports", "supports", "contradicts"], seed=seed)
    assert found.ci_low == pytest.approx(float(np.quantile(samples, 0.025)), abs=1e-9)
    assert found.ci_high == pytest.approx(float(np.quantile(samples, 0.975)), abs=1e-9)


def test_the_seed_alone_decides_the_resampling() -> None:
    evidence = [passage(id_, credibility=n / 10) for n, id_ in enumerate("abcdefgh")]
    assert fixed_trust(evidence, seed=3) == fixed_trust(list(reversed(evidence)), seed=3)
    assert fixed_trust(evidence, seed=3).ci_low != fixed_trust(evidence, seed=4).ci_low
    assert fixed_trust(evidence, seed=3).value == fixed_trust(evidence, seed=4).value


items = st.lists(st.tuples(units, st.sampled_from(["supports", "contradicts", "qualifies", "neutral"])), max_size=12)


@given(items, st.integers(0, 2**63))
def test_fixed_trust_is_bounded_within_its_interval_and_recomputable(pairs: list[tuple[float, str]], seed: int) -> None:
    found = fixed([trust for trust, _ in pairs], [side for _, side in pairs], seed)
    assert 0.0 <= found.ci_low <= found.value <= found.ci_high <= 1.0
    assert 0.0 <= found.agreement_ratio <= 1.0
    assert replay(found.derivation) == pytest.approx(found.value, abs=1e-9)
    assert recompute_fixed_trust(found.derivation.inputs) == found


@given(items, units, st.sampled_from(["supports", "contradicts"]))
def test_another_passage_on_the_leading_side_never_lowers_agreement(
    pairs: list[tuple[float, str]], trust: float, side: str
) -> None:
    trusts, sides = [t for t, _ in pairs], [s for _, s in pairs]
    other = "contradicts" if side == "supports" else "supports"
    mass = {name: sum(t for t, s in pairs if s == name) for name in ("supports", "contradicts")}
    if mass[side] >= mass[other]:
        before, after = fixed(trusts, sides), fixed([*trusts, trust], [*sides, side])
        assert after.agreement_ratio >= before.agreement_ratio - 1e-12


@pytest.mark.parametrize("field", ["semantic", "kg", "credibility", "recency"])
@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -0.1, 1.1])
def test_a_signal_out_of_range_is_refused_by_name(field: str, bad: float) -> None:
    changes: dict[str, Any] = {field: bad}
    with pytest.raises(ValueError, match=field):
        evidence_trust(passage(**changes))


@pytest.mark.parametrize(
    "bad",
    [{"w_semantic": 0.5}, {"grade_b": 0.9}, {"interval": 1.0}, {"resamples": 0}, {"agreement_share": 2.0}],
)
def test_a_policy_that_makes_no_sense_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must"):
        TrustPolicy(**bad)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"evidence_trusts": [0.5]}, "equally long"),
        ({"evidence_trusts": [0.5, float("nan")]}, "evidence_trusts"),
        ({"evidence_trusts": [0.5, 1.5]}, "evidence_trusts"),
        ({"relations": ["supports", "denies"]}, "denies"),
        ({"seed": -1}, "seed"),
        ({"policy": {"w_semantic": 1.0}}, "TrustPolicy"),
        ({"policy": None}, "TrustPolicy"),
    ],
)
def test_recomputing_refuses_inputs_that_do_not_fit(changes: dict[str, Any], message: str) -> None:
    inputs: dict[str, Any] = {
        "evidence_ids": ["a", "b"],
        "evidence_trusts": [0.5, 0.4],
        "relations": ["supports", "neutral"],
        "seed": 1,
        "policy": constants(TrustPolicy()),
    }
    with pytest.raises(ValueError, match=message):
        recompute_fixed_trust({**inputs, **changes})
