"""The verdict package: its shape, how it is put together, how it is audited, read out and published."""

from agents.claims.package.model import (
    Citation,
    CostRow,
    DataSource,
    EvidenceLink,
    FixedTrustRow,
    Guard,
    LanguageRow,
    LoopRow,
    Missing,
    Number,
    PolicyRow,
    SegmentRow,
    SubResult,
    TrustGate,
    VerdictPackage,
)

__all__ = [
    "Citation",
    "CostRow",
    "DataSource",
    "EvidenceLink",
    "FixedTrustRow",
    "Guard",
    "LanguageRow",
    "LoopRow",
    "Missing",
    "Number",
    "PolicyRow",
    "SegmentRow",
    "SubResult",
    "TrustGate",
    "VerdictPackage",
]
