"""What a refresh searches for, and in which order it reads what is found: credible sources first, subjects mixed."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

from agents.evidence.credibility import SourceCredibility
from agents.evidence.extraction import domain_of
from agents.evidence.ports import SearchResult
from agents.evidence.urls import skip_reason
from scoring.text import entities
from storage.ports import normal_url

DEFAULT_QUERIES = (
    "government announcement today",
    "parliament vote new law",
    "election results",
    "city council decision",
    "economy inflation unemployment figures",
    "company results jobs",
    "central bank interest rate",
    "public health hospital outbreak",
    "vaccine study results",
    "climate weather storm flood",
    "energy prices supply",
    "science research discovery",
    "technology artificial intelligence",
    "court ruling trial verdict",
    "police crime investigation",
    "transport road rail construction",
    "schools education",
    "conflict ceasefire talks",
    "migration population statistics",
    "sports match result",
    "culture festival opening",
    "fact check false claim",
)
"""One per desk of a newsroom; configured ones take their place (004)."""


def queries_about(submissions: Iterable[bytes], limit: int) -> list[str]:
    """The names that the claims of these submissions are about, those in most of them first."""
    named: Counter[str] = Counter()
    for submission in submissions:
        named.update(list(dict.fromkeys(entities(_claim(submission)))))
    return [name for name, _ in named.most_common(limit)]


def _claim(submission: bytes) -> str:
    try:
        document = json.loads(submission)
    except ValueError:
        return ""
    claim = document.get("claim") if isinstance(document, dict) else None
    return claim if isinstance(claim, str) else ""


def best_first(found: Sequence[Sequence[SearchResult]], credibility: SourceCredibility, limit: int) -> list[str]:
    """Addresses of articles, each once: credible sources first, then every query's best before any query's second."""
    ranked = chain.from_iterable(
        ((_tier(result.url, credibility), rank, number, result.url) for rank, result in enumerate(results))
        for number, results in enumerate(found)
    )
    chosen: dict[str, None] = {}
    for *_, url in sorted(ranked):
        if skip_reason(url) is None:
            chosen[normal_url(url)] = None
    return list(chosen)[:limit]


def _tier(url: str, credibility: SourceCredibility) -> float:
    """Sources are told apart by a tenth: finer differences in credibility do not outweigh how well a page fits."""
    return -round(credibility.prior(domain_of(url)), 1)
