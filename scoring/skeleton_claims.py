"""From the coverage skeleton to claims that can be verified; the rest is dropped with its reason codes (002)."""

from dataclasses import dataclass

from scoring.skeleton import (
    CoverageSkeleton,
    SkeletonEvent,
    SkeletonMeasurement,
    SkeletonPolicyStatement,
    SkeletonQuote,
)
from scoring.text import content_words
from scoring.verifiability import DEFAULT, CoreClaim, VerifiabilityPolicy, validate_core_claim

# More seed terms than this make a query narrower without making it better.
MAX_SEED_TERMS = 12


@dataclass(frozen=True, slots=True)
class DroppedClaim:
    """A part of the skeleton that makes no verifiable claim, and why."""

    claim: CoreClaim
    reason_codes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SkeletonClaims:
    """The claims to verify and those that were dropped, each in the skeleton's order."""

    emitted: tuple[CoreClaim, ...]
    dropped: tuple[DroppedClaim, ...]


def skeleton_to_claims(skeleton: CoverageSkeleton, policy: VerifiabilityPolicy = DEFAULT) -> SkeletonClaims:
    """Each kind has its own converter; every claim then passes the same structural validation."""
    claims = (
        *map(_from_event, skeleton.events),
        *map(_from_measurement, skeleton.measurements),
        *map(_from_quote, skeleton.quotes),
        *map(_from_policy, skeleton.policies),
    )
    checked = [(claim, validate_core_claim(claim, policy)) for claim in claims]
    return SkeletonClaims(
        emitted=tuple(claim for claim, result in checked if result.ok),
        dropped=tuple(DroppedClaim(claim, result.reason_codes) for claim, result in checked if not result.ok),
    )


def _from_event(event: SkeletonEvent) -> CoreClaim:
    text = _sentence(event.subject, event.verb, event.object, event.location, event.time)
    return _claim(text, event.subject, "event", stated=bool(event.verb.strip()), time=event.time)


def _from_measurement(measurement: SkeletonMeasurement) -> CoreClaim:
    text = _sentence(measurement.subject, measurement.metric, measurement.quantity, measurement.time)
    stated = bool(measurement.metric.strip() and measurement.quantity.strip())
    return _claim(text, measurement.subject, "measurement", stated=stated, time=measurement.time)


def _from_quote(quote: SkeletonQuote) -> CoreClaim:
    words = quote.quote_text.strip()
    text = f'{quote.speaker.strip()} said: "{words}"' if words else ""
    return _claim(text, quote.speaker, "quote", stated=bool(words), time="")


def _from_policy(statement: SkeletonPolicyStatement) -> CoreClaim:
    text = _sentence(statement.subject, statement.action, statement.time)
    return _claim(text, statement.subject, "policy", stated=bool(statement.action.strip()), time=statement.time)


def _claim(text: str, subject: str, predicate: str, *, stated: bool, time: str) -> CoreClaim:
    """Falsifiable is what says something of somebody: a subject and a predicate that could be otherwise."""
    named = bool(subject.strip())
    return CoreClaim(
        claim_text=text,
        subject_entities=(subject.strip(),) if named else (),
        retrieval_seed_terms=tuple(dict.fromkeys(content_words(text)))[:MAX_SEED_TERMS],
        is_falsifiable=named and stated,
        predicate_type=predicate,
        time_anchor_type="explicit" if time.strip() else "unknown",
    )


def _sentence(*parts: str) -> str:
    return " ".join(part.strip() for part in parts if part.strip())
