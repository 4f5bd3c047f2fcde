"""The truth score: statuses, penalties, guards, ceiling and overrides, worked out by hand from 000 §6.1."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.coverage import Segment
from scoring.derivation import Derivation, replay
from scoring.numeric import NumericRelation
from scoring.truthfulness import DEFAULT, TruthfulnessPolicy, recompute_truthfulness, status_shares, truthfulness
from scoring.values import SegmentStatus, Verdict

SV, V, PV = SegmentStatus.STRONGLY_VALID, SegmentStatus.VALID, SegmentStatus.PARTIALLY_VALID
U, PI, INV = SegmentStatus.UNKNOWN, SegmentStatus.PARTIALLY_INVALID, SegmentStatus.INVALID
WORSENING = [SV, V, PV, U, PI, INV]
TRUE, FALSE, PARTLY, OPEN = Verdict.TRUE, Verdict.FALSE, Verdict.PARTIALLY_TRUE, Verdict.UNVERIFIABLE
units = st.floats(0, 1)
statuses_of = st.lists(st.sampled_from(list(SegmentStatus)), max_size=8)


def score(statuses: list[SegmentStatus], verdict: Verdict, diversity: float = 1.0, **rest: Any) -> Derivation:
    segments = [Segment(f"part {n}", status) for n, status in enumerate(statuses)]
    return truthfulness(segments, verdict, diversity, **rest)


def steps(derivation: Derivation) -> list[str]:
    return [step.name for step in derivation.steps]


@pytest.mark.parametrize(("status", "weight"), [(SV, 1.0), (V, 1.0), (PV, 0.75), (U, 0.45), (PI, 0.25), (INV, 0.0)])
def test_each_status_has_its_specified_weight(status: SegmentStatus, weight: float) -> None:
    assert DEFAULT.weight(status) == weight
    assert score([status], PARTLY).inputs["base"] == weight


@pytest.mark.parametrize(
    ("statuses", "verdict", "diversity", "expected", "path"),
    [
        # base 1, ceiling 0.85 + 0.10 * 0.5
        ([V], TRUE, 0.5, 0.90, ["base", "clamp", "diversity_ceiling"]),
        ([V], TRUE, 0.0, 0.85, ["base", "clamp", "diversity_ceiling"]),
        ([SV], TRUE, 1.0, 0.95, ["base", "clamp", "diversity_ceiling"]),
        ([PV], TRUE, 1.0, 0.75, ["base", "clamp"]),
        # 0.875 with half of the parts corroborated is lifted to 0.97, then the ceiling
        ([SV, PV], TRUE, 1.0, 0.95, ["base", "strong_true_floor", "clamp", "diversity_ceiling"]),
        ([SV, PV], PARTLY, 1.0, 0.875, ["base", "clamp"]),  # the lift is for TRUE only
        ([SV, PV, PV], TRUE, 1.0, 2.5 / 3, ["base", "clamp"]),  # a third is not strong
        ([SV, PV, U], TRUE, 1.0, 0.7, ["base", "unresolved_penalty", "clamp"]),  # 2.2 / 3 - 0.1 / 3, not resolved
        # One of two parts open: 1.45 / 2 less 0.05.
        ([V, U], PARTLY, 1.0, 0.675, ["base", "unresolved_penalty", "clamp"]),
        # 9.45 / 10 - 0.01 = 0.935, capped below full certainty
        ([V] * 9 + [U], PARTLY, 1.0, 0.85, ["base", "unresolved_penalty", "unresolved_support_cap", "clamp"]),
        # 0.9 - 0.03 = 0.87: a refuted part may not do better than an open one
        ([V] * 9 + [INV], PARTLY, 1.0, 0.85, ["base", "contradict_penalty", "unresolved_support_cap", "clamp"]),
        ([V, INV], PARTLY, 1.0, 0.35, ["base", "contradict_penalty", "clamp"]),  # 0.5 - 0.15
        ([U], OPEN, 1.0, 0.35, ["base", "unresolved_penalty", "clamp"]),  # 0.45 - 0.10
        ([V, U], OPEN, 1.0, 0.50, ["base", "unresolved_penalty", "clamp", "unverifiable_cap"]),
        ([], OPEN, 1.0, 0.35, ["base", "unresolved_penalty", "clamp"]),  # no parts: nothing resolved
        ([INV], FALSE, 1.0, 0.0, ["base", "contradict_penalty", "clamp"]),  # -0.30
        ([PI], FALSE, 1.0, 0.0, ["base", "contradict_penalty", "clamp"]),  # -0.05
        # 1.35 / 4 - 0.075 - 0.075 = 0.1875, forced low
        (
            [INV, U, U, U],
            FALSE,
            1.0,
            0.10,
            ["base", "contradict_penalty", "unresolved_penalty", "pure_contradiction_cap", "clamp"],
        ),
        ([U], FALSE, 1.0, 0.35, ["base", "unresolved_penalty", "clamp"]),  # nothing contradicts: not forced low
        ([V, INV], FALSE, 1.0, 0.35, ["base", "contradict_penalty", "clamp"]),  # something is supported
        ([INV, U, U, U], OPEN, 1.0, 0.1875, ["base", "contradict_penalty", "unresolved_penalty", "clamp"]),
    ],
)
def test_the_truth_score_takes_the_specified_path(
    statuses: list[SegmentStatus], verdict: Verdict, diversity: float, expected: float, path: list[str]
) -> None:
    found = score(statuses, verdict, diversity)
    assert found.value == pytest.approx(expected, abs=1e-12)
    assert steps(found) == path


@pytest.mark.parametrize(
    ("statuses", "verdict", "numeric", "expected", "last"),
    [
        ([PV], TRUE, NumericRelation.AGREES, 0.90, "numeric_match_floor"),  # above the ceiling of one source
        ([V, U], TRUE, NumericRelation.AGREES, 0.675, "clamp"),  # not with an open part
        ([V, INV], TRUE, NumericRelation.AGREES, 0.35, "clamp"),  # nor with a refuted one
        ([PV], PARTLY, NumericRelation.AGREES, 0.75, "clamp"),
        ([PV], TRUE, NumericRelation.SILENT, 0.75, "clamp"),
        ([V], OPEN, NumericRelation.DIFFERS, 0.25, "numeric_mismatch_cap"),
        ([INV], FALSE, NumericRelation.DIFFERS, 0.0, "clamp"),
    ],
)
def test_a_figure_found_or_contradicted_overrides_the_score(
    statuses: list[SegmentStatus], verdict: Verdict, numeric: NumericRelation, expected: float, last: str
) -> None:
    found = score(statuses, verdict, 0.0, numeric=numeric)
    assert found.value == pytest.approx(expected)
    assert steps(found)[-1] == last


@pytest.mark.parametrize(
    ("statuses", "verdict", "expected"),
    [([V], TRUE, 0.80), ([PV], TRUE, 0.75), ([V], PARTLY, 0.95)],
)
def test_absolute_claims_are_kept_from_an_overconfident_true(
    statuses: list[SegmentStatus], verdict: Verdict, expected: float
) -> None:
    found = score(statuses, verdict, absolute_quantifier=True)
    assert found.value == pytest.approx(expected)
    assert ("absolute_quantifier_cap" in steps(found)) is (expected == 0.80)


# The score of each case without the guard is the number that its threshold is moved around.
@pytest.mark.parametrize(
    ("guard", "statuses", "verdict", "at", "rest"),
    [
        ("unresolved_support_cap", [V, U], PARTLY, 0.675, {}),
        ("pure_contradiction_cap", [INV, U, U, U], FALSE, 0.1875, {}),
        ("unverifiable_cap", [V, U], OPEN, 0.675, {}),
        ("absolute_quantifier_cap", [PV], TRUE, 0.75, {"absolute_quantifier": True}),
        ("numeric_mismatch_cap", [PV], PARTLY, 0.75, {"numeric": NumericRelation.DIFFERS}),
    ],
)
def test_a_cap_binds_only_above_its_threshold(
    guard: str, statuses: list[SegmentStatus], verdict: Verdict, at: float, rest: dict[str, Any]
) -> None:
    for threshold, fires in ((at - 0.001, True), (at + 1e-12, False), (at + 0.001, False)):
        found = score(statuses, verdict, policy=replace(DEFAULT, **{guard: threshold}), **rest)
        assert (guard in steps(found)) is fires
        assert found.value == pytest.approx(min(at, threshold))


@pytest.mark.parametrize(
    ("guard", "statuses", "at", "rest"),
    [
        ("strong_true_floor", [SV, PV], 0.875, {}),
        ("numeric_match_floor", [PV], 0.75, {"numeric": NumericRelation.AGREES}),
    ],
)
def test_a_floor_lifts_only_below_its_threshold(
    guard: str, statuses: list[SegmentStatus], at: float, rest: dict[str, Any]
) -> None:
    for threshold, fires in ((at + 0.001, True), (at, False), (at - 0.001, False)):
        found = score(statuses, TRUE, policy=replace(DEFAULT, **{guard: threshold}), **rest)
        assert (guard in steps(found)) is fires
        assert found.value == pytest.approx(max(at, threshold))


def test_shares_of_a_claim_without_parts_are_unresolved() -> None:
    shares = status_shares([])
    assert (shares.unresolved, shares.supported, shares.contradicted, shares.corroborated) == (1.0, 0.0, 0.0, 0.0)


@given(statuses_of, st.sampled_from(list(Verdict)), units, st.sampled_from(list(NumericRelation)), st.booleans())
def test_the_truth_score_is_bounded_and_recomputable_from_json(
    statuses: list[SegmentStatus], verdict: Verdict, diversity: float, numeric: NumericRelation, absolute: bool
) -> None:
    found = score(statuses, verdict, diversity, numeric=numeric, absolute_quantifier=absolute)
    assert 0.0 <= found.value <= 1.0
    assert replay(found) == pytest.approx(found.value, abs=1e-9)
    again = recompute_truthfulness(json.loads(json.dumps(found.inputs)))
    assert again.value == pytest.approx(found.value, abs=1e-9)
    assert again.steps == found.steps


@given(
    st.lists(st.sampled_from(list(SegmentStatus)), min_size=1, max_size=8),
    st.data(),
    st.sampled_from(list(Verdict)),
    units,
    st.sampled_from(list(NumericRelation)),
)
def test_contradicting_a_part_never_raises_the_truth_score(
    statuses: list[SegmentStatus], data: st.DataObject, verdict: Verdict, diversity: float, numeric: NumericRelation
) -> None:
    index = data.draw(st.integers(0, len(statuses) - 1))
    worse = data.draw(st.sampled_from(WORSENING[WORSENING.index(statuses[index]) :]))
    changed = [*statuses[:index], worse, *statuses[index + 1 :]]
    before = score(statuses, verdict, diversity, numeric=numeric)
    assert score(changed, verdict, diversity, numeric=numeric).value <= before.value + 1e-12


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -0.1, 1.1])
def test_diversity_out_of_range_is_refused_by_name(bad: float) -> None:
    with pytest.raises(ValueError, match="diversity"):
        score([V], TRUE, bad)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"statuses": ["GOOD"]}, "GOOD"),
        ({"statuses": "VALID"}, "statuses"),
        ({"verdict": "MAYBE"}, "MAYBE"),
        ({"verdict": None}, "verdict"),
        ({"numeric": "perhaps"}, "perhaps"),
        ({"absolute_quantifier": 1}, "absolute_quantifier"),
        ({"policy": {}}, "TruthfulnessPolicy"),
    ],
)
def test_recomputing_refuses_inputs_that_do_not_fit(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        recompute_truthfulness({**score([V], TRUE).inputs, **changes})


def test_a_base_that_was_tampered_with_does_not_survive_recomputation() -> None:
    found = score([V, U], PARTLY)
    assert recompute_truthfulness({**found.inputs, "base": 0.99}) == found


def test_a_policy_out_of_range_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown"):
        TruthfulnessPolicy(unknown=1.5)
