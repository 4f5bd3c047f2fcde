"""Whether the evidence suffices without another search: every route of 000 §5.2, and which of them were open.

Two parameter sets exist, the normal one and the one of confidence mode, which asks for less.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from scoring.checks import finite, unit
from scoring.derivation import Scalar
from scoring.inputs import check_shares, constants

TrustMode = Literal["adaptive", "confidence"]
Route = Literal[
    "low_count_override",
    "confidence_mode",
    "adaptive_override:coverage_diversity",
    "adaptive_override:strong_covered",
    "adaptive_override:avg_relevance",
    "strict:high_coverage",
    "strict:medium_coverage",
    "settled_refutation",
]
WEAK_RELEVANCE = "weak_relevance"
COUNTS = ("evidence_count", "num_subclaims", "strong_covered", "contradicted", "supporting", "contradicting")


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """The thresholds of one mode. The first five and the override's are the specification's."""

    coverage_high: float = 0.60
    coverage_medium: float = 0.40
    diversity_high: float = 0.70
    agreement_high: float = 0.80
    min_evidence: int = 3
    override_coverage: float = 0.25
    override_diversity: float = 0.75
    override_strong_covered: int = 1
    override_relevance: float = 0.55
    # "Very high": nearly every pair of passages from different domains, and a mean relevance that only passages
    # with several strong signals reach. Two such passages may stand in for three ordinary ones.
    low_count_diversity: float = 0.90
    low_count_relevance: float = 0.75
    # The part of trust_post that coverage scales (000 §5.3): half is kept even where nothing else is covered.
    coverage_share: float = 0.5
    confirmed: float = 0.8
    provisional: float = 0.6
    # Below any one of these a pass rests on nothing. One neutral passage gives a trust of at most 0.2 (a quarter
    # of the weight), 0.2 is well under the similarity that separates related from unrelated texts (0.5), and an
    # anonymous source that takes no side has a trust of about 0.35.
    weak_trust: float = 0.20
    weak_semantic: float = 0.20
    weak_top_trust: float = 0.35
    # Read literally, no route lets a refuted claim be sufficient: agreement counts against contradiction. When this
    # is on, unanimous refutation is held to the mirror image of the first strict gate. Off in the specification.
    settle_refutation: bool = False
    # Stories that must refute before that: a single passage may be about another day.
    settling_stories: int = 2

    def __post_init__(self) -> None:
        counts = ("min_evidence", "override_strong_covered", "settling_stories")
        check_shares(self, apart_from=counts)
        if min(getattr(self, name) for name in counts) < 1:
            raise ValueError(f"{', '.join(counts)} must be at least 1")


NORMAL = GatePolicy()
# Confidence mode lowers several thresholds and the count (001). Each is about a quarter lower: two agreeing passages
# about a third of the claim are then enough, one passage still is not.
CONFIDENCE = GatePolicy(
    coverage_high=0.45, coverage_medium=0.30, diversity_high=0.50, agreement_high=0.65, min_evidence=2
)


@dataclass(frozen=True, slots=True)
class TrustMetrics:
    """What the gates look at. Counts and shares are over admissible evidence, copies of a story counted once."""

    coverage: float
    diversity: float
    agreement: float
    evidence_count: int
    avg_relevance: float
    num_subclaims: int
    strong_covered: int
    contradicted: int
    supporting: int
    contradicting: int

    def __post_init__(self) -> None:
        for name in ("coverage", "diversity", "agreement", "avg_relevance"):
            unit(name, getattr(self, name))
        for name in COUNTS:
            if finite(name, getattr(self, name)) < 0:
                raise ValueError(f"{name} must not be negative, got {getattr(self, name)!r}")


@dataclass(frozen=True, slots=True)
class TrustGate:
    """The decision, the first route that let it pass, all that would have, and what flipped it back."""

    is_sufficient: bool
    route: Route | None
    routes: tuple[Route, ...]
    guards: tuple[str, ...]
    num_subclaims: int
    strong_covered: int
    contradicted: int
    thresholds: Mapping[str, Scalar]


def open_routes(metrics: TrustMetrics, mode: TrustMode, policy: GatePolicy = NORMAL) -> tuple[Route, ...]:
    """Every route that the metrics pass, in the specification's order."""
    checks: tuple[tuple[Route, bool], ...] = (
        ("low_count_override", _low_count(metrics, policy)),
        ("confidence_mode", mode == "confidence" and _relaxed(metrics, policy)),
        *_adaptive_override(metrics, policy),
        *_strict(metrics, policy),
        ("settled_refutation", policy.settle_refutation and _refuted(metrics, policy)),
    )
    return tuple(route for route, passed in checks if passed)


def decide(
    metrics: TrustMetrics,
    mode: TrustMode,
    policy: GatePolicy,
    *,
    trust_post: float,
    top_semantic: float,
    top_trust: float,
) -> TrustGate:
    """Sufficient if a route is open and the weak-relevance guard does not flip it back."""
    routes = open_routes(metrics, mode, policy)
    weak = (
        unit("trust_post", trust_post) < policy.weak_trust
        or unit("top_semantic", top_semantic) < policy.weak_semantic
        or unit("top_trust", top_trust) < policy.weak_top_trust
    )
    return TrustGate(
        is_sufficient=bool(routes) and not weak,
        route=routes[0] if routes else None,
        routes=routes,
        guards=(WEAK_RELEVANCE,) if routes and weak else (),
        num_subclaims=metrics.num_subclaims,
        strong_covered=metrics.strong_covered,
        contradicted=metrics.contradicted,
        thresholds=constants(policy),
    )


def _low_count(m: TrustMetrics, p: GatePolicy) -> bool:
    """Few passages, but far apart and to the point. Two that disagree are a reason to search on."""
    few = 0 < m.evidence_count < p.min_evidence
    one_sided = not (m.supporting and m.contradicting)
    excellent = m.diversity >= p.low_count_diversity and m.avg_relevance >= p.low_count_relevance
    return few and one_sided and excellent


def _enough(m: TrustMetrics, p: GatePolicy) -> bool:
    return m.evidence_count >= p.min_evidence


def _relaxed(m: TrustMetrics, p: GatePolicy) -> bool:
    """The medium strict gate of confidence mode without its demand for diversity."""
    return _enough(m, p) and m.coverage >= p.coverage_medium and m.agreement >= p.agreement_high


def _adaptive_override(m: TrustMetrics, p: GatePolicy) -> tuple[tuple[Route, bool], ...]:
    clear = _enough(m, p) and m.contradicted == 0
    spread = m.coverage >= p.override_coverage and m.diversity >= p.override_diversity
    return (
        ("adaptive_override:coverage_diversity", clear and spread),
        ("adaptive_override:strong_covered", clear and m.strong_covered >= p.override_strong_covered),
        ("adaptive_override:avg_relevance", clear and m.avg_relevance >= p.override_relevance),
    )


def _strict(m: TrustMetrics, p: GatePolicy) -> tuple[tuple[Route, bool], ...]:
    agreed = _enough(m, p) and m.agreement >= p.agreement_high
    medium = m.coverage >= p.coverage_medium and m.diversity >= p.diversity_high
    return (
        ("strict:high_coverage", agreed and m.coverage >= p.coverage_high),
        ("strict:medium_coverage", agreed and medium),
    )


def _refuted(m: TrustMetrics, p: GatePolicy) -> bool:
    against = m.contradicting >= p.settling_stories and m.supporting == 0 and m.contradicted > 0
    return _enough(m, p) and against and m.coverage >= p.coverage_high
