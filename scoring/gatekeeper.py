"""The gate between ranking and trust (001): who is about the claim, who may count for it, and in which order.

Nothing here judges truth. A row that fails a gate is removed, or kept and marked as not admissible for trust.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace

from scoring.checks import finite, unit
from scoring.inputs import number
from scoring.ranking import RankingResult, Removed, recompute, sort_rows
from scoring.text import quantities
from scoring.text.overlap import Passage, Term
from scoring.values import Ranked, Stance

# A number of these kinds states how many or how much; a year or a label does not.
_NUMERIC_KINDS = frozenset(("count", "percent", "fraction", "money", "measure"))


@dataclass(frozen=True, slots=True)
class GatekeeperPolicy:
    """001 names the gates without numbers; these are the ranker's thresholds wherever they mean the same."""

    # Overlap below which a passage with numbers still has nothing to do with the count claim.
    count_min_claim_overlap: float = 0.08
    # On topic: the anchors are there, and so are a third of the claim's words, or its names with some of its words,
    # or a similarity beyond the point that separates related from random pairs.
    topic_min_anchor_match: float = 0.20
    topic_min_claim_overlap: float = 0.30
    topic_min_entity_overlap: float = 0.34
    topic_entity_min_claim_overlap: float = 0.10
    topic_min_semantic: float = 0.50
    # P(refutes) from which a passage counts as contradicting: more likely than everything else together.
    contradiction_min: float = 0.50
    # How many rows a cross-encoder may put into another order: beyond these its cost buys nothing.
    cross_encoder_top_n: int = 20
    # The largest top_k that 000 lets a request ask for.
    top_k: int = 20

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if isinstance(value, int):
                if value < 1:
                    raise ValueError(f"{one.name} must be at least 1, got {value!r}")
            else:
                unit(one.name, value)


@dataclass(frozen=True, slots=True)
class GateResult:
    """The rows that passed, best first; those of them that may support the claim; and what was removed, and why."""

    rows: tuple[Ranked, ...]
    supporting: tuple[Ranked, ...]
    removed: tuple[Removed, ...]
    degraded: bool = False

    @property
    def admissible(self) -> tuple[Ranked, ...]:
        return tuple(row for row in self.rows if row.admissible_for_trust)


def gatekeep(
    ranking: RankingResult,
    *,
    must_have: Sequence[Sequence[str]] = (),
    stances: Mapping[str, Stance] | None = None,
    cross_encoder: Mapping[str, float] | None = None,
    degraded: bool = False,
    policy: GatekeeperPolicy | None = None,
) -> GateResult:
    """Applies every gate of 001 in turn.

    `must_have` holds one group of aliases per core entity. `stances` and `cross_encoder` go by candidate id. Degraded
    mode (a model was skipped) removes nothing it cannot be sure about: rows stay, marked as not admissible.
    """
    policy = policy or GatekeeperPolicy()
    groups = tuple(tuple(Term.of(alias) for alias in group) for group in must_have if group)
    kept: list[Ranked] = []
    removed: list[Removed] = []
    for row in ranking.rows:
        reason = _count_gate(row, ranking, policy) or _must_have_gate(row, groups, must_have)
        if reason is None:
            kept.append(_topic_gate(row, policy))
        elif degraded:
            kept.append(_inadmissible(row, reason))
        else:
            removed.append(Removed(row.candidate, reason))
    marked = sort_rows(_contradictions(kept, stances or {}, policy))
    ordered = _reordered(marked, cross_encoder or {}, policy.cross_encoder_top_n)
    supporting = [row for row in ordered if degraded or "contradicts" not in row.notes]
    return GateResult(ordered[: policy.top_k], tuple(supporting[: policy.top_k]), tuple(removed), degraded)


def aliases(name: str) -> tuple[str, ...]:
    """A name and, for a name of two words, the second of them: how a text calls a person the second time."""
    words = name.split()
    return (name, words[1]) if len(words) == 2 and len(words[1]) > 3 else (name,)


def off_topic(row: Ranked, policy: GatekeeperPolicy) -> str | None:
    """Why a row is not about the claim's topic, or nothing if it is."""
    if row.anchor_match_score < policy.topic_min_anchor_match:
        return "off_topic:anchors"
    by_words = row.claim_overlap >= policy.topic_min_claim_overlap
    by_names = (
        row.entity_overlap >= policy.topic_min_entity_overlap
        and row.claim_overlap >= policy.topic_entity_min_claim_overlap
    )
    by_meaning = number(row.score.inputs, "semantic") >= policy.topic_min_semantic
    return None if by_words or by_names or by_meaning else "off_topic:overlap"


def _count_gate(row: Ranked, ranking: RankingResult, policy: GatekeeperPolicy) -> str | None:
    """A claim about a number is decided by numbers: passages without any, or about something else, only distract."""
    if not ranking.profile.count:
        return None
    if row.claim_overlap < policy.count_min_claim_overlap:
        return "count_gate:no_overlap"
    if not any(one.kind in _NUMERIC_KINDS for one in quantities(row.candidate.text)):
        return "count_gate:no_number"
    return None


def _must_have_gate(row: Ranked, groups: tuple[tuple[Term, ...], ...], names: Sequence[Sequence[str]]) -> str | None:
    if not groups:
        return None
    passage = Passage.of(f"{row.candidate.title}\n{row.candidate.text}")
    for group, name in zip(groups, (group[0] for group in names if group), strict=True):
        if not any(alias.is_in(passage) for alias in group):
            return f"must_have:{name}"
    return None


def _topic_gate(row: Ranked, policy: GatekeeperPolicy) -> Ranked:
    reason = off_topic(row, policy)
    return row if reason is None else _inadmissible(row, reason)


def _inadmissible(row: Ranked, reason: str) -> Ranked:
    return replace(row, admissible_for_trust=False, notes=(*row.notes, reason))


def _contradictions(
    rows: Iterable[Ranked], stances: Mapping[str, Stance], policy: GatekeeperPolicy
) -> Iterable[Ranked]:
    """Scores contradicting rows again, with the penalty among the other penalties."""
    for row in rows:
        stance = stances.get(row.candidate.id)
        if stance is not None and unit("refutes", stance.refutes) >= policy.contradiction_min:
            score = recompute({**row.score.inputs, "contradicts": True})
            yield replace(row, score=score, notes=(*row.notes, "contradicts"))
        else:
            yield row


def _reordered(rows: tuple[Ranked, ...], scores: Mapping[str, float], top_n: int) -> tuple[Ranked, ...]:
    """The first rows in the cross-encoder's order; those it did not score follow in the order they had."""
    if not scores:
        return rows
    head = sorted(
        rows[:top_n],
        key=lambda row: (
            -finite("cross_encoder", scores[row.candidate.id]) if row.candidate.id in scores else float("inf")
        ),
    )
    return (*head, *rows[top_n:])
