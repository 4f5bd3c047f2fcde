"""Ranking a set of candidates: what is read from their texts, what is removed, and in which order the rest comes."""

import random
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.derivation import replay
from scoring.ranking import FilterPolicy, RankingPolicy, rank, recompute
from scoring.values import Candidate, Origin, Ranked, Triple

TODAY = date(2024, 6, 1)
CLAIM = "Norwind acquired Solvara in 2021."
ENTITIES = ("Norwind", "Solvara")


def candidate(text: str, id_: str = "c", **changes: Any) -> Candidate:
    fields: dict[str, Any] = {"origin": "web", "semantic": 0.6, "credibility": 0.5} | changes
    return Candidate(id=id_, text=text, **fields)


def only(text: str, claim: str = CLAIM, entities: tuple[str, ...] = ENTITIES, **changes: Any) -> Ranked:
    """The row of a single candidate, with nothing filtered."""
    policy = RankingPolicy(filters=FilterPolicy(strict=False))
    (row,) = rank(claim, entities, [candidate(text, **changes)], TODAY, policy).rows
    return row


def steps(row: Ranked) -> set[str]:
    return {step.name for step in row.score.steps} - {"final_score_base", "clamp"}


def test_a_restatement_scores_by_hand() -> None:
    # One candidate: sem_norm is its semantic 0.6, kg_norm its kg 0. Both entities and all four content stems
    # (norwind, acquir, solvara, 2021) are there; the date is missing, so recency is 0.5.
    # 0.31*0.6 + 0.12*0 + 0.20*1 + 0.15*1 + 0.05*0.5 + 0.17*0.5 = 0.186 + 0.2 + 0.15 + 0.025 + 0.085 = 0.646
    row = only("In 2021 Norwind acquired Solvara.")
    assert (row.entity_overlap, row.claim_overlap, row.anchor_match_score) == (1.0, 1.0, 1.0)
    assert row.score.value == pytest.approx(0.646, abs=1e-12)
    assert steps(row) == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Norwind is a company from Bergen with a long history.", {"object_mismatch"}),
        ("Solvara was acquired in 2021 by an unknown buyer from abroad.", {"subject_mismatch", "uncertainty_penalty"}),
        ("A report on the weather in Bergen this week.", {"object_mismatch", "subject_mismatch", "anchor_weak"}),
        ("Norwind reportedly acquired Solvara in 2021.", {"claim_mention", "uncertainty_penalty"}),
        ("Posts claim that Norwind acquired Solvara in 2021.", {"claim_mention"}),
        ("Norwind may have acquired Solvara in 2021.", {"uncertainty_penalty"}),
        ("Norwind acquired Solvara in 2021. Click here to read more.", {"low_signal"}),
    ],
)
def test_wording_and_mismatches_are_found_in_the_text(text: str, expected: set[str]) -> None:
    assert steps(only(text)) == expected


def test_the_title_counts_as_text() -> None:
    assert "subject_mismatch" in steps(only("It acquired Solvara in 2021."))
    assert steps(only("It acquired Solvara in 2021.", title="Norwind")) == set()


def test_a_subject_may_be_called_by_its_acronym() -> None:
    claim, names = "The World Health Organization declared a pandemic.", ("World Health Organization",)
    assert "subject_mismatch" not in steps(only("The WHO declared a pandemic today.", claim, names))
    assert "subject_mismatch" in steps(only("The mayor declared a pandemic today.", claim, names))


@pytest.mark.parametrize(("filler", "expected"), [(28, set()), (29, set()), (30, {"claim_focus_mismatch"})])
def test_subject_and_object_further_apart_than_a_sentence_are_two_statements(filler: int, expected: set[str]) -> None:
    # With n words between them, their distance is n + 1; the window is 30 words.
    text = "Norwind acquired " + "more " * (filler - 1) + "Solvara"
    assert steps(only(text)) == expected


def test_reports_of_belief_are_evidence_for_a_claim_about_belief() -> None:
    claim = "Most voters believe that the moon is hollow."
    assert "claim_mention" not in steps(only("A survey shows that voters believe that the moon is hollow.", claim, ()))


def test_a_hedged_claim_is_not_penalised_for_hedged_evidence() -> None:
    row = only("Norwind may have acquired Solvara in 2021.", "Norwind might have acquired Solvara in 2021.")
    assert "uncertainty_penalty" not in steps(row)


