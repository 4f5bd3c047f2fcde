"""Articles, sections and homepages, told apart by their addresses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.urls import is_listing, url_kind


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("https://gazette.example", "homepage"),
        ("https://gazette.example/", "homepage"),
        ("https://gazette.example/index.html", "homepage"),
        ("https://gazette.example/en/", "homepage"),
        ("https://gazette.example/en-us/home", "homepage"),
        ("https://gazette.example/?utm_source=feed", "homepage"),
        ("https://gazette.example/news", "section"),
        ("https://gazette.example/news/world/", "section"),
        ("https://gazette.example/tag/bridges", "section"),
        ("https://gazette.example/author/ann-lee-writes-on-bridges", "section"),
        ("https://gazette.example/search?q=bridge", "section"),
        ("https://wiki.example/wiki/Category:Bridges", "section"),
        ("https://gazette.example/2024/05/12/bridge.html", "article"),
        ("https://gazette.example/news/bridge-opens-to-traffic", "article"),
        ("https://gazette.example/news/uk-12345678", "article"),
        ("https://gazette.example/article/bridge", "article"),
        ("https://gazette.example/?p=123", "article"),
        ("https://wiki.example/wiki/Health", "article"),
        ("https://papers.example/abs/2101.00001", "article"),
        ("https://council.example/budget.pdf", "article"),
        ("https://council.example/bridges", "page"),
        ("https://who.example/fact-sheets/detail/measles", "page"),
        ("", "none"),
        ("not an address", "none"),
        ("http://[", "none"),
        ("mailto:ann@gazette.example", "none"),
    ],
)
def test_kind(url: str, kind: str) -> None:
    assert url_kind(url) == kind
    assert is_listing(url) is (kind in ("homepage", "section"))


@given(st.text(max_size=80))
def test_any_text_has_a_kind(text: str) -> None:
    assert url_kind(f"https://gazette.example/{text}") in ("article", "page", "section", "homepage", "none")


def test_a_megabyte_of_address_does_not_stall() -> None:
    assert url_kind("https://gazette.example/" + "a-" * 500_000) == "article"
