"""The queries call: what to search for next when earlier searches have left parts of a claim open."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from pydantic import BaseModel, Field

from agents.language.config import LanguagePolicy
from agents.language.llm.asking import Answer, Asker, Question
from agents.language.prompts import Block, quote, system
from agents.language.quota import CallTag, QuotaState
from agents.language.rules.queries import plan_again
from agents.language.tasks.grounding import MAX_QUERY, safe_queries

VERSION = "queries-1"

TASK = """Web searches about the quoted claim have not settled it. Return queries: 2 to 4 further web searches for what
its open parts leave open, in other words than the quoted earlier searches. Try other names for what it speaks of,
whoever would have decided, measured or announced it, and where that would be on record. Leave out figures of the claim
that may be wrong, and add none."""
LATELY = "Only what was published lately counts now: search for news."


@dataclass(frozen=True, slots=True)
class Sought:
    """What is looked for: a claim, the parts of it that are open, and the searches that were made."""

    claim: str
    still_open: Sequence[str] = ()
    entities: Sequence[str] = ()
    asked: Sequence[str] = ()
    as_of: date | None = None
    latest: bool = False
    """Whether only what was published of late is looked for."""


class QueriesOut(BaseModel):
    """The schema of the queries call."""

    queries: list[str] = Field(default_factory=list)


async def plan_next(
    sought: Sought, asker: Asker | None, policy: LanguagePolicy, state: QuotaState
) -> tuple[tuple[str, ...], QuotaState]:
    """The model's proposals, then the rules': a low-priority call. Who runs them drops what repeats earlier ones."""
    rules = plan_again(sought.claim, sought.still_open, sought.entities, sought.as_of, latest=sought.latest)
    if asker is None:
        return rules, state
    quoted = quote(
        [
            Block("claim", "c1", sought.claim, policy.max_claim_length),
            *(Block("part", f"s{n}", text, policy.max_claim_length) for n, text in enumerate(sought.still_open, 1)),
            *(Block("search", f"q{n}", text, MAX_QUERY) for n, text in enumerate(sought.asked, 1)),
        ]
    )
    if quoted.withheld:
        return rules, state
    dated = f"\n\nThe claim was made on {sought.as_of.isoformat()}." if sought.as_of else ""
    content = quoted.content + dated + (f"\n\n{LATELY}" if sought.latest else "")
    question = Question("queries", VERSION, CallTag.QUERIES, "low", system(TASK), content, QueriesOut)
    answer: Answer[QueriesOut] = await asker.ask(question, state)
    proposed = safe_queries(answer.value.queries, sought.claim) if answer.value is not None else []
    return (*proposed, *rules), answer.state
