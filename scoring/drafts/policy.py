"""All constants of a draft's verification (003) in one frozen object; `DraftPolicy()` is the specification."""

from dataclasses import dataclass, field

from scoring.drafts.claims import ClaimPolicy
from scoring.drafts.matching import MatchPolicy
from scoring.drafts.revision import RevisionPolicy
from scoring.drafts.risks import FreshnessPolicy
from scoring.drafts.verdicts import DraftConfidencePolicy


@dataclass(frozen=True, slots=True)
class DraftPolicy:
    """One field per subject; the quality gates are part of the revision."""

    claims: ClaimPolicy = field(default_factory=ClaimPolicy)
    matching: MatchPolicy = field(default_factory=MatchPolicy)
    confidence: DraftConfidencePolicy = field(default_factory=DraftConfidencePolicy)
    revision: RevisionPolicy = field(default_factory=RevisionPolicy)
    freshness: FreshnessPolicy = field(default_factory=FreshnessPolicy)
