"""From a proposed verdict to the final one (000 §8): a proposal stands only where the evidence stands behind it.

Every change is a guard on record. UNVERIFIABLE by a guard is a lock: no later rule lifts it. What nobody speaks about
is open, and open is never refuted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from scoring.checks import unit
from scoring.coverage import Segment
from scoring.inputs import check_shares
from scoring.numeric import NumericRelation
from scoring.polarity import Relation
from scoring.rationale_polarity import RationalePolarity, opposes
from scoring.truthfulness import CONTRADICTED, SUPPORTED
from scoring.values import Label, Verdict
from scoring.verdict_words import label_of


class Pattern(StrEnum):
    """What the status of a statement amounts to."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    OPEN = "open"


# What becomes of a proposal that the status does not bear out. A proposal that says a little more than it does is
# brought down to what it says; one that says the opposite becomes UNVERIFIABLE, unless strong evidence decides after
# it. UNVERIFIABLE itself may always be said.
_CORRECTED = {
    Pattern.SUPPORTED: {Verdict.FALSE: Verdict.UNVERIFIABLE},
    Pattern.CONTRADICTED: {Verdict.TRUE: Verdict.UNVERIFIABLE, Verdict.PARTIALLY_TRUE: Verdict.FALSE},
    Pattern.OPEN: dict.fromkeys((Verdict.TRUE, Verdict.FALSE, Verdict.PARTIALLY_TRUE), Verdict.UNVERIFIABLE),
}


@dataclass(frozen=True, slots=True)
class ReconciliationPolicy:
    """000 §8 names the guards without numbers. Strengths are stance probabilities, lowered by a loose match."""

    # A stance of 0.75 in a passage that matches at 0.6: what a careful reader would call clear.
    strong_signal: float = 0.60
    # Below this even the best passage is closer to saying nothing than to taking a side.
    weak_signal: float = 0.30
    # Binary verdicts ask for more than "not weak": half-way to strong. A partial verdict asks for as much.
    binary_signal: float = 0.45
    # The side of a binary verdict outweighs the other about two to one.
    binary_dominance: float = 0.65
    # "All", "never": one step above strong, and nobody may object.
    absolute_signal: float = 0.70

    def __post_init__(self) -> None:
        check_shares(self)
        if not self.weak_signal <= self.binary_signal <= self.strong_signal:
            raise ValueError("weak_signal, binary_signal and strong_signal must not fall")


DEFAULT = ReconciliationPolicy()


@dataclass(frozen=True, slots=True)
class Guard:
    """One rule that changed the verdict."""

    name: str
    before: Verdict
    after: Verdict


@dataclass(frozen=True, slots=True)
class Reconciled:
    """The final verdict in both vocabularies, the guards that led to it, and why it is locked if it is."""

    verdict: Verdict
    label: Label
    conflict: bool
    pattern: Pattern
    guards: tuple[Guard, ...]
    locks: tuple[str, ...]


@dataclass(slots=True)
class _Bench:
    """The verdict while the rules look at it, and what they did."""

    verdict: Verdict
    conflict: bool
    guards: list[Guard]
    locks: list[str]

    def rule(self, name: str, verdict: Verdict) -> None:
        if verdict is not self.verdict:
            self.guards.append(Guard(name, self.verdict, verdict))
            self.verdict = verdict

    def lock(self, name: str, *, conflict: bool = False) -> None:
        """UNVERIFIABLE for good: later rules only look at other verdicts."""
        self.rule(name, Verdict.UNVERIFIABLE)
        self.locks.append(name)
        self.conflict = self.conflict or conflict


def breakdown_pattern(segment: Segment) -> Pattern:
    """What the status of a statement amounts to."""
    if segment.status in CONTRADICTED:
        return Pattern.CONTRADICTED
    return Pattern.SUPPORTED if segment.status in SUPPORTED else Pattern.OPEN


def strong_votes(segments: Sequence[Segment], side: Relation, policy: ReconciliationPolicy = DEFAULT) -> int:
    """How many independent stories take a side strongly."""
    links = (link for segment in segments for link in segment.links)
    return len({link.story for link in links if link.relation is side and link.strength >= policy.strong_signal})


def deciding_ids(verdict: Verdict, segments: Sequence[Segment]) -> tuple[str, ...]:
    """The evidence that a verdict rests on: what a rationale may cite for it. None for UNVERIFIABLE."""
    sides = {
        Verdict.TRUE: (Relation.SUPPORTS,),
        Verdict.FALSE: (Relation.CONTRADICTS,),
        Verdict.PARTIALLY_TRUE: (Relation.SUPPORTS, Relation.CONTRADICTS),
        Verdict.UNVERIFIABLE: (),
    }[verdict]
    links = [link for segment in segments for link in segment.links if link.relation in sides]
    links.sort(key=lambda link: (-link.strength, link.evidence_id))
    return tuple(dict.fromkeys(link.evidence_id for link in links))


