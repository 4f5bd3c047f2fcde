"""The status-driven truth score (000 §6.1): what `truthfulness_percent` shows.

It sums up the statuses of a claim's parts; it is not the probability that the claim is true.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from scoring.checks import unit
from scoring.coverage import Segment
from scoring.derivation import Derivation, Recorder
from scoring.inputs import Inputs, check_shares, constants, flag, number, policy_from, word, words
from scoring.numeric import NumericRelation
from scoring.values import SegmentStatus, Verdict

SUPPORTED = (SegmentStatus.STRONGLY_VALID, SegmentStatus.VALID, SegmentStatus.PARTIALLY_VALID)
CONTRADICTED = (SegmentStatus.PARTIALLY_INVALID, SegmentStatus.INVALID)


@dataclass(frozen=True, slots=True)
class TruthfulnessPolicy:
    """Status weights, penalties and the ceiling are the specification's; it names the guards without numbers."""

    strongly_valid: float = 1.0
    valid: float = 1.0
    partially_valid: float = 0.75
    unknown: float = 0.45
    partially_invalid: float = 0.25
    invalid: float = 0.0
    contradict_penalty: float = 0.30
    unresolved_penalty: float = 0.10
    ceiling_base: float = 0.85
    ceiling_diversity: float = 0.10
    # A claim with an open or a refuted part stays below the ceiling of a single source: whatever is missing, it is
    # not as well established as a claim that one source confirms entirely.
    unresolved_support_cap: float = 0.85
    # "Near certainty" is what the highest diversity ceiling (0.95) leaves anyway, with a little room above it.
    strong_true_floor: float = 0.97
    # "Strong" means that at least half of the parts are corroborated, not just stated once.
    strong_share: float = 0.5
    # Refuted with nothing said for it: lower than one refuted part among several would come out by itself.
    pure_contradiction_cap: float = 0.10
    # The figure itself was found in matching evidence: as good as a confirmation from half-diverse sources.
    numeric_match_floor: float = 0.90
    # The evidence gives another figure: no better than a part that is mostly wrong.
    numeric_mismatch_cap: float = 0.25
    # Undecided may not look truer than false.
    unverifiable_cap: float = 0.50
    # No finite set of sources establishes "always" or "never" as firmly as a plain statement.
    absolute_quantifier_cap: float = 0.80

    def __post_init__(self) -> None:
        check_shares(self)

    def weight(self, status: SegmentStatus) -> float:
        """The specification's weight of a status."""
        return float(getattr(self, status.value.lower()))


DEFAULT = TruthfulnessPolicy()


@dataclass(frozen=True, slots=True)
class StatusShares:
    """How the parts of a claim are distributed over what was found about them."""

    contradicted: float
    unresolved: float
    supported: float
    corroborated: float


def status_shares(statuses: Sequence[SegmentStatus]) -> StatusShares:
    """Shares of the parts; a claim without parts is unresolved."""
    if not statuses:
        return StatusShares(contradicted=0.0, unresolved=1.0, supported=0.0, corroborated=0.0)
    n = len(statuses)
    return StatusShares(
        contradicted=sum(status in CONTRADICTED for status in statuses) / n,
        unresolved=statuses.count(SegmentStatus.UNKNOWN) / n,
        supported=sum(status in SUPPORTED for status in statuses) / n,
        corroborated=statuses.count(SegmentStatus.STRONGLY_VALID) / n,
    )


def truthfulness(
    segments: Sequence[Segment],
    verdict: Verdict,
    diversity: float,
    policy: TruthfulnessPolicy = DEFAULT,
    *,
    numeric: NumericRelation = NumericRelation.SILENT,
    absolute_quantifier: bool = False,
) -> Derivation:
    """The truth score between 0 and 1; times 100 it is `truthfulness_percent`."""
    return recompute_truthfulness(
        {
            "statuses": tuple(segment.status.value for segment in segments),
            "verdict": verdict.value,
            "diversity": diversity,
            "numeric": numeric.value,
            "absolute_quantifier": absolute_quantifier,
            "policy": constants(policy),
        }
    )


