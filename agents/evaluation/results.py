"""What became of one labelled claim: the answer, what it cost, where the gold documents went, and why it is wrong."""

from collections.abc import Collection, Sequence
from enum import StrEnum
from typing import Any

from agents.claims.evidence import CandidateRow, EvidenceRow
from agents.claims.package import VerdictPackage
from agents.claims.wire import Wire
from agents.evaluation.cases import Case, Gold
from scoring.values import Label, StanceLabel

GOLD_OF_LABEL = {
    Label.SUPPORTED: Gold.SUPPORTS,
    Label.REFUTED: Gold.REFUTES,
    Label.NOT_ENOUGH: Gold.NEI,
    Label.MIXED: Gold.MIXED,
}
SIDE_OF_GOLD: dict[Gold, StanceLabel] = {Gold.SUPPORTS: "supports", Gold.REFUTES: "refutes"}


class Cause(StrEnum):
    """Where a wrong answer went wrong, in the order of the pipeline."""

    FAILED = "failed"
    NOT_RETRIEVED = "not retrieved"
    RANKED_AWAY = "ranked away"
    GATED = "gated"
    WRONG_STANCE = "wrong stance"
    RECONCILED = "reconciled"


CAUSES = {
    Cause.FAILED: "the job became a dead letter",
    Cause.NOT_RETRIEVED: "no gold document was among the candidates",
    Cause.RANKED_AWAY: "a gold document was a candidate, none was kept by ranking",
    Cause.GATED: "every gold passage that was kept was marked as not admissible",
    Cause.WRONG_STANCE: "no admissible gold passage was read as the label says; for NEI, some passage took a side",
    Cause.RECONCILED: "a gold passage was read rightly, and the verdict still became another",
}


class GoldRanks(Wire):
    """Ranks (from 1) at which the gold documents stood among the documents of a stage; missing ones are not listed."""

    retrieved: tuple[int, ...] = ()
    ranked: tuple[int, ...] = ()
    cited: tuple[int, ...] = ()


class CaseResult(Wire):
    """One line of `results.jsonl`."""

    number: int
    id: str
    claim: str
    gold: Gold
    gold_documents: int
    answer: Gold
    confidence: float
    ranks: GoldRanks = GoldRanks()
    cause: Cause | None = None
    guards: tuple[str, ...] = ()
    loops: int = 0
    seconds: float = 0.0
    calls: int = 0
    cost_usd: float = 0.0


def result_of(
    number: int, case: Case, package: VerdictPackage, candidates: Sequence[CandidateRow], gold_urls: Collection[str]
) -> CaseResult:
    """The package of a claim, held against its label. `candidates` are what retrieval finds for it."""
    ranks = GoldRanks(
        retrieved=_ranks([row.url for row in candidates], gold_urls),
        ranked=_ranks([row.url for row in package.evidence], gold_urls),
        cited=_ranks([one.url for one in package.citations], gold_urls),
    )
    answer = GOLD_OF_LABEL[package.label]
    return CaseResult(
        **_asked(number, case, gold_urls),
        answer=answer,
        confidence=package.verdict_confidence,
        ranks=ranks,
        cause=None if answer is case.label else cause_of(case.label, ranks, package.evidence, gold_urls),
        guards=tuple(guard.name for guard in package.guards),
        loops=package.loop.count,
        seconds=package.timings.get("end_to_end_seconds", 0.0),
        calls=package.language.calls,
        cost_usd=package.language.cost_usd,
    )


def _asked(number: int, case: Case, gold_urls: Collection[str]) -> dict[str, Any]:
    return {
        "number": number,
        "id": str(case.id),
        "claim": case.claim,
        "gold": case.label,
        "gold_documents": len(gold_urls),
    }


def failed(number: int, case: Case, gold_urls: Collection[str]) -> CaseResult:
    """A job without a verdict counts as an abstention that nobody can be confident of."""
    return CaseResult(
        **_asked(number, case, gold_urls),
        answer=Gold.NEI,
        confidence=0.0,
        cause=Cause.FAILED,
    )


def cause_of(gold: Gold, ranks: GoldRanks, evidence: Sequence[EvidenceRow], gold_urls: Collection[str]) -> Cause:
    """The first stage after which the right answer could not be given any more."""
    if gold not in SIDE_OF_GOLD:
        return Cause.WRONG_STANCE  # nothing settles the claim, so something was taken for evidence
    if not gold_urls:
        return Cause.RECONCILED if _read_as(gold, evidence) else Cause.WRONG_STANCE
    if not ranks.retrieved:
        return Cause.NOT_RETRIEVED
    kept = [row for row in evidence if row.url in gold_urls]
    if not kept:
        return Cause.RANKED_AWAY
    usable = [row for row in kept if row.admissible]
    if not usable:
        return Cause.GATED
    return Cause.RECONCILED if _read_as(gold, usable) else Cause.WRONG_STANCE


def _read_as(gold: Gold, rows: Sequence[EvidenceRow]) -> bool:
    """Whether some row was read on the gold side, towards the claim or the part of it that it belongs to."""
    side = SIDE_OF_GOLD[gold]
    return any(row.stance.label == side for row in rows)


def _ranks(urls: Sequence[str], gold_urls: Collection[str]) -> tuple[int, ...]:
    """Passages of one document count once, at its first."""
    documents = list(dict.fromkeys(urls))
    return tuple(rank for rank, url in enumerate(documents, start=1) if url in gold_urls)
