"""From proposal to verdict: every guard, gate and lock, at and around its threshold."""

from math import nextafter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.coverage import Link, Segment
from scoring.numeric import NumericRelation
from scoring.polarity import Relation
from scoring.reconciliation import (
    Pattern,
    Reconciled,
    ReconciliationPolicy,
    breakdown_pattern,
    deciding_ids,
    reconcile,
    strong_votes,
)
from scoring.values import Label, SegmentStatus, Verdict

TRUE, FALSE, PARTLY, OPEN = Verdict.TRUE, Verdict.FALSE, Verdict.PARTIALLY_TRUE, Verdict.UNVERIFIABLE
SV, V, PV = SegmentStatus.STRONGLY_VALID, SegmentStatus.VALID, SegmentStatus.PARTIALLY_VALID
U, PI, INV = SegmentStatus.UNKNOWN, SegmentStatus.PARTIALLY_INVALID, SegmentStatus.INVALID
units = st.floats(0, 1)


def link(id_: str, relation: Relation, strength: float, story: str = "") -> Link:
    return Link(id_, story or id_, relation, 0.7, strength, 1.0, anchor_overlap=0.5, overlap_ratio=0.5)


def part(status: SegmentStatus, support: float = 0.0, contradiction: float = 0.0, contested: bool = False) -> Segment:
    links = [link("n", Relation.NEUTRAL, 0.5)]
    if support:
        links.append(link("s", Relation.SUPPORTS, support))
    if contradiction:
        links.append(link("c", Relation.CONTRADICTS, contradiction))
    return Segment("part", status, support=support, contradiction=contradiction, contested=contested,
                   links=tuple(links))  # fmt: skip


def names(result: Reconciled) -> list[str]:
    return [guard.name for guard in result.guards]


def below(value: float) -> float:
    return nextafter(value, 0.0)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (SV, Pattern.SUPPORTED),
        (V, Pattern.SUPPORTED),
        (PV, Pattern.SUPPORTED),
        (U, Pattern.OPEN),
        (PI, Pattern.CONTRADICTED),
        (INV, Pattern.CONTRADICTED),
    ],
)
def test_the_status_amounts_to_a_pattern(status: SegmentStatus, expected: Pattern) -> None:
    assert breakdown_pattern(Segment("part", status)) is expected


@pytest.mark.parametrize(
    ("proposed", "segment", "expected"),
    [
        # What agrees with the status stands; signals of 0.5 are enough to stand and too weak to force anything.
        (TRUE, part(V, 0.5), TRUE),
        (PARTLY, part(V, 0.5), PARTLY),
        (OPEN, part(V, 0.5), OPEN),
        (FALSE, part(INV, 0, 0.5), FALSE),
        (OPEN, part(INV, 0, 0.5), OPEN),
        # What says more than it is brought down to it.
        (PARTLY, part(INV, 0, 0.5), FALSE),
        # What says the opposite is withdrawn.
        (FALSE, part(V, 0.5), OPEN),
        (TRUE, part(INV, 0, 0.5), OPEN),
        (FALSE, part(U), OPEN),  # absence of evidence is never refutation
        (TRUE, part(U), OPEN),
    ],
)
def test_a_proposal_may_not_contradict_the_breakdown(proposed: Verdict, segment: Segment, expected: Verdict) -> None:
    result = reconcile(proposed, segment)
    assert result.verdict is expected
    assert ("breakdown" in names(result)) is (proposed is not expected)


@pytest.mark.parametrize(
    ("segment", "expected", "guard"),
    [
        (part(INV, 0, 0.60), FALSE, "strong_contradiction"),
        (part(INV, 0, 0.61), FALSE, "strong_contradiction"),
        (part(INV, 0, below(0.60)), OPEN, None),
        (part(V, 0.60), TRUE, "strong_entailment"),
        (part(V, 0.61), TRUE, "strong_entailment"),
        (part(V, below(0.60)), OPEN, None),
        (part(PV, 0.9, below(0.30)), TRUE, "strong_entailment"),
        (part(PV, 0.9, 0.30), OPEN, None),  # a voice that objects
    ],
)
def test_strong_evidence_decides_even_where_the_proposal_abstained(
    segment: Segment, expected: Verdict, guard: str | None
) -> None:
    result = reconcile(OPEN, segment)
    assert result.verdict is expected
    assert names(result) == ([guard] if guard else [])


