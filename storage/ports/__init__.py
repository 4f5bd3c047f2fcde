"""The ports: what the domain asks of its stores, as Protocols over frozen values."""

from dataclasses import dataclass

from storage.ports.answers import AnswerPolicy, AnswerStore
from storage.ports.evidence import Collection, Embedder, EvidenceIndex, Hit, HybridQuery, Passage, Vector
from storage.ports.graph import ClaimRecord, Entity, Fact, GraphCandidate, GraphCounts, KnowledgeGraph, entity_key
from storage.ports.keys import ApiKey, KeyLimits, KeyRing, Scope
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
    parent_of,
    sub_job_id,
    sub_number,
)
from storage.ports.urls import RegistryPolicy, UrlRecord, UrlRegistry, UrlStatus, normal_url, normal_urls

__all__ = [
    "AnswerPolicy",
    "AnswerStore",
    "ApiKey",
    "AuditEntry",
    "ClaimRecord",
    "Collection",
    "Embedder",
    "Entity",
    "EvidenceIndex",
    "EvidenceRef",
    "Fact",
    "GraphCandidate",
    "GraphCounts",
    "Hit",
    "HybridQuery",
    "JobRecord",
    "JobState",
    "JoinState",
    "KeyLimits",
    "KeyRing",
    "KnowledgeGraph",
    "OpenLoad",
    "Outcome",
    "ParentRecord",
    "Passage",
    "RegistryPolicy",
    "Retention",
    "Scope",
    "Stores",
    "UrlRecord",
    "UrlRegistry",
    "UrlStatus",
    "Vector",
    "VerdictLedger",
    "entity_key",
    "normal_url",
    "normal_urls",
    "parent_of",
    "sub_job_id",
    "sub_number",
]


@dataclass(frozen=True, slots=True)
class Stores:
    """The five of them, whatever stands behind each."""

    ledger: VerdictLedger
    index: EvidenceIndex
    graph: KnowledgeGraph
    urls: UrlRegistry
    answers: AnswerStore

    async def close(self) -> None:
        """Let go of all of them, the ledger last: what the others still do may end in it."""
        await self.index.close()
        await self.graph.close()
        await self.urls.close()
        await self.answers.close()
        await self.ledger.close()
