"""Which retrieved chunks speak to a claim, and what each of them says about it (003 §4)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from scoring.checks import finite
from scoring.drafts.citations import link_citations
from scoring.inputs import check_shares
from scoring.polarity import Relation, relation
from scoring.text import claim_overlap, quantities
from scoring.values import Stance


class SupportLevel(StrEnum):
    """What one chunk says about a claim."""

    FULL = "full"
    PARTIAL = "partial"
    NONE = "none"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True, slots=True)
class MatchPolicy:
    """003's similarity threshold, and two numbers that it leaves open."""

    min_similarity: float = 0.7
    # The stance model must be three to one for support before a chunk counts as full support; what decides for
    # the claim with less is partial.
    full_support: float = 0.75
    # A chunk states a claim outright if it has its numbers and this share of its content words; with less,
    # somebody has to infer it.
    stated_overlap: float = 0.6

    def __post_init__(self) -> None:
        check_shares(self)


DEFAULT = MatchPolicy()


@dataclass(frozen=True, slots=True)
class Match:
    """A chunk that may be evidence for the claim, found by its citation or by similarity."""

    chunk_id: str
    similarity: float
    match_type: Literal["citation", "semantic"]


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The chunks to judge, best first, and the citations that named no retrieved chunk."""

    matches: tuple[Match, ...]
    invalid_citations: tuple[str, ...]


def match_evidence(
    citations: Collection[str], similarities: Mapping[str, float], policy: MatchPolicy = DEFAULT
) -> MatchResult:
    """Cited chunks if at least one was retrieved; otherwise every chunk more similar than the threshold."""
    for chunk_id, similarity in similarities.items():
        if not -1.0 <= finite(f"similarity of {chunk_id}", similarity) <= 1.0:
            raise ValueError(f"similarity of {chunk_id} must lie in [-1, 1], got {similarity!r}")
    links = link_citations(citations, similarities)
    if links.valid:
        found = [Match(chunk_id, similarities[chunk_id], "citation") for chunk_id in links.valid]
    else:
        found = [
            Match(chunk_id, similarity, "semantic")
            for chunk_id, similarity in similarities.items()
            if similarity > policy.min_similarity
        ]
    found.sort(key=lambda match: (-match.similarity, match.chunk_id))
    return MatchResult(matches=tuple(found), invalid_citations=links.invalid)


def support_level(stance: Stance, policy: MatchPolicy = DEFAULT) -> SupportLevel:
    """The stance model's answer in 003's words. What does not decide either way is no support."""
    said = relation(stance)
    if said is Relation.CONTRADICTS:
        return SupportLevel.CONTRADICTED
    if said is not Relation.SUPPORTS:
        return SupportLevel.NONE
    return SupportLevel.FULL if stance.supports >= policy.full_support else SupportLevel.PARTIAL


def requires_inference(claim: str, texts: Sequence[str], policy: MatchPolicy = DEFAULT) -> bool:
    """Whether no single chunk states the claim: its numbers, and most of its words."""
    numbers = {quantity.value for quantity in quantities(claim)}
    return not any(
        numbers <= {quantity.value for quantity in quantities(text)}
        and claim_overlap(claim, text) >= policy.stated_overlap
        for text in texts
    )
