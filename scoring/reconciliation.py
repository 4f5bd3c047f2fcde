"""From a proposed verdict to the final one (000 §8): a proposal stands only where the evidence stands behind it.

Every change is a guard on record. UNVERIFIABLE by a guard is a lock: no later rule lifts it. What nobody speaks about
is open, and open is never refuted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from scoring.checks import unit
from scoring.coverage import Segment
from scoring.inputs import check_shares
from scoring.numeric import NumericRelation
from scoring.polarity import Relation
from scoring.truthfulness import CONTRADICTED, SUPPORTED
from scoring.values import Label, Verdict
from scoring.verdict_words import label_of

RationalePolarity = Literal["supports", "refutes", "none"]


class Pattern(StrEnum):
    """What the statuses of the parts amount to."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    SPLIT = "split"
    PARTLY_SUPPORTED = "partly_supported"
    OPEN = "open"


# What the parts say by themselves: the proposal for a claim of several parts when no model makes one.
VERDICT_OF_PATTERN = {
    Pattern.SUPPORTED: Verdict.TRUE,
    Pattern.CONTRADICTED: Verdict.FALSE,
    Pattern.SPLIT: Verdict.PARTIALLY_TRUE,
    Pattern.PARTLY_SUPPORTED: Verdict.PARTIALLY_TRUE,
    Pattern.OPEN: Verdict.UNVERIFIABLE,
}
# What becomes of a proposal that the parts do not bear out. A proposal that says a little more than they do is brought
# down to what they say; one that says the opposite becomes UNVERIFIABLE, unless strong evidence decides after it.
# UNVERIFIABLE itself may always be said.
_CORRECTED = {
    Pattern.SUPPORTED: {Verdict.FALSE: Verdict.UNVERIFIABLE},
    Pattern.CONTRADICTED: {Verdict.TRUE: Verdict.UNVERIFIABLE, Verdict.PARTIALLY_TRUE: Verdict.FALSE},
    Pattern.SPLIT: {Verdict.TRUE: Verdict.PARTIALLY_TRUE, Verdict.FALSE: Verdict.PARTIALLY_TRUE},
    Pattern.PARTLY_SUPPORTED: {Verdict.TRUE: Verdict.PARTIALLY_TRUE, Verdict.FALSE: Verdict.UNVERIFIABLE},
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


def breakdown_pattern(segments: Sequence[Segment]) -> Pattern:
    """What the parts amount to. Parts are joined by "and": one refuted part and none supported refutes the claim."""
    supported = sum(segment.status in SUPPORTED for segment in segments)
    contradicted = sum(segment.status in CONTRADICTED for segment in segments)
    if supported and contradicted:
        return Pattern.SPLIT
    if contradicted:
        return Pattern.CONTRADICTED
    if supported:
        return Pattern.SUPPORTED if supported == len(segments) else Pattern.PARTLY_SUPPORTED
    return Pattern.OPEN


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
    segments: Sequence[Segment],
    policy: ReconciliationPolicy = DEFAULT,
    *,
    absolute_quantifier: bool = False,
    numeric: NumericRelation = NumericRelation.SILENT,
    rationale: RationalePolarity = "none",
    conflict: bool = False,
) -> Reconciled:
    """The final verdict. `rationale` is the side that the proposer's own reasons take, if it gave any."""
    pattern = breakdown_pattern(segments)
    bench = _Bench(proposed, conflict or any(segment.contested for segment in segments), [], [])
    if not any(segment.links for segment in segments):
        bench.lock("no_admissible_evidence")
    else:
        _breakdown(bench, pattern)
        _strong_stance(bench, pattern, segments, numeric, policy)
        _bands(bench, segments, policy)
        _binary_gates(bench, segments, policy)
        _claim_guards(bench, segments, absolute_quantifier, numeric, policy)
        _rationale_hint(bench, segments, rationale, policy)
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


def _breakdown(bench: _Bench, pattern: Pattern) -> None:
    """The proposal may not contradict the statuses of the parts."""
    bench.rule("breakdown", _CORRECTED[pattern].get(bench.verdict, bench.verdict))


