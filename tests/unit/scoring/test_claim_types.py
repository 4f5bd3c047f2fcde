"""What a claim is taken for."""

import pytest

from scoring.claim_parts import ClaimParts, claim_parts
from scoring.claim_types import ClaimProfile, profile


@pytest.mark.parametrize(
    ("claim", "domain", "kind"),
    [
        ("Vitamin C cures the common cold.", "general", "therapeutic"),
        ("Aspirin prevents heart attacks.", "general", "therapeutic"),
        ("The new law reduces crime.", "general", "general"),
        ("The new diet reduces weight.", "health", "therapeutic"),
        ("Smoking causes lung cancer.", "general", "causal"),
        ("The dam burst because of the earthquake.", "general", "causal"),
        ("Insulin binds to receptors on cells.", "general", "mechanistic"),
        ("mRNA activates the immune system.", "general", "mechanistic"),
        ("The switch activates the alarm.", "general", "general"),
        ("The compound activates the alarm.", "biology", "mechanistic"),
        ("Aspirin treats pain by inhibiting an enzyme.", "general", "therapeutic"),
        ("The bridge opened in 1932.", "general", "general"),
        ("", "general", "general"),
    ],
)
def test_kind(claim: str, domain: str, kind: str) -> None:
    assert profile(claim, domain).kind == kind


@pytest.mark.parametrize(
    ("claim", "flag"),
    [
        ("Cats are smarter than dogs.", "comparative"),
        ("500 people died.", "count"),
        ("Most voters believe the moon is hollow.", "belief"),
        ("Vaccines are always safe.", "absolute"),
        ("The mayor did not resign.", "negated"),
        ("The mayor might resign.", "hedged"),
    ],
)
def test_flags(claim: str, flag: str) -> None:
    names = ("comparative", "count", "belief", "absolute", "negated", "hedged")
    assert [name for name in names if getattr(profile(claim), name)] == [flag]


def test_a_plain_statement_is_assertive_and_nothing_else() -> None:
    assert profile("The mayor resigned.") == ClaimProfile(
        "general", comparative=False, count=False, belief=False, absolute=False, negated=False, hedged=False
    )
    assert profile("The mayor resigned.").assertive
    assert not profile("The mayor might resign.").assertive
    assert not profile("Voters believe the mayor resigned.").assertive


@pytest.mark.parametrize(
    ("claim", "subject", "object_"),
    [
        ("Smoking causes lung cancer.", {"smoke"}, {"lung", "cancer"}),
        ("Lung cancer is caused by smoking.", {"smoke"}, {"lung", "cancer"}),
        ("Paris is the capital of France.", {"pari"}, {"capit", "franc"}),
        ("The mayor has not resigned.", {"mayor"}, set()),
        ("A big red house", set(), set()),
        ("Is it?", set(), set()),
    ],
)
def test_parts(claim: str, subject: set[str], object_: set[str]) -> None:
    assert claim_parts(claim) == ClaimParts(frozenset(subject), frozenset(object_))
