"""The rules of 004 §6-7: is there enough evidence, do sources conflict, what follows, which citations may stand."""

import math
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

from scoring.checks import finite, unit
from scoring.identity import domain_key, first_of_each, url_key
from scoring.polarity import DECISIVE, PolarityPolicy, Relation, admissible, one_per_story, probability, relation
from scoring.polarity import DEFAULT as POLARITY
from scoring.values import Evidence, Label, Verdict
from scoring.verdict_words import label_of

CREDIBLE_DOMAINS = (
    "reuters.com", "apnews.com", "bbc.com", "bbc.co.uk", "nytimes.com", "washingtonpost.com", "theguardian.com",
    "npr.org", "economist.com", "nature.com", "science.org", "who.int", "snopes.com", "politifact.com",
    "factcheck.org", "fullfact.org", "wikipedia.org", "britannica.com",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class NewsPolicy:
    """The fallback's numbers, the citation cap and the first names of the allowlist are the specification's."""

    # Enough to look at: one passage is a report, two can be compared.
    min_evidence: int = 2
    # Any voice on the other side is a conflict, as 004 says ("only supporting evidence"). A share above 0 lets a
    # small minority of the stories pass.
    conflict_share: float = 0.0
    # A side counts for the probability that one of its stories at least is read rightly, 1 - (1 - p)(1 - p)..., instead
    # of for their number: one that says it outright outweighs two that lean a little, and three outweigh one.
    weighed_voices: bool = False
    credible_domains: tuple[str, ...] = CREDIBLE_DOMAINS
    credible_min: int = 3
    credible_share: float = 0.30
    # No verdict but UNVERIFIABLE without an admissible citation; a newsroom with a two-source rule sets 2.
    min_sources: int = 1
    # Sources below it are shown and cited, and do not count among those: a verdict never rests on places that are
    # known to be unreliable alone. A place that nobody knows has 0.5.
    min_credibility: float = 0.0
    max_citations: int = 25
    # 004 §8: one refuted sub-claim refutes the claim. Without it a claim with supported and refuted parts is split,
    # as 000 has it.
    refuted_part_refutes: bool = True

    def __post_init__(self) -> None:
        unit("conflict_share", self.conflict_share)
        unit("credible_share", self.credible_share)
        unit("min_credibility", self.min_credibility)
        for name in ("min_evidence", "min_sources", "max_citations"):
            if finite(name, getattr(self, name)) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)!r}")


DEFAULT = NewsPolicy()


@dataclass(frozen=True, slots=True)
class Proposal:
    """What the rules alone would say, and the counts that they looked at (stories, not copies)."""

    verdict: Verdict
    label: Label
    sufficient: bool
    conflict: bool
    supporting: int
    refuting: int
    neutral: int


@dataclass(frozen=True, slots=True)
class Citation:
    """A pointer to one piece of evidence, as a reader sees it."""

    evidence_id: str
    url: str = ""
    domain: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class CredibleCitations:
    """What the credibility filter kept, and whether it was too strict to be applied."""

    citations: tuple[Citation, ...]
    credible: int
    fell_back: bool


@dataclass(frozen=True, slots=True)
class Validated:
    """A verdict with the citations that hold, those that do not and why, and whether it was downgraded."""

    verdict: Verdict
    citations: tuple[Citation, ...]
    dropped: tuple[tuple[str, str], ...]
    sources: int
    downgraded: bool


def propose(
    evidence: Iterable[Evidence], policy: NewsPolicy = DEFAULT, polarity: PolarityPolicy = POLARITY
) -> Proposal:
    """The rule-based verdict former: a verdict from nothing but the stances of the admissible evidence."""
    stories = one_per_story(admissible(evidence))
    sides = [relation(item.stance, polarity) for item in stories]
    supporting, refuting = sides.count(Relation.SUPPORTS), sides.count(Relation.CONTRADICTS)
    sufficient = len(sides) >= policy.min_evidence and supporting + refuting > 0
    pro, contra = float(supporting), float(refuting)
    if policy.weighed_voices:
        pro, contra = (_weighed(side, sides, stories, polarity) for side in DECISIVE)
    conflict = has_conflict(pro, contra, policy)
    verdict = Verdict.TRUE if pro > contra else Verdict.FALSE
    if conflict or not sufficient:
        verdict = Verdict.UNVERIFIABLE
    return Proposal(
        verdict=verdict,
        label=label_of(verdict, conflict=sufficient and conflict),
        sufficient=sufficient,
        conflict=conflict,
        supporting=supporting,
        refuting=refuting,
        neutral=len(sides) - supporting - refuting,
    )