def reconcile(
    proposed: Verdict,
    segment: Segment,
    policy: ReconciliationPolicy = DEFAULT,
    *,
    absolute_quantifier: bool = False,
    numeric: NumericRelation = NumericRelation.SILENT,
    rationale: RationalePolarity = "none",
    conflict: bool = False,
) -> Reconciled:
    """The final verdict on one statement; a claim of several is aggregated from theirs (`scoring.aggregation`).

    `rationale` is the side that the proposer's own reasons take, if it gave any.
    """
    pattern = breakdown_pattern(segment)
    bench = _Bench(proposed, conflict or segment.contested, [], [])
    if not segment.links:
        bench.lock("no_admissible_evidence")
    else:
        bench.rule("breakdown", _CORRECTED[pattern].get(proposed, proposed))
        _strong_stance(bench, pattern, segment, numeric, policy)
        _bands(bench, segment, policy)
        _binary_gates(bench, segment, policy)
        _claim_guards(bench, segment, absolute_quantifier, numeric, policy)
        _rationale_hint(bench, segment, rationale, policy)
    if bench.verdict is Verdict.UNVERIFIABLE and not bench.locks:
        bench.lock("proposal_abstained" if proposed is Verdict.UNVERIFIABLE else "proposal_contradicted")
    disputed = bench.conflict and bench.verdict is Verdict.UNVERIFIABLE
    return Reconciled(
        verdict=bench.verdict,
        label=label_of(bench.verdict, conflict=disputed),
        conflict=disputed,
        pattern=pattern,
        guards=tuple(bench.guards),
        locks=tuple(bench.locks),
    )


def _strong_stance(
    bench: _Bench, pattern: Pattern, segment: Segment, numeric: NumericRelation, policy: ReconciliationPolicy
) -> None:
    """Strong evidence decides whatever was proposed; entailment only if no voice objects."""
    support, contradiction = _strengths(segment)
    if pattern is Pattern.CONTRADICTED and contradiction >= policy.strong_signal:
        bench.rule("strong_contradiction", Verdict.FALSE)
    unopposed = contradiction < policy.weak_signal and numeric is not NumericRelation.DIFFERS
    if pattern is Pattern.SUPPORTED and support >= policy.strong_signal and unopposed:
        bench.rule("strong_entailment", Verdict.TRUE)


def _bands(bench: _Bench, segment: Segment, policy: ReconciliationPolicy) -> None:
    """Signals too weak to say anything, or as strong on one side as on the other."""
    if max(_strengths(segment)) < policy.weak_signal:
        bench.lock("weak_signal")
    elif bench.verdict is Verdict.UNVERIFIABLE and segment.contested:
        bench.lock("mixed_signal", conflict=True)


def _binary_gates(bench: _Bench, segment: Segment, policy: ReconciliationPolicy) -> None:
    """A verdict stands if its side is strong enough and outweighs the other."""
    if bench.verdict is Verdict.UNVERIFIABLE:
        return
    own, other = _strengths(segment)
    if bench.verdict is Verdict.FALSE:
        own, other = other, own
    if own <= 0 or own < policy.binary_signal:
        bench.lock("binary_gate:strength")
    elif own / (own + other) < policy.binary_dominance:
        bench.lock("binary_gate:dominance", conflict=True)


def _claim_guards(
    bench: _Bench,
    segment: Segment,
    absolute_quantifier: bool,
    numeric: NumericRelation,
    policy: ReconciliationPolicy,
) -> None:
    if bench.verdict is not Verdict.TRUE:
        return
    support, contradiction = _strengths(segment)
    if numeric is NumericRelation.DIFFERS:
        bench.lock("numeric_mismatch")
    elif absolute_quantifier and (contradiction > 0 or support < policy.absolute_signal):
        bench.lock("absolute_quantifier")


def _rationale_hint(
    bench: _Bench, segment: Segment, rationale: RationalePolarity, policy: ReconciliationPolicy
) -> None:
    """Reasons that point the other way cost a verdict that is not strong; they never turn it round."""
    if not opposes(rationale, bench.verdict):
        return
    support, contradiction = _strengths(segment)
    if (support if bench.verdict is Verdict.TRUE else contradiction) < policy.strong_signal:
        bench.lock("rationale_polarity")


def _strengths(segment: Segment) -> tuple[float, float]:
    """How strongly the statement is supported, and how strongly contradicted."""
    return unit("support", segment.support), unit("contradiction", segment.contradiction)
