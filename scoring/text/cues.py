"""Language cues: hedging, reporting, negation, absolute quantifiers, comparison and counting.

Each is a word list and a few phrases. They read English; a text without any cue is plain assertion.
"""

import re
from typing import NamedTuple

from scoring.text.lexicon import word_set
from scoring.text.overlap import Passage
from scoring.text.phrases import Phrases
from scoring.text.quantities import quantities
from scoring.text.units import SMALL_NUMBERS
from scoring.text.words import tokens

HEDGES = word_set(
    """
    allegedly apparently appear appears could doubtful inconclusive likely may maybe might perhaps possible possibly
    potential potentially preliminary presumably probable probably purportedly reportedly seemingly speculated
    speculation suggest suggested suggests supposedly suspected uncertain unclear unconfirmed unknown unlikely
    unproven
    """
)
REPORTING = word_set("allegedly hoax purportedly reportedly rumor rumored rumors rumour rumoured rumours supposedly")
REPORTING_PHRASES = Phrases(
    "alleged that",
    "alleges that",
    "believe that",
    "believed that",
    "believed to",
    "believes that",
    "claim is circulating",
    "claim that",
    "claimed that",
    "claiming that",
    "claims circulating",
    "claims made",
    "claims that",
    "conspiracy theories",
    "conspiracy theory",
    "false claim",
    "false claims",
    "people say",
    "post claims",
    "posts claim",
    "shared on social media",
    "the claim",
    "video claims",
    "viral claim",
    "viral claims",
    "viral post",
    "viral posts",
    "viral video",
    "viral videos",
    "we rated",
    "went viral",
)
NEGATIONS = word_set("""
    aren't can't cannot couldn't didn't doesn't don't hadn't hardly hasn't haven't isn't neither never no nobody none
    nor not nothing shouldn't wasn't weren't without won't wouldn't
    """)
ABSOLUTES = word_set("""
    absolutely all always completely each entirely every everybody everyone everything everywhere exclusively forever
    impossible invariably never nobody none nothing totally universally wholly
    """)
COMPARATIVE_WORDS = word_set("""
    compared exceed exceeded exceeds outnumber outnumbered outnumbers outpace outpaced outpaces outperform
    outperformed outperforms surpass surpassed surpasses versus vs
    """)
COMPARATIVE_PHRASES = ("superior to", "inferior to", "relative to", "in contrast to", "twice as", "half as")
COUNT_PHRASES = ("number of", "how many", "a total of")
# What pages say around their content: text of this kind carries no evidence.
LOW_SIGNAL_PHRASES = Phrases(
    "accept all cookies",
    "accept cookies",
    "advertisement",
    "all rights reserved",
    "click here",
    "cookie policy",
    "enable javascript",
    "log in to",
    "our newsletter",
    "privacy policy",
    "read more",
    "sign up",
    "skip to content",
    "skip to main content",
    "subscribe to",
    "terms of use",
    "uses cookies",
    "we use cookies",
)
_CUE_WORDS = HEDGES | REPORTING | NEGATIONS | REPORTING_PHRASES.words | LOW_SIGNAL_PHRASES.words
_COUNTED_KINDS = frozenset(("count", "percent", "fraction"))
# Phrases in which an absolute word asserts nothing about all cases.
_IDIOMS = (" above all ", " after all ", " all right ", " all time ", " at all ")
_BOUND_WORDS = frozenset(("more", "less", "fewer", "greater", "higher", "lower", "rather", "other"))
_AS_AS = re.compile(r"\bas \w{3,20} as\b")


def is_hedged(text: str) -> bool:
    """Whether the wording is uncertain: "may", "suggests", "unproven"."""
    return hedged(Passage.of(text))


def is_reporting(text: str) -> bool:
    """Whether the text reports that something is claimed or believed, instead of stating it."""
    return reporting(Passage.of(text))


def is_negated(text: str) -> bool:
    """Whether the text contains a negation."""
    return not NEGATIONS.isdisjoint(tokens(text))


def has_absolute_quantifier(text: str) -> bool:
    """Whether the text speaks of all cases or of none: "always", "never", "every", an opening "no"."""
    lowered = f" {' '.join(tokens(text))} "
    if lowered.startswith(" no ") and not lowered.startswith((" no longer ", " no doubt ")):
        return True
    lowered = lowered.replace(" at all times ", " always ")
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


class Cues(NamedTuple):
    """What the ranker asks of each passage."""

    uncertain_wording: bool
    reporting_style: bool
    low_signal: bool
    negated: bool


_NO_CUES = Cues(uncertain_wording=False, reporting_style=False, low_signal=False, negated=False)


def cues(passage: Passage) -> Cues:
    """All of them at once: the words that matter are picked out first, and mostly there are none or few."""
    words = _CUE_WORDS & passage.words
    if not words:
        return _NO_CUES
    picked = Passage(passage.text, passage.tokens, words)
    return Cues(hedged(picked), reporting(picked), low_signal(picked), not NEGATIONS.isdisjoint(words))


def hedged(passage: Passage) -> bool:
    """`is_hedged` for a text already cut into words."""
    if HEDGES.isdisjoint(passage.words):
        return False
    # The month is no hedge: a lone "may" has to be written small.
    return HEDGES & passage.words != {"may"} or " may " in passage.text


def reporting(passage: Passage) -> bool:
    """`is_reporting` for a text already cut into words."""
    return not REPORTING.isdisjoint(passage.words) or REPORTING_PHRASES.occur_in(passage)


def low_signal(passage: Passage) -> bool:
    """Whether the text contains what pages say around their content: "accept cookies", "read more"."""
    return LOW_SIGNAL_PHRASES.occur_in(passage)


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
