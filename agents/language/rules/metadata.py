"""What is worth knowing about a claim before it is verified: worth, harm, time, and whether it can be false at all."""

from dataclasses import dataclass
from typing import Literal

from agents.language.rules.entities import find_entities
from agents.language.rules.measures import measures
from scoring.checks import clamp
from scoring.claim_types import profile
from scoring.text.lexicon import word_set
from scoring.text.words import tokens

TimeAnchor = Literal["explicit", "relative", "none", "unknown"]
PredicateType = Literal["event", "measurement", "quote", "policy", "ranking", "existence", "causal", "opinion", "other"]

_OPINION = word_set("""
    beautiful ugly best worst nicest lovely delicious boring amazing awful terrible great wonderful
    overrated underrated should ought favourite favorite better-looking tastiest funniest coolest greatest
    disappointing perfect horrible
    """)
_OPINION_OPENERS = ("i think", "i believe", "in my opinion", "in my view", "everyone should", "we should", "let us")
_FUTURE = word_set("will shall tomorrow soon someday eventually")
_RELATIVE = word_set("""
    yesterday today tomorrow recently currently now nowadays ago lately monday tuesday wednesday thursday
    friday saturday sunday
    """)
_QUOTE = word_set("said says told announced claimed stated tweeted wrote declared")
_POLICY = word_set("""
    law laws ban bans banned rule rules policy must requires required prohibits prohibited allows tax taxes
    regulation
    """)
_RANKING = word_set("""
    largest biggest smallest highest lowest longest shortest oldest youngest first most least richest
    poorest top fastest
    """)
_EXISTENCE = word_set("exists exist contains includes has have there")
_HARM = {
    word: weight
    for weight, words in (
        (
            1.0,
            "kill kills killed death deaths die died poison suicide bomb terrorist genocide massacre overdose bleach",
        ),
        (
            0.8,
            "vaccine vaccines cancer cure cures virus disease infection medicine drug drugs treatment dose pregnancy",
        ),
        (0.7, "election vote votes voters fraud riot war attack nuclear refugees migrants crime criminals shooting"),
        (0.5, "money bank investment scam tax price prices health water food safety police court government"),
    )
    for word in words.split()
}


@dataclass(frozen=True, slots=True)
class ClaimMetadata:
    """Check-worthiness and harm in [0, 1], how the claim is anchored in time, and whether it can be falsified."""

    check_worthiness: float
    harm_potential: float
    time_anchor: TimeAnchor
    predicate_type: PredicateType
    is_falsifiable: bool
    confidence: float


# How far rules can be trusted with these judgements compared with a model's own estimate.
RULES_CONFIDENCE = 0.6


def describe(claim: str) -> ClaimMetadata:
    """Metadata by rules. Numbers, names and dates make a claim worth checking; opinions are not."""
    words = frozenset(tokens(claim))
    numbers = [measure for measure in measures(claim) if measure.dimension not in ("date", "year")]
    dates = [measure for measure in measures(claim) if measure.dimension in ("date", "year")]
    names = find_entities(claim)
    opinion = is_opinion(claim)
    harm = max((_HARM[word] for word in words & _HARM.keys()), default=0.2)
    worth = 0.3 + 0.2 * bool(numbers) + 0.2 * bool(names) + 0.1 * bool(dates) + 0.2 * harm - 0.3 * opinion
    return ClaimMetadata(
        check_worthiness=round(clamp(worth), 3),
        harm_potential=harm,
        time_anchor=_time_anchor(words, has_dates=bool(dates)),
        predicate_type=_predicate(claim, words, has_numbers=bool(numbers), opinion=opinion),
        is_falsifiable=not opinion and len(words) >= 3 and not claim.rstrip().endswith("?"),
        confidence=RULES_CONFIDENCE,
    )


def is_opinion(claim: str) -> bool:
    """A matter of taste or a demand: nothing could show that it is wrong."""
    lowered = claim.lower()
    return lowered.startswith(_OPINION_OPENERS) or not _OPINION.isdisjoint(tokens(claim))


def _time_anchor(words: frozenset[str], *, has_dates: bool) -> TimeAnchor:
    if has_dates:
        return "explicit"
    if not _RELATIVE.isdisjoint(words) or not _FUTURE.isdisjoint(words):
        return "relative"
    past = any(word.endswith("ed") for word in words) or not {"was", "were", "had", "did"}.isdisjoint(words)
    return "unknown" if past else "none"


def _predicate(claim: str, words: frozenset[str], *, has_numbers: bool, opinion: bool) -> PredicateType:
    checks: tuple[tuple[PredicateType, bool], ...] = (
        ("opinion", opinion),
        ("quote", '"' in claim or "“" in claim or not _QUOTE.isdisjoint(words)),
        ("policy", not _POLICY.isdisjoint(words)),
        ("ranking", not _RANKING.isdisjoint(words)),
        ("measurement", has_numbers),
        ("causal", profile(claim).kind in ("causal", "therapeutic", "mechanistic")),
        ("existence", not _EXISTENCE.isdisjoint(words)),
        ("event", any(word.endswith("ed") for word in words) or not _FUTURE.isdisjoint(words)),
    )
    return next((kind for kind, fits in checks if fits), "other")
