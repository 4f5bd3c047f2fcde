"""KnowledgeGraph: entities with their aliases, and relations between them with where each was read."""

import unicodedata
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol

from scoring.values import Triple
from storage.errors import StoreRefused
from storage.ports.checks import aware, identifier, storable

FACTS = uuid.UUID("a5d9b1f2-7f0c-5d0a-8a2b-0f6f3c1d9e77")
"""Namespace of fact ids. Changing it would orphan every stored fact."""


def entity_key(name: str) -> str:
    """What two spellings of one name share: compatibility forms, case and white space aside."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


@dataclass(frozen=True, slots=True)
class Entity:
    """Something that claims are about. Its key is its name's; aliases lead to it as well."""

    name: str
    kind: str = ""
    aliases: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        identifier("entity name", self.name)
        if not entity_key(self.name):
            raise StoreRefused("an entity's name must hold more than white space")
        storable("kind", self.kind)
        for alias in self.aliases:
            identifier("alias", alias)

    @property
    def key(self) -> str:
        return entity_key(self.name)


@dataclass(frozen=True, slots=True)
class Fact:
    """A relation as one source states it, with the sentence it was read from."""

    triple: Triple
    url: str
    observed: datetime
    confidence: float = 0.5
    published: date | None = None
    domain: str = ""
    title: str = ""
    text: str = ""
    passage_id: str = ""
    """The passage of the EvidenceIndex that says so: what ties the two stores together."""

    def __post_init__(self) -> None:
        for name in ("subject", "relation", "object"):
            identifier(name, getattr(self.triple, name))
            if not entity_key(getattr(self.triple, name)):
                raise StoreRefused(f"{name} must hold more than white space")
        for name in ("url", "domain", "title", "text", "passage_id"):
            storable(name, getattr(self, name))
        if not 0.0 <= self.confidence <= 1.0:
            raise StoreRefused(f"confidence must lie in [0, 1], got {self.confidence!r}")
        aware("observed", self.observed)

    @property
    def id(self) -> str:
        """The same for the same relation from the same page: writing it twice is once."""
        triple = self.triple
        parts = (entity_key(triple.subject), entity_key(triple.relation), entity_key(triple.object), self.url)
        return str(uuid.uuid5(FACTS, "\n".join(parts)))


@dataclass(frozen=True, slots=True)
class GraphCandidate:
    """A fact near the claim's entities: how many hops away, which of them it touches, and a score in [0, 1]."""

    fact: Fact
    hops: int
    matched: tuple[str, ...]
    score: float


@dataclass(frozen=True, slots=True)
class ClaimRecord:
    """A claim that was verified, and the entities it is about."""

    job_id: str
    text: str
    entities: tuple[str, ...]
    at: datetime

    def __post_init__(self) -> None:
        identifier("job_id", self.job_id)
        storable("text", self.text)
        for entity in self.entities:
            identifier("entity", entity)
        aware("at", self.at)


@dataclass(frozen=True, slots=True)
class GraphCounts:
    """The size of the graph."""

    entities: int
    facts: int
    sources: int
    claims: int


class KnowledgeGraph(Protocol):
    """A name stands for the entity that bears it and for those it is an alias of."""

    async def upsert_entities(self, entities: Sequence[Entity]) -> None:
        """Add entities, and add aliases to those there are; aliases are never taken away here."""
        ...

    async def upsert_facts(self, facts: Sequence[Fact]) -> int:
        """Add facts, with their entities and sources as needed; the same fact twice is once.

        All of one call's facts are written or none. Returns how many were new.
        """
        ...

    async def resolve(self, names: Sequence[str]) -> Mapping[str, Entity]:
        """The entity that each name or alias leads to; names that lead nowhere are left out.

        Of several entities behind one alias, its own name's bearer wins, then the one with most facts.
        """
        ...

    async def candidates(self, entities: Sequence[str], limit: int = 40) -> list[GraphCandidate]:
        """The facts within two hops of these entities, best first (see `storage.graph_scores`)."""
        ...

    async def facts_from(self, url: str) -> list[Fact]:
        """What one page states."""
        ...

    async def delete_facts(self, ids: Sequence[str]) -> int:
        """Delete the facts with these ids, and pages that are left without any; return how many facts."""
        ...

    async def delete_by_url(self, url: str) -> int:
        """Delete a page's facts, and the page; return how many facts. Entities stay."""
        ...

    async def delete_observed_before(self, moment: datetime) -> int:
        """Delete facts read before `moment`; return how many."""
        ...

    async def record_claim(self, claim: ClaimRecord) -> None:
        """Tie a verified claim to its entities; the same job again replaces it."""
        ...

    async def claims_about(self, entities: Sequence[str], limit: int = 20) -> list[ClaimRecord]:
        """Claims that share an entity with these, those that share most first, then the newest."""
        ...

    async def scan_facts(self, *, after: str | None = None, limit: int = 500) -> list[Fact]:
        """A page of facts in the order of ids, after the id `after`: for export and checks."""
        ...

    async def scan_entities(self, *, after: str | None = None, limit: int = 500) -> list[Entity]:
        """A page of entities in the order of keys, after the key `after`: for export."""
        ...

    async def scan_claims(self, *, after: str | None = None, limit: int = 500) -> list[ClaimRecord]:
        """A page of claims in the order of job ids, after the id `after`: for export."""
        ...

    async def counts(self) -> GraphCounts:
        """How large the graph is."""
        ...

    async def close(self) -> None:
        """Finish what is under way and let go of the store."""
        ...
