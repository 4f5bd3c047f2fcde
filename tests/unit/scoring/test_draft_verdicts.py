"""003 §4, §5 and §8: which chunks count, what they make of a claim, with which confidence, and what is flagged."""

import json
import math
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.derivation import replay
from scoring.drafts.matching import (
    Match,
    MatchPolicy,
    SupportLevel,
    match_evidence,
    requires_inference,
    support_level,
)
from scoring.drafts.risks import check_freshness, conflict_flag, find_conflicts, no_evidence_flag
from scoring.drafts.verdicts import (
    DraftConfidencePolicy,
    DraftVerdict,
    JudgedMatch,
    calculate_confidence,
    decide_verdict,
    judge_claim,
    recompute_draft_confidence,
)
from scoring.values import NEUTRAL, Stance

FULL, PARTIAL, NONE, CONTRADICTED = SupportLevel
TODAY = date(2026, 1, 3)
levels = st.sampled_from(SupportLevel)
similarity_lists = st.lists(st.floats(-1, 1), max_size=8)


def judged(level: SupportLevel, similarity: float = 0.8, name: str = "chunk") -> JudgedMatch:
    return JudgedMatch(Match(name, similarity, "semantic"), level)


def test_a_valid_citation_is_matched_directly_whatever_its_similarity() -> None:
    result = match_evidence(["b", "made-up"], {"a": 0.99, "b": 0.1})
    assert result.matches == (Match("b", 0.1, "citation"),)
    assert result.invalid_citations == ("made-up",)


@pytest.mark.parametrize("citations", [[], ["made-up"]])
def test_without_a_valid_citation_all_chunks_are_searched(citations: list[str]) -> None:
    result = match_evidence(citations, {"c": 0.71, "a": 0.7, "b": 0.9, "d": 0.71, "e": 0.69})
    # more than 0.7, best first, ties by id; 0.7 itself is not more
    assert [match.chunk_id for match in result.matches] == ["b", "c", "d"]
    assert {match.match_type for match in result.matches} == {"semantic"}


def test_a_chunk_that_repeats_the_claim_word_by_word_matches() -> None:
    assert match_evidence([], {"same": 1.0, "opposite": -1.0}).matches == (Match("same", 1.0, "semantic"),)


def test_a_single_source_is_no_further_source() -> None:
    steps = calculate_confidence(FULL, [0.8], inference=False).steps
    assert [step.name for step in steps] == ["support_level", "clamp"]


def test_no_chunk_means_no_match() -> None:
    assert match_evidence(["a"], {}).matches == ()


@pytest.mark.parametrize(
    ("stance", "level"),
    [
        (Stance(0.9, 0.05, 0.05), FULL),
        (Stance(0.75, 0.15, 0.1), FULL),
        (Stance(0.749, 0.151, 0.1), PARTIAL),
        (Stance(0.5, 0.3, 0.2), PARTIAL),
        (Stance(0.499, 0.3, 0.201), NONE),
        (Stance(0.2, 0.5, 0.3), CONTRADICTED),
        (Stance(0.2, 0.499, 0.301), NONE),
        (Stance(0.5, 0.5, 0.0), NONE),  # undecided between the poles
        (NEUTRAL, NONE),
    ],
)
def test_the_stance_of_a_chunk_becomes_a_level_of_support(stance: Stance, level: SupportLevel) -> None:
    assert support_level(stance) is level


@pytest.mark.parametrize(
    ("texts", "inference"),
    [
        (["The fee for a standard permit is $150 per year."], False),
        (["The fee for a standard permit is $160 per year."], True),  # another number
        (["Prices start at $150."], True),  # the number, but not what it is a number of
        (["The fee is published.", "It is $150."], True),  # only together
        ([], True),
    ],
)
def test_a_claim_that_no_single_chunk_states_has_to_be_inferred(texts: list[str], inference: bool) -> None:
    assert requires_inference("The standard permit fee is $150.", texts) is inference


@pytest.mark.parametrize(
    ("claim", "inference"),
    [
        ("city archive owner library museum", True),  # 2 of 5 words: 0.4
        ("city archive belong library museum", False),  # 3 of 5: exactly 0.6
        ("city archive belong council library museum garden", True),  # 4 of 7: 0.57
    ],
)
def test_three_fifths_of_the_words_state_a_claim(claim: str, inference: bool) -> None:
    assert requires_inference(claim, ["The archive belongs to the city council."]) is inference


