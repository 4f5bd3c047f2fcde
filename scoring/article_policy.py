"""All constants of an article's analysis (002) in one frozen object; `ArticlePolicy()` is the specification."""

from dataclasses import dataclass, field

from scoring.beliefs import BeliefPolicy
from scoring.evoi import ExtractBudgetPolicy
from scoring.retrieval_sufficiency import SufficiencyPolicy
from scoring.rgba import RgbaPolicy
from scoring.skeleton import SkeletonPolicy
from scoring.target_selection import TargetPolicy
from scoring.verifiability import VerifiabilityPolicy


@dataclass(frozen=True, slots=True)
class ArticlePolicy:
    """One field per subject."""

    beliefs: BeliefPolicy = field(default_factory=BeliefPolicy)
    rgba: RgbaPolicy = field(default_factory=RgbaPolicy)
    sufficiency: SufficiencyPolicy = field(default_factory=SufficiencyPolicy)
    extraction: ExtractBudgetPolicy = field(default_factory=ExtractBudgetPolicy)
    targets: TargetPolicy = field(default_factory=TargetPolicy)
    skeleton: SkeletonPolicy = field(default_factory=SkeletonPolicy)
    verifiability: VerifiabilityPolicy = field(default_factory=VerifiabilityPolicy)
