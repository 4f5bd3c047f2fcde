"""The verdict call: stances of up to thirty passages, a proposed verdict and its rationale in one question.

A model revises what the local stance model found; it does not replace it. Its words are kept only if they cite
passages that it was shown, and only for the verdict that is finally given.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from pydantic import BaseModel, Field

from agents.language.config import LanguagePolicy
from agents.language.hostile import clean, gives_orders
from agents.language.llm.asking import Answer, Asker, Question
from agents.language.prompts import Block, quote, system
from agents.language.quota import CallTag, QuotaState
from agents.language.rules.sentences import split_sentences
from scoring.values import Stance, StanceLabel, Verdict

VERSION = "verdict-1"
MAX_RATIONALE = 1_200
# What a model's stance counts as, before it is averaged with the local one: strong, but not beyond doubt.
SURE, OTHER = 0.88, 0.06

TASK = """Judge the quoted passages against the quoted claim.
- stances: for every passage id, whether that passage supports, refutes or is neutral towards the claim. A passage that
  speaks about something else, asks, reports a rumour or gives another time is neutral.
- verdict: TRUE, FALSE, PARTIALLY_TRUE if one part holds and another does not, UNVERIFIABLE if the passages do not
  settle it.
- rationale: two to four sentences that say why, each statement followed by the id of the passage it rests on in square
  brackets, like [e2]. Use no other source and no knowledge of your own."""

_CITED = re.compile(r"\[\s*([\w:.-]{1,80})\s*\]")


class StanceOut(BaseModel):
    id: str
    stance: StanceLabel


class VerdictOut(BaseModel):
    """The schema of the verdict call."""

    stances: list[StanceOut] = Field(default_factory=list)
    verdict: Literal["TRUE", "FALSE", "PARTIALLY_TRUE", "UNVERIFIABLE"]
    rationale: str


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage with the stance that the local model gave it."""

    id: str
    text: str
    stance: Stance
    title: str = ""
    source: str = ""
    published: date | None = None


@dataclass(frozen=True, slots=True)
class VerdictReading:
    """Final stances by passage id, and what the model proposed, if it was asked and could be used.

    `withheld` are passages that gave orders: no model saw them, and the local stance stands."""

    stances: Mapping[str, Stance]
    proposed: Verdict | None = None
    rationale: str = ""
    withheld: tuple[str, ...] = ()
    source: Literal["model", "cache", "rules"] = "rules"


async def judge_evidence(
    claim: str, passages: Sequence[Passage], asker: Asker | None, policy: LanguagePolicy, state: QuotaState
) -> tuple[VerdictReading, QuotaState]:
    """One critical call, or none: without a model, without passages, and for a claim that gives orders."""
    local = VerdictReading({passage.id: passage.stance for passage in passages})
    if asker is None or not passages or gives_orders(clean(claim, policy.max_claim_length)):
        return local, state
    short = {f"e{number}": passage for number, passage in enumerate(passages[: policy.max_passages], start=1)}
    blocks = [Block("passage", key, _shown(passage), policy.max_passage_length) for key, passage in short.items()]
    quoted = quote(blocks)
    withheld = tuple(short[key].id for key in quoted.withheld)
    if not quoted.shown:
        return VerdictReading(local.stances, withheld=withheld), state
    asked = quote([Block("claim", "c1", claim, policy.max_claim_length)])
    question = Question(
        task="verdict",
        version=VERSION,
        tag=CallTag.VERDICT,
        priority="critical",
        system=system(TASK),
        content=f"{asked.content}\n\n{quoted.content}",
        schema=VerdictOut,
    )
    answer: Answer[VerdictOut] = await asker.ask(question, state)
    if answer.value is None:
        return VerdictReading(local.stances, withheld=withheld), answer.state
    visible = {key: short[key] for key in quoted.shown}
    reading = _merged(answer.value, visible, local.stances)
    return (
        VerdictReading(
            reading.stances,
            reading.proposed,
            reading.rationale,
            withheld,
            source="cache" if answer.source == "cache" else "model",
        ),
        answer.state,
    )


def _shown(passage: Passage) -> str:
    dated = f" ({passage.published.isoformat()})" if passage.published else ""
    return f"{passage.title}{dated}\n{passage.text}" if passage.title else passage.text


def _merged(out: VerdictOut, shown: Mapping[str, Passage], local: Mapping[str, Stance]) -> VerdictReading:
    labels = {one.id.strip("[] "): one.stance for one in out.stances}
    stances = dict(local)
    for key, passage in shown.items():
        if key in labels:
            stances[passage.id] = revise(passage.stance, labels[key])
    return VerdictReading(stances, Verdict(out.verdict), _checked(out.rationale, shown))


def revise(local: Stance, label: StanceLabel) -> Stance:
    """The mean of the local stance and the model's: agreement strengthens, disagreement ends near neutral."""
    theirs = {name: SURE if name == label else OTHER for name in ("supports", "refutes", "neutral")}
    opposed = {local.label, label} == {"supports", "refutes"}
    supports = (local.supports + theirs["supports"]) / 2.0
    refutes = (local.refutes + theirs["refutes"]) / 2.0
    if opposed:
        # Two readers see opposite things in one passage: it settles nothing.
        low = min(supports, refutes) / 2.0
        return Stance(supports=low, refutes=low, neutral=1.0 - 2.0 * low)
    return Stance(supports=supports, refutes=refutes, neutral=1.0 - supports - refutes)


def _checked(rationale: str, shown: Mapping[str, Passage]) -> str:
    """The rationale with the package's ids, or nothing if it cites what was not shown, cites nothing, or rambles."""
    text = " ".join(clean(rationale, MAX_RATIONALE).split())
    cited = [key.strip() for key in _CITED.findall(text)]
    sentences = split_sentences(text)
    if not cited or not set(cited) <= shown.keys() or not 2 <= len(sentences) <= 4:
        return ""
    if any(gives_orders(_CITED.sub("", sentence)) for sentence in sentences):
        return ""
    return _CITED.sub(lambda match: f"[{shown[match.group(1).strip()].id}]", text)
