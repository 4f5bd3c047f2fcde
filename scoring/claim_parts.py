"""Who does what to whom: the subject, relation and object of a claim, by rules, for the ranker's mismatch penalties.

A claim in which no verb is recognised has no parts, and nothing is held against any passage on their account.
"""

from dataclasses import dataclass

from scoring.text.lexicon import word_set
from scoring.text.words import is_content, stem, stem_set, tokens

_BE = word_set("is are was were be been being isn't aren't wasn't weren't")
_AUXILIARIES = _BE | word_set(
    """
    can can't cannot could couldn't did didn't do does doesn't don't had hadn't has hasn't have haven't may might must
    shall should shouldn't will won't would wouldn't
    """
)
_VERBS = stem_set(
    """
    accept achieve acquire activate affect allow announce appoint approve arrest attack attract ban beat become
    began begin block boost bought bring broke build built buy came carry cause change claim close collapse come
    confirm consume contain contribute control cost create cure cut damage decide declare decline decrease
    defeat deny destroy develop die discover double drop earn elect eliminate emit employ encourage end
    establish exceed expand export face fail fall fell find fire fly force form found fund gain gave generate
    give grew grow guarantee happen harm help hit hold host import improve include increase infect inhibit
    introduce invade invent join keep kill know last launch lead led leave lift limit live lose lost lower made
    make manufacture mean merge move need offer open outlaw own pay permit play pledge possess prevent produce
    prohibit protect prove provide publish purchase put raise ran reach receive reduce reject release remove
    replace report require resign result rise rose run say sell sent serve show shut sign sink sold spend split
    spread start stop strike suffer supply support surpass take teach test took trade transmit treat trigger
    turn use visit vote want warn weigh win won work write wrote
    """
)


@dataclass(frozen=True, slots=True)
class ClaimParts:
    """Stems of the claim's subject and object; a passive claim has them in the order of its active form."""

    subject: frozenset[str] = frozenset()
    object: frozenset[str] = frozenset()


def claim_parts(claim: str) -> ClaimParts:
    """What stands before the first verb, and what stands after it."""
    words = tokens(claim)
    start = _first_verb(words)
    if start is None:
        return ClaimParts()
    end = _end_of_verbs(words, start)
    passive = bool(_BE.intersection(words[start:end])) and "by" in words[end:]
    before = _stems(words[:start])
    after = _stems(words[end:]) - before
    if passive:
        agent = _stems(words[words.index("by", end) + 1 :]) - before
        return ClaimParts(subject=agent, object=before) if agent else ClaimParts(before, after)
    return ClaimParts(subject=before, object=after)


def _first_verb(words: tuple[str, ...]) -> int | None:
    """The first verb that has something to say something about: a content word stands before it."""
    seen_content = False
    for index, word in enumerate(words):
        if seen_content and (word in _AUXILIARIES or stem(word) in _VERBS):
            return index
        seen_content = seen_content or is_content(word)
    return None


def _end_of_verbs(words: tuple[str, ...], start: int) -> int:
    """After the auxiliaries, negations and the main verb: "has not been shown", "is caused"."""
    end = start
    while end < len(words) and (words[end] in _AUXILIARIES or words[end] in ("not", "never", "also", "only")):
        end += 1
    if end < len(words) and (stem(words[end]) in _VERBS or (end > start and words[end].endswith("ed"))):
        end += 1
    return end


def _stems(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(stem(word) for word in words if is_content(word))
