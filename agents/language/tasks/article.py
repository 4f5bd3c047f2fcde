"""The article call (002): the skeleton of an article, checked against its text; rules outline it otherwise."""

import asyncio

from pydantic import BaseModel, Field

from agents.language.config import LanguagePolicy
from agents.language.llm.asking import Answer, Asker, Question
from agents.language.prompts import Block, quote, system
from agents.language.quota import CallTag, QuotaState
from agents.language.rules.skeleton import MAX_PER_KIND, outline
from agents.language.tasks.grounding import is_grounded
from scoring.skeleton import (
    CoverageSkeleton,
    SkeletonEvent,
    SkeletonMeasurement,
    SkeletonPolicyStatement,
    SkeletonQuote,
)

VERSION = "article-1"
TASK = """List what the quoted article is made of, in its own words and with its numbers exactly as they are:
- events: who (subject) did what (verb, object), when and where, as far as it says;
- measurements: of what (subject), which measure (metric), how much (quantity), when;
- quotes: who said it (speaker), and the words;
- policies: who (subject) decided or demands what (action), from when.
Leave a field empty where the article says nothing. Leave out opinions and advertising."""


class EventOut(BaseModel):
    subject: str
    verb: str
    object: str = ""
    time: str = ""
    location: str = ""


class MeasurementOut(BaseModel):
    subject: str
    metric: str
    quantity: str
    time: str = ""


class QuoteOut(BaseModel):
    speaker: str
    quote_text: str


class PolicyOut(BaseModel):
    subject: str
    action: str
    time: str = ""


class ArticleOut(BaseModel):
    """The schema of the article call."""

    events: list[EventOut] = Field(default_factory=list)
    measurements: list[MeasurementOut] = Field(default_factory=list)
    quotes: list[QuoteOut] = Field(default_factory=list)
    policies: list[PolicyOut] = Field(default_factory=list)


async def outline_article(
    text: str, asker: Asker | None, policy: LanguagePolicy, state: QuotaState
) -> tuple[CoverageSkeleton, QuotaState]:
    """The skeleton. An article with orders in it is shown to the model without those sentences."""
    fallback = await asyncio.to_thread(outline, text)
    if asker is None:
        return fallback, state
    quoted = quote([Block("article", "a1", text, policy.max_article_length)], withhold=False)
    if not quoted.shown:
        return fallback, state
    question = Question("article", VERSION, CallTag.ARTICLE, "normal", system(TASK), quoted.content, ArticleOut)
    answer: Answer[ArticleOut] = await asker.ask(question, state)
    if answer.value is None:
        return fallback, answer.state
    proposed = _checked(answer.value, text)
    filled = proposed.events or proposed.measurements or proposed.quotes or proposed.policies
    return (proposed if filled else fallback), answer.state


def _checked(out: ArticleOut, text: str) -> CoverageSkeleton:
    """The entries whose words are the article's."""

    def said(*words: str) -> bool:
        return is_grounded(" ".join(word for word in words if word), text, 0.75)

    quotes = [one for one in out.quotes if one.quote_text.strip() and one.quote_text.strip() in text]
    return CoverageSkeleton(
        events=tuple(
            SkeletonEvent(one.subject, one.verb, one.object, one.time, one.location)
            for one in out.events
            if said(one.subject, one.verb, one.object, one.time, one.location)
        )[:MAX_PER_KIND],
        measurements=tuple(
            SkeletonMeasurement(one.subject, one.metric, one.quantity, one.time)
            for one in out.measurements
            if said(one.subject, one.metric, one.quantity, one.time)
        )[:MAX_PER_KIND],
        quotes=tuple(SkeletonQuote(one.speaker, one.quote_text.strip()) for one in quotes)[:MAX_PER_KIND],
        policies=tuple(
            SkeletonPolicyStatement(one.subject, one.action, one.time)
            for one in out.policies
            if said(one.subject, one.action, one.time)
        )[:MAX_PER_KIND],
    )