def _strong_stance(
    bench: _Bench,
    pattern: Pattern,
    segments: Sequence[Segment],
    numeric: NumericRelation,
    policy: ReconciliationPolicy,
) -> None:
    """Strong evidence decides whatever was proposed; entailment only if every part has it and no voice objects."""
    supports, contradiction = _supports(segments), _contradiction(segments)
    best = max(supports, default=0.0)
    unopposed = pattern is Pattern.CONTRADICTED or (pattern is Pattern.SPLIT and best < policy.binary_signal)
    if unopposed and contradiction >= policy.strong_signal:
        bench.rule("strong_contradiction", Verdict.FALSE)
    elif pattern is Pattern.SUPPORTED and min(supports) >= policy.strong_signal:
        objection = max(segment.contradiction for segment in segments)
        if objection < policy.weak_signal and numeric is not NumericRelation.DIFFERS:
            bench.rule("strong_entailment", Verdict.TRUE)
    elif pattern in (Pattern.SPLIT, Pattern.PARTLY_SUPPORTED) and best >= policy.strong_signal:
        bench.rule("strong_partial_support", Verdict.PARTIALLY_TRUE)


def _bands(bench: _Bench, segments: Sequence[Segment], policy: ReconciliationPolicy) -> None:
    """Signals too weak to say anything, or as strong on one side as on the other."""
    strongest = max(max(segment.support, segment.contradiction) for segment in segments)
    if strongest < policy.weak_signal:
        bench.lock("weak_signal")
    elif bench.verdict is Verdict.UNVERIFIABLE and any(segment.contested for segment in segments):
        bench.lock("mixed_signal", conflict=True)


def _binary_gates(bench: _Bench, segments: Sequence[Segment], policy: ReconciliationPolicy) -> None:
    """A part stands if its side is strong enough and outweighs the other. TRUE needs all parts, the others one."""
    if bench.verdict is Verdict.UNVERIFIABLE:
        return
    sides = [_sides(segment, bench.verdict) for segment in segments]
    strong = [(own, other) for own, other in sides if own > 0 and own >= policy.binary_signal]
    standing = [own for own, other in strong if own / (own + other) >= policy.binary_dominance]
    if not strong:
        bench.lock("binary_gate:strength")
    elif not standing:
        bench.lock("binary_gate:dominance", conflict=True)
    elif bench.verdict is Verdict.TRUE and len(standing) < len(segments):
        bench.rule("binary_gate:some_parts", Verdict.PARTIALLY_TRUE)


def _sides(segment: Segment, verdict: Verdict) -> tuple[float, float]:
    """The strength of the verdict's own side in a part and that of the other; nothing where the part is not on it."""
    if verdict is Verdict.FALSE:
        return (segment.contradiction, segment.support) if segment.status in CONTRADICTED else (0.0, 0.0)
    return (segment.support, segment.contradiction) if segment.status in SUPPORTED else (0.0, 0.0)


def _claim_guards(
    bench: _Bench,
    segments: Sequence[Segment],
    absolute_quantifier: bool,
    numeric: NumericRelation,
    policy: ReconciliationPolicy,
) -> None:
    if bench.verdict is not Verdict.TRUE:
        return
    if numeric is NumericRelation.DIFFERS:
        bench.lock("numeric_mismatch")
    elif absolute_quantifier:
        objection = any(segment.contradiction > 0 for segment in segments)
        if objection or min(_supports(segments), default=0.0) < policy.absolute_signal:
            bench.lock("absolute_quantifier")


def _rationale_hint(
    bench: _Bench, segments: Sequence[Segment], rationale: RationalePolarity, policy: ReconciliationPolicy
) -> None:
    """Reasons that point the other way cost a verdict that is not strong; they never turn it round."""
    strength = {
        (Verdict.TRUE, "refutes"): min(_supports(segments), default=0.0),
        (Verdict.FALSE, "supports"): _contradiction(segments),
    }.get((bench.verdict, rationale))
    if strength is not None and strength < policy.strong_signal:
        bench.lock("rationale_polarity")


def _supports(segments: Sequence[Segment]) -> list[float]:
    """How strongly each supported part is supported."""
    return [unit("support", segment.support) for segment in segments if segment.status in SUPPORTED]


def _contradiction(segments: Sequence[Segment]) -> float:
    """One refuted part refutes the whole, so the strongest refutation counts."""
    return max((unit("contradiction", s.contradiction) for s in segments if s.status in CONTRADICTED), default=0.0)