TEXT = "Norwind acquired Solvara in 2021."


@pytest.mark.parametrize(
    ("triple", "expected"),
    [
        (Triple("Norwind", "acquired", "Solvara"), set()),
        (Triple("Norwind", "acquired", "Helion"), {"relation_object_mismatch"}),
        (Triple("Solvara", "acquired", "Norwind"), {"relation_direction_mismatch"}),
        (Triple("Solvara", "partner_of", "Norwind"), set()),  # a partnership has no direction
        (Triple("Helion", "acquired", "Norwind"), {"relation_object_mismatch"}),
    ],
)
def test_triples_must_run_in_the_claims_direction(triple: Triple, expected: set[str]) -> None:
    assert steps(only(TEXT, origin="kg", triple=triple)) == expected


def test_a_passive_claim_has_its_agent_as_subject() -> None:
    row = only(TEXT, "Solvara was acquired by Norwind.", origin="kg", triple=Triple("Norwind", "acquired", "Solvara"))
    assert steps(row) == set()


def test_backfill_and_weak_anchors_follow_the_candidate() -> None:
    assert steps(only(TEXT, backfill=True)) == {"backfill"}
    (row,) = rank(CLAIM, ENTITIES, [candidate(TEXT)], TODAY, anchors=("Helion", "Bergen")).rows
    assert steps(row) == {"anchor_weak"}


def test_negation_on_one_side_only_is_noted_and_changes_no_score() -> None:
    plain, negated = only("In 2021 Norwind acquired Solvara."), only("In 2021 Norwind never acquired Solvara.")
    assert plain.notes == ()
    assert negated.notes == ("negation_differs",)
    assert negated.score.value == plain.score.value


@pytest.mark.parametrize(
    ("text", "changes", "reason"),
    [
        ("", {}, "no_text"),
        ("...", {"origin": "kg"}, "no_text"),
        ("Norwind acquired Solvara", {}, "too_short"),
        ("Norwind acquired Solvara", {"origin": "kg"}, None),
        ("Norwind has acquired Solvara", {}, None),
        ("Nothing to see in this text.", {"semantic": 0.49}, "low_overlap"),
        ("Nothing to see in this text.", {"semantic": 0.50}, None),
        ("Norwind is mentioned in this text.", {"semantic": 0.0}, None),
        ("Accept all cookies to see this text.", {"semantic": 0.9}, "low_signal"),
        ("Norwind says: accept all cookies to see this.", {"semantic": 0.9}, None),
    ],
)
def test_strict_filters(text: str, changes: dict[str, Any], reason: str | None) -> None:
    result = rank(CLAIM, ENTITIES, [candidate(text, **changes)], TODAY)
    assert [one.reason for one in result.removed] == ([reason] if reason else [])
    assert len(result.rows) == (0 if reason else 1)


@pytest.mark.parametrize(
    ("found", "content", "removed"),
    [(1, 12, False), (1, 13, True)],  # 1/12 = 0.0833 is above 0.08, 1/13 = 0.0769 below
)
def test_the_overlap_filter_at_its_threshold(found: int, content: int, removed: bool) -> None:
    words = [f"term{number}x" for number in range(content)]
    text = " ".join(words[:found]) + " and three others here"
    result = rank(" ".join(words), (), [candidate(text, semantic=0.0)], TODAY)
    assert bool(result.removed) is removed


def test_lenient_filters_keep_everything_that_has_words() -> None:
    policy = RankingPolicy(filters=FilterPolicy(strict=False))
    result = rank(CLAIM, ENTITIES, [candidate("Nothing.", "a", semantic=0.0), candidate("", "b")], TODAY, policy)
    assert [row.candidate.id for row in result.rows] == ["a"]
    assert [one.reason for one in result.removed] == ["no_text"]


def test_removed_candidates_still_count_for_minimum_and_maximum() -> None:
    texts = [candidate(TEXT, "a", semantic=0.8), candidate("", "b", semantic=0.0), candidate(TEXT, "c", semantic=1.0)]
    result = rank(CLAIM, ENTITIES, texts, TODAY)
    assert {row.candidate.id: row.sem_norm for row in result.rows} == {"a": pytest.approx(0.8), "c": 1.0}


def test_no_candidates_is_an_empty_ranking() -> None:
    result = rank(CLAIM, ENTITIES, [], TODAY)
    assert (result.rows, result.removed) == ((), ())
    assert (result.top_ranking_score, result.avg_ranking_score) == (0.0, 0.0)


