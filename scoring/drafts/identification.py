"""Which sentences of a draft are claims, and of which type (003 §3.2, §3.4).

The words it goes by are in `cues`. Every sentence leaves with the reason for which it was taken or left.
"""

import re
from dataclasses import dataclass
from typing import Literal

from scoring.drafts import cues
from scoring.drafts.sentences import is_heading
from scoring.text import is_comparative, quantities, tokens

ClaimType = Literal["fact", "policy", "numeric", "definition"]
Included = Literal["numeric", "definition", "policy", "causal", "comparative", "temporal", "factual"]
Excluded = Literal[
    "question", "hypothetical", "opinion", "connector", "acknowledgment", "meta", "qualified", "heading", "fragment"
]

# A sentence of fewer words without a number asserts nothing that could be checked.
MIN_WORDS = 3
# Without a full stop and without a verb we know, this many words are still more likely a sentence than a label.
UNMARKED_WORDS = 6

# The order in which openings are tried; each excludes the sentence that begins with it.
_OPENINGS: tuple[tuple[Excluded, re.Pattern[str]], ...] = (
    ("acknowledgment", cues.ACKNOWLEDGMENT),
    ("opinion", cues.OPINION),
    ("hypothetical", cues.HYPOTHETICAL),
    ("meta", cues.META),
)
# These do not hide a number: "Thank you, the fee is $150" and "Here are the fees: $150 a day" have to be checked.
_POLITE = ("acknowledgment", "meta")
_PREDICATES = (cues.AUXILIARY, cues.DEFINITION, cues.POLICY, cues.CAUSAL)


@dataclass(frozen=True, slots=True)
class Identification:
    """Whether a sentence is a claim, and under which rule; the type is None if it is not."""

    is_claim: bool
    reason: Included | Excluded
    claim_type: ClaimType | None = None


def identify(sentence: str) -> Identification:
    """Decides on one sentence whose anchors have been taken out."""
    if is_heading(sentence):
        return Identification(is_claim=False, reason="heading")
    lowered = cues.MARKUP.sub("", sentence).replace("’", "'").lower().strip()
    excluded = _exclusion(lowered)
    if excluded is not None:
        return Identification(is_claim=False, reason=excluded)
    claim_type = classify(lowered)
    return Identification(is_claim=True, reason=_inclusion(lowered, claim_type), claim_type=claim_type)


def classify(claim: str) -> ClaimType:
    """definition, then numeric, then policy, then fact: a rule that states a number stands or falls with it."""
    lowered = claim.lower()
    if cues.DEFINITION.search(lowered):
        return "definition"
    if _counts(cues.CLOCK_TIME.sub(" ", lowered)):
        return "numeric"
    return "policy" if is_policy_statement(lowered) else "fact"


def contains_numeric(claim: str) -> bool:
    """Whether the claim states a number, amount, percentage, date or time of day."""
    lowered = claim.lower()
    return cues.CLOCK_TIME.search(lowered) is not None or _counts(lowered)


def is_policy_statement(claim: str) -> bool:
    """Whether the claim states a rule, procedure or requirement."""
    return cues.POLICY.search(claim.lower()) is not None


def _exclusion(lowered: str) -> Excluded | None:
    if cues.QUESTION_END.search(lowered):
        return "question"
    core = _without_leading(lowered)
    if not core:
        return "connector"
    for reason, pattern in _OPENINGS:
        if pattern.match(core) and not (reason in _POLITE and _counts(core) and not lowered.endswith(":")):
            return reason
    if core.startswith("if ") and _is_counterfactual(core):
        return "hypothetical"
    if cues.QUALIFIER.search(core):
        return "qualified"
    return None if _asserts(core, lowered) else "fragment"


def _without_leading(lowered: str) -> str:
    """Drops connectors at the front: "however, i think" is an opinion, "therefore, the fee is $5" a claim."""
    start = 0
    while match := cues.CONNECTOR.match(lowered, start):
        start = match.end()
    return lowered[start:].strip(" ,.;:!-—…")


def _is_counterfactual(core: str) -> bool:
    """ "If the fee were higher, fewer would apply": two searches, because one pattern for both would look back."""
    unreal = cues.UNREAL.search(core)
    return unreal is not None and cues.CONDITIONAL.search(core, unreal.end()) is not None


def _asserts(core: str, lowered: str) -> bool:
    """A number is worth checking in any form; words need to be a sentence rather than a label or a lead-in."""
    return _is_sentence(core, lowered) or _counts(core)


def _is_sentence(core: str, lowered: str) -> bool:
    if lowered.endswith(":") or len(words := tokens(core)) < MIN_WORDS:
        return False
    ended = cues.SENTENCE_END.search(lowered) is not None
    return ended or len(words) >= UNMARKED_WORDS or any(pattern.search(core) for pattern in _PREDICATES)


def _inclusion(lowered: str, claim_type: ClaimType) -> Included:
    if claim_type != "fact":
        return claim_type
    if cues.CAUSAL.search(lowered):
        return "causal"
    if is_comparative(lowered):
        return "comparative"
    return "temporal" if cues.TEMPORAL.search(lowered) else "factual"


def _counts(lowered: str) -> bool:
    """ "Type 2" and "first" name or order something; they are no value to check."""
    return any(quantity.kind not in ("label", "ordinal") for quantity in quantities(lowered))
