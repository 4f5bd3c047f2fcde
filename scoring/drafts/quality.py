"""How well a draft is grounded: coverage, unsupported rate, and the gates they have to pass (003 §7)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from scoring.checks import unit
from scoring.derivation import Derivation, Recorder
from scoring.drafts.claims import DraftClaim
from scoring.drafts.verdicts import DraftVerdict, Judgement
from scoring.inputs import Inputs, count, flag, number, word

GateName = Literal["evidence_coverage", "unsupported_rate", "critical_unsupported", "contradictions"]
GateAction = Literal["trigger_revision", "mark_unsupported", "revise_or_remove", "correct"]


@dataclass(frozen=True, slots=True)
class QualityPolicy:
    """The four thresholds of 003 §7.3."""

    min_coverage: float = 0.85
    max_unsupported_rate: float = 0.05
    max_critical_unsupported: int = 0
    max_contradictions: int = 0

    def __post_init__(self) -> None:
        unit("min_coverage", self.min_coverage)
        unit("max_unsupported_rate", self.max_unsupported_rate)


DEFAULT = QualityPolicy()


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """A claim and what was decided about it."""

    claim: DraftClaim
    judgement: Judgement

    @property
    def verdict(self) -> DraftVerdict:
        return self.judgement.verdict

    @property
    def is_material(self) -> bool:
        """Whether it counts in the metrics: minor claims do not."""
        return self.claim.importance != "minor"

    @property
    def is_critical_unsupported(self) -> bool:
        return self.claim.importance == "critical" and self.verdict is DraftVerdict.NOT_FOUND


@dataclass(frozen=True, slots=True)
class Gate:
    """One quality gate: what was measured, what was allowed, and what to do if it failed."""

    name: GateName
    value: float
    threshold: float
    passed: bool
    action: GateAction


@dataclass(frozen=True, slots=True)
class LedgerSummary:
    """The numbers of a ledger and its four gates."""

    total_claims: int
    evidence_coverage: Derivation
    unsupported_rate: Derivation
    critical_unsupported: int
    contradictions: int
    verdict_distribution: Mapping[DraftVerdict, int]
    gates: tuple[Gate, ...]

    @property
    def passed(self) -> bool:
        return all(gate.passed for gate in self.gates)


def evidence_coverage(entries: Sequence[LedgerEntry], *, evidence_retrieved: bool = True) -> Derivation:
    """Share of the material claims that are supported or weak; 1 if there is nothing material to cover.

    A draft for which nothing was retrieved covers nothing, whatever it says.
    """
    verdicts = (DraftVerdict.SUPPORTED, DraftVerdict.WEAK)
    return _share(entries, "supported_or_weak", *verdicts, without=1.0, retrieved=evidence_retrieved)


def unsupported_rate(entries: Sequence[LedgerEntry]) -> Derivation:
    """Share of the material claims that were not found in any document; 0 if there is nothing material."""
    return _share(entries, "not_found", DraftVerdict.NOT_FOUND, without=0.0)


def summarise(
    entries: Sequence[LedgerEntry], *, evidence_retrieved: bool, policy: QualityPolicy = DEFAULT
) -> LedgerSummary:
    """All of 003 §7 at once."""
    coverage = evidence_coverage(entries, evidence_retrieved=evidence_retrieved)
    rate = unsupported_rate(entries)
    critical = sum(1 for entry in entries if entry.is_critical_unsupported)
    contradictions = sum(1 for entry in entries if entry.verdict is DraftVerdict.CONTRADICTED)
    return LedgerSummary(
        total_claims=len(entries),
        evidence_coverage=coverage,
        unsupported_rate=rate,
        critical_unsupported=critical,
        contradictions=contradictions,
        verdict_distribution={
            verdict: sum(1 for entry in entries if entry.verdict is verdict) for verdict in DraftVerdict
        },
        gates=(
            _at_least("evidence_coverage", coverage.value, policy.min_coverage, "trigger_revision"),
            _at_most("unsupported_rate", rate.value, policy.max_unsupported_rate, "mark_unsupported"),
            _at_most("critical_unsupported", critical, policy.max_critical_unsupported, "revise_or_remove"),
            _at_most("contradictions", contradictions, policy.max_contradictions, "correct"),
        ),
    )


def recompute_share(inputs: Inputs) -> Derivation:
    """A share of the material claims from its inputs alone; without evidence or claims, what then holds."""
    material, counted = count(inputs, "material_claims"), count(inputs, "counted")
    record = Recorder(**inputs)
    if material:
        record.set(word(inputs, "share_of"), counted / material)
    else:
        record.set("no_material_claims", number(inputs, "without_claims"))
    if not flag(inputs, "evidence_retrieved"):
        record.cap("no_evidence", 0.0)
    return record.derivation()


def _share(
    entries: Sequence[LedgerEntry], share_of: str, *verdicts: DraftVerdict, without: float, retrieved: bool = True
) -> Derivation:
    material = [entry for entry in entries if entry.is_material]
    return recompute_share(
        {
            "share_of": share_of,
            "material_claims": len(material),
            "counted": sum(1 for entry in material if entry.verdict in verdicts),
            "without_claims": without,
            "evidence_retrieved": retrieved,
        }
    )


def _at_least(name: GateName, value: float, threshold: float, action: GateAction) -> Gate:
    return Gate(name=name, value=value, threshold=threshold, passed=value >= threshold, action=action)


def _at_most(name: GateName, value: float, threshold: float, action: GateAction) -> Gate:
    return Gate(name=name, value=value, threshold=threshold, passed=value <= threshold, action=action)
