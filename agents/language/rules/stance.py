"""Stance by rules: negation, opposites, numbers with units and tolerance, dates, names, and overlap.

Cautious on purpose: a passage is neutral unless one of its sentences really speaks about what the claim says.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from agents.language.ports import Pair
from agents.language.rules.aligning import Alignment, align
from agents.language.rules.comparing import DATES, Answer, comparable, compare
from agents.language.rules.lexicon import ABSOLUTES, HEARSAY, HEDGES, are_kin
from agents.language.rules.measures import Measure
from agents.language.rules.reading import Reading, read
from agents.language.rules.sentences import split_sentences
from scoring.values import NEUTRAL, Stance

Rule = Literal["overlap", "number", "negation", "opposite", "name", "hedged", "none"]
Found = Literal["supports", "refutes", "neutral", "hedged"]


@dataclass(frozen=True, slots=True)
class StancePolicy:
    """Where the rules begin to answer. Chosen on public training pairs, never on the pairs they are measured on."""

    speaks_about: float = 0.7
    """Share of the claim's words that a sentence must contain before it says anything about the claim."""
    states: float = 0.65
    """The same for the words that are no names: a page full of the right names may be about something else."""
    supports_from: float = 0.88
    """Share from which a sentence that contradicts nothing supports."""
    max_sentences: int = 40
    """Sentences read per passage; the rest of a longer one is not looked at."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one sentence says: its stance, the rule that decided, and how much of the claim it speaks about."""

    label: Literal["supports", "refutes", "neutral"]
    rule: Rule
    cover: float

    @property
    def found(self) -> Found:
        """The stance, or that the claim is told as hearsay or as a possibility: that is more than saying nothing."""
        return "hedged" if self.rule == "hedged" else self.label


# Characters around a number in which the words that say what it is a number of are looked for.
CONTEXT = 48

NOTHING = Finding("neutral", "none", 0.0)

