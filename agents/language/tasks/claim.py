"""The claim call: names, type, statements, anchors, queries and metadata of a claim in one question.

What the model proposes is taken field by field, if it is grounded in the claim; the rest is done by rules.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from pydantic import BaseModel, Field

from agents.language.config import LanguagePolicy
from agents.language.hostile import Screened, screen
from agents.language.llm.asking import Answer, Asker, Question
from agents.language.prompts import Block, quote, system
from agents.language.quota import CallTag, QuotaState
from agents.language.rules.context import decontextualise
from agents.language.rules.decompose import decompose
from agents.language.rules.entities import Entity, find_entities
from agents.language.rules.metadata import ClaimMetadata, PredicateType, TimeAnchor, describe
from agents.language.rules.queries import MAX_QUERIES, plan_queries
from agents.language.tasks.grounding import covers, is_grounded, safe_queries
from scoring.anchors import anchors as anchor_terms
from scoring.checks import clamp
from scoring.claim_types import ClaimKind, profile

FieldSource = Literal["model", "cache", "rules"]
VERSION = "claim-1"
# Statements together must say nearly all of the claim, or part of it would go unchecked.
MIN_COVERED = 0.7
MIN_QUERIES = 2

TASK = """Read the quoted claim and return:
- entities: the names of people, organisations, places and works in it, each with other names it is commonly known by;
- kind: therapeutic, causal, mechanistic or general;
- standalone: the claim so that it can be understood alone, with pronouns and relative dates resolved, adding no facts;
- subclaims: the separate factual statements it makes, at most 5, each complete with its subject, in its own words;
  one statement if it makes only one; never split a phrase such as "Trinidad and Tobago";
- anchors: 2 to 5 terms per subclaim that any page about it would have to mention, in the order of the subclaims;
- queries: 2 to 4 different web searches: key phrases in quotation marks with the date, a plain one, one that looks for
  fact checks, one that looks for debunkings;
