"""Comparisons of numbers and years: claims such as "more than 180" beside a passage that says 187.

From a pair whose claim and evidence share an exact number, both sides are rewritten so that arithmetic decides the
label: supported, refuted, or open (the passage says "more than 180", the claim "fewer than 200").
"""

import random
import re
from typing import Literal

from training.pairs import NEUTRAL, REFUTES, SUPPORTS, Pair, Target
from training.text import NUMBER

Side = Literal["exact", "above", "below"]

ABOVE = ("more than", "over", "at least", "above", "greater than", "exceeding")
BELOW = ("less than", "under", "fewer than", "below", "at most")
ALREADY_COMPARED = re.compile(
    r"(more|less|fewer|greater|higher|lower|least|most|over|under|above|below|than|exceeding|about|around|almost|nearly"
    r"|approximately|between|to|and|-|–|#|no\.|age|aged|part|version|chapter|number|season|episode|/)\s*[$€£]?\s*$",
    re.IGNORECASE,
)
DAY_OR_MONTH = re.compile(
    r"(january|february|march|april|may|june|july|august|september|october|november|december)\s*$", re.IGNORECASE
)
IN_YEAR = re.compile(r"\b[Ii]n (1[5-9]\d\d|20[0-2]\d)\b")
COMPARED = re.compile(
    r"\b(more than|over|above|greater than|less than|under|fewer than|below)( [$€£]? ?)"
    r"(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?![\w,.]*\d)",
    re.IGNORECASE,
)


def label_of(claim: Side, claimed: float, evidence: Side, told: float) -> Target:
    """What a passage saying `evidence told` means for a claim saying `claim claimed`."""
    if evidence == "exact":
        holds = told > claimed if claim == "above" else told < claimed
        return SUPPORTS if holds else REFUTES
    if evidence == "above":
        if claim == "above":
            return SUPPORTS if told >= claimed else NEUTRAL
        return REFUTES if told >= claimed else NEUTRAL
    if claim == "below":
        return SUPPORTS if told <= claimed else NEUTRAL
    return REFUTES if told <= claimed else NEUTRAL


def _format(value: float, like: str) -> str:
    digits = len(like.split(".")[1]) if "." in like else 0
    return f"{value:,.{digits}f}" if "," in like or value >= 10_000 else f"{value:.{digits}f}"


def _near(value: float, like: str, draw: random.Random) -> float:
    """A number close enough to have to be read: from the next one up to half as much again."""
    step = 10.0 ** -(len(like.split(".")[1]) if "." in like else 0)
    distance = max(step, value * draw.choice((0.004, 0.01, 0.03, 0.08, 0.2, 0.5)) * draw.uniform(0.5, 1.5))
    moved = value + draw.choice((-1, 1)) * distance
    rounded = float(_format(max(moved, 0.0), like).replace(",", ""))
    return rounded if rounded != value else value + step


def _worded(side: Side, number: str, draw: random.Random) -> str:
    if side == "exact":
        return number
    return f"{draw.choice(ABOVE[:2] if side == 'above' else BELOW[:3])} {number}"


def compare_number(pair: Pair, draw: random.Random) -> Pair | None:
    """A shared exact number becomes a comparison in the claim, and sometimes in the evidence too."""
    for match in NUMBER.finditer(pair.claim):
        number, before = match.group(), pair.claim[: match.start()]
        value = float(number.replace(",", ""))
        if ALREADY_COMPARED.search(before) or DAY_OR_MONTH.search(before) or value < 3 or 1500 <= value <= 2100:
            continue
        at = re.search(rf"(?<![\w.,]){re.escape(number)}(?![\w.,/]*\d)", pair.evidence)
        of_score = pair.claim[match.end() : match.end() + 1] == "/"
        if of_score or at is None or ALREADY_COMPARED.search(pair.evidence[: at.start()]):
            continue
        claim_side: Side = draw.choice(("above", "below"))
        told_side: Side = draw.choice(("exact", "exact", "exact", "above", "below"))
        claimed = _near(value, number, draw)
        worded = _worded(claim_side, _format(claimed, number), draw)
        told = _worded(told_side, number, draw)
        return pair.changed(
            claim=before + worded + pair.claim[match.end() :],
            evidence=pair.evidence[: at.start()] + told + pair.evidence[at.end() :],
            target=label_of(claim_side, claimed, told_side, value),
        )
    return None


def compare_year(pair: Pair, draw: random.Random) -> Pair | None:
    """'in 1994' becomes 'before' or 'after' a near year where the evidence names 1994."""
    match = IN_YEAR.search(pair.claim)
    if match is None or match.group(1) not in pair.evidence:
        return None
    year = int(match.group(1))
    other = year + draw.choice((-1, 1)) * draw.choice((1, 1, 2, 3, 5, 10, 25))
    word = draw.choice(("before", "after", "prior to", "by", "in"))
    holds = {"by": year <= other, "after": year > other, "in": False}.get(word, year < other)
    opening = word.capitalize() if match.start() == 0 else word
    claim = f"{pair.claim[: match.start()]}{opening} {other}{pair.claim[match.end() :]}"
    return pair.changed(claim=claim, target=SUPPORTS if holds else REFUTES)


def recompare(pair: Pair, draw: random.Random) -> Pair | None:
    """A comparison the evidence bears out, with the bound moved near the number it is about, or turned round."""
    match = COMPARED.search(pair.claim)
    if match is None:
        return None
    side: Side = "above" if match.group(1).lower() in ABOVE else "below"
    bound = float(match.group(3).replace(",", ""))
    fits = [
        number
        for number in NUMBER.findall(pair.evidence)
        if 0.5 < float(number.replace(",", "")) / max(bound, 1e-9) < 2.0
        and label_of(side, bound, "exact", float(number.replace(",", ""))) == SUPPORTS
    ]
    if len(fits) != 1:
        return None
    told = float(fits[0].replace(",", ""))
    at = re.search(rf"(?<![\w.,]){re.escape(fits[0])}(?![\w.,]*\d)", pair.evidence)
    if at is None or ALREADY_COMPARED.search(pair.evidence[: at.start()]):
        return None
    new_bound = _near(told, match.group(3), draw)
    new_side: Side = draw.choice(("above", "below"))
    target = label_of(new_side, new_bound, "exact", told)
    word = draw.choice(ABOVE[:2] if new_side == "above" else BELOW[:2])
    worded = f"{word}{match.group(2)}{_format(new_bound, match.group(3))}"
    return pair.changed(claim=pair.claim[: match.start()] + worded + pair.claim[match.end() :], target=target)
