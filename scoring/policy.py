"""All constants of a claim's verdict in one frozen object, and the profiles that `VERISTREAM_POLICY` names.

`Policy()` is the specification. Its values travel in every verdict package.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from types import MappingProxyType
from typing import Any, TypeVar, cast, get_type_hints

from scoring.adaptive_trust import AdaptiveTrustPolicy
from scoring.confidence import ConfidencePolicy
from scoring.coverage import CoveragePolicy
from scoring.evidence_quality import EvidenceQualityPolicy
from scoring.gatekeeper import GatekeeperPolicy
from scoring.news import NewsPolicy
from scoring.numeric import NumericPolicy
from scoring.polarity import PolarityPolicy
from scoring.ranking_policy import RankingPolicy
from scoring.reconciliation import ReconciliationPolicy
from scoring.rerank import RerankPolicy
from scoring.stopping import LoopPolicy
from scoring.stories import StoryPolicy
from scoring.trust import TrustPolicy
from scoring.truthfulness import TruthfulnessPolicy

Built = TypeVar("Built")


@dataclass(frozen=True, slots=True)
class Policy:
    """One field per subject; a profile replaces what it changes."""

    name: str = "specification"
    ranking: RankingPolicy = field(default_factory=RankingPolicy)
    gatekeeper: GatekeeperPolicy = field(default_factory=GatekeeperPolicy)
    rerank: RerankPolicy = field(default_factory=RerankPolicy)
    stories: StoryPolicy = field(default_factory=StoryPolicy)
    polarity: PolarityPolicy = field(default_factory=PolarityPolicy)
    trust: TrustPolicy = field(default_factory=TrustPolicy)
    adaptive_trust: AdaptiveTrustPolicy = field(default_factory=AdaptiveTrustPolicy)
    numeric: NumericPolicy = field(default_factory=NumericPolicy)
    truthfulness: TruthfulnessPolicy = field(default_factory=TruthfulnessPolicy)
    evidence_quality: EvidenceQualityPolicy = field(default_factory=EvidenceQualityPolicy)
    confidence: ConfidencePolicy = field(default_factory=ConfidencePolicy)
    reconciliation: ReconciliationPolicy = field(default_factory=ReconciliationPolicy)
    news: NewsPolicy = field(default_factory=NewsPolicy)
    loop: LoopPolicy = field(default_factory=LoopPolicy)

    def as_values(self) -> dict[str, Any]:
        """Every constant under its subject, ready for JSON: what a package carries as `policy.values`."""
        values = asdict(self)
        del values["name"]
        return values

    @classmethod
    def from_values(cls, name: str, values: Mapping[str, Any]) -> "Policy":
        """The policy of a package, rebuilt from what `as_values` wrote."""
        return _rebuilt(cls, {"name": name, **values})


def _rebuilt(kind: type[Built], values: Mapping[str, Any]) -> Built:
    """A frozen policy from its values, as they come out of JSON; whatever is missing or unknown is an error."""
    types = get_type_hints(kind)
    known = {one.name for one in fields(cast("Any", kind))}
    if odd := sorted(known ^ set(values)):
        raise ValueError(f"values of {kind.__name__} do not fit; missing or unknown: {odd}")
    return kind(**{name: _value(types[name], value) for name, value in values.items()})


def _value(kind: Any, value: Any) -> Any:
    if is_dataclass(kind):
        return _rebuilt(cast("type[Any]", kind), value)
    return tuple(value) if isinstance(value, list) else value


def _looser(coverage: CoveragePolicy) -> CoveragePolicy:
    """A stance is a probability here, and a passage that leans counts: better a side taken with little confidence than
    none. The stronger side decides; only a tie stays open."""
    return replace(coverage, strong_match=0.45, partial_match=0.10, stance_share=1.0, contested_margin=0.0)


def _calibrated() -> Policy:
    """What the product runs with: values chosen on labelled claims (docs/accuracy.md); a claim that several sources
    refute with one voice is settled, not searched on, and a claim that is right in one part and wrong in another is
    called that (docs/decisions/0006 and 0007)."""
    gates = AdaptiveTrustPolicy()
    return Policy(
        name="calibrated",
        polarity=PolarityPolicy(decisive_stance=0.25, neutral_share=0.3, refuting_prior=0.6),
        adaptive_trust=replace(
            gates,
            normal=replace(gates.normal, settle_refutation=True),
            confidence=replace(gates.confidence, settle_refutation=True),
            normal_coverage=_looser(gates.normal_coverage),
            confidence_coverage=_looser(gates.confidence_coverage),
        ),
        reconciliation=ReconciliationPolicy(
            strong_signal=0.5, weak_signal=0.1, binary_signal=0.15, binary_dominance=0.5
        ),
        news=NewsPolicy(conflict_share=0.5, weighed_voices=True, min_credibility=0.4, refuted_part_refutes=False),
    )


PROFILES: Mapping[str, Policy] = MappingProxyType({one.name: one for one in (Policy(), _calibrated())})


def policy_named(name: str) -> Policy:
    """The profile of that name."""
    if name in PROFILES:
        return PROFILES[name]
    raise ValueError(f"no policy is called {name!r}; choose one of: {', '.join(sorted(PROFILES))}")
