"""The lines of a back-up: one JSON object each, told apart by `kind`."""

import base64
from datetime import date, datetime
from typing import Annotated, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from scoring.values import Triple
from storage.ports import ClaimRecord, Collection, Entity, Fact, Passage, Vector
from storage.ports import Embedder as EmbedderIdentity

VERSION = 1
LITTLE_ENDIAN = "<f4"


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class HeaderLine(_Line):
    """The first line: what this file is."""

    kind: Literal["veristream"] = "veristream"
    version: Literal[1] = 1
    exported_at: datetime


class CollectionLine(_Line):
    """A collection, before its passages: which embedder made its vectors."""

    kind: Literal["collection"] = "collection"
    name: str
    embedder: str
    dimension: int
    passages: int

    @classmethod
    def of(cls, collection: Collection) -> "CollectionLine":
        made_by = collection.embedder
        return cls(
            name=collection.name, embedder=made_by.name, dimension=made_by.dimension, passages=collection.passages
        )

    @property
    def made_by(self) -> EmbedderIdentity:
        return EmbedderIdentity(self.embedder, self.dimension)


class PassageLine(_Line):
    """A passage with its vector: float32, little-endian, base64."""

    kind: Literal["passage"] = "passage"
    collection: str
    url: str
    text: str
    fetched: datetime
    title: str
    snippet: str
    domain: str
    published: date | None
    credibility: float
    extraction: str
    content_hash: str
    vector: str

    @classmethod
    def of(cls, passage: Passage, vector: Vector) -> "PassageLine":
        raw = np.asarray(vector, dtype=LITTLE_ENDIAN).tobytes()
        names = (name for name in cls.model_fields if name not in {"kind", "vector"})
        return cls(**{name: getattr(passage, name) for name in names}, vector=base64.b64encode(raw).decode())

    def value(self) -> tuple[Passage, Vector]:
        passage = Passage(**self.model_dump(exclude={"kind", "vector"}))
        row = np.frombuffer(base64.b64decode(self.vector, validate=True), dtype=LITTLE_ENDIAN)
        return passage, row.astype(np.float32)


class EntityLine(_Line):
    """An entity and its aliases."""

    kind: Literal["entity"] = "entity"
    name: str
    type: str
    aliases: tuple[str, ...]

    @classmethod
    def of(cls, entity: Entity) -> "EntityLine":
        return cls(name=entity.name, type=entity.kind, aliases=entity.aliases)

    def value(self) -> Entity:
        return Entity(self.name, self.type, self.aliases)


class FactLine(_Line):
    """A relation and where it was read."""

    kind: Literal["fact"] = "fact"
    triple: tuple[str, str, str]
    url: str
    observed: datetime
    confidence: float
    published: date | None
    domain: str
    title: str
    text: str
    passage_id: str

    @classmethod
    def of(cls, fact: Fact) -> "FactLine":
        names = (name for name in cls.model_fields if name not in {"kind", "triple"})
        triple = (fact.triple.subject, fact.triple.relation, fact.triple.object)
        return cls(triple=triple, **{name: getattr(fact, name) for name in names})

    def value(self) -> Fact:
        return Fact(triple=Triple(*self.triple), **self.model_dump(exclude={"kind", "triple"}))


class ClaimLine(_Line):
    """A verified claim and its entities."""

    kind: Literal["claim"] = "claim"
    job_id: str
    text: str
    entities: tuple[str, ...]
    at: datetime

    @classmethod
    def of(cls, claim: ClaimRecord) -> "ClaimLine":
        return cls(job_id=claim.job_id, text=claim.text, entities=claim.entities, at=claim.at)

    def value(self) -> ClaimRecord:
        return ClaimRecord(self.job_id, self.text, self.entities, self.at)


Line = HeaderLine | CollectionLine | PassageLine | EntityLine | FactLine | ClaimLine
LINES: TypeAdapter[Line] = TypeAdapter(Annotated[Line, Field(discriminator="kind")])