def test_a_figure_that_differs_keeps_entailment_from_forcing_true() -> None:
    assert reconcile(OPEN, part(V, 0.9), numeric=NumericRelation.DIFFERS).verdict is OPEN


def test_without_admissible_evidence_nothing_can_be_said() -> None:
    for proposed in Verdict:
        result = reconcile(proposed, Segment("part", U))
        assert result.verdict is OPEN
        assert result.locks == ("no_admissible_evidence",)
        assert result.label is Label.NOT_ENOUGH


@pytest.mark.parametrize(
    ("strength", "locks"),
    [
        (below(0.30), ("weak_signal",)),
        (0.30, ("binary_gate:strength",)),  # no longer weak, not yet enough for TRUE
        (below(0.45), ("binary_gate:strength",)),
        (0.45, ()),
    ],
)
@pytest.mark.parametrize("side", ["support", "contradiction"])
def test_weak_signals_and_the_binary_gate_downgrade_to_unverifiable(
    side: str, strength: float, locks: tuple[str, ...]
) -> None:
    verdict, status = (TRUE, V) if side == "support" else (FALSE, INV)
    strengths = (strength, 0.0) if side == "support" else (0.0, strength)
    result = reconcile(verdict, part(status, *strengths))
    assert result.locks == locks
    assert result.verdict is (OPEN if locks else verdict)
    assert result.label is label(result)


def label(result: Reconciled) -> Label:
    return {TRUE: Label.SUPPORTED, FALSE: Label.REFUTED, OPEN: Label.NOT_ENOUGH}[result.verdict]


@pytest.mark.parametrize("strength", [0.44, 0.46])
def test_a_partial_verdict_needs_as_much_support_as_a_binary_one(strength: float) -> None:
    result = reconcile(PARTLY, part(PV, strength))
    assert (result.verdict is PARTLY) is (strength > 0.45)


def test_a_policy_without_a_strength_gate_still_needs_some_evidence() -> None:
    lenient = ReconciliationPolicy(weak_signal=0.0, binary_signal=0.0)
    assert reconcile(TRUE, part(V, 0.0), lenient).locks == ("binary_gate:strength",)


def test_sources_that_conflict_are_unverifiable_and_disputed() -> None:
    result = reconcile(OPEN, part(U, 0.8, 0.8, contested=True))
    assert (result.verdict, result.label, result.locks) == (OPEN, Label.MIXED, ("mixed_signal",))
    assert result.conflict


def test_a_conflict_that_the_proposer_saw_is_kept_where_nothing_is_decided() -> None:
    assert reconcile(OPEN, part(V, 0.5), conflict=True).label is Label.MIXED
    assert reconcile(TRUE, part(V, 0.5), conflict=True).label is Label.SUPPORTED


@pytest.mark.parametrize(
    ("support", "contradiction", "stands"),
    [
        (0.65, 0.35, True),  # exactly the share
        (0.66, 0.34, True),
        (0.64, 0.36, False),
    ],
)
def test_a_binary_verdict_must_dominate_the_other_side(support: float, contradiction: float, stands: bool) -> None:
    result = reconcile(TRUE, part(PV, support, contradiction))
    assert result.verdict is (TRUE if stands else OPEN)
    assert result.locks == (() if stands else ("binary_gate:dominance",))
    assert result.label is (Label.SUPPORTED if stands else Label.MIXED)
    mirrored = reconcile(FALSE, part(PI, contradiction, support))
    assert mirrored.verdict is (FALSE if stands else OPEN)


@pytest.mark.parametrize(
    ("support", "contradiction", "stands"),
    [(0.70, 0.0, True), (0.71, 0.0, True), (below(0.70), 0.0, False), (0.9, 0.1, False)],
)
def test_an_absolute_claim_needs_stronger_support_and_no_objection(
    support: float, contradiction: float, stands: bool
) -> None:
    segment = part(PV, support, contradiction)
    assert reconcile(TRUE, segment).verdict is TRUE
    result = reconcile(TRUE, segment, absolute_quantifier=True)
    assert result.verdict is (TRUE if stands else OPEN)
    assert result.locks == (() if stands else ("absolute_quantifier",))


def test_an_absolute_claim_may_be_refuted_like_any_other() -> None:
    assert reconcile(FALSE, part(INV, 0, 0.5), absolute_quantifier=True).verdict is FALSE


