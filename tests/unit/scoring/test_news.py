"""The rules of 004: sufficiency, conflict, verdict, credible citations, validation, merging."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.news import (
    Citation,
    NewsPolicy,
    credible_citations,
    has_conflict,
    is_credible,
    merge_citations,
    propose,
    validate,
)
from scoring.values import NEUTRAL, Evidence, Label, Stance, Verdict
from scoring.verdict_words import label_of, status_of, verdict_of

YES, NO, LEANING = Stance(0.9, 0.05, 0.05), Stance(0.05, 0.9, 0.05), Stance(0.31, 0.49, 0.20)
TRUE, FALSE, PARTLY, OPEN = Verdict.TRUE, Verdict.FALSE, Verdict.PARTIALLY_TRUE, Verdict.UNVERIFIABLE


def passage(id_: str, stance: Stance = YES, **changes: Any) -> Evidence:
    return replace(Evidence(id_, f"Text of {id_}.", "web", 0.5, stance, url=f"https://{id_}.org/story"), **changes)


def evidence(*stances: Stance) -> list[Evidence]:
    return [passage(f"e{n}", stance) for n, stance in enumerate(stances)]


def cite(id_: str, url: str | None = None, domain: str = "") -> Citation:
    return Citation(id_, f"https://{id_}.org/story" if url is None else url, domain or f"{id_}.org")


@pytest.mark.parametrize(
    ("stances", "verdict", "label", "sufficient", "conflict"),
    [
        ([], OPEN, Label.NOT_ENOUGH, False, False),
        ([YES], OPEN, Label.NOT_ENOUGH, False, False),  # one passage is too few
        ([YES, YES], TRUE, Label.SUPPORTED, True, False),
        ([YES, NEUTRAL], TRUE, Label.SUPPORTED, True, False),
        ([NO, NO], FALSE, Label.REFUTED, True, False),
        ([NO, NEUTRAL, NEUTRAL], FALSE, Label.REFUTED, True, False),
        ([NEUTRAL, NEUTRAL, NEUTRAL], OPEN, Label.NOT_ENOUGH, False, False),  # silence is not refutation
        ([YES, NO], OPEN, Label.MIXED, True, True),
        ([YES, YES, YES, NO], OPEN, Label.MIXED, True, True),
        ([YES, LEANING], TRUE, Label.SUPPORTED, True, False),  # qualifying is not contradicting
    ],
)
def test_the_rules_alone_propose_a_verdict(
    stances: list[Stance], verdict: Verdict, label: Label, sufficient: bool, conflict: bool
) -> None:
    found = propose(evidence(*stances))
    assert (found.verdict, found.label, found.sufficient, found.conflict) == (verdict, label, sufficient, conflict)
    assert found.supporting + found.refuting + found.neutral == len(stances)


def test_too_little_evidence_is_not_yet_a_dispute() -> None:
    found = propose(evidence(YES, NO), NewsPolicy(min_evidence=3))
    assert (found.label, found.conflict) == (Label.NOT_ENOUGH, True)


def test_copies_are_one_passage_for_the_rules() -> None:
    copies = [passage("a"), passage("b", same_as="a"), passage("c", same_as="a")]
    assert not propose(copies).sufficient


def test_inadmissible_evidence_is_not_heard() -> None:
    assert propose([*evidence(YES, YES), passage("x", NO, admissible=False)]).verdict is TRUE


@pytest.mark.parametrize(
    ("supporting", "refuting", "share", "expected"),
    [
        (3, 1, 0.0, True),
        (3, 1, 0.25, False),  # exactly the share that may be ignored
        (3, 1, 0.24, True),
        (4, 1, 0.25, False),
        (1, 1, 0.5, True),  # a tie is always a conflict
        (3, 0, 0.0, False),
    ],
)
def test_a_small_minority_may_be_ignored_where_the_policy_says_so(
    supporting: int, refuting: int, share: float, expected: bool
) -> None:
    assert has_conflict(supporting, refuting, NewsPolicy(conflict_share=share)) is expected


def test_voices_may_be_weighed_instead_of_counted() -> None:
    loud, quiet, sure = Stance(0.05, 0.90, 0.05), Stance(0.55, 0.25, 0.20), Stance(0.79, 0.05, 0.16)
    policy = NewsPolicy(conflict_share=0.5, weighed_voices=True)
    assert propose(evidence(loud, quiet, quiet), replace(policy, weighed_voices=False)).verdict is TRUE
    assert propose(evidence(loud, quiet, quiet), policy).verdict is FALSE
    assert propose(evidence(loud, sure, sure), policy).verdict is TRUE


@pytest.mark.parametrize(
    ("domain", "expected"),
    [
        ("reuters.com", True),
        ("www.Reuters.com", True),
        ("en.wikipedia.org", True),
        ("notreuters.com", False),
        ("reuters.com.evil.org", False),
        ("", False),
    ],
)
def test_a_domain_is_credible_with_its_subdomains_only(domain: str, expected: bool) -> None:
    assert is_credible(domain) is expected


@pytest.mark.parametrize(
    ("credible", "others", "fell_back"),
    [
        (3, 7, False),  # 3 of 10 is exactly 30 %
        (3, 6, False),
        (3, 8, True),  # 3 of 11 is less
        (2, 0, True),  # fewer than 3
        (4, 9, False),  # 4 of 13 is 30.8 %
        (4, 10, True),  # 4 of 14 is 28.6 %
        (3, 0, False),
        (0, 0, True),
    ],
)
def test_the_credibility_filter_gives_way_when_it_is_too_strict(credible: int, others: int, fell_back: bool) -> None:
    citations = [cite(f"c{n}", domain="bbc.com") for n in range(credible)] + [cite(f"o{n}") for n in range(others)]
    found = credible_citations(citations)
    assert found.fell_back is fell_back
    assert found.credible == credible
    assert len(found.citations) == (credible + others if fell_back else credible)


@pytest.mark.parametrize(
    ("citation", "reason"),
    [
        (cite("invented"), "not in the evidence"),
        (cite("a", url="https://elsewhere.org/"), "address differs from the evidence"),
        (cite("shut"), "evidence is not admissible"),
        (cite("blank"), "evidence has no text"),
    ],
)
def test_a_citation_must_be_evidence_that_was_really_read(citation: Citation, reason: str) -> None:
    known = [passage("a"), passage("shut", admissible=False), passage("blank", text="  ")]
    found = validate(TRUE, [citation, cite("a")], known)
    assert found.citations == (cite("a"),)
    assert found.dropped == ((citation.evidence_id, reason),)
    assert found.verdict is TRUE


@pytest.mark.parametrize("verdict", list(Verdict))
def test_without_a_valid_citation_only_unverifiable_stands(verdict: Verdict) -> None:
    found = validate(verdict, [cite("invented")], [passage("a")])
    assert found.verdict is OPEN
    assert found.downgraded is (verdict is not OPEN)
    assert found.sources == 0


@pytest.mark.parametrize(("needed", "stands"), [(1, True), (2, True), (3, False)])
def test_the_minimum_of_sources_is_a_setting(needed: int, stands: bool) -> None:
    known = evidence(YES, YES)
    found = validate(TRUE, [cite("e0"), cite("e1")], known, NewsPolicy(min_sources=needed))
    assert found.sources == 2
    assert found.verdict is (TRUE if stands else OPEN)


def test_copies_of_one_story_are_one_source() -> None:
    known = [passage("a"), passage("b", same_as="a")]
    found = validate(TRUE, [cite("a"), cite("b")], known, NewsPolicy(min_sources=2))
    assert (found.sources, found.verdict) == (1, OPEN)


def test_only_evidence_on_the_verdicts_side_counts_as_its_source() -> None:
    known = evidence(YES, NO)
    assert validate(TRUE, [cite("e1")], known, deciding={"e0"}).verdict is OPEN
    assert validate(TRUE, [cite("e0"), cite("e1")], known, deciding={"e0"}).sources == 1


def test_citations_are_merged_in_turns_without_repetition() -> None:
    merged = merge_citations([[cite("a"), cite("b")], [cite("c"), cite("a"), cite("d")]])
    assert [citation.evidence_id for citation in merged] == ["a", "c", "b", "d"]


def test_the_same_address_in_another_spelling_is_cited_once() -> None:
    merged = merge_citations([[cite("a", "https://x.org/1")], [cite("b", "http://www.x.org/1/?utm_source=y")]])
    assert [citation.evidence_id for citation in merged] == ["a"]


def test_citations_without_an_address_are_told_apart_by_evidence() -> None:
    assert len(merge_citations([[cite("a", ""), cite("b", ""), cite("a", "")]])) == 2


@pytest.mark.parametrize(("total", "kept"), [(24, 24), (25, 25), (26, 25), (60, 25)])
def test_no_more_than_25_citations_are_kept(total: int, kept: int) -> None:
    assert len(merge_citations([[cite(f"e{n}") for n in range(total)]])) == kept


def test_every_sub_claim_keeps_citations_under_the_cap() -> None:
    lists = [[cite(f"s{sub}-{n}") for n in range(25)] for sub in range(5)]
    merged = merge_citations(lists)
    assert [sum(c.evidence_id.startswith(f"s{sub}-") for c in merged) for sub in range(5)] == [5] * 5


@pytest.mark.parametrize(
    ("verdict", "label"),
    [(TRUE, Label.SUPPORTED), (FALSE, Label.REFUTED), (PARTLY, Label.MIXED), (OPEN, Label.NOT_ENOUGH)],
)
def test_the_two_vocabularies_map_onto_each_other(verdict: Verdict, label: Label) -> None:
    assert label_of(verdict) is label
    assert verdict_of(label) is verdict


def test_unverifiable_because_sources_conflict_is_disputed() -> None:
    assert label_of(OPEN, conflict=True) is Label.MIXED
    assert label_of(TRUE, conflict=True) is Label.SUPPORTED


def test_every_verdict_is_a_status_of_a_parents_part() -> None:
    assert len({status_of(verdict) for verdict in Verdict}) == 4


citation_lists = st.lists(
    st.builds(
        Citation,
        st.sampled_from(["e0", "e1", "e2", "invented", ""]),
        st.sampled_from(["https://e0.org/story", "https://e1.org/story", "https://evil.org/", ""]),
    ),
    max_size=10,
)


@given(st.sampled_from(list(Verdict)), citation_lists)
def test_no_verdict_stands_on_citations_that_are_not_evidence(verdict: Verdict, cited: list[Citation]) -> None:
    known = {item.id: item for item in evidence(YES, NO)}
    found = validate(verdict, cited, known.values())
    assert all(citation.url == known[citation.evidence_id].url for citation in found.citations)
    assert found.verdict is OPEN or found.citations


@given(st.lists(st.sampled_from([YES, NO, NEUTRAL, LEANING]), max_size=8))
def test_nothing_is_refuted_without_a_refutation(stances: list[Stance]) -> None:
    found = propose(evidence(*stances))
    assert found.verdict is not FALSE or NO in stances
    assert found.verdict is not TRUE or YES in stances


def test_a_verdict_does_not_rest_on_places_known_to_be_unreliable_alone() -> None:
    strict = NewsPolicy(min_credibility=0.4)
    bad, unknown = passage("a", credibility=0.2), passage("b", credibility=0.5)
    alone = validate(TRUE, [cite("a")], [bad], strict)
    assert (alone.verdict, alone.downgraded, alone.sources) == (Verdict.UNVERIFIABLE, True, 0)
    both = validate(TRUE, [cite("a"), cite("b")], [bad, unknown], strict)
    assert (both.verdict, both.sources) == (TRUE, 1)
    assert [one.evidence_id for one in both.citations] == ["a", "b"]
    assert validate(TRUE, [cite("a")], [bad]).verdict is TRUE


@pytest.mark.parametrize("bad", [{"min_sources": 0}, {"credible_share": 1.5}, {"max_citations": 0}])
def test_a_policy_that_makes_no_sense_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must"):
        NewsPolicy(**bad)