@pytest.mark.parametrize(
    ("level", "similarities", "inference", "confidence"),
    [
        (FULL, [0.8], False, 0.85),
        (FULL, [0.8, 0.8], False, 0.9),  # + 0.05 * 1
        (FULL, [0.8] * 4, False, 1.0),  # + 0.05 * 3
        (FULL, [0.8] * 5, False, 1.0),  # further sources stop counting at three
        (FULL, [0.85], False, 0.85),  # an average of 0.85 is not above it
        (FULL, [0.86], False, 0.9),
        (FULL, [0.84], False, 0.85),
        (FULL, [0.9, 0.8], False, 0.9),  # average 0.85: only the second source counts
        (FULL, [0.8], True, 0.75),  # - 0.1
        (FULL, [0.9] * 4, False, 1.0),  # 0.85 + 0.15 + 0.05 is clamped
        (FULL, [0.9] * 4, True, 0.95),  # the clamp comes last
        (FULL, [], False, 0.85),
        (PARTIAL, [0.8], False, 0.6),
        (PARTIAL, [0.9] * 4, False, 0.8),  # all boosts: 003's upper bound of "weak"
        (PARTIAL, [0.8], True, 0.5),  # and its lower bound
        (NONE, [0.9] * 4, False, 0.0),  # no boost lends confidence to what has no support
        (CONTRADICTED, [0.9] * 4, False, 0.0),
        (NONE, [], True, 0.0),
    ],
)
def test_confidence(level: SupportLevel, similarities: list[float], inference: bool, confidence: float) -> None:
    assert calculate_confidence(level, similarities, inference=inference).value == pytest.approx(confidence)


@pytest.mark.parametrize(
    ("level", "confidence", "verdict"),
    [
        (None, 1.0, DraftVerdict.NOT_FOUND),
        (NONE, 1.0, DraftVerdict.NOT_FOUND),
        (CONTRADICTED, 1.0, DraftVerdict.CONTRADICTED),
        (FULL, 0.81, DraftVerdict.SUPPORTED),
        (FULL, 0.8, DraftVerdict.WEAK),  # more than 0.8 is asked for
        (FULL, 0.79, DraftVerdict.WEAK),
        (PARTIAL, 1.0, DraftVerdict.WEAK),
    ],
)
def test_the_verdict_tree(level: SupportLevel | None, confidence: float, verdict: DraftVerdict) -> None:
    assert decide_verdict(level, confidence) is verdict


@pytest.mark.parametrize(
    ("matches", "inference", "verdict"),
    [
        ([], False, DraftVerdict.NOT_FOUND),
        ([judged(NONE)], False, DraftVerdict.NOT_FOUND),
        ([judged(FULL)], False, DraftVerdict.SUPPORTED),
        ([judged(FULL)], True, DraftVerdict.WEAK),  # 0.85 - 0.1
        ([judged(FULL), judged(FULL)], True, DraftVerdict.WEAK),  # 0.85 + 0.05 - 0.1 = 0.8, not above it
        ([judged(FULL), judged(FULL), judged(FULL)], True, DraftVerdict.SUPPORTED),  # 0.85 + 0.1 - 0.1
        ([judged(FULL, 0.9)], True, DraftVerdict.WEAK),  # 0.85 + 0.05 - 0.1 again, by similarity
        ([judged(PARTIAL), judged(FULL)], False, DraftVerdict.SUPPORTED),
        ([judged(PARTIAL)] * 4, False, DraftVerdict.WEAK),
        ([judged(CONTRADICTED)], False, DraftVerdict.CONTRADICTED),
    ],
)
def test_judging_a_claim(matches: list[JudgedMatch], inference: bool, verdict: DraftVerdict) -> None:
    assert judge_claim(matches, inference=inference).verdict is verdict


def test_sources_that_disagree_contradict_the_claim_and_raise_a_flag() -> None:
    judgement = judge_claim([judged(FULL, name="a"), judged(PARTIAL, name="b"), judged(CONTRADICTED, name="c")])
    assert judgement.verdict is DraftVerdict.CONTRADICTED
    assert judgement.notes == "Conflicting evidence found: a supports what c contradicts"
    (flag,) = judgement.risk_flags
    assert (flag.type, flag.severity, flag.description) == ("conflict", "high", "2 sources disagree on this claim")


