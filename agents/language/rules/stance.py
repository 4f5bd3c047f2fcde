"""Stance by rules: negation, opposites, numbers with units and tolerance, dates, names, and overlap.

Cautious on purpose: a passage is neutral unless one of its sentences really speaks about what the claim says.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from agents.language.ports import Pair
from agents.language.rules.aligning import Alignment, align
from agents.language.rules.comparing import Answer, comparable, compare
from agents.language.rules.lexicon import HEDGES
from agents.language.rules.measures import Measure
from agents.language.rules.reading import Reading, read
from agents.language.rules.sentences import split_sentences
from scoring.values import NEUTRAL, Stance

Rule = Literal["overlap", "number", "negation", "opposite", "name", "none"]


@dataclass(frozen=True, slots=True)
class StancePolicy:
    """Where the rules begin to answer. Chosen on public training pairs, never on the pairs they are measured on."""

    speaks_about: float = 0.6
    """Share of the claim's words that a sentence must contain before it says anything about the claim."""
    supports_from: float = 0.85
    """Share from which a sentence that contradicts nothing supports."""
    max_sentences: int = 40
    """Sentences read per passage; the rest of a longer one is not looked at."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one sentence says: its stance, the rule that decided, and how much of the claim it speaks about."""

    label: Literal["supports", "refutes", "neutral"]
    rule: Rule
    cover: float


NOTHING = Finding("neutral", "none", 0.0)

# How often each rule was right where it answered, on training pairs: the probability its answer gets.
RELIABILITY: dict[tuple[str, Rule], float] = {
    ("supports", "overlap"): 0.80,
    ("supports", "number"): 0.80,
    ("refutes", "number"): 0.80,
    ("refutes", "negation"): 0.80,
    ("refutes", "opposite"): 0.80,
    ("refutes", "name"): 0.70,
}


class LexicalStance:
    """The `StanceModel` that needs no model."""

    name = "lexical-rules-1"

    def __init__(self, policy: StancePolicy | None = None) -> None:
        self._policy = policy or StancePolicy()

    async def judge(self, pairs: Sequence[Pair]) -> tuple[Stance, ...]:
        """One stance per pair; the reading is done in a worker thread."""
        return await asyncio.to_thread(self.judge_now, pairs)

    def judge_now(self, pairs: Sequence[Pair]) -> tuple[Stance, ...]:
        """The same, in the calling thread."""
        return tuple(as_stance(self.find(claim, passage)) for claim, passage in pairs)

    def find(self, claim: str, passage: str) -> Finding:
        """The finding of the sentence that speaks most about the claim; two that disagree leave nothing."""
        claimed = read(claim)
        sentences = [read(sentence) for sentence in split_sentences(passage)[: self._policy.max_sentences]]
        findings = [self._judge_sentence(claimed, sentence, sentences) for sentence in sentences]
        telling = [finding for finding in findings if finding.label != "neutral"]
        if not telling:
            return NOTHING
        best = max(telling, key=lambda finding: finding.cover)
        if any(finding.label != best.label and finding.cover >= best.cover for finding in telling):
            return NOTHING
        return best

    def _judge_sentence(self, claim: Reading, sentence: Reading, passage: Sequence[Reading]) -> Finding:
        if not claim.content or sentence.text.rstrip().endswith("?"):
            return NOTHING
        aligned = align(claim, sentence, passage)
        if aligned.cover < self._policy.speaks_about or aligned.other_referent:
            return NOTHING
        numbers = _numbers(claim, sentence, aligned)
        if "contradict" in numbers:
            return Finding("refutes", "number", aligned.cover)
        flipped = aligned.denied != (aligned.opposites % 2 == 1)
        if _is_hedged(sentence) and not _is_hedged(claim) and not flipped:
            return NOTHING
        if flipped:
            return Finding("refutes", "negation" if aligned.denied else "opposite", aligned.cover)
        return self._without_contradiction(aligned, numbers)

    def _without_contradiction(self, aligned: Alignment, numbers: Sequence[Answer]) -> Finding:
        if aligned.replaced_name:
            return Finding("refutes", "name", aligned.cover)
        if "unknown" in numbers or aligned.missing_name or aligned.cover < self._policy.supports_from:
            return NOTHING
        return Finding("supports", "number" if numbers else "overlap", aligned.cover)


def _numbers(claim: Reading, sentence: Reading, aligned: Alignment) -> list[Answer]:
    """What the sentence says about each number of the claim."""
    return [_number(measure, sentence, aligned) for measure in claim.measures]


def _number(claimed: Measure, sentence: Reading, aligned: Alignment) -> Answer:
    answers = {compare(claimed, found) for found in sentence.measures if comparable(claimed, found)}
    if "agree" in answers:
        return "agree"
    # Another number of the same kind contradicts only where the sentence is about the same thing.
    if answers == {"contradict"} and not aligned.missing_name:
        return "contradict"
    return "unknown"


def _is_hedged(sentence: Reading) -> bool:
    return any(word.text.lower() in HEDGES for word in sentence.words)


def as_stance(finding: Finding) -> Stance:
    """The probabilities of a finding: its rule's reliability, the rest mostly neutral."""
    if finding.label == "neutral":
        return NEUTRAL
    sure = RELIABILITY[finding.label, finding.rule]
    other = round((1.0 - sure) / 4.0, 6)
    neutral = 1.0 - sure - other
    if finding.label == "supports":
        return Stance(supports=sure, refutes=other, neutral=neutral)
    return Stance(supports=other, refutes=sure, neutral=neutral)
