"""How well a draft is grounded: coverage, unsupported rate, and the gates they have to pass (003 §7)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from scoring.checks import unit
from scoring.derivation import Derivation, Recorder
from scoring.drafts.claims import DraftClaim
from scoring.drafts.verdicts import DraftVerdict, Judgement

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


def evidence_coverage(entries: Sequence[LedgerEntry]) -> Derivation:
    """Share of the material claims that are supported or weak; 1 if there is nothing material to cover."""
    return _share(entries, (DraftVerdict.SUPPORTED, DraftVerdict.WEAK), "supported_or_weak", without_claims=1.0)


def unsupported_rate(entries: Sequence[LedgerEntry]) -> Derivation:
    """Share of the material claims that were not found in any document; 0 if there is nothing material."""
    return _share(entries, (DraftVerdict.NOT_FOUND,), "not_found", without_claims=0.0)


def summarise(
    entries: Sequence[LedgerEntry], *, evidence_retrieved: bool, policy: QualityPolicy = DEFAULT
) -> LedgerSummary:
    """All of 003 §7 at once. A draft for which nothing was retrieved covers nothing, whatever it says."""
    coverage = evidence_coverage(entries) if evidence_retrieved else _nothing_retrieved()
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


def _share(
    entries: Sequence[LedgerEntry], verdicts: tuple[DraftVerdict, ...], name: str, *, without_claims: float
) -> Derivation:
    material = [entry for entry in entries if entry.is_material]
    counted = sum(1 for entry in material if entry.verdict in verdicts)
    record = Recorder(**{"material_claims": len(material), name: counted})
    if material:
        record.set(name, counted / len(material))
    else:
        record.set("no_material_claims", without_claims)
    return record.derivation()


def _nothing_retrieved() -> Derivation:
    record = Recorder(evidence_retrieved=False)
    record.set("no_evidence", 0.0)
    return record.derivation()


def _at_least(name: GateName, value: float, threshold: float, action: GateAction) -> Gate:
    return Gate(name=name, value=value, threshold=threshold, passed=value >= threshold, action=action)


def _at_most(name: GateName, value: float, threshold: float, action: GateAction) -> Gate:
    return Gate(name=name, value=value, threshold=threshold, passed=value <= threshold, action=action)