def test_sources_that_agree_against_a_claim_are_no_conflict() -> None:
    judgement = judge_claim([judged(CONTRADICTED, name="a"), judged(CONTRADICTED, name="b")])
    assert (judgement.conflicts, judgement.risk_flags, judgement.notes) == ((), (), "")


def test_a_chunk_that_says_nothing_is_not_a_further_source() -> None:
    assert judge_claim([judged(FULL), judged(NONE)]).confidence.value == pytest.approx(0.85)


@given(levels, similarity_lists, st.booleans())
def test_confidence_is_bounded_fits_its_verdict_and_can_be_recomputed(
    level: SupportLevel, similarities: list[float], inference: bool
) -> None:
    derivation = calculate_confidence(level, similarities, inference=inference)
    assert replay(derivation) == pytest.approx(derivation.value, abs=1e-9)
    verdict = decide_verdict(level, derivation.value)
    allowed = {
        DraftVerdict.SUPPORTED: (0.8, 1.0),
        DraftVerdict.WEAK: (0.5, 0.8),
        DraftVerdict.NOT_FOUND: (0.0, 0.0),
        DraftVerdict.CONTRADICTED: (0.0, 0.0),
    }
    low, high = allowed[verdict]
    assert low - 1e-9 <= derivation.value <= high + 1e-9
    assert recompute_draft_confidence(json.loads(json.dumps(derivation.inputs))) == derivation


@given(st.lists(st.builds(judged, levels, st.floats(-1, 1), st.sampled_from("abcd")), max_size=6), st.booleans())
def test_a_contradiction_never_raises_confidence_and_always_contradicts(
    matches: list[JudgedMatch], inference: bool
) -> None:
    before = judge_claim(matches, inference=inference)
    after = judge_claim([*matches, judged(CONTRADICTED)], inference=inference)
    assert after.verdict is DraftVerdict.CONTRADICTED
    assert after.confidence.value <= before.confidence.value


@pytest.mark.parametrize(
    ("age", "description"),
    [
        (0, None),
        (364, None),
        (365, None),  # a year is not more than a year
        (366, "Source document is 1 year old"),
        (729, "Source document is 1 year old"),
        (730, "Source document is 2 years old"),
        (-10, None),  # dated in the future: wrong perhaps, but not old
    ],
)
def test_documents_are_outdated_after_a_year(age: int, description: str | None) -> None:
    flag = check_freshness(TODAY - timedelta(days=age), TODAY)
    assert (flag.description if flag else None) == description
    assert flag is None or (flag.type, flag.severity) == ("outdated_source", "medium")


def test_a_document_without_a_date_cannot_be_called_old() -> None:
    assert check_freshness(None, TODAY) is None


def test_the_flags_of_003() -> None:
    assert (no_evidence_flag().type, no_evidence_flag().severity) == ("no_evidence", "high")
    conflicts = find_conflicts(["a", "b"], ["c", "d"])
    assert [(c.supporting, c.contradicting) for c in conflicts] == [("a", "c"), ("a", "d")]
    assert conflict_flag(conflicts).description == "3 sources disagree on this claim"


@pytest.mark.parametrize("bad", [math.nan, math.inf, -1.5])
def test_bad_similarities_are_refused_by_name(bad: float) -> None:
    with pytest.raises(ValueError, match="similarity of a"):
        match_evidence([], {"a": bad})


@pytest.mark.parametrize("bad", [math.nan, math.inf, -0.1, 1.1])
def test_numbers_outside_their_range_are_refused_by_name(bad: float) -> None:
    with pytest.raises(ValueError, match="confidence"):
        decide_verdict(FULL, bad)
    with pytest.raises(ValueError, match="supports"):
        support_level(Stance(bad, 0.0, 0.0))
    with pytest.raises(ValueError, match="min_similarity"):
        MatchPolicy(min_similarity=bad)
    with pytest.raises(ValueError, match="full"):
        DraftConfidencePolicy(full=bad)


def test_a_nan_similarity_does_not_reach_the_confidence() -> None:
    with pytest.raises(ValueError, match="similarity"):
        calculate_confidence(FULL, [math.nan], inference=False)
