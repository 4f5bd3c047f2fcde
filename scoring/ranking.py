"""The hybrid ranker (000 §4, 001): candidates of one claim in, scored rows in order and the removed ones out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from math import inf, isfinite
from operator import attrgetter
from typing import Literal, cast

from scoring.checks import finite, unit
from scoring.claim_match import ClaimQuery
from scoring.claim_types import ClaimProfile
from scoring.ranking_audit import recompute
from scoring.ranking_policy import FilterPolicy, RankingPolicy, ScorePolicy, Weights
from scoring.ranking_score import SetFacts, Setting, SourceFacts, TextFacts, score
from scoring.values import Candidate, Ranked

__all__ = [
    "FilterPolicy",
    "RankingPolicy",
    "RankingResult",
    "Removed",
    "ScorePolicy",
    "Weights",
    "rank",
    "recompute",
    "sort_rows",
]

RemovalReason = Literal["no_text", "too_short", "low_overlap", "low_signal"]


@dataclass(frozen=True, slots=True)
class Removed:
    """A candidate that a filter or gate took out, and which one."""

    candidate: Candidate
    reason: str


@dataclass(frozen=True, slots=True)
class RankingResult:
    """Rows from best to worst, what was removed and why, and what the claim was taken for."""

    rows: tuple[Ranked, ...]
    removed: tuple[Removed, ...]
    profile: ClaimProfile
    weights: Weights = field(default_factory=Weights)

    @property
    def top_ranking_score(self) -> float:
        return self.rows[0].score.value if self.rows else 0.0

    @property
    def avg_ranking_score(self) -> float:
        return sum(row.score.value for row in self.rows) / len(self.rows) if self.rows else 0.0


def rank(
    claim: str,
    entities: Sequence[str],
    candidates: Sequence[Candidate],
    as_of: date,
    policy: RankingPolicy | None = None,
    *,
    anchors: Sequence[str] = (),
    domain: str = "general",
) -> RankingResult:
    """Scores every candidate against the claim. Anchors are extracted from the claim unless given.

    Minimum and maximum are taken over all candidates, also those that a filter then removes: who is removed does not
    change the scores of the others.
    """
    policy = policy or RankingPolicy()
    _check(candidates)
    query = ClaimQuery.of(claim, entities, anchors, domain, policy.focus_window_words)
    weights = policy.weights(query.profile.kind)
    setting = Setting.of(_shared(query.profile, candidates, as_of), weights, policy.score)
    read = [(candidate, query.match(candidate)) for candidate in candidates]
    fates = [(candidate, text, _filtered(candidate, text, policy.filters)) for candidate, text in read]
    rows = [_row(candidate, text, setting) for candidate, text, reason in fates if reason is None]
    removed = [Removed(candidate, reason) for candidate, _, reason in fates if reason is not None]
    removed.sort(key=lambda one: _identity(one.candidate))
    return RankingResult(sort_rows(rows), tuple(removed), query.profile, weights)


def sort_rows(rows: Iterable[Ranked]) -> tuple[Ranked, ...]:
    """Best first. Equal scores: the more credible source, then the closer wording, then the id."""
    found = list(rows)
    # Only candidates that share an id need all their fields to be told apart.
    last = _identity if len({row.candidate.id for row in found}) < len(found) else attrgetter("id")
    found.sort(key=lambda row: (-row.score.value, -row.candidate.credibility, -row.claim_overlap, last(row.candidate)))
    return tuple(found)


def _shared(profile: ClaimProfile, candidates: Sequence[Candidate], as_of: date) -> SetFacts:
    semantic = [one.semantic for one in candidates] or [0.0]
    kg = [one.kg for one in candidates] or [0.0]
    return SetFacts(
        claim_type=profile.kind,
        claim_assertive=profile.assertive,
        claim_about_belief=profile.belief,
        as_of=as_of,
        semantic_min=min(semantic),
        semantic_max=max(semantic),
        kg_min=min(kg),
        kg_max=max(kg),
    )


def _row(candidate: Candidate, text: TextFacts, setting: Setting) -> Ranked:
    source = SourceFacts(
        semantic_raw=candidate.semantic_raw,
        semantic=candidate.semantic,
        kg_raw=candidate.kg,
        credibility=candidate.credibility,
        is_kg=candidate.origin == "kg",
        backfill=candidate.backfill,
        contradicts=False,
        published=candidate.published,
    )
    derivation = score(text, source, setting)
    return Ranked(
        candidate=candidate,
        score=derivation,
        claim_overlap=text.claim_overlap,
        entity_overlap=text.entity_overlap,
        anchor_match_score=text.anchor_match_score,
        sem_norm=cast("float", derivation.inputs["sem_norm"]),
        kg_norm=cast("float", derivation.inputs["kg_norm"]),
        notes=("negation_differs",) if text.negation_differs else (),
    )


def _filtered(candidate: Candidate, match: TextFacts, policy: FilterPolicy) -> RemovalReason | None:
    if match.word_count == 0:
        return "no_text"
    if not policy.strict:
        return None
    if match.word_count < policy.min_words and candidate.origin != "kg":
        return "too_short"
    if match.low_signal and match.claim_overlap < policy.low_signal_min_claim_overlap:
        return "low_signal"
    if (
        match.claim_overlap < policy.min_claim_overlap
        and match.entity_overlap < policy.min_entity_overlap
        and candidate.semantic < policy.min_semantic
    ):
        return "low_overlap"
    return None


def _check(candidates: Sequence[Candidate]) -> None:
    """A bad number is reported with the candidate it came from, before it can spoil the others' normalisation."""
    for one in candidates:
        if _is_sound(one):
            continue
        try:
            finite("semantic_raw", one.semantic_raw)
            finite("semantic", one.semantic)
            unit("credibility", one.credibility)
            _not_negative("kg", one.kg)
        except ValueError as error:
            raise ValueError(f"candidate {one.id!r}: {error}") from None


def _is_sound(one: Candidate) -> bool:
    """The quick way for the good ones; the others are looked at field by field."""
    try:
        return isfinite(one.semantic_raw + one.semantic) and 0 <= one.kg < inf and 0 <= one.credibility <= 1
    except TypeError:
        return False


def _not_negative(name: str, value: float) -> None:
    if finite(name, value) < 0:
        raise ValueError(f"{name} must not be negative, got {value!r}")


_PLAIN_FIELDS = attrgetter(
    *("id", "url", "origin", "text", "title", "domain", "semantic", "semantic_raw", "kg", "credibility", "backfill")
)


def _identity(candidate: Candidate) -> tuple[object, ...]:
    """All that tells candidates apart: only equal ones compare equal, so that their order cannot matter."""
    triple = candidate.triple
    relation = (triple.subject, triple.relation, triple.object) if triple is not None else ()
    return *_PLAIN_FIELDS(candidate), candidate.published or date.min, relation
