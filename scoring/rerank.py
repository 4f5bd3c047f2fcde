"""The second reranking stage (004 §6.1): 70 % relevance, 20 % quality of the address, 10 % kind of source.

Homepages and section pages are taken out before, and each domain keeps at most two rows.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields

from scoring.checks import unit
from scoring.derivation import Derivation, Recorder
from scoring.inputs import Inputs, constants, number, policy_from, word
from scoring.ranking import Removed
from scoring.urls import is_listing, url_kind
from scoring.values import Ranked


@dataclass(frozen=True, slots=True)
class RerankPolicy:
    """004 §6.1 gives the three shares, the order of sources and two per domain; the other values are ours."""

    w_relevance: float = 0.70
    w_url_quality: float = 0.20
    w_source: float = 0.10
    article_quality: float = 1.0
    # An inner page that looks like neither article nor list may well be the source itself ("/vaccines").
    page_quality: float = 0.6
    # Stored statements without an address cannot be looked up, but they are no teaser page either.
    no_url_quality: float = 0.5
    # Only seen where the listing filter is off.
    listing_quality: float = 0.0
    # 004: what was found on the web just now comes before what was stored.
    web_preference: float = 1.0
    stored_preference: float = 0.5
    max_per_domain: int = 2
    drop_listings: bool = True
    # RERANK_TOP_K of 004.
    top_k: int = 25

    def __post_init__(self) -> None:
        for one in fields(self):
            if one.type is float:
                unit(one.name, getattr(self, one.name))
        if abs(self.w_relevance + self.w_url_quality + self.w_source - 1.0) > 1e-9:
            raise ValueError("w_relevance, w_url_quality and w_source must add up to 1")
        if self.max_per_domain < 1 or self.top_k < 1:
            raise ValueError("max_per_domain and top_k must be at least 1")


@dataclass(frozen=True, slots=True)
class Reranked:
    """A ranked row with its score of the second stage."""

    row: Ranked
    score: Derivation


@dataclass(frozen=True, slots=True)
class RerankResult:
    """Rows from best to worst, and what was removed and why."""

    rows: tuple[Reranked, ...]
    removed: tuple[Removed, ...]


def rerank(
    rows: Iterable[Ranked], relevance: Mapping[str, float] | None = None, policy: RerankPolicy | None = None
) -> RerankResult:
    """Orders ranked rows once more. `relevance` holds a cross-encoder's scores in [0, 1] by candidate id.

    A row without one keeps the ranker's own score as its relevance, and the derivation says so.
    """
    policy, relevance = policy or RerankPolicy(), relevance or {}
    scored: list[Reranked] = []
    removed: list[Removed] = []
    for row in rows:
        if policy.drop_listings and is_listing(row.candidate.url):
            removed.append(Removed(row.candidate, url_kind(row.candidate.url)))
        else:
            scored.append(Reranked(row, _scored(row, relevance, policy)))
    scored.sort(key=lambda one: (-one.score.value, -one.row.score.value, one.row.candidate.id, one.row.candidate.url))
    return _diverse(scored, removed, policy)


def rerank_score(relevance: float, relevance_from: str, kind: str, origin: str, policy: RerankPolicy) -> Derivation:
    """The weighted sum of 004 §6.1."""
    qualities = {"article": policy.article_quality, "page": policy.page_quality, "none": policy.no_url_quality}
    url_quality = qualities.get(kind, policy.listing_quality)
    source = policy.web_preference if origin == "web" else policy.stored_preference
    record = Recorder(
        relevance=unit("relevance", relevance),
        relevance_from=relevance_from,
        url_kind=kind,
        url_quality=url_quality,
        origin=origin,
        source_preference=source,
        policy=constants(policy),
    )
    record.set("relevance", policy.w_relevance * relevance)
    record.add("url_quality", policy.w_url_quality * url_quality)
    record.add("source_preference", policy.w_source * source)
    record.clamp()
    return record.derivation()


def recompute(inputs: Inputs) -> Derivation:
    """The score again, from the recorded inputs alone."""
    return rerank_score(
        number(inputs, "relevance"),
        word(inputs, "relevance_from"),
        word(inputs, "url_kind"),
        word(inputs, "origin"),
        policy_from(RerankPolicy, inputs),
    )


def _scored(row: Ranked, relevance: Mapping[str, float], policy: RerankPolicy) -> Derivation:
    known = row.candidate.id in relevance
    value = relevance[row.candidate.id] if known else row.score.value
    source = "cross_encoder" if known else "ranker"
    return rerank_score(value, source, url_kind(row.candidate.url), row.candidate.origin, policy)


def _diverse(scored: list[Reranked], removed: list[Removed], policy: RerankPolicy) -> RerankResult:
    """At most `max_per_domain` rows of each domain. Rows without a domain are no single voice and are not limited."""
    taken: Counter[str] = Counter()
    kept: list[Reranked] = []
    for one in scored:
        domain = one.row.candidate.domain.lower().removeprefix("www.")
        if domain and taken[domain] >= policy.max_per_domain:
            removed.append(Removed(one.row.candidate, "domain_limit"))
            continue
        taken[domain] += 1
        kept.append(one)
    removed += [Removed(one.row.candidate, "top_k") for one in kept[policy.top_k :]]
    return RerankResult(tuple(kept[: policy.top_k]), tuple(removed))
