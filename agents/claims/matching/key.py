"""One key for every spelling of one question: the claim without what says nothing, and all that decides its answer."""

import hashlib
import json
import re
import unicodedata

from agents.claims.matching.statement import statement
from agents.claims.submission import Submission
from scoring.text.words import STOP_WORDS

_TYPOGRAPHY = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "–": "-", "—": "-"})
# What is put before a claim when it is passed on.
_PASSED_ON = re.compile(
    r"^(?:(?:rt|fwd?|fw|breaking(?: news)?|just in|update|urgent|alert)\s*:+\s*|rt\s+@\w+\s*:?\s*)+", re.IGNORECASE
)
_END = re.compile(r"[\s.!…\"']+$")
_FIRST_PICTURE = "\u2190"
"""From here on signs are arrows, boxes and emoji; before it stand degrees and trade marks, which say something."""


def normal_claim(text: str) -> str:
    """The claim without case, typography, emoji, what was put before it and the full stops behind it."""
    plain = "".join(character for character in text if not _is_silent(character))
    plain = " ".join(plain.translate(_TYPOGRAPHY).split())
    plain = _END.sub("", _PASSED_ON.sub("", plain).lstrip("\"'"))
    loud = plain.isupper()
    return " ".join(_folded(word, loud=loud) for word in plain.split())


def _is_silent(character: str) -> bool:
    """Joiners and other marks of format, and pictures: nothing that is read aloud."""
    category = unicodedata.category(character)
    return category == "Cf" or (character >= _FIRST_PICTURE and category in ("So", "Sk", "Mn", "Me"))


def _folded(word: str, *, loud: bool) -> str:
    """ "US" and "us", "WHO" and "who" are two words, unless all of the claim is in capitals."""
    bare = word.strip("\"'.,;:()")
    keeps_case = not loud and bare.isupper() and len(bare) > 1 and bare.lower() in STOP_WORDS
    return word if keeps_case else word.casefold()


def scope(submission: Submission, mode: str, policy: str) -> str:
    """The same for submissions that are looked at in the same way, as of the same day, for the same people."""
    asked = {
        "as_of": submission.as_of.isoformat() if submission.as_of else "",
        "domain": submission.domain.casefold(),
        "top_k": submission.top_k,
        "trust_mode": mode,
        "policy": policy,
        "workspace_id": submission.workspace_id or "",
    }
    return _digest(asked)


def claim_key(claim: str, within: str) -> str:
    """One key for all spellings of a claim within a scope."""
    return _digest([within, normal_claim(claim)])


def sense_key(claim: str, within: str) -> str:
    """One key for all orders of the same words and figures; empty for a claim without any.

    Claims whose words differ are never the same (`agreement`), so whatever may be the same has the same key.
    """
    read = statement(claim)
    words = sorted(term.form for term in read.terms)
    figures = sorted((one.dimension, one.value, one.bound, one.currency) for one in read.figures)
    return _digest([within, words, figures]) if words else ""


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
