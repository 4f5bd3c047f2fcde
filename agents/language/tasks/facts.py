"""The facts call: facts and relations of all pages of a loop in one question; each page is checked on its own."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from pydantic import BaseModel, Field

from agents.language.config import LanguagePolicy
from agents.language.llm.asking import Answer, Asker, Question
from agents.language.prompts import Block, quote, system
from agents.language.quota import CallTag, QuotaState
from agents.language.rules.facts import MAX_FACTS, MAX_TRIPLES, PageFacts, extract_facts
from agents.language.tasks.grounding import is_grounded
from scoring.values import Triple

VERSION = "facts-1"
MAX_FACT_LENGTH = 400
MAX_TERM_LENGTH = 120
# A fact is a sentence of the page made to stand alone: most of its words are the page's own.
MIN_SHARE = 0.75

TASK = """From each quoted page, take what bears on the quoted claim:
- facts: at most 12 sentences that the page states as facts, each understandable alone (names for pronouns, dates for
  "yesterday"), in the page's own words, with its numbers exactly as they are; no rumours, no questions, no advertising;
- triples: at most 12 relations between named things, as subject, relation, object.
Return one entry per page id."""


class TripleOut(BaseModel):
    subject: str
    relation: str
    object: str


class PageOut(BaseModel):
    id: str
    facts: list[str] = Field(default_factory=list)
    triples: list[TripleOut] = Field(default_factory=list)


class FactsOut(BaseModel):
    """The schema of the facts call."""

    pages: list[PageOut] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Page:
    """A fetched page."""

    id: str
    text: str
    title: str = ""
    published: date | None = None


async def read_pages(
    claim: str, pages: Sequence[Page], asker: Asker | None, policy: LanguagePolicy, state: QuotaState
) -> tuple[Mapping[str, PageFacts], QuotaState]:
    """The facts of each page by its id. Rules read pages that give orders and those the model got nothing from."""
    found = await asyncio.to_thread(_by_rules, pages)
    if asker is None or not pages:
        return found, state
    short = {f"p{number}": page for number, page in enumerate(pages[: policy.max_pages], start=1)}
    quoted = quote([Block("page", key, _shown(page), policy.max_page_length) for key, page in short.items()])
    asked = quote([Block("claim", "c1", claim, policy.max_claim_length)])
    if not quoted.shown or not asked.shown:
        return found, state
    question = Question(
        task="facts",
        version=VERSION,
        tag=CallTag.FACTS,
        priority="critical",
        system=system(TASK),
        content=f"{asked.content}\n\n{quoted.content}",
        schema=FactsOut,
    )
    answer: Answer[FactsOut] = await asker.ask(question, state)
    for entry in answer.value.pages if answer.value is not None else ():
        if entry.id in quoted.shown:
            page = short[entry.id]
            checked = _checked(entry, page)
            if checked.facts:
                found[page.id] = checked
    return found, answer.state


def _by_rules(pages: Sequence[Page]) -> dict[str, PageFacts]:
    return {page.id: extract_facts(page.text, page.published) for page in pages}


def _shown(page: Page) -> str:
    dated = f" ({page.published.isoformat()})" if page.published else ""
    return f"{page.title}{dated}\n{page.text}"


def _checked(entry: PageOut, page: Page) -> PageFacts:
    """What the model took from a page, as far as it is on the page."""
    source = _shown(page)
    facts = [
        fact.strip() for fact in entry.facts if len(fact) <= MAX_FACT_LENGTH and is_grounded(fact, source, MIN_SHARE)
    ]
    triples = [
        Triple(one.subject.strip(), one.relation.strip(), one.object.strip())
        for one in entry.triples
        if all(0 < len(term.strip()) <= MAX_TERM_LENGTH for term in (one.subject, one.relation, one.object))
        and is_grounded(one.subject, source, 1.0)
        and is_grounded(one.object, source, MIN_SHARE)
    ]
    return PageFacts(tuple(dict.fromkeys(facts))[:MAX_FACTS], tuple(dict.fromkeys(triples))[:MAX_TRIPLES])
