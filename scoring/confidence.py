"""Confidence in the verdict (000 §7): the composite, its cap and floors, and the contract that bounds it.

A number between 0 and 0.95 that orders verdicts by how well they stand. It is no calibrated probability.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from scoring.checks import unit
from scoring.coverage import Segment
from scoring.derivation import Derivation, Recorder
from scoring.inputs import Inputs, check_shares, constants, count, flag, number, policy_from, word
from scoring.numeric import NumericRelation
from scoring.truthfulness import status_shares
from scoring.values import Verdict


@dataclass(frozen=True, slots=True)
class ConfidencePolicy:
    """The weights, the cap, the coverage floor and the UNVERIFIABLE caps are the specification's."""

    w_truthfulness: float = 0.30
    w_coverage: float = 0.25
    w_agreement: float = 0.20
    w_diversity: float = 0.15
    w_adaptive_trust: float = 0.10
    cap: float = 0.95
    high_coverage: float = 0.8
    truthfulness_floor: float = 0.75
    unverifiable_cap: float = 0.35
    unverifiable_comparative_cap: float = 0.45
    # Open parts lower the most that can be claimed: one open part among many costs little, a claim whose parts are
    # all open ends just above a coin toss.
    unresolved_cap: float = 0.85
    unresolved_slope: float = 0.30
    # "Further": below what a half-open claim may reach (0.70). The gates asked for more evidence and did not get it.
    insufficient_cap: float = 0.60
    # Every part refuted and nothing said for any: the composite counts the low truth score against such a verdict,
    # so it needs this floor. More likely than not, by a clear margin.
    false_floor: float = 0.60
    # At least two independent stories refute strongly and none supports: the odds of two such errors are small.
    strong_contradiction_floor: float = 0.70
    strong_contradiction_votes: int = 2
    # A claim about a number, called true though no passage gives the number. One that gives another number takes the
    # TRUE back (`scoring.reconciliation`).
    numeric_silent_cap: float = 0.60
    # The cap of the truth score for the same claims.
    absolute_quantifier_cap: float = 0.80

    def __post_init__(self) -> None:
        check_shares(self, apart_from=("strong_contradiction_votes",))
        weights = (self.w_truthfulness, self.w_coverage, self.w_agreement, self.w_diversity, self.w_adaptive_trust)
        if abs(sum(weights) - 1.0) > 1e-9:
            raise ValueError(f"the five weights of confidence must add up to 1, got {weights!r}")


DEFAULT = ConfidencePolicy()


@dataclass(frozen=True, slots=True)
class ConfidenceSignals:
    """What the confidence is made of, and what bounds it."""

    verdict: Verdict
    truthfulness: float
    coverage: float
    agreement: float
    diversity: float
    adaptive_trust_post: float
    is_sufficient: bool
    strong_contradictions: int = 0
    comparative: bool = False
    count_claim: bool = False
    absolute_quantifier: bool = False
    numeric: NumericRelation = NumericRelation.SILENT


def confidence(
    signals: ConfidenceSignals, segments: Sequence[Segment], policy: ConfidencePolicy = DEFAULT
) -> Derivation:
    """The final confidence with every step that led to it."""
    shares = status_shares([segment.status for segment in segments])
    inputs = {name: getattr(signals, name) for name in ConfidenceSignals.__slots__}
    return recompute_confidence(
        {
            **inputs,
            "verdict": signals.verdict.value,
            "numeric": signals.numeric.value,
            "unresolved_ratio": shares.unresolved,
            "contradict_ratio": shares.contradicted,
            "supported_ratio": shares.supported,
            "policy": constants(policy),
        }
    )


def recompute_confidence(inputs: Inputs) -> Derivation:
    """The confidence from its inputs alone."""
    policy = policy_from(ConfidencePolicy, inputs)
    verdict = Verdict(word(inputs, "verdict"))
    recorder = Recorder(**inputs)
    _composite(recorder, inputs, policy)
    if recorder.value > policy.cap:
        recorder.cap("cap", policy.cap)
    floor = _share(inputs, "truthfulness") * policy.truthfulness_floor
    if _share(inputs, "coverage") >= policy.high_coverage and recorder.value < floor:
        recorder.floor("coverage_floor", floor)
    _contract(recorder, inputs, verdict, policy)
    _refutation_floors(recorder, inputs, verdict, policy)
    if verdict is Verdict.UNVERIFIABLE:
        comparative = flag(inputs, "comparative")
        _cap(recorder, "contract:unverifiable",
             policy.unverifiable_comparative_cap if comparative else policy.unverifiable_cap)  # fmt: skip
    recorder.clamp(high=policy.cap)
    return recorder.derivation()


def _composite(recorder: Recorder, inputs: Inputs, policy: ConfidencePolicy) -> None:
    recorder.set("truthfulness", policy.w_truthfulness * _share(inputs, "truthfulness"))
    recorder.add("coverage", policy.w_coverage * _share(inputs, "coverage"))
    recorder.add("agreement", policy.w_agreement * _share(inputs, "agreement"))
    recorder.add("diversity", policy.w_diversity * _share(inputs, "diversity"))
    recorder.add("adaptive_trust_post", policy.w_adaptive_trust * _share(inputs, "adaptive_trust_post"))


def _contract(recorder: Recorder, inputs: Inputs, verdict: Verdict, policy: ConfidencePolicy) -> None:
    """Each reason lowers the most that may be claimed; the lowest one holds."""
    if unresolved := _share(inputs, "unresolved_ratio"):
        _cap(recorder, "contract:unresolved", policy.unresolved_cap - policy.unresolved_slope * unresolved)
    if not flag(inputs, "is_sufficient"):
        _cap(recorder, "contract:insufficient", policy.insufficient_cap)
    if verdict is not Verdict.TRUE:
        return
    silent = NumericRelation(word(inputs, "numeric")) is NumericRelation.SILENT
    if silent and flag(inputs, "count_claim"):
        _cap(recorder, "contract:numeric_silent", policy.numeric_silent_cap)
    if flag(inputs, "absolute_quantifier"):
        _cap(recorder, "contract:absolute_quantifier", policy.absolute_quantifier_cap)


def _refutation_floors(recorder: Recorder, inputs: Inputs, verdict: Verdict, policy: ConfidencePolicy) -> None:
    """A FALSE that rests on contradiction alone is not underconfident."""
    refuted, supported = _share(inputs, "contradict_ratio"), _share(inputs, "supported_ratio")
    if verdict is not Verdict.FALSE or not refuted or supported:
        return
    if not _share(inputs, "unresolved_ratio"):
        _floor(recorder, "false_floor", policy.false_floor)
    if count(inputs, "strong_contradictions") >= policy.strong_contradiction_votes:
        _floor(recorder, "strong_contradiction_floor", policy.strong_contradiction_floor)


def _share(inputs: Inputs, name: str) -> float:
    return unit(name, number(inputs, name))


def _cap(recorder: Recorder, name: str, value: float) -> None:
    """A cap is a step only where it binds."""
    if recorder.value > value:
        recorder.cap(name, value)


def _floor(recorder: Recorder, name: str, value: float) -> None:
    if recorder.value < value:
        recorder.floor(name, value)
