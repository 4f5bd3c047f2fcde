"""The shared rules that every adapter follows: terms, fusion, graph scores, addresses, identifiers."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.values import Triple
from storage.errors import StoreError, StoreRefused
from storage.fusion import SearchPolicy, fuse, relative, share_of_best
from storage.graph_scores import GraphScorePolicy, best_first, candidate
from storage.lexical import MAX_QUERY_TERMS, index_terms, query_terms
from storage.ports import Fact, entity_key, normal_url, normal_urls
from storage.ports.checks import identifier

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SCORES = st.dictionaries(st.integers(0, 20), st.floats(-5, 5), max_size=12)
BM25 = st.dictionaries(st.integers(0, 20), st.floats(0, 50), max_size=12)


class TestTerms:
    def test_words_are_stemmed_and_stop_words_left_out(self) -> None:
        assert index_terms("The Landings", "They landed in 1,969 places") == "land land 1969 place"

    def test_a_query_has_each_term_once_and_not_too_many(self) -> None:
        assert query_terms("landing landed LANDS on the Moon") == ("land", "moon")
        assert len(query_terms(" ".join(f"word{n}" for n in range(100)))) == MAX_QUERY_TERMS

    @given(st.text())
    def test_terms_are_plain_ascii_words_whatever_the_text(self, text: str) -> None:
        for term in index_terms(text, text).split(" "):
            assert term == "" or (term.isascii() and term.isalnum())

    @given(st.text(max_size=60))
    def test_a_text_is_found_by_its_own_words(self, text: str) -> None:
        assert set(query_terms(text)) <= set(index_terms("", text).split(" "))

    def test_words_beyond_ascii_are_told_apart(self) -> None:
        assert len(set(query_terms("Łódź Lodz лодзь"))) == 3


class TestFusion:
    def test_the_best_is_one_and_the_worst_zero(self) -> None:
        assert relative({"a": 3.0, "b": 1.0, "c": 2.0}) == {"a": 1.0, "b": 0.0, "c": 0.5}
        assert relative({"a": 0.2}) == {"a": 1.0}
        assert relative({}) == {}

    def test_halves_are_mixed_by_alpha(self) -> None:
        assert fuse({"a": 1.0, "b": 0.0}, {"b": 8.0, "c": 4.0}, 0.75) == {"a": 0.75, "b": 0.25, "c": 0.125}

    def test_words_are_worth_what_they_are_of_the_best_match(self) -> None:
        """The worst of the words' candidates said something all the same; the worst of the near ones is a stranger."""
        assert share_of_best({"a": 4.0, "b": 3.0}) == {"a": 1.0, "b": 0.75}
        assert share_of_best({"a": 0.0, "b": 0.0}) == {"a": 0.0, "b": 0.0}
        assert share_of_best({}) == {}

    def test_the_words_half_looks_wider(self) -> None:
        policy = SearchPolicy()
        assert policy.worded(10) > policy.wanted(10)
        assert policy.worded(1_000) == policy.wanted(1_000)

    @given(SCORES, BM25, st.floats(0, 1))
    def test_fused_scores_lie_in_the_unit_interval(
        self, near: dict[int, float], said: dict[int, float], alpha: float
    ) -> None:
        fused = fuse(near, said, alpha)
        assert fused.keys() == near.keys() | said.keys()
        assert all(-1e-9 <= score <= 1 + 1e-9 for score in fused.values())


class TestGraphScores:
    @staticmethod
    def fact(confidence: float = 1.0, relation: str = "knows") -> Fact:
        return Fact(Triple("A", relation, "B"), "https://a.org", NOW, confidence)

    def test_the_nearer_the_higher(self) -> None:
        asked = frozenset({"a", "b"})
        policy = GraphScorePolicy()
        ends = [("a", "b"), ("a", "x"), ("x", "y")]
        found = [candidate(self.fact(), pair, asked, policy) for pair in ends]
        assert [(c.hops, c.score) for c in found] == [(1, 1.0), (1, 0.7), (2, 0.35)]
        assert [c.matched for c in found] == [("a", "b"), ("a",), ()]

    def test_a_relation_of_an_entity_with_itself_touches_one(self) -> None:
        assert candidate(self.fact(), ("a", "a"), frozenset({"a"}), GraphScorePolicy()).score == 0.7

    def test_two_hops_are_never_strong_on_their_own(self) -> None:
        assert candidate(self.fact(), ("x", "y"), frozenset({"a"}), GraphScorePolicy()).score < 0.40

    def test_equal_scores_have_one_order(self) -> None:
        found = [
            candidate(self.fact(relation=f"r{n}"), ("a", "b"), frozenset({"a"}), GraphScorePolicy()) for n in range(5)
        ]
        assert best_first(found, 3) == best_first(found[::-1], 3)

    def test_spellings_of_a_name_share_a_key(self) -> None:
        assert entity_key("  WORLD\tHealth ") == entity_key("world health") == "world health"
        assert entity_key("ﬁne") == "fine"


class TestAddresses:
    @pytest.mark.parametrize(
        ("written", "known_as"),
        [
            ("HTTP://Example.org:80/a?utm_source=x&b=2&a=1#top", "http://example.org/a?a=1&b=2"),
            ("https://example.org/", "https://example.org"),
            ("https://example.org/a/", "https://example.org/a"),
            ("https://example.org/%20x", "https://example.org/%20x"),
            (" https://example.org/ä ", "https://example.org/%C3%A4"),
        ],
    )
    def test_spellings_of_a_page_are_one_address(self, written: str, known_as: str) -> None:
        assert normal_url(written) == known_as

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "x",
            "ftp://a.org",
            "javascript:alert(1)",
            "https://",
            "https://a b.org",
            "http://a.org:port",
            "http://[::1",
        ],
    )
    def test_what_cannot_be_fetched_is_refused(self, text: str) -> None:
        with pytest.raises(StoreRefused, match="not an"):
            normal_url(text)

    def test_an_endless_address_is_refused(self) -> None:
        with pytest.raises(StoreRefused, match="2048"):
            normal_url("https://example.org/" + "x" * 3000)

    @given(st.text(max_size=80))
    def test_any_text_is_an_address_for_good_or_refused(self, text: str) -> None:
        for url in normal_urls([text, f"https://example.org/{text}", f"https://{text}"]):
            assert normal_urls([url]) == [url]


def test_errors_are_one_family() -> None:
    with pytest.raises(StoreError):
        identifier("job_id", "")
    with pytest.raises(ValueError, match="job_id must not be empty"):
        identifier("job_id", "")
