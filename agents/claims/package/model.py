"""The verdict package: everything that was decided about a claim, and everything needed to recompute it."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, Literal

from pydantic import Field

from agents.claims.evidence import EvidenceRow
from agents.claims.job import Match, Proposal
from agents.claims.loop import EndReason, LoopStep
from agents.claims.reading import Reading
from agents.claims.submission import AnyJobId
from agents.claims.wire import Wire
from scoring.derivation import Derivation, Scalar
from scoring.polarity import Relation
from scoring.values import Label, SegmentStatus, StanceLabel, Verdict

Number = float | int
DataSource = Literal["knowledge_base", "web", "both", "none"]


class Citation(Wire):
    """A source the verdict rests on; `evidence_id` is always one of the package's evidence."""

    evidence_id: str
    url: str
    title: str
    domain: str
    quote: str
    """The sentence of the evidence that bears on the claim, as it stands there."""
    quote_start: int | None = None
    """Where it begins in the evidence's text; none where it had to be cleaned before it could be shown."""
    stance: StanceLabel
    published: date | None = None


class SegmentRow(Wire):
    """What the evidence says of one subclaim."""

    text: str
    status: SegmentStatus
    weight: float
    strength: float = 0.0
    support: float = 0.0
    contradiction: float = 0.0
    contested: bool = False
    """Both sides are about as strong: the sources disagree, and the part stays open."""
    anchors: tuple[str, ...] = ()
    best_evidence_id: str = ""
    supporting: tuple[str, ...] = ()
    refuting: tuple[str, ...] = ()


class EvidenceLink(Wire):
    """One line of the evidence map: which passage speaks to which subclaim, how, and how strongly."""

    segment: int
    evidence_id: str
    stance: StanceLabel
    relation: Relation = Relation.NEUTRAL
    """How the passage stands to the part; only `supports` and `contradicts` decide."""
    strength: float
    match: float = 0.0
    """How closely the passage speaks about the part."""
    weight: float = 0.0
    """How much of the part it covers."""
    story: str = ""
    """One id for the passage and all its copies: a story is counted once."""
    contested: bool = False
    """Whether the part that it speaks about is contested."""


class FixedTrustRow(Wire):
    """The traditional trust view (000 §9)."""

    value: float
    grade: str
    agreement_ratio: float
    ci_low: float
    ci_high: float


class TrustGate(Wire):
    """Why the evidence was, or was not, sufficient (000 §5.2)."""

    is_sufficient: bool
    route: str
    num_subclaims: int
    strong_covered: int
    contradicted: int
    thresholds: Mapping[str, Scalar]


class LoopRow(Wire):
    """What the corrective loop did, step by step, within which limits, and the facts on which it ended."""

    count: int
    iterations: int = 0
    stop_reason: EndReason
    decided_by: Mapping[str, Scalar] = Field(default_factory=dict)
    limits: Mapping[str, float] = Field(default_factory=dict)
    steps: tuple[LoopStep, ...] = ()
    queries: tuple[str, ...]
    repeated: tuple[str, ...] = ()
    urls_processed: tuple[str, ...]
    urls_skipped: Mapping[str, int]


class LanguageRow(Wire):
    """What language models cost this job, and what had to do without one."""

    calls: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    cache_hits: int = 0
    skipped: tuple[str, ...] = ()
    degraded: bool = False


class CostRow(Wire):
    """Everything that the job used, its parts included; all of it adds up from the rest of the package."""

    model_calls: int = 0
    tokens: int = 0
    searches: int = 0
    extracts: int = 0
    """Pages that were fetched, or tried to be."""
    bytes: int = 0
    model_usd: float = 0.0
    """Of calls whose price is known."""
    search_usd: float = 0.0
    extract_usd: float = 0.0
    usd: float = 0.0
    stages_ms: float = 0.0
    """The time in all stages; what is missing to the end-to-end time was spent waiting in topics."""


class Guard(Wire):
    """A rule that fired, what it did to the verdict or to the number it is `on`, and why."""

    name: str
    effect: str
    on: str = "verdict"
    reason: str = ""


class PolicyRow(Wire):
    """The policy in force, by value."""

    name: str
    values: Mapping[str, Any]


Missing = Literal["dead_letter", "deadline"]


class SubResult(Wire):
    """The verdict of one sub-claim of a decomposed claim (004 §8), with the package that it stands in.

    One that never came is Not Enough Evidence, has no package, and says in `missing` why not.
    """

    job_id: AnyJobId
    claim: str
    verdict: Verdict
    label: Label
    reasoning: str
    citations: tuple[Citation, ...] = ()
    missing: Missing | None = None
    package: "VerdictPackage | None" = None


class VerdictPackage(Wire):
    """The one answer to one job. Numbers that were decided carry their derivation."""

    schema_version: Literal[1] = 1
    job_id: AnyJobId
    parent_job_id: str | None = None
    """Set in the package of a sub-claim, which never stands on `verdicts`: it is a part of another one's."""
    attempt: int
    claim: str
    room_id: str | None = None
    source: str | None = None
    domain: str = "general"
    reading: Reading
    """What the claim was taken to say: what is judged, its parts, its names and anchors."""
    proposal: Proposal
    status: Literal["completed", "completed_from_cache"]
    verdict: Verdict
    label: Label
    verdict_confidence: float
    truthfulness_percent: float
    evidence_quality_percent: float
    rationale: str
    citations: tuple[Citation, ...] = ()
    evidence: tuple[EvidenceRow, ...] = ()
    evidence_map: tuple[EvidenceLink, ...] = ()
    claim_breakdown: tuple[SegmentRow, ...] = ()
    sub_results: tuple[SubResult, ...] = ()
    top_ranking_score: float
    avg_ranking_score: float
    trust_policy_mode: Literal["adaptive", "confidence"]
    trust_metric_value: float
    trust_threshold_met: bool
    verdict_state: Literal["evidence_insufficiency", "confirmed", "provisional", "revoked"]
    coverage: float
    diversity: float
    agreement: float
    trust_post_adaptive: float
    trust_post_fixed: FixedTrustRow
    trust_gate: TrustGate
    data_source: DataSource
    used_web_search: bool
    signal_counts: Mapping[str, int]
    analysis_counts: Mapping[str, Number]
    loop: LoopRow
    language: LanguageRow = LanguageRow()
    cost: CostRow = CostRow()
    guards: tuple[Guard, ...] = ()
    derivations: Mapping[str, Derivation] = Field(default_factory=dict)
    matched_job_id: str | None = None
    match: Match | None = None
    policy: PolicyRow
    models: Mapping[str, str] = Field(default_factory=dict)
    """The local models that took part, with the checksum of their files where they have one."""
    timings: Mapping[str, float] = Field(default_factory=dict)
    """From acceptance to verdict in seconds, and the milliseconds in each stage, summed over loops. Those of a
    decomposed claim are its own; each of its parts has its own as well."""
    trace_id: str
    as_of: date
    decided_at: datetime
