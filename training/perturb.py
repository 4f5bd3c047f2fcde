"""Changes to a supported pair that turn it into a refuted or unsupported one: numbers, names, negation, antonyms.

Each operation takes a pair and a random source and returns the changed pair, or None where it does not apply.
"""

import random
import re
from collections.abc import Callable, Mapping, Sequence

from training.pairs import NEUTRAL, REFUTES, SUPPORTS, Pair
from training.text import NUMBER, names

Operation = Callable[[Pair, random.Random], Pair | None]

RAISES = frozenset(["more", "over", "above", "exceeding", "least", "exceeds", "exceeded", "surpassed", "greater"])
LOWERS = frozenset(["less", "fewer", "under", "below", "most", "lower"])
ROUGH = frozenset(["about", "around", "approximately", "nearly", "almost", "roughly", "some"])

ANTONYMS = (
    ("increase", "decrease"), ("increases", "decreases"), ("increased", "decreased"), ("increasing", "decreasing"),
    ("higher", "lower"), ("high", "low"), ("highest", "lowest"), ("more", "less"), ("greater", "smaller"),
    ("improve", "worsen"), ("improves", "worsens"), ("improved", "worsened"), ("positive", "negative"),
    ("effective", "ineffective"), ("safe", "dangerous"), ("before", "after"), ("first", "last"), ("best", "worst"),
    ("better", "worse"), ("early", "late"), ("earlier", "later"), ("younger", "older"), ("young", "old"),
    ("male", "female"), ("men", "women"), ("reduce", "increase"), ("reduces", "increases"), ("reduced", "increased"),
    ("prevent", "cause"), ("prevents", "causes"), ("protects against", "promotes"), ("induces", "inhibits"),
    ("promotes", "inhibits"), ("promote", "inhibit"), ("activates", "suppresses"), ("activation", "inhibition"),
    ("upregulates", "downregulates"), ("enhances", "impairs"), ("enhance", "impair"), ("beneficial", "harmful"),
    ("common", "rare"), ("strong", "weak"), ("large", "small"), ("larger", "smaller"), ("long", "short"),
    ("won", "lost"), ("wins", "loses"), ("alive", "dead"), ("rose", "fell"), ("rise", "fall"), ("gain", "loss"),
    ("accept", "reject"), ("accepted", "rejected"), ("approved", "rejected"), ("support", "oppose"),
    ("supported", "opposed"), ("supports", "opposes"), ("legal", "illegal"), ("north", "south"), ("east", "west"),
    ("northern", "southern"), ("eastern", "western"), ("above", "below"), ("majority", "minority"),
    ("significant", "insignificant"), ("sensitive", "resistant"), ("survival", "mortality"), ("same", "different"),
    ("always", "never"), ("succeeded", "failed"), ("opened", "closed"), ("began", "ended"), ("starts", "ends"),
    ("married", "divorced"), ("acquired", "sold"), ("accelerates", "slows"), ("faster", "slower"),
    ("warmer", "colder"), ("warming", "cooling"), ("melting", "growing"), ("true", "false"), ("lack", "have"),
)  # fmt: skip
OPPOSITE: Mapping[str, str] = {a: b for one, other in reversed(ANTONYMS) for a, b in ((one, other), (other, one))}

UNITS = (
    ("million", "billion"), ("billion", "million"), ("thousand", "million"), ("kilometres", "miles"),
    ("kilometers", "miles"), ("km", "miles"), ("miles", "kilometres"), ("metres", "feet"), ("meters", "feet"),
    ("feet", "metres"), ("kg", "pounds"), ("pounds", "kilograms"), ("hours", "days"), ("days", "weeks"),
    ("weeks", "months"), ("months", "years"), ("years", "months"), ("minutes", "hours"), ("seconds", "minutes"),
    ("percent", "percentage points"), ("dollars", "euros"), ("mg", "g"), ("grams", "kilograms"),
)  # fmt: skip
UNIT_SWAP: Mapping[str, str] = dict(reversed(UNITS))

WEAK_TO_STRONG: Mapping[str, str] = {
    "some": "all", "many": "all", "most": "all", "several": "all", "often": "always", "sometimes": "always",
    "usually": "always", "can": "always", "may": "will certainly", "might": "will certainly", "partly": "entirely",
    "largely": "entirely", "a few": "all", "one of the": "the only",
}  # fmt: skip