def recompute_truthfulness(inputs: Inputs) -> Derivation:
    """The truth score from its inputs alone: base, penalties, guards, clamp, then the caps of the pipeline."""
    policy = policy_from(TruthfulnessPolicy, inputs)
    statuses = [SegmentStatus(status) for status in words(inputs, "statuses")]
    shares = status_shares(statuses)
    base = sum(map(policy.weight, statuses)) / len(statuses) if statuses else policy.unknown
    ratios = {"base": base, "contradict_ratio": shares.contradicted, "unresolved_ratio": shares.unresolved}
    recorder = Recorder(**{**inputs, **ratios})
    verdict, numeric = Verdict(word(inputs, "verdict")), NumericRelation(word(inputs, "numeric"))
    recorder.set("base", base)
    _penalties(recorder, shares, policy)
    _guards(recorder, shares, verdict, policy)
    recorder.clamp()
    _ceiling(recorder, unit("diversity", number(inputs, "diversity")), policy)
    _numeric_override(recorder, shares, verdict, numeric, policy)
    if verdict is Verdict.UNVERIFIABLE and recorder.value > policy.unverifiable_cap:
        recorder.cap("unverifiable_cap", policy.unverifiable_cap)
    absolute = flag(inputs, "absolute_quantifier") and verdict is Verdict.TRUE
    if absolute and recorder.value > policy.absolute_quantifier_cap:
        recorder.cap("absolute_quantifier_cap", policy.absolute_quantifier_cap)
    return recorder.derivation()


def _penalties(recorder: Recorder, shares: StatusShares, policy: TruthfulnessPolicy) -> None:
    if shares.contradicted:
        recorder.subtract("contradict_penalty", policy.contradict_penalty * shares.contradicted)
    if shares.unresolved:
        recorder.subtract("unresolved_penalty", policy.unresolved_penalty * shares.unresolved)


def _guards(recorder: Recorder, shares: StatusShares, verdict: Verdict, policy: TruthfulnessPolicy) -> None:
    """The three guards of 000. The first also holds a claim with a refuted part, or refuting one would free it."""
    settled = not shares.unresolved and not shares.contradicted
    if not settled and shares.supported and recorder.value > policy.unresolved_support_cap:
        recorder.cap("unresolved_support_cap", policy.unresolved_support_cap)
    strong = settled and shares.corroborated >= policy.strong_share
    if strong and verdict is Verdict.TRUE and recorder.value < policy.strong_true_floor:
        recorder.floor("strong_true_floor", policy.strong_true_floor)
    pure = shares.contradicted and not shares.supported
    if pure and verdict is Verdict.FALSE and recorder.value > policy.pure_contradiction_cap:
        recorder.cap("pure_contradiction_cap", policy.pure_contradiction_cap)


def _ceiling(recorder: Recorder, diversity: float, policy: TruthfulnessPolicy) -> None:
    ceiling = policy.ceiling_base + policy.ceiling_diversity * diversity
    if recorder.value > ceiling:
        recorder.cap("diversity_ceiling", ceiling)


def _numeric_override(
    recorder: Recorder,
    shares: StatusShares,
    verdict: Verdict,
    numeric: NumericRelation,
    policy: TruthfulnessPolicy,
) -> None:
    confirmed = verdict is Verdict.TRUE and shares.supported == 1.0 and numeric is NumericRelation.AGREES
    if confirmed and recorder.value < policy.numeric_match_floor:
        recorder.floor("numeric_match_floor", policy.numeric_match_floor)
    if numeric is NumericRelation.DIFFERS and recorder.value > policy.numeric_mismatch_cap:
        recorder.cap("numeric_mismatch_cap", policy.numeric_mismatch_cap)
