"""Language cues: hedging, reporting, negation, absolute quantifiers, comparison and counting.

Each is a word list and a few phrases. They read English; a text without any cue is plain assertion.
"""

import re
from collections.abc import Set as AbstractSet

from scoring.text.lexicon import word_set
from scoring.text.quantities import quantities
from scoring.text.units import SMALL_NUMBERS
from scoring.text.words import tokens

HEDGES = word_set("""
    allegedly apparently appear appears approximately could doubtful inconclusive likely may maybe might perhaps
    possible possibly potential potentially preliminary presumably probable probably purportedly reportedly
    seemingly speculated suggest suggested suggests supposedly suspected uncertain unclear unconfirmed unknown
    unlikely unproven
    """)
REPORTING = word_set("allegedly purportedly reportedly rumored rumoured rumor rumour rumors rumours supposedly hoax")
REPORTING_PHRASES = (
    "according to claims",
    "alleged that",
    "alleges that",
    "believe that",
    "believed that",
    "believes that",
    "claim is circulating",
    "claim that",
    "claimed that",
    "claiming that",
    "claims circulating",
    "claims made",
    "claims that",
    "conspiracy theory",
    "false claim",
    "people say",
    "post claims",
    "posts claim",
    "shared on social media",
    "social media post",
    "the claim",
    "video claims",
    "viral",
    "we rated",
)
NEGATIONS = word_set("""
    aren't can't cannot couldn't didn't doesn't don't hadn't hardly hasn't haven't isn't neither never no nobody none
    nor not nothing shouldn't wasn't weren't without won't wouldn't
    """)
ABSOLUTES = word_set("""
    absolutely all always any anybody anyone completely each entirely every everybody everyone everything everywhere
    exclusively forever impossible invariably never nobody none nothing only totally universally wholly
    """)
COMPARATIVE_WORDS = word_set("""
    compared exceed exceeded exceeds outnumber outnumbered outnumbers outpace outpaced outpaces outperform
    outperformed outperforms surpass surpassed surpasses versus vs
    """)
COMPARATIVE_PHRASES = ("superior to", "inferior to", "relative to", "in contrast to", "twice as", "half as")
COUNT_PHRASES = ("number of", "how many", "a total of")
_COUNTED_KINDS = frozenset(("count", "percent", "fraction"))
# Phrases in which an absolute word asserts nothing about all cases.
_IDIOMS = (
    "above all",
    "after all",
    "all right",
    "all-time",
    "at all",
    "first of all",
    "not only",
    "if any",
    "in all",
)
_BOUND_WORDS = frozenset(("more", "less", "fewer", "greater", "higher", "lower", "rather", "other"))
_AS_AS = re.compile(r"\bas \w{3,20} as\b")


def is_hedged(text: str) -> bool:
    """Whether the wording is uncertain: "may", "suggests", "unproven"."""
    return hedged(frozenset(tokens(text)))


def is_reporting(text: str) -> bool:
    """Whether the text reports that something is claimed or believed, instead of stating it."""
    return reporting(text.lower(), frozenset(tokens(text)))


def is_negated(text: str) -> bool:
    """Whether the text contains a negation."""
    return not NEGATIONS.isdisjoint(tokens(text))


def has_absolute_quantifier(text: str) -> bool:
    """Whether the text speaks of all cases or of none: "always", "never", "every", an opening "no"."""
    lowered = " ".join(tokens(text.replace("-", " ")))
    if lowered.startswith("no ") and not lowered.startswith(("no longer", "no doubt")):
        return True
    for idiom in _IDIOMS:
        lowered = lowered.replace(idiom, " ")
    return not ABSOLUTES.isdisjoint(lowered.split())


def is_comparative(text: str) -> bool:
    """Whether two things are compared. "more than 500 people" is a bound on a number, not a comparison."""
    words = tokens(text)
    if not COMPARATIVE_WORDS.isdisjoint(words):
        return True
    lowered = " ".join(words)
    if any(phrase in lowered for phrase in COMPARATIVE_PHRASES) or _compares_as(lowered):
        return True
    return any(word == "than" and _than_compares(words, index) for index, word in enumerate(words))


def is_count_claim(text: str) -> bool:
    """Whether the statement stands or falls with a number of things or a share of them."""
    found = quantities(text)
    if any(quantity.kind in _COUNTED_KINDS for quantity in found):
        return True
    lowered = text.lower()
    return bool(found) and any(phrase in lowered for phrase in COUNT_PHRASES)


def hedged(words: AbstractSet[str]) -> bool:
    """`is_hedged` for words already at hand."""
    return not HEDGES.isdisjoint(words)


def reporting(lowered: str, words: AbstractSet[str]) -> bool:
    """`is_reporting` for a text already lowered and cut into words."""
    return not REPORTING.isdisjoint(words) or any(phrase in lowered for phrase in REPORTING_PHRASES)


def _compares_as(lowered: str) -> bool:
    return any(
        match.group() not in ("as well as", "as soon as", "as long as", "as far as")
        for match in _AS_AS.finditer(lowered)
    )


def _than_compares(words: tuple[str, ...], index: int) -> bool:
    before = words[index - 1] if index else ""
    after = words[index + 1] if index + 1 < len(words) else ""
    is_number = after[:1].isdigit() or after in SMALL_NUMBERS or after in ("a", "half")
    if before in ("rather", "other"):
        return False
    return not (is_number and before in _BOUND_WORDS)