NEGATABLE = re.compile(
    r"\b(is|are|was|were|can|could|will|would|should|does|did|(?:has|have|had)(?= (?:been|become|\w+ed)\b))\b"
    r"(?! (?:not|n't|never|no|n’t)\b)(?!n't)"
)
NEGATION = re.compile(r"\b(is|are|was|were|can|could|will|would|should|does|did|has|have|had) ?(?:not|n't|n’t)\b")
QUANTIFIED = re.compile(
    r"^(all|some|only|every|each|both|most|many|several|few|no|none|neither|either)\b", re.IGNORECASE
)


def _shifted(value: float, word_before: str, draw: random.Random) -> float:
    if word_before in RAISES:
        return value * draw.uniform(1.6, 5.0) + 1
    if word_before in LOWERS:
        return value / draw.uniform(1.6, 5.0) - 1
    if word_before in ROUGH or value >= 1000:
        return value * draw.choice((draw.uniform(1.3, 4.0), draw.uniform(0.2, 0.75)))
    step = max(1.0, abs(value) * draw.choice((0.1, 0.3, 0.6, 1.0)))
    return value + draw.choice((-1, 1)) * step * draw.choice((1, 1, 2))


def other_number(text: str, words_before: Sequence[str], draw: random.Random) -> str | None:
    """Another number of the same look; a year stays a year."""
    plain = text.replace(",", "")
    value = float(plain)
    if "." not in plain and "," not in text and 1200 <= value <= 2100:
        return str(int(value) + draw.choice((-1, 1)) * draw.choice((1, 1, 2, 3, 5, 8, 10, 20)))
    before = next((word for word in reversed(words_before[-3:]) if word in RAISES | LOWERS | ROUGH), "")
    changed = _shifted(value, before, draw)
    if changed < 0 or changed == value:
        changed = value * 2 + 1
    digits = len(plain.split(".")[1]) if "." in plain else 0
    new = f"{changed:,.{digits}f}" if "," in text else f"{changed:.{digits}f}"
    return None if new == text else new


def change_number(pair: Pair, draw: random.Random) -> Pair | None:
    """Another number in the claim, or everywhere in the evidence, where both held the same one."""
    in_evidence = set(NUMBER.findall(pair.evidence))
    shared = [match for match in NUMBER.finditer(pair.claim) if match.group() in in_evidence]
    if not shared:
        return None
    chosen = draw.choice(shared)
    new = other_number(chosen.group(), pair.claim[: chosen.start()].lower().split(), draw)
    if new is None or new in in_evidence:
        return None
    if draw.random() < 0.6:
        return pair.changed(claim=pair.claim[: chosen.start()] + new + pair.claim[chosen.end() :], target=REFUTES)
    evidence = NUMBER.sub(lambda match: new if match.group() == chosen.group() else match.group(), pair.evidence)
    return pair.changed(evidence=evidence, target=REFUTES)


def change_unit(pair: Pair, draw: random.Random) -> Pair | None:
    """Another unit behind a number that claim and evidence share."""
    shared = set(NUMBER.findall(pair.evidence))
    places = [
        (match, unit)
        for match in re.finditer(r"(\d[\d.,]*)\s+([a-z]+)\b", pair.claim)
        if match.group(1) in shared and (unit := UNIT_SWAP.get(match.group(2))) and match.group(2) in pair.evidence
    ]
    if not places:
        return None
    match, unit = draw.choice(places)
    return pair.changed(claim=pair.claim[: match.start(2)] + unit + pair.claim[match.end(2) :], target=REFUTES)


def swap_name(pool: Sequence[str]) -> Operation:
    """Another name where claim and evidence share one: the passage no longer bears the claim out."""

    def operation(pair: Pair, draw: random.Random) -> Pair | None:
        shared = [name for name in names(pair.claim) if name in pair.evidence]
        if not shared or not pool:
            return None
        old = draw.choice(shared)
        beside = [name for name in names(pair.evidence) if name not in old and old not in name]
        new = draw.choice(beside) if beside and draw.random() < 0.4 else draw.choice(pool)
        if new.lower() in pair.claim.lower():
            return None
        unknown = {"target": (0.0, 0.5, 0.5), "not_supported": True}
        if draw.random() < 0.7:
            return pair.changed(claim=pair.claim.replace(old, new), **unknown)
        return pair.changed(evidence=pair.evidence.replace(old, new), **unknown)

    return operation