def _weighed(side: Relation, sides: Sequence[Relation], stories: Sequence[Evidence], polarity: PolarityPolicy) -> float:
    taken = (
        probability(item.stance, side, polarity) for item, taken in zip(stories, sides, strict=True) if taken is side
    )
    return 1.0 - math.prod(1.0 - one for one in taken)


def has_conflict(pro: float, contra: float, policy: NewsPolicy = DEFAULT) -> bool:
    """Whether both sides are heard, and the smaller one is more than a negligible minority."""
    if min(pro, contra) <= 0:
        return False
    return pro == contra or min(pro, contra) / (pro + contra) > policy.conflict_share


def is_credible(domain: str, policy: NewsPolicy = DEFAULT) -> bool:
    """Whether a domain or one that it belongs to is on the list."""
    key = domain_key(domain)
    return any(key == credible or key.endswith(f".{credible}") for credible in map(domain_key, policy.credible_domains))


def credible_citations(citations: Sequence[Citation], policy: NewsPolicy = DEFAULT) -> CredibleCitations:
    """Only credible domains, unless that leaves fewer than 3 citations or less than 30 % of them: then all."""
    kept = tuple(citation for citation in citations if is_credible(citation.domain, policy))
    too_strict = len(kept) < policy.credible_min or len(kept) < policy.credible_share * len(citations)
    return CredibleCitations(tuple(citations) if too_strict else kept, len(kept), fell_back=too_strict)


def validate(
    verdict: Verdict,
    citations: Sequence[Citation],
    evidence: Iterable[Evidence],
    policy: NewsPolicy = DEFAULT,
    *,
    deciding: Container[str] | None = None,
) -> Validated:
    """Citations must be evidence; too few sources make any verdict UNVERIFIABLE.

    With `deciding` ids, only citations of evidence on the verdict's side count as its sources.
    """
    by_id = {item.id: item for item in evidence}
    problems = {citation: _problem(citation, by_id.get(citation.evidence_id)) for citation in citations}
    valid = merge_citations([[c for c in citations if not problems[c]]], policy)
    cited = [by_id[c.evidence_id] for c in valid if deciding is None or c.evidence_id in deciding]
    sources = len(one_per_story(item for item in cited if item.credibility >= policy.min_credibility))
    downgraded = verdict is not Verdict.UNVERIFIABLE and sources < policy.min_sources
    return Validated(
        verdict=Verdict.UNVERIFIABLE if downgraded else verdict,
        citations=valid,
        dropped=tuple((citation.evidence_id, problem) for citation, problem in problems.items() if problem),
        sources=sources,
        downgraded=downgraded,
    )


def merge_citations(lists: Sequence[Sequence[Citation]], policy: NewsPolicy = DEFAULT) -> tuple[Citation, ...]:
    """One list without repetitions, at most 25 long, taken in turns so that no sub-claim loses all of its own."""
    longest = max((len(citations) for citations in lists), default=0)
    in_turns = [citations[turn] for turn in range(longest) for citations in lists if turn < len(citations)]
    return tuple(first_of_each(in_turns, lambda c: (url_key(c.url) or f"id:{c.evidence_id}",))[: policy.max_citations])


def _problem(citation: Citation, item: Evidence | None) -> str:
    if item is None:
        return "not in the evidence"
    if not item.admissible:
        return "evidence is not admissible"
    if not item.text.strip():
        return "evidence has no text"
    return "" if url_key(citation.url) == url_key(item.url) else "address differs from the evidence"
