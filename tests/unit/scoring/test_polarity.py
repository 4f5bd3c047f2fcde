"""What a stance says, and which passages are one story."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.polarity import PolarityPolicy, Relation, admissible, heard, one_per_story, probability, relation
from scoring.values import NEUTRAL, Evidence, Stance

units = st.floats(0, 1)


def passage(id_: str, relevance: float = 0.5, same_as: str = "", admissible: bool = True) -> Evidence:
    return Evidence(id_, "text", "web", relevance, NEUTRAL, same_as=same_as, admissible=admissible)


@pytest.mark.parametrize(
    ("stance", "expected"),
    [
        (Stance(0.51, 0.29, 0.20), Relation.SUPPORTS),
        (Stance(0.50, 0.30, 0.20), Relation.SUPPORTS),  # exactly decisive
        (Stance(0.49, 0.31, 0.20), Relation.QUALIFIES),  # leans, does not decide
        (Stance(0.29, 0.51, 0.20), Relation.CONTRADICTS),
        (Stance(0.30, 0.50, 0.20), Relation.CONTRADICTS),
        (Stance(0.31, 0.49, 0.20), Relation.QUALIFIES),  # qualifying is not contradicting
        (Stance(0.50, 0.50, 0.00), Relation.QUALIFIES),  # a tie between the poles
        (Stance(0.50, 0.00, 0.50), Relation.NEUTRAL),  # a tie with neutral
        (Stance(0.26, 0.25, 0.49), Relation.QUALIFIES),  # 0.51 takes some side
        (Stance(0.25, 0.25, 0.50), Relation.NEUTRAL),
        (NEUTRAL, Relation.NEUTRAL),
    ],
)
def test_only_a_decisive_stance_supports_or_contradicts(stance: Stance, expected: Relation) -> None:
    assert relation(stance) is expected


def test_how_much_of_neutral_a_side_must_exceed_is_a_setting() -> None:
    leaning = Stance(0.40, 0.10, 0.50)
    assert relation(leaning, PolarityPolicy(decisive_stance=0.3)) is Relation.NEUTRAL
    assert relation(leaning, PolarityPolicy(decisive_stance=0.3, neutral_share=0.5)) is Relation.SUPPORTS


def test_where_refuting_passages_are_rare_only_a_clear_one_is_heard_as_refuting() -> None:
    rare = PolarityPolicy(refuting_prior=0.25)
    vague, clear = Stance(0.20, 0.60, 0.20), Stance(0.02, 0.94, 0.04)
    assert relation(vague) is Relation.CONTRADICTS
    assert relation(vague, rare) is Relation.QUALIFIES
    assert relation(clear, rare) is Relation.CONTRADICTS
    assert probability(clear, Relation.CONTRADICTS, rare) == pytest.approx(0.235 / (0.02 + 0.235 + 0.04))


@given(units, units, units, st.floats(0.05, 1))
def test_a_rarer_prior_takes_from_refuting_and_gives_to_the_others_in_proportion(
    supports: float, refutes: float, neutral: float, prior: float
) -> None:
    whole = supports + refutes + neutral
    if whole == 0:
        return
    stance = Stance(supports / whole, refutes / whole, neutral / whole)
    told = heard(stance, PolarityPolicy(refuting_prior=prior))
    assert told.supports + told.refutes + told.neutral == pytest.approx(1)
    assert told.refutes <= stance.refutes + 1e-9
    assert told.supports * stance.neutral == pytest.approx(told.neutral * stance.supports)


def test_a_prior_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="refuting_prior"):
        PolarityPolicy(refuting_prior=0.0)


def test_the_decisive_probability_is_a_setting() -> None:
    leaning = Stance(0.6, 0.2, 0.2)
    assert relation(leaning, PolarityPolicy(decisive_stance=0.7)) is Relation.QUALIFIES


@pytest.mark.parametrize("field", ["supports", "refutes", "neutral"])
@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -0.1, 1.1])
def test_a_stance_that_is_no_probability_is_refused_by_name(field: str, bad: float) -> None:
    values = {"supports": 0.0, "refutes": 0.0, "neutral": 0.0, field: bad}
    with pytest.raises(ValueError, match=field):
        relation(Stance(**values))


def test_the_probability_is_that_of_the_relation_read_from_the_stance() -> None:
    stance = Stance(0.45, 0.35, 0.20)
    assert probability(stance, Relation.SUPPORTS) == 0.45
    assert probability(stance, Relation.CONTRADICTS) == 0.35
    assert probability(stance, Relation.QUALIFIES) == 0.45
    assert probability(stance, Relation.NEUTRAL) == 0.20


@given(units, units, units)
def test_swapping_the_poles_swaps_the_relation(supports: float, refutes: float, neutral: float) -> None:
    mirrored = {Relation.SUPPORTS: Relation.CONTRADICTS, Relation.CONTRADICTS: Relation.SUPPORTS}
    seen = relation(Stance(supports, refutes, neutral))
    assert relation(Stance(refutes, supports, neutral)) is mirrored.get(seen, seen)


def test_one_passage_speaks_for_a_story_whatever_the_order() -> None:
    original, copy, other = passage("a", 0.4), passage("b", 0.9, same_as="a"), passage("c", 0.5)
    for order in ([original, copy, other], [other, copy, original]):
        assert [item.id for item in one_per_story(order)] == ["c", "a"]


def test_where_the_original_is_not_admitted_the_most_relevant_copy_speaks() -> None:
    copies = [passage("b", 0.4, same_as="a"), passage("c", 0.9, same_as="a")]
    assert [item.id for item in one_per_story(copies)] == ["c"]


def test_equally_relevant_copies_are_told_apart_by_id() -> None:
    assert [item.id for item in one_per_story([passage("b", same_as="z"), passage("a", same_as="z")])] == ["a"]


def test_a_relevance_that_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="relevance"):
        one_per_story([passage("a", float("nan"))])


def test_only_admissible_evidence_counts() -> None:
    assert [item.id for item in admissible([passage("a"), passage("b", admissible=False)])] == ["a"]
