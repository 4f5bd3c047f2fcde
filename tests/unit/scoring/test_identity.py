"""When two addresses or statements are the same one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.identity import domain_key, first_of_each, statement_hash, url_key


@pytest.mark.parametrize(
    "other",
    [
        "http://example.org/a?id=1&x=2",
        "https://www.example.org/a?x=2&id=1",
        "https://EXAMPLE.org:443/a/?id=1&x=2#part",
        "https://example.org/a?id=1&utm_source=mail&x=2&fbclid=abc",
        "  https://example.org/a?id=1&x=2  ",
    ],
)
def test_spellings_of_one_address_have_one_key(other: str) -> None:
    assert url_key(other) == url_key("https://example.org/a?id=1&x=2")


@pytest.mark.parametrize(
    "other",
    [
        "https://example.org/b?id=1&x=2",
        "https://example.org/a?id=2&x=2",
        "https://example.org/A?id=1&x=2",  # paths may differ by case
        "https://example.com/a?id=1&x=2",
        "https://example.org:8443/a?id=1&x=2",
        "https://example.org/a",
    ],
)
def test_different_addresses_have_different_keys(other: str) -> None:
    assert url_key(other) != url_key("https://example.org/a?id=1&x=2")


@given(st.text())
def test_any_text_has_a_key(text: str) -> None:
    assert url_key(text) == url_key(text)
    assert len(statement_hash(text)) == 64


@pytest.mark.parametrize("odd", ["http://[", "http://host:port/x", "not a url", ""])
def test_what_is_no_address_keeps_its_text(odd: str) -> None:
    assert url_key(odd) == odd


def test_statements_are_compared_without_case_and_white_space() -> None:
    assert statement_hash("The  Bridge\nis open") == statement_hash("the bridge is OPEN")
    assert statement_hash("The bridge is open") != statement_hash("The bridge is closed")


def test_domains_are_compared_without_www_and_case() -> None:
    assert domain_key(" WWW.Example.org. ") == "example.org"


def test_an_item_that_shares_any_key_with_an_earlier_one_is_dropped() -> None:
    items = [("a", "1"), ("b", "2"), ("c", "1"), ("a", ""), ("d", "")]
    assert first_of_each(items, lambda item: item) == [("a", "1"), ("b", "2"), ("d", "")]
