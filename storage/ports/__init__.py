"""The ports: what the domain asks of its stores, as Protocols over frozen values."""

from storage.ports.ledger import (
    AuditEntry,
    EvidenceRef,
    JobRecord,
    JobState,
    JoinState,
    OpenLoad,
    Outcome,
    ParentRecord,
    Retention,
    VerdictLedger,
)

__all__ = [
    "AuditEntry",
    "EvidenceRef",
    "JobRecord",
    "JobState",
    "JoinState",
    "OpenLoad",
    "Outcome",
    "ParentRecord",
    "Retention",
    "VerdictLedger",
]
