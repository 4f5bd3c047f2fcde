"""From judged evidence to a reconciled verdict with its citations: proposed by rules, decided by `scoring`."""

from dataclasses import dataclass

from agents.claims.evidence import EvidenceRow
from agents.claims.job import ClaimJob
from scoring import news
from scoring.adaptive_trust import AdaptiveTrust
from scoring.claim_types import ClaimProfile, profile
from scoring.numeric import NumericRelation, numeric_relation
from scoring.policy import Policy
from scoring.rationale_polarity import RationalePolarity, rationale_polarity
from scoring.reconciliation import Reconciled, deciding_ids, reconcile
from scoring.values import Evidence, Label, Verdict
from scoring.verdict_words import label_of


@dataclass(frozen=True, slots=True)
class Decision:
    """The verdict that stands after every guard, and the rows it rests on."""

    verdict: Verdict
    label: Label
    reconciled: Reconciled
    proposal: news.Proposal
    profile: ClaimProfile
    numeric: NumericRelation
    validated: news.Validated
    credible: news.CredibleCitations
    reasons: RationalePolarity
    """The side that the proposer's own reasons take."""


def decide(job: ClaimJob, trust: AdaptiveTrust, policy: Policy) -> Decision:
    """Propose, reconcile, cite, validate. No verdict but UNVERIFIABLE survives without an admissible citation."""
    evidence = [row.evidence() for row in job.evidence]
    kind = profile(job.claim, job.submission.domain)
    proposal = news.propose(evidence, policy.news, policy.polarity)
    numeric = numeric_relation(job.claim, trust.segments, evidence, policy.numeric)
    (segment,) = trust.segments
    reasons = rationale_polarity(job.proposal.rationale, job.claim, segment.links)
    reconciled = reconcile(
        job.proposal.verdict or proposal.verdict,
        segment,
        policy.reconciliation,
        absolute_quantifier=kind.absolute,
        numeric=numeric,
        rationale=reasons,
        conflict=proposal.conflict,
    )
    deciding = deciding_ids(reconciled.verdict, trust.segments)
    credible = news.credible_citations(_citations(job.evidence, deciding), policy.news)
    validated = _validate(reconciled.verdict, credible, evidence, deciding, policy)
    label = reconciled.label if not validated.downgraded else label_of(Verdict.UNVERIFIABLE)
    return Decision(validated.verdict, label, reconciled, proposal, kind, numeric, validated, credible, reasons)


def _citations(rows: tuple[EvidenceRow, ...], deciding: tuple[str, ...]) -> list[news.Citation]:
    by_id = {row.id: row for row in rows}
    chosen = [by_id[one] for one in deciding if one in by_id]
    return [news.Citation(row.id, row.url, row.domain, row.title) for row in chosen]


def _validate(
    verdict: Verdict,
    credible: news.CredibleCitations,
    evidence: list[Evidence],
    deciding: tuple[str, ...],
    policy: Policy,
) -> news.Validated:
    return news.validate(verdict, credible.citations, evidence, policy.news, deciding=deciding)
