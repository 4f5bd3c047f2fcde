"""The second reranking stage, worked out by hand from 004 §6.1."""

import random
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.derivation import Recorder, replay
from scoring.rerank import RerankPolicy, RerankResult, recompute, rerank, rerank_score
from scoring.values import Candidate, Ranked

ARTICLE = "https://gazette.example/2024/05/12/bridge-opens-to-traffic"


def row(id_: str, relevance: float = 0.5, url: str = ARTICLE, origin: str = "web", domain: str = "") -> Ranked:
    record = Recorder()
    record.set("final_score_base", relevance)
    fields: dict[str, Any] = {"origin": origin, "url": url, "domain": domain, "published": date(2024, 5, 12)}
    return Ranked(
        candidate=Candidate(id=id_, text="The bridge opened.", **fields),
        score=record.derivation(),
        claim_overlap=0.5,
        entity_overlap=0.5,
        anchor_match_score=0.5,
        sem_norm=0.5,
        kg_norm=0.0,
    )


def ids(result: RerankResult) -> list[str]:
    return [one.row.candidate.id for one in result.rows]


@pytest.mark.parametrize(
    ("relevance", "kind", "origin", "expected"),
    [
        (1.0, "article", "web", 0.70 + 0.20 + 0.10),
        (0.5, "article", "web", 0.35 + 0.20 + 0.10),
        (0.5, "page", "web", 0.35 + 0.20 * 0.6 + 0.10),
        (0.5, "article", "vector", 0.35 + 0.20 + 0.10 * 0.5),
        (0.5, "none", "kg", 0.35 + 0.20 * 0.5 + 0.10 * 0.5),
        (0.5, "section", "web", 0.35 + 0.0 + 0.10),
        (0.5, "homepage", "web", 0.35 + 0.0 + 0.10),
        (0.0, "homepage", "vector", 0.05),
    ],
)
def test_the_weighted_sum(relevance: float, kind: str, origin: str, expected: float) -> None:
    derivation = rerank_score(relevance, "cross_encoder", kind, origin, RerankPolicy())
    assert derivation.value == pytest.approx(expected, abs=1e-12)
    assert replay(derivation) == pytest.approx(expected, abs=1e-9)
    assert recompute(derivation.inputs) == derivation


def test_relevance_comes_from_the_cross_encoder_where_it_answered() -> None:
    result = rerank([row("a", 0.9), row("b", 0.1)], {"b": 1.0})
    assert ids(result) == ["b", "a"]
    assert [one.score.inputs["relevance_from"] for one in result.rows] == ["cross_encoder", "ranker"]


def test_homepages_and_section_pages_are_taken_out() -> None:
    rows = [row("a"), row("b", url="https://gazette.example/"), row("c", url="https://gazette.example/news")]
    result = rerank(rows)
    assert ids(result) == ["a"]
    assert [(one.candidate.id, one.reason) for one in result.removed] == [("b", "homepage"), ("c", "section")]
    assert ids(rerank(rows, policy=RerankPolicy(drop_listings=False))) == ["a", "b", "c"]


def test_each_domain_keeps_its_two_best_rows() -> None:
    rows = [
        row("a", 0.6, domain="gazette.example"),
        row("b", 0.9, domain="gazette.example"),
        row("c", 0.7, domain="www.Gazette.example"),
        row("d", 0.1, domain="other.example"),
    ]
    result = rerank(rows)
    assert ids(result) == ["b", "c", "d"]
    assert [(one.candidate.id, one.reason) for one in result.removed] == [("a", "domain_limit")]


def test_rows_without_a_domain_are_not_limited() -> None:
    assert ids(rerank([row(id_, url="", origin="kg") for id_ in "abcd"])) == ["a", "b", "c", "d"]


def test_no_more_than_top_k_rows_remain() -> None:
    result = rerank([row(id_) for id_ in "abc"], policy=RerankPolicy(top_k=2))
    assert ids(result) == ["a", "b"]
    assert [one.reason for one in result.removed] == ["top_k"]


def test_relevance_outside_its_range_is_refused() -> None:
    with pytest.raises(ValueError, match="relevance must lie in"):
        rerank([row("a")], {"a": 1.2})


def test_impossible_policies_are_refused() -> None:
    with pytest.raises(ValueError, match="must add up to 1"):
        RerankPolicy(w_relevance=0.8)
    with pytest.raises(ValueError, match="max_per_domain and top_k"):
        RerankPolicy(max_per_domain=0)
    with pytest.raises(ValueError, match="page_quality must lie in"):
        RerankPolicy(page_quality=1.6)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6), st.integers(0, 99))
def test_the_order_of_the_rows_does_not_matter(relevance: list[float], seed: int) -> None:
    rows = [row(f"r{number}", value, domain="gazette.example") for number, value in enumerate(relevance)]
    shuffled = list(rows)
    random.Random(seed).shuffle(shuffled)
    assert ids(rerank(rows)) == ids(rerank(shuffled))
    assert len(rerank(rows).rows) == min(2, len(rows))
