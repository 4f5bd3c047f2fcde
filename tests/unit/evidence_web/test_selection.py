"""Which addresses are worth fetching, and how the choice is made among those that are."""

from datetime import date
from typing import Any

import pytest

from agents.evidence.credibility import SourceCredibility
from agents.evidence.ports import SearchResult
from agents.evidence.selection import Selection, SkipReason, select
from agents.evidence.urls import skip_reason
from storage.ports import normal_url


def result(url: str, published: date | None = None) -> SearchResult:
    return SearchResult("Title", url, "", published, 1.0)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("https://gazette.example/news/2024/05/bridge-opens-to-traffic", None),
        ("https://en.wikipedia.org/wiki/Whois", None),
        ("https://en.wikipedia.org/wiki/Bridge", None),
        ("https://gazette.example/story?id=77", None),
        ("https://www.nytimes.com/2024/05/01/us/bridge-opens.html", None),
        ("https://gazette.example/report.pdf", None),
        ("https://gazette.example/research-and-rescue-teams-find-hiker", None),
        ("https://gazette.example/", "homepage"),
        ("https://gazette.example", "homepage"),
        ("https://gazette.example/?utm_source=feed", "homepage"),
        ("https://gazette.example/index.html", "homepage"),
        ("https://gazette.example/politics", "section"),
        ("https://gazette.example/tag/bridges", "section"),
        ("https://www.google.com/search?q=bridge", "search_results"),
        ("https://duckduckgo.com/?q=bridge", "search_results"),
        ("https://www.bing.com/search?q=bridge", "search_results"),
        ("https://search.yahoo.com/yhs?p=bridge", "search_results"),
        ("https://gazette.example/search?q=bridge", "search_results"),
        ("https://gazette.example/?s=bridge", "search_results"),
        ("https://who.is/whois/gazette.example", "whois"),
        ("https://whois.domaintools.com/gazette.example", "whois"),
        ("https://lookup.example/whois/gazette.example", "whois"),
        ("https://www.wsj.com/articles/bridge-opens-to-traffic-1", "paywall"),
        ("https://www.ft.com/content/0a1b2c3d", "paywall"),
        ("https://gazette.example/premium/bridge-opens-to-traffic", "paywall"),
        ("https://gazette.example/login?next=/news/1", "account"),
        ("https://gazette.example/news/subscribe", "account"),
        ("https://gazette.example/photo.JPG", "media"),
        ("https://gazette.example/talk.mp4?t=3", "media"),
        ("https://gazette.example/data.xlsx", "media"),
        ("ftp://gazette.example/file", "not_web"),
        ("mailto:desk@gazette.example", "not_web"),
        ("javascript:void(0)", "not_web"),
        ("https://[", "not_web"),
        ("no address", "not_web"),
        ("", "not_web"),
        ("https://gazette.example/" + "a" * 5_000, "not_web"),
    ],
)
def test_an_address_that_holds_no_article_is_passed_over_with_a_reason(url: str, reason: SkipReason | None) -> None:
    assert skip_reason(url) == reason


def article(host: str, number: int = 1) -> str:
    return f"https://{host}/news/2024/05/story-number-{number}"


def choose(results: list[SearchResult], limit: int, credible: tuple[str, ...] = (), **options: Any) -> Selection:
    return select(results, limit, credibility=SourceCredibility.of(credible), **options)


def test_the_same_page_in_several_spellings_is_taken_once() -> None:
    first = article("a.example")
    spellings = [first, f"{first}/", f"{first}?utm_source=x&fbclid=y", f"{first}#top", first.replace("https", "http")]
    found = choose([result(url) for url in spellings], 10)
    assert [item.url for item in found.chosen] == [first]
    assert found.skipped == {"duplicate": 4}


def test_processed_pages_are_suppressed_in_any_spelling() -> None:
    seen = {normal_url(article("a.example"))}
    found = choose([result(article("a.example") + "?utm_medium=mail"), result(article("b.example"))], 10, seen=seen)
    assert [item.url for item in found.chosen] == [article("b.example")]
    assert found.skipped == {"processed": 1}


def test_domains_take_turns() -> None:
    urls = [article("a.example", 1), article("www.a.example", 2), article("a.example", 3), article("b.example", 1)]
    found = choose([result(url) for url in urls], 3)
    assert [item.url for item in found.chosen] == [urls[0], urls[3], urls[1]]
    assert found.skipped == {"over_cap": 1}


def test_a_domain_that_the_job_has_evidence_from_starts_a_turn_later() -> None:
    urls = [article("a.example", 1), article("b.example", 1), article("b.example", 2)]
    found = choose([result(url) for url in urls], 3, covered={"a.example"})
    assert [item.url for item in found.chosen] == [urls[1], urls[0], urls[2]]


def test_pages_after_the_date_are_passed_over_and_undated_ones_are_not() -> None:
    late, early = result(article("a.example"), date(2024, 5, 2)), result(article("b.example"), date(2024, 5, 1))
    undated = result(article("c.example"))
    found = choose([late, early, undated], 10, as_of=date(2024, 5, 1))
    assert found.chosen == (early, undated)
    assert found.skipped == {"after_as_of": 1}


def test_every_address_is_either_chosen_or_counted() -> None:
    urls = [article("a.example"), article("a.example"), "https://a.example/", "ftp://x", article("b.example"), "…"]
    found = choose([result(url) for url in urls], 1)
    assert len(found.chosen) + sum(found.skipped.values()) == len(urls)


def test_a_negative_cap_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="must not be negative"):
        choose([], -1)


def test_sources_that_are_not_credible_are_passed_over_where_enough_are() -> None:
    credible = tuple(f"good{n}.example" for n in range(3))
    found = choose([result(article(host)) for host in ("doubtful.example", *credible)], 10, credible)
    assert [item.url for item in found.chosen] == [article(host) for host in credible]
    assert found.skipped == {"not_credible": 1}


@pytest.mark.parametrize(("good", "others"), [(2, 1), (3, 8)], ids=["fewer than three", "less than 30 %"])
def test_a_filter_that_would_leave_too_little_is_not_applied(good: int, others: int) -> None:
    credible = tuple(f"good{n}.example" for n in range(good))
    hosts = [*credible, *(f"other{n}.example" for n in range(others))]
    found = choose([result(article(host)) for host in hosts], 20, credible)
    assert (len(found.chosen), found.skipped) == (good + others, {})