@pytest.mark.parametrize(
    ("numeric", "verdict"),
    [(NumericRelation.DIFFERS, OPEN), (NumericRelation.AGREES, TRUE), (NumericRelation.SILENT, TRUE)],
)
def test_a_figure_that_differs_takes_a_true_back(numeric: NumericRelation, verdict: Verdict) -> None:
    result = reconcile(TRUE, part(V, 0.9), numeric=numeric)
    assert result.verdict is verdict
    assert result.locks == (("numeric_mismatch",) if verdict is OPEN else ())


@pytest.mark.parametrize(
    ("proposed", "segment", "rationale", "expected"),
    [
        (TRUE, part(V, below(0.60)), "refutes", OPEN),
        (TRUE, part(V, 0.60), "refutes", TRUE),  # strong evidence outweighs a hint
        (TRUE, part(V, 0.5), "supports", TRUE),
        (TRUE, part(V, 0.5), "none", TRUE),
        (FALSE, part(INV, 0, below(0.60)), "supports", OPEN),
        (FALSE, part(INV, 0, 0.60), "supports", FALSE),
        (PARTLY, part(V, 0.5), "refutes", PARTLY),
    ],
)
def test_reasons_that_point_the_other_way_cost_a_verdict_that_is_not_strong(
    proposed: Verdict, segment: Segment, rationale: Any, expected: Verdict
) -> None:
    result = reconcile(proposed, segment, rationale=rationale)
    assert result.verdict is expected
    assert result.locks == (("rationale_polarity",) if expected is OPEN else ())


def test_every_unverifiable_has_a_reason() -> None:
    assert reconcile(OPEN, part(V, 0.5)).locks == ("proposal_abstained",)
    assert reconcile(FALSE, part(V, 0.5)).locks == ("proposal_contradicted",)


def test_guards_say_what_they_changed() -> None:
    (guard,) = reconcile(PARTLY, part(INV, 0, 0.5)).guards
    assert (guard.name, guard.before, guard.after) == ("breakdown", PARTLY, FALSE)


def test_strong_evidence_turns_a_proposal_round_in_two_steps() -> None:
    result = reconcile(FALSE, part(V, 0.9))
    assert result.verdict is TRUE
    assert names(result) == ["breakdown", "strong_entailment"]


def test_votes_are_counted_by_story_and_strength() -> None:
    links = (
        link("a", Relation.CONTRADICTS, 0.60),
        link("b", Relation.CONTRADICTS, 0.60, story="a"),  # a copy
        link("c", Relation.CONTRADICTS, below(0.60)),
        link("d", Relation.SUPPORTS, 0.9),
        link("e", Relation.SUPPORTS, 0.61),
    )
    segments = [Segment("one", INV, links=links), Segment("two", INV, links=links)]
    assert strong_votes(segments, Relation.CONTRADICTS) == 1
    assert strong_votes(segments, Relation.SUPPORTS) == 2


def test_a_verdict_rests_on_the_evidence_of_its_side() -> None:
    segments = [part(V, 0.5), part(INV, 0.3, 0.9)]
    assert deciding_ids(TRUE, segments) == ("s",)
    assert deciding_ids(FALSE, segments) == ("c",)
    assert deciding_ids(PARTLY, segments) == ("c", "s")
    assert deciding_ids(OPEN, segments) == ()


@given(
    st.sampled_from(list(Verdict)),
    st.builds(part, st.sampled_from(list(SegmentStatus)), units, units, st.booleans()),
    st.booleans(),
    st.sampled_from(list(NumericRelation)),
    st.sampled_from(["supports", "refutes", "none"]),
)
def test_any_status_ends_in_a_verdict_that_it_allows(
    proposed: Verdict, segment: Segment, absolute: bool, numeric: NumericRelation, rationale: Any
) -> None:
    result = reconcile(proposed, segment, absolute_quantifier=absolute, numeric=numeric, rationale=rationale)
    if result.verdict is FALSE:
        assert segment.status in {PI, INV}
    if result.verdict in {TRUE, PARTLY}:
        assert segment.status in {SV, V, PV}
    if result.verdict is TRUE:
        assert numeric is not NumericRelation.DIFFERS
    assert bool(result.locks) is (result.verdict is OPEN)
    verdict = proposed
    for guard in result.guards:
        assert guard.before is verdict
        verdict = guard.after
    assert verdict is result.verdict


@pytest.mark.parametrize("bad", [{"weak_signal": 0.5}, {"strong_signal": 0.4}, {"binary_dominance": 1.5}])
def test_a_policy_that_makes_no_sense_is_refused(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must"):
        ReconciliationPolicy(**bad)