def flip_antonym(pair: Pair, draw: random.Random) -> Pair | None:
    """The opposite of a word of the claim."""
    places = [match for match in re.finditer(r"\b[a-z]+\b", pair.claim) if match.group() in OPPOSITE]
    if not places or "not" in pair.claim.split():
        return None
    chosen = draw.choice(places)
    opposite = OPPOSITE[chosen.group()]
    return pair.changed(claim=pair.claim[: chosen.start()] + opposite + pair.claim[chosen.end() :], target=REFUTES)


def _negated(text: str) -> str | None:
    if QUANTIFIED.match(text) or " only " in text or " nor " in text:
        return None
    if NEGATION.search(text):
        return NEGATION.sub(r"\1", text, count=1)
    match = NEGATABLE.search(text)
    return None if match is None else text[: match.end()] + " not" + text[match.end() :]


def negate_claim(pair: Pair, draw: random.Random) -> Pair | None:
    """The claim's opposite: supported becomes refuted; refuted becomes supported where the claim is one statement."""
    negated = _negated(pair.claim)
    if negated is None:
        return None
    if pair.label == 0:
        return pair.changed(claim=negated, target=REFUTES)
    one_statement = len(pair.claim.split()) <= 14 and "," not in pair.claim and " and " not in pair.claim
    if pair.label == 1 and one_statement:
        return pair.changed(claim=negated, target=(0.85, 0.05, 0.1))
    return pair.changed(claim=negated) if pair.label == 2 and draw.random() < 0.5 else None


def negate_evidence(pair: Pair, draw: random.Random) -> Pair | None:
    """The opposite of a one-sentence passage."""
    if len(pair.evidence.split()) > 30 or pair.evidence.count(".") > 1 or draw.random() < 0.3:
        return None
    negated = _negated(pair.evidence)
    return None if negated is None else pair.changed(evidence=negated, target=REFUTES, weight=0.7 * pair.weight)


def strengthen(pair: Pair, draw: random.Random) -> Pair | None:
    """A stronger quantifier than the evidence has: no longer supported, rarely refuted."""
    places = [(word, strong) for word, strong in WEAK_TO_STRONG.items() if f" {word} " in f" {pair.claim} ".lower()]
    if not places:
        return None
    word, strong = draw.choice(places)
    claim = re.sub(rf"\b{word}\b", strong, pair.claim, count=1, flags=re.IGNORECASE)
    return pair.changed(claim=claim, target=(0.05, 0.2, 0.75))


def substitute_word(neighbours: Mapping[str, Sequence[str]]) -> Operation:
    """A word of the claim becomes a related but different one, as machine-edited false claims have it."""

    def operation(pair: Pair, draw: random.Random) -> Pair | None:
        evidence = pair.evidence.lower()
        places = [
            match
            for match in re.finditer(r"\b[a-z]{4,}\b", pair.claim)
            if match.group() in neighbours and match.group() in evidence
        ]
        if not places:
            return None
        chosen = draw.choice(places)
        new = draw.choice(neighbours[chosen.group()])
        if new in evidence:
            return None
        claim = pair.claim[: chosen.start()] + new + pair.claim[chosen.end() :]
        return pair.changed(claim=claim, target=(0.12, 0.58, 0.3))

    return operation


def identical(pair: Pair, draw: random.Random) -> Pair | None:
    """The claim itself as evidence."""
    return pair.changed(evidence=pair.claim, target=SUPPORTS) if draw.random() < 0.2 else None


def empty_or_garbage(pair: Pair, draw: random.Random) -> Pair | None:
    """Evidence that says nothing: empty, page furniture, or shuffled words."""
    words = pair.evidence.split()
    draw.shuffle(words)
    furniture = ("", "-", "404 Not Found", "Cookie settings. Accept all.", "Subscribe to our newsletter", "n/a", "???")
    evidence = draw.choice((*furniture, " ".join(words[:20])[::-1]))
    return pair.changed(evidence=evidence, target=NEUTRAL)