# How often each rule was right where it answered, over 9,000 public training pairs: the probability its answer gets.
RELIABILITY: dict[tuple[str, Rule], float] = {
    ("supports", "overlap"): 0.78,
    ("supports", "number"): 0.79,
    ("refutes", "number"): 0.90,
    ("refutes", "negation"): 0.82,
    ("refutes", "opposite"): 0.81,
    ("refutes", "name"): 0.60,
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
        return tuple(as_stance(self.find(pair.claim, pair.titled)) for pair in pairs)

    def find(self, claim: str, passage: str) -> Finding:
        """The finding of the sentence that speaks most about the claim; two that disagree leave nothing."""
        claimed = read(claim)
        sentences = [read(sentence) for sentence in split_sentences(passage)[: self._policy.max_sentences]]
        findings = [self._judge_sentence(claimed, sentence, sentences) for sentence in sentences]
        telling = [finding for finding in findings if finding.label != "neutral"]
        if not telling:
            hedged = next((finding for finding in findings if finding.rule == "hedged"), NOTHING)
            together = self._find_in_pairs(claimed, sentences)
            return together if together.label != "neutral" else hedged
        best = max(telling, key=lambda finding: finding.cover)
        if any(finding.label != best.label and finding.cover >= best.cover for finding in telling):
            return NOTHING
        return best

    def _find_in_pairs(self, claim: Reading, sentences: Sequence[Reading]) -> Finding:
        """Two sentences in a row may say together what the claim says in one; they cannot refute together."""
        wanted = {word.stem for word in claim.content}
        for first, second in pairwise(sentences):
            said = {word.stem for word in (*first.content, *second.content)}
            if len(wanted & said) < self._policy.states * len(wanted):
                continue  # reading costs time, and most pairs speak about something else
            finding = self._judge_sentence(claim, read(f"{first.text} {second.text}"), sentences)
            if finding.label == "supports":
                return finding
        return NOTHING

    def _judge_sentence(self, claim: Reading, sentence: Reading, passage: Sequence[Reading]) -> Finding:
        aligned = align(claim, sentence, passage)
        if not self._speaks_about(claim, sentence, aligned):
            return NOTHING
        numbers = _numbers(claim, sentence, aligned)
        if "contradict" in numbers:
            return Finding("refutes", "number", aligned.cover)
        if aligned.denied != (aligned.opposites % 2 == 1):
            return _flipped(claim, aligned, passage)
        if _is_hedged(sentence) and not _is_hedged(claim):
            return Finding("neutral", "hedged", aligned.cover)
        if aligned.replaced_name and "unknown" not in numbers:
            return Finding("refutes", "name", aligned.cover)
        return self._supporting(claim, sentence, aligned, numbers)

    def _speaks_about(self, claim: Reading, sentence: Reading, aligned: Alignment) -> bool:
        if not claim.content or aligned.other_referent or sentence.text.rstrip().endswith("?"):
            return False
        enough = aligned.cover >= self._policy.speaks_about or aligned.replaced_name
        return enough and aligned.statement >= self._policy.states

    def _supporting(self, claim: Reading, sentence: Reading, aligned: Alignment, numbers: Sequence[Answer]) -> Finding:
        says_all = (
            set(numbers) <= {"agree"} and not aligned.missing_name and not _absolutes(claim) - _absolutes(sentence)
        )
        if not says_all or aligned.cover < self._policy.supports_from:
            return NOTHING
        return Finding("supports", "number" if numbers else "overlap", aligned.cover)


def _flipped(claim: Reading, aligned: Alignment, passage: Sequence[Reading]) -> Finding:
    """A sentence that says the reverse; by an opposite word only if it speaks of the same time."""
    if aligned.denied:
        return Finding("refutes", "negation", aligned.cover)
    return Finding("refutes", "opposite", aligned.cover) if _same_time(claim, passage) else NOTHING


def _numbers(claim: Reading, sentence: Reading, aligned: Alignment) -> list[Answer]:
    """What the sentence says about each number of the claim.

    Another number at another time contradicts nothing: 3.8 per cent in December and 4.1 in November."""
    answers = [_number(measure, claim, sentence, aligned) for measure in claim.measures]
    is_date = [measure.dimension in DATES for measure in claim.measures]
    times = [answer for answer, date in zip(answers, is_date, strict=True) if date]
    amounts = [answer for answer, date in zip(answers, is_date, strict=True) if not date]
    if "contradict" in amounts and any(answer in ("contradict", "unknown") for answer in times):
        return ["unknown"]
    return answers


def _number(claimed: Measure, claim: Reading, sentence: Reading, aligned: Alignment) -> Answer:
    """One that agrees settles it; the others contradict if all do, one is said of the same and no name is missing."""
    candidates = [found for found in sentence.measures if comparable(claimed, found)]
    if not candidates:
        return "silent"
    answers = {compare(claimed, found) for found in candidates}
    if "agree" in answers:
        return "agree"
    same = any(_shared_context(claimed, claim, found, sentence) for found in candidates)
    return "contradict" if answers == {"contradict"} and same and not aligned.missing_name else "unknown"


def _shared_context(claimed: Measure, claim: Reading, found: Measure, sentence: Reading) -> int:
    """How many words around the two numbers say the same."""
    mine, theirs = _context(claimed, claim), _context(found, sentence)
    return sum(1 for one in mine if any(are_kin(one, other) for other in theirs))


def _context(measure: Measure, reading: Reading) -> frozenset[str]:
    low, high = measure.start - CONTEXT, measure.end + CONTEXT
    return frozenset(word.stem for word in reading.content if low <= word.start < high)


def _same_time(claim: Reading, passage: Sequence[Reading]) -> bool:
    """Whether a dated claim meets its date in the passage: a bridge closed in May may well have opened in June."""
    dates = [measure for measure in claim.measures if measure.dimension in DATES]
    found = [measure for sentence in passage for measure in sentence.measures]
    return all(any(comparable(date, other) and compare(date, other) == "agree" for other in found) for date in dates)


def _absolutes(reading: Reading) -> set[str]:
    return {word.text.lower() for word in reading.words} & ABSOLUTES


def _is_hedged(sentence: Reading) -> bool:
    # "May" with a capital is the month.
    hedged = any(word.text.lower() in HEDGES and word.text != "May" for word in sentence.words)
    return hedged or bool(HEARSAY.search(sentence.text))


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