- check_worthiness and harm_potential between 0 and 1, time_anchor (explicit, relative, none, unknown), predicate_type
  (event, measurement, quote, policy, ranking, existence, causal, opinion, other), is_falsifiable."""


class EntityOut(BaseModel):
    name: str
    aliases: list[str] = Field(default_factory=list)


class ClaimOut(BaseModel):
    """The schema of the claim call."""

    entities: list[EntityOut] = Field(default_factory=list)
    kind: ClaimKind = "general"
    standalone: str = ""
    subclaims: list[str] = Field(default_factory=list)
    anchors: list[list[str]] = Field(default_factory=list)
    queries: list[str] = Field(default_factory=list)
    check_worthiness: float = 0.5
    harm_potential: float = 0.5
    time_anchor: TimeAnchor = "unknown"
    predicate_type: PredicateType = "other"
    is_falsifiable: bool = True


@dataclass(frozen=True, slots=True)
class ClaimText:
    """A claim as it was submitted, and what frames it."""

    text: str
    domain: str = "general"
    as_of: date | None = None


@dataclass(frozen=True, slots=True)
class ClaimReading:
    """What is known of a claim before it is searched for. `subclaims` is the claim alone if it is one statement.

    `removed` counts sentences of the claim that gave orders and were left out of everything here; `sources` says
    for each field whether a model or rules filled it."""

    standalone: str
    entities: tuple[Entity, ...]
    kind: ClaimKind
    subclaims: tuple[str, ...]
    anchors: Mapping[str, tuple[str, ...]]
    queries: tuple[str, ...]
    metadata: ClaimMetadata
    removed: int
    sources: Mapping[str, FieldSource]

    @property
    def is_only_orders(self) -> bool:
        """Whether nothing was left to verify once the orders were gone."""
        return self.removed > 0 and not self.standalone

    @property
    def is_decomposed(self) -> bool:
        return len(self.subclaims) > 1


FIELDS = ("standalone", "entities", "kind", "subclaims", "anchors", "queries", "metadata")


def read_by_rules(claim: ClaimText, policy: LanguagePolicy) -> ClaimReading:
    """Everything by rules."""
    return _by_rules(claim, screen(claim.text, policy.max_claim_length), policy)


def _by_rules(claim: ClaimText, screened: Screened, policy: LanguagePolicy) -> ClaimReading:
    text = " ".join(screened.text.split())
    standalone = decontextualise(text, "", claim.as_of)
    entities = find_entities(standalone)
    subclaims = decompose(standalone, policy.decompose) if standalone else ()
    names = [entity.name for entity in entities]
    return ClaimReading(
        standalone=standalone,
        entities=entities,
        kind=profile(standalone, claim.domain).kind,
        subclaims=subclaims,
        anchors={part: anchor_terms(part) for part in subclaims},
        queries=plan_queries(standalone, names, claim.domain, claim.as_of) if standalone else (),
        metadata=describe(standalone),
        removed=screened.removed,
        sources=dict.fromkeys(FIELDS, "rules"),
    )


async def read_claim(
    claim: ClaimText, asker: Asker | None, policy: LanguagePolicy, state: QuotaState
) -> tuple[ClaimReading, QuotaState]:
    """One call, or none: without a model, and for a claim that gave orders, the rules answer."""
    rules = await asyncio.to_thread(read_by_rules, claim, policy)
    if asker is None or not policy.use_model_for_claims or rules.removed or not rules.standalone:
        return rules, state
    quoted = quote([Block("claim", "c1", rules.standalone, policy.max_claim_length)])
    dated = f"\nThe claim was made on {claim.as_of.isoformat()}." if claim.as_of else ""
    question = Question(
        task="claim",
        version=VERSION,
        tag=CallTag.CLAIM,
        priority="normal",
        system=system(TASK),
        content=f"{quoted.content}\n\nIts domain is {claim.domain}.{dated}",
        schema=ClaimOut,
    )
    answer: Answer[ClaimOut] = await asker.ask(question, state)
    if answer.value is None:
        return rules, answer.state
    source: FieldSource = "cache" if answer.source == "cache" else "model"
    return _merged(rules, answer.value, source, policy), answer.state


def _merged(rules: ClaimReading, out: ClaimOut, source: FieldSource, policy: LanguagePolicy) -> ClaimReading:
    """The rules' reading with every field of the model's that is grounded in the claim."""
    claim = rules.standalone
    taken: dict[str, FieldSource] = dict(rules.sources)
    entities = tuple(
        Entity(one.name, tuple(alias for alias in one.aliases if 0 < len(alias) <= 80)[:6])
        for one in out.entities
        if one.name and one.name.lower() in claim.lower()
    )
    subclaims = _grounded_parts(out, claim, policy)
    queries = safe_queries(out.queries, claim)[:MAX_QUERIES]
    reading = replace(rules, kind=out.kind, metadata=_metadata(out))
    taken |= {"kind": source, "metadata": source}
    if entities:
        reading, taken["entities"] = replace(reading, entities=entities), source
    if subclaims:
        proposed = dict(zip(out.subclaims, out.anchors, strict=False)) if len(out.anchors) == len(out.subclaims) else {}
        safe = {part: [term for term in proposed.get(part, ()) if is_grounded(term, claim)] for part in subclaims}
        terms = {part: anchor_terms(part, safe[part]) for part in subclaims}
        reading = replace(reading, subclaims=subclaims, anchors=terms)
        taken |= {"subclaims": source, "anchors": source}
    if len(queries) >= MIN_QUERIES:
        reading, taken["queries"] = replace(reading, queries=tuple(queries)), source
    return replace(reading, sources=taken)


def _grounded_parts(out: ClaimOut, claim: str, policy: LanguagePolicy) -> tuple[str, ...]:
    """The model's statements if each is grounded and together they say the claim; nothing otherwise."""
    settings = policy.decompose
    parts = list(dict.fromkeys(part.strip() for part in out.subclaims if part.strip()))[: settings.max_subclaims]
    if not settings.enabled or len(claim) < settings.min_claim_length:
        return ()
    if len(parts) < 2:
        return (claim,) if parts else ()
    whole = all(is_grounded(part, claim) for part in parts) and covers(parts, claim, MIN_COVERED)
    return tuple(parts) if whole else ()


def _metadata(out: ClaimOut) -> ClaimMetadata:
    return ClaimMetadata(
        check_worthiness=clamp(out.check_worthiness),
        harm_potential=clamp(out.harm_potential),
        time_anchor=out.time_anchor,
        predicate_type=out.predicate_type,
        is_falsifiable=out.is_falsifiable,
        confidence=0.8,
    )
