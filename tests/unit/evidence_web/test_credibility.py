"""What is known about a source before its page is read."""

import pytest

from agents.evidence.credibility import SourceCredibility, Tier, expert_ratings
from agents.evidence.urls import host_and_parents, registered_domain

CREDIBILITY = SourceCredibility.of(["bbc.co.uk", "gazette.example"])


@pytest.mark.parametrize(
    ("domain", "tier", "prior"),
    [
        ("gazette.example", "listed", 0.85),
        ("www.gazette.example", "listed", 0.85),
        ("sport.gazette.example", "listed", 0.85),
        ("notgazette.example", "unknown", 0.5),
        ("news.bbc.co.uk", "listed", 0.85),  # rated 0.718: the editor's word stands
        ("reuters.com", "high", 1.0),
        ("a-desk-of.reuters.com", "high", 1.0),
        ("EN.Wikipedia.org.", "high", 0.834),
        ("foxnews.com", "mixed", 0.534),
        ("infowars.com", "low", 0.046),
        ("abcnews.go.com", "high", 0.863),  # its own entry, not that of go.com
        ("cdc.gov", "high", 0.964),
        ("treasury.gov", "official", 0.75),
        ("data.gov.uk", "official", 0.75),
        ("ec.europa.eu", "official", 0.75),
        ("cs.stanford.edu", "academic", 0.75),
        ("www.cl.cam.ac.uk", "academic", 0.75),
        ("somebody.ac", "unknown", 0.5),
        ("gov.example", "unknown", 0.5),
        ("treasury.gov.attacker.com", "unknown", 0.5),
        ("reuters.com.attacker.net", "unknown", 0.5),
        ("an-unheard-of-site.org", "unknown", 0.5),
        ("203.0.113.9", "unknown", 0.5),
        ("", "unknown", 0.5),
    ],
)
def test_list_then_rating_then_suffix_decide_and_the_unknown_is_unknown(domain: str, tier: Tier, prior: float) -> None:
    assert (CREDIBILITY.tier(domain), CREDIBILITY.prior(domain)) == (tier, prior)


def test_the_default_list_is_the_specifications() -> None:
    assert SourceCredibility().tier("apnews.com") == "listed"
    # A listed source with a better rating keeps it.
    assert SourceCredibility().prior("apnews.com") == 0.998


def test_some_eleven_thousand_domains_are_rated_between_zero_and_one() -> None:
    ratings = expert_ratings()
    assert 11_000 < len(ratings) < 12_000
    assert all(0.0 <= value <= 1.0 for value in ratings.values())
    assert all(name == name.lower() and "/" not in name and "." in name for name in ratings)


def test_a_verdict_says_which_entry_decided() -> None:
    assert CREDIBILITY.standing("a-desk-of.reuters.com").because == "reuters.com"
    assert CREDIBILITY.standing("data.gov.uk").because == "gov.uk"


@pytest.mark.parametrize(
    ("credible", "others", "kept", "fell_back"),
    [(3, 7, 3, False), (3, 8, 11, True), (2, 0, 2, True), (4, 4, 4, False), (0, 5, 5, True), (0, 0, 0, True)],
)
def test_the_filter_gives_way_when_it_is_too_strict(credible: int, others: int, kept: int, fell_back: bool) -> None:
    domains = ["reuters.com"] * credible + ["unknown.example"] * others
    found = CREDIBILITY.filter(domains, lambda domain: domain)
    assert (len(found.kept), found.credible, found.fell_back) == (kept, credible, fell_back)


@pytest.mark.parametrize(
    ("host", "registered"),
    [
        ("www.bbc.co.uk", "bbc.co.uk"),
        ("a.b.harbour.example", "harbour.example"),
        ("harbour.example", "harbour.example"),
        ("localhost", "localhost"),
        ("co.uk", "co.uk"),
        ("127.0.0.1", "127.0.0.1"),
        ("::1", "::1"),
        ("WWW.Example.COM.", "example.com"),
    ],
)
def test_the_registered_domain_is_what_somebody_owns(host: str, registered: str) -> None:
    assert registered_domain(host) == registered


def test_a_host_is_looked_up_from_the_most_exact_name_to_the_registered_one() -> None:
    assert host_and_parents("www.a.b.bbc.co.uk") == ("a.b.bbc.co.uk", "b.bbc.co.uk", "bbc.co.uk")
    assert host_and_parents("bbc.co.uk") == ("bbc.co.uk",)