def test_top_and_average_are_those_of_the_rows() -> None:
    result = rank(CLAIM, ENTITIES, [candidate(TEXT, "a"), candidate(TEXT, "b", credibility=0.9)], TODAY)
    # As in the restatement above 0.646 and, with credibility 0.9, 0.646 + 0.17*0.4 = 0.714; their mean is 0.68.
    assert result.top_ranking_score == pytest.approx(0.714, abs=1e-12)
    assert result.avg_ranking_score == pytest.approx(0.68, abs=1e-12)


def test_the_claims_type_sets_the_weights() -> None:
    result = rank("Aspirin prevents heart attacks.", (), [candidate("Aspirin prevents heart attacks.")], TODAY)
    assert result.profile.kind == "therapeutic"
    assert result.rows[0].score.inputs["w_credibility"] == 0.22
    in_health = rank("The diet lowers weight.", (), [candidate("The diet lowers weight.")], TODAY, domain="health")
    assert in_health.profile.kind == "therapeutic"


def test_equal_scores_are_ordered_by_id() -> None:
    rows = rank(CLAIM, ENTITIES, [candidate(TEXT, id_) for id_ in ("b", "c", "a")], TODAY).rows
    assert [row.candidate.id for row in rows] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"semantic": float("nan")}, "candidate 'c': semantic must be a finite number"),
        ({"semantic_raw": float("inf")}, "candidate 'c': semantic_raw must be a finite number"),
        ({"kg": -0.1}, "candidate 'c': kg must not be negative"),
        ({"kg": float("inf")}, "candidate 'c': kg must be a finite number"),
        ({"kg": None}, "candidate 'c': kg must be a finite number"),
        ({"credibility": 1.01}, "candidate 'c': credibility must lie in"),
    ],
)
def test_a_bad_number_names_its_field_and_candidate(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rank(CLAIM, ENTITIES, [candidate(TEXT, **changes)], TODAY)


ORIGINS: tuple[Origin, ...] = ("vector", "kg", "web")
WORDS = (
    "Norwind",
    "acquired",
    "Solvara",
    "2021",
    "may",
    "not",
    "claims that",
    "the",
    "company",
    "cookies",
    "Helion",
    "é",
)
candidates = st.lists(
    st.builds(
        Candidate,
        id=st.sampled_from("abcdef"),
        text=st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join),
        origin=st.sampled_from(ORIGINS),
        semantic_raw=st.floats(-1, 1),
        semantic=st.floats(-1e308, 1e308) | st.floats(0, 1),
        kg=st.floats(0, 1e308) | st.floats(0, 1),
        credibility=st.floats(0, 1),
        published=st.none() | st.dates(),
        backfill=st.booleans(),
        triple=st.none() | st.builds(Triple, *[st.sampled_from(("Norwind", "Solvara", "Helion", ""))] * 3),
    ),
    max_size=8,
)


@settings(max_examples=60)
@given(candidates, st.integers(0, 1000))
def test_ranking_does_not_depend_on_the_order_of_candidates(found: list[Candidate], seed: int) -> None:
    shuffled = list(found)
    random.Random(seed).shuffle(shuffled)
    one, other = rank(CLAIM, ENTITIES, found, TODAY), rank(CLAIM, ENTITIES, shuffled, TODAY)
    assert [(row.candidate, row.score) for row in one.rows] == [(row.candidate, row.score) for row in other.rows]
    assert one.removed == other.removed


@settings(max_examples=60)
@given(candidates)
def test_every_row_lies_in_bounds_in_order_and_can_be_recomputed(found: list[Candidate]) -> None:
    result = rank(CLAIM, ENTITIES, found, TODAY)
    scores = [row.score.value for row in result.rows]
    assert all(0.0 <= value <= 1.0 for value in scores)
    assert scores == sorted(scores, reverse=True)
    assert len(result.rows) + len(result.removed) == len(found)
    for row in result.rows:
        assert replay(row.score) == pytest.approx(row.score.value, abs=1e-9)
        assert recompute(row.score.inputs) == row.score


@settings(max_examples=30)
@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_can_be_ranked_against_any_claim(claim: str, text: str) -> None:
    result = rank(claim, (claim,), [replace(candidate(text), semantic=0.9)], TODAY)
    assert len(result.rows) + len(result.removed) == 1
