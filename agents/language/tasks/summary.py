"""The summary of a decomposed claim's parts, in at most three sentences; 004 §8 falls back on putting them together."""

from collections.abc import Sequence

from pydantic import BaseModel

from agents.language.config import LanguagePolicy
from agents.language.hostile import clean, gives_orders
from agents.language.llm.asking import Answer, Asker, Question
from agents.language.prompts import Block, quote, system
from agents.language.quota import CallTag, QuotaState
from agents.language.rules.rationale import summarise_parts
from agents.language.rules.sentences import split_sentences
from agents.language.tasks.grounding import is_grounded
from scoring.values import Verdict

VERSION = "summary-1"
MAX_LENGTH = 900
MAX_SENTENCES = 3
TASK = """A claim was checked in parts. Each quoted part is followed by its result in our words. Sum up in one to three
sentences what holds, what does not, and what stays open. Add nothing that is not in the parts or their results."""


class SummaryOut(BaseModel):
    """The schema of the summary call."""

    summary: str


async def summarise(
    results: Sequence[tuple[str, Verdict]], asker: Asker | None, policy: LanguagePolicy, state: QuotaState
) -> tuple[str, QuotaState]:
    """A low-priority call: the rules' sentence says the same, only less smoothly."""
    fallback = summarise_parts(results)
    if asker is None or len(results) < policy.summarised_parts:
        return fallback, state
    quoted = [
        quote([Block("part", f"s{number}", text, policy.max_claim_length)])
        for number, (text, _) in enumerate(results, start=1)
    ]
    if any(part.withheld for part in quoted):
        return fallback, state
    lines = [
        f"{part.content}\nResult of {part.shown[0]}: {verdict}."
        for part, (_, verdict) in zip(quoted, results, strict=True)
    ]
    question = Question("summary", VERSION, CallTag.SUMMARY, "low", system(TASK), "\n\n".join(lines), SummaryOut)
    answer: Answer[SummaryOut] = await asker.ask(question, state)
    if answer.value is None:
        return fallback, answer.state
    text = " ".join(clean(answer.value.summary, MAX_LENGTH).split())
    return (text if _is_usable(text, results) else fallback), answer.state


def _is_usable(text: str, results: Sequence[tuple[str, Verdict]]) -> bool:
    sentences = split_sentences(text)
    known = " ".join(part for part, _ in results) + " " + summarise_parts(results)
    if not 1 <= len(sentences) <= MAX_SENTENCES or any(gives_orders(sentence) for sentence in sentences):
        return False
    return is_grounded(text, known, 0.4)
