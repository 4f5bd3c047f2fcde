"""Everything a handler may ask for, as ports: the composition root fills it, and tests fill it with their own."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from agents.claims.budget import LoopBudget
from agents.claims.matching.decision import MatchPolicy
from agents.evidence.credibility import SourceCredibility
from agents.evidence.ports import PageFetcher, WebSearch
from agents.language.ports import Embedder, StanceModel
from agents.language.service import Language
from agents.results import Tell, to_nobody
from scoring.policy import Policy
from storage.ports import AnswerStore, EvidenceIndex, KnowledgeGraph, UrlRegistry, VerdictLedger


@dataclass(frozen=True, slots=True)
class Services:
    """Frozen: a worker's world does not change while it runs."""

    ledger: VerdictLedger
    index: EvidenceIndex
    graph: KnowledgeGraph
    urls: UrlRegistry
    answers: AnswerStore
    embedder: Embedder
    stance: StanceModel
    language: Language
    search: WebSearch | None
    fetcher: PageFetcher | None
    credibility: SourceCredibility
    policy: Policy
    budget: LoopBudget
    matching: MatchPolicy
    clock: Callable[[], datetime]
    tell: Tell = to_nobody
    """Tells of a step while it runs."""
