"""Which words of a claim a sentence also says, directly, by kindred words or by their opposites."""

from collections.abc import Sequence
from dataclasses import dataclass

from agents.language.rules.lexicon import are_kin, are_opposites
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

    `cover` is the weighted share of the claim's words it says; `opposites` how many it says by their opposite;
    `denied` whether it denies what the claim asserts or the reverse; `other_referent` whether it speaks of another
    thing of the same kind ("food prices" for "house prices"); `missing_name` whether a name of the claim is nowhere
    in the passage; `replaced_name` whether another name stands in that one's place."""

    cover: float
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
    missing: list[Word] = []
    for word, partner in zip(claim.content, partners, strict=True):
        weight = NAME_WEIGHT if word.name else 1.0
        total += weight
        if partner is not None:
            said += weight
        elif word.name and word.stem in elsewhere:
            said += ELSEWHERE * weight
        elif word.name:
            missing.append(word)
    pairs = [(w, p) for w, p in zip(claim.content, partners, strict=True) if p is not None]
    return Alignment(
        cover=said / total if total else 0.0,
        opposites=sum(1 for mine, theirs in pairs if are_opposites(mine.stem, theirs.stem)),
        denied=_denied(pairs),
        other_referent=_other_referent(claim, sentence, partners),
        missing_name=bool(missing),
        replaced_name=_replaced(claim, sentence, missing, pairs),
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
    return are_opposites(one.stem, other.stem)


def _denied(pairs: Sequence[tuple[Word, Word]]) -> bool:
    """Whether one side denies what the other asserts, judged by the words that carry the statement."""
    carriers = [(mine, theirs) for mine, theirs in pairs if not mine.name] or list(pairs)
    return any(mine.denied for mine, _ in carriers) != any(theirs.denied for _, theirs in carriers)


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


def _replaced(claim: Reading, sentence: Reading, missing: Sequence[Word], pairs: Sequence[tuple[Word, Word]]) -> bool:
    """Whether everything else is said, and another name stands where the claim's name should."""
    others = [word for word in claim.content if word not in missing]
    if not missing or len(pairs) < len(others):
        return False
    claim_stems = {word.stem for word in claim.content}
    strangers = [word for word in sentence.words if word.name and word.content and word.stem not in claim_stems]
    roles = {_role(sentence, word) for word in strangers}
    return all(_role(claim, word) in roles for word in missing[:1])


def _role(reading: Reading, word: Word) -> str:
    """The preposition before a name, or "subject" for a name that opens the sentence."""
    index = next(i for i, other in enumerate(reading.words) if other.start == word.start)
    while index and (reading.words[index - 1].name or reading.words[index - 1].text.lower() == "the"):
        index -= 1
    before = reading.words[index - 1].text.lower() if index else ""
    if before in _ROLES:
        return before
    return "subject" if index <= 1 else "object"
