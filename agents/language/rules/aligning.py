"""Which words of a claim a sentence also says, directly, by kindred words or by their opposites."""

from collections.abc import Sequence
from dataclasses import dataclass

from agents.language.rules.lexicon import ROLES_FOR_ONE, are_kin, are_opposites
from agents.language.rules.reading import Reading, Word

# A name weighs more than another word: without it the sentence is about someone else.
NAME_WEIGHT = 1.5
# A name said elsewhere in the passage ("She", "the company" here) counts, but less than one in the sentence.
ELSEWHERE = 0.8
# What stands before a name and tells its role: "in Oslo" and "in Bergen" answer the same question.
_ROLES = frozenset(["in", "at", "by", "from", "of", "for", "with", "on", "near", "to"])


@dataclass(frozen=True, slots=True)
class Alignment:
    """How a sentence meets a claim.

    `cover` is the weighted share of the claim's words it says, `statement` the share of those that are no names;
    `opposites` how many it says by their opposite;
    `denied` whether it denies what the claim asserts or the reverse; `other_referent` whether it speaks of another
    thing of the same kind ("food prices" for "house prices"); `missing_name` whether a name of the claim is nowhere
    in the passage; `replaced_name` whether another name stands in that one's place."""

    cover: float
    statement: float
    opposites: int
    denied: bool
    other_referent: bool
    missing_name: bool
    replaced_name: bool


def align(claim: Reading, sentence: Reading, passage: Sequence[Reading]) -> Alignment:
    """Aligns the claim with one sentence of a passage."""
    elsewhere = {word.stem for other in passage for word in other.content}
    partners = [_partner(word, sentence) for word in claim.content]
    total = said = 0.0
    absent: list[Word] = []
    missing: list[Word] = []
    for word, partner in zip(claim.content, partners, strict=True):
        weight = NAME_WEIGHT if word.name else 1.0
        total += weight
        if partner is not None:
            said += weight
        elif word.name:
            absent.append(word)
            said += ELSEWHERE * weight if word.stem in elsewhere else 0.0
            missing += [] if word.stem in elsewhere else [word]
    pairs = [(w, p) for w, p in zip(claim.content, partners, strict=True) if p is not None]
    statement = [partner for word, partner in zip(claim.content, partners, strict=True) if not word.name]
    return Alignment(
        cover=said / total if total else 0.0,
        statement=sum(1 for partner in statement if partner is not None) / len(statement) if statement else 1.0,
        opposites=sum(1 for mine, theirs in pairs if are_opposites(mine.stem, theirs.stem)),
        denied=_denied(pairs),
        other_referent=_other_referent(claim, sentence, partners),
        missing_name=bool(missing),
        replaced_name=_replaced(claim, sentence, absent, pairs),
    )


def _partner(word: Word, sentence: Reading) -> Word | None:
    """The word of the sentence that says the same, something kindred, or the opposite; the closest wins."""
    for same in (_equal, _kindred, _opposite):
        for candidate in sentence.content:
            if same(word, candidate):
                return candidate
    return None


def _equal(one: Word, other: Word) -> bool:
    return one.stem == other.stem


def _kindred(one: Word, other: Word) -> bool:
    return are_kin(one.stem, other.stem)


def _opposite(one: Word, other: Word) -> bool:
    return not other.name and are_opposites(one.stem, other.stem)


def _denied(pairs: Sequence[tuple[Word, Word]]) -> bool:
    """Whether one side denies what the other asserts; of the sentence, only the words that carry the statement count,
    as a name may stand near the negation of something else."""
    carriers = [theirs for mine, theirs in pairs if not mine.name] or [theirs for _, theirs in pairs]
    return any(mine.denied for mine, _ in pairs) != any(theirs.denied for theirs in carriers)


def _other_referent(claim: Reading, sentence: Reading, partners: Sequence[Word | None]) -> bool:
    """Whether a word that qualifies a shared noun in the claim is another one in the sentence."""
    said_stems = {word.stem for word in claim.content}
    position = {word.start: index for index, word in enumerate(sentence.words)}
    for index in range(1, len(claim.content)):
        qualifier, head = claim.content[index - 1], partners[index]
        adjacent = claim.content[index].start - (qualifier.start + len(qualifier.text)) <= 1
        if head is None or partners[index - 1] is not None or not adjacent or qualifier.name:
            continue
        at = position[head.start]
        before = sentence.words[at - 1] if at else None
        if before is not None and before.content and before.stem not in said_stems:
            return True
    return False


def _replaced(claim: Reading, sentence: Reading, absent: Sequence[Word], pairs: Sequence[tuple[Word, Word]]) -> bool:
    """Whether everything else is said, and another name stands in a place that only one can fill."""
    others = [word for word in claim.content if word not in absent]
    if not absent or len(pairs) < len(others) or not any(word.stem in ROLES_FOR_ONE for word in others):
        return False
    claim_stems = {word.stem for word in claim.content}
    strangers = [word for word in sentence.words if word.name and word.content and word.stem not in claim_stems]
    places = {place for word in strangers if (place := _place(sentence, word)) is not None}
    return all(_place(claim, word) in places for word in absent)


def _place(reading: Reading, word: Word) -> tuple[str, str] | None:
    """Where a name stands: at the start with the word after it, or behind a preposition with the word before that."""
    index = next(i for i, other in enumerate(reading.words) if other.start == word.start)
    first = last = index
    while first and (reading.words[first - 1].name or reading.words[first - 1].text.lower() == "the"):
        first -= 1
    while last + 1 < len(reading.words) and reading.words[last + 1].name:
        last += 1
    if first == 0:
        after = [other.stem for other in reading.words[last + 1 :] if other.content]
        return ("subject", after[0]) if after else None
    before = [other.stem for other in reading.words[:first] if other.content]
    preposition = reading.words[first - 1].text.lower()
    return (preposition, before[-1]) if preposition in _ROLES and before else None
