"""Diversity and agreement of sources, worked out by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.derivation import replay
from scoring.polarity import Relation
from scoring.source_balance import recompute_agreement, recompute_diversity, source_agreement, source_diversity
from scoring.values import NEUTRAL, Evidence

sides = st.lists(st.sampled_from(list(Relation)), max_size=30)


def passages(*domains: str) -> list[Evidence]:
    return [Evidence(f"e{n}", "text", "web", 0.5, NEUTRAL, domain=domain) for n, domain in enumerate(domains)]


@pytest.mark.parametrize(
    ("domains", "expected"),
    [
        ((), 0.0),
        (("a.org",), 0.0),  # one source is no spread
        (("a.org", "a.org"), 0.0),
        (("a.org", "b.org"), 1.0),
        (("a.org", "a.org", "b.org"), 2 / 3),  # one of three pairs shares a domain
        (("a.org", "b.org", "c.org"), 1.0),
        (("a.org", "a.org", "a.org", "a.org", "b.org"), 0.4),  # 6 of 10 pairs share a domain
        (("a.org",) * 3 + ("b.org",) * 3 + ("c.org",) * 2 + ("d.org",) * 2, 37 / 45),  # 8 of 45 pairs
    ],
)
def test_diversity_is_the_share_of_pairs_from_different_domains(domains: tuple[str, ...], expected: float) -> None:
    assert source_diversity(passages(*domains)).value == pytest.approx(expected, abs=1e-12)


def test_spellings_of_one_domain_are_one_domain() -> None:
    assert source_diversity(passages("www.A.org", "a.org", "a.org.")).value == 0.0


def test_unknown_domains_are_not_taken_for_independent() -> None:
    assert source_diversity(passages("", "")).value == 0.0


@pytest.mark.parametrize(
    ("contradicting", "other", "expected"),
    [(0, 0, 0.0), (0, 4, 1.0), (1, 4, 0.8), (3, 3, 0.5), (3, 0, 0.0)],
)
def test_agreement_is_the_fraction_that_does_not_contradict(contradicting: int, other: int, expected: float) -> None:
    heard = [Relation.CONTRADICTS] * contradicting + [Relation.SUPPORTS] * other
    assert source_agreement(heard).value == pytest.approx(expected)


def test_qualifying_and_neutral_evidence_does_not_contradict() -> None:
    assert source_agreement([Relation.QUALIFIES, Relation.NEUTRAL]).value == 1.0


@given(sides, st.sampled_from([Relation.SUPPORTS, Relation.QUALIFIES, Relation.NEUTRAL]))
def test_more_agreeing_evidence_never_lowers_agreement(heard: list[Relation], more: Relation) -> None:
    assert source_agreement([*heard, more]).value >= source_agreement(heard).value - 1e-12


@given(sides)
def test_agreement_is_bounded_and_recomputable(heard: list[Relation]) -> None:
    found = source_agreement(heard)
    assert 0.0 <= found.value <= 1.0
    assert recompute_agreement(found.inputs) == found
    assert replay(found) == pytest.approx(found.value, abs=1e-9)


@given(st.lists(st.sampled_from(["a.org", "b.org", "c.org", ""]), max_size=30))
def test_diversity_is_bounded_recomputable_and_ignores_order(domains: list[str]) -> None:
    found = source_diversity(passages(*domains))
    assert 0.0 <= found.value <= 1.0
    assert recompute_diversity(found.inputs) == found
    assert source_diversity(passages(*reversed(domains))) == found


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"evidence_count": 1, "contradicting": 2}, "contradicting"),
        ({"evidence_count": -1, "contradicting": 0}, "evidence_count"),
        ({"evidence_count": 1.5, "contradicting": 0}, "evidence_count"),
    ],
)
def test_impossible_counts_are_refused_by_name(inputs: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        recompute_agreement(inputs)


def test_domains_must_be_counts() -> None:
    with pytest.raises(ValueError, match="domains"):
        recompute_diversity({"domains": 3})
