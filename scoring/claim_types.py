"""What kind of statement a claim is: the ranker's weights and the guards depend on it."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from scoring.text import (
    has_absolute_quantifier,
    is_comparative,
    is_count_claim,
    is_hedged,
    is_negated,
    is_reporting,
    stem,
    tokens,
)
from scoring.text.lexicon import word_set
from scoring.text.words import stem_set

ClaimKind = Literal["therapeutic", "causal", "mechanistic", "general"]

HEALTH_DOMAINS = word_set("health medicine medical nutrition")
SCIENCE_DOMAINS = HEALTH_DOMAINS | word_set("science biology chemistry")

_CURES = stem_set("cure heal remedy therapeutic therapy antidote")
# Everyday verbs that are about treatment only where health is the subject.
_TREATS = stem_set(
    "treat treatment prevent reduce lower relieve protect improve effective ineffective help boost fight alleviate"
)
_HEALTH = stem_set(
    """
    alzheimer arthritis asthma autism bacteria blood cancer cholesterol cold coronavirus covid dementia depression
    diabetes disease dose drug fever flu headache health heart hiv hospital immune immunity infection insomnia malaria
    measles medicine migraine obesity pain patient pneumonia pregnancy stroke supplement symptom tumor tumour vaccine
    vaccination virus vitamin
    """
)
_MECHANISMS = stem_set(
    """
    bind catalyse catalyze encode inhibit mechanism mediate metabolise metabolize modulate pathway phosphorylate
    receptor synthesise synthesize transcription upregulate downregulate
    """
)
# Mechanistic only where biology or chemistry is the subject.
_ACTIONS = stem_set("activate block regulate convert produce release absorb suppress stimulate")
_BIOLOGY = stem_set("brain cell dna enzyme gene hormone insulin molecule mrna neuron protein rna")
_CAUSES = stem_set("cause contribute induce provoke trigger")
_CAUSAL_PHRASES = (
    "as a result of",
    "associated with",
    "because of",
    "due to",
    "gives you",
    "increases the risk",
    "lead to",
    "leads to",
    "led to",
    "linked to",
    "raises the risk",
    "responsible for",
    "result in",
    "resulted in",
    "results in",
)
_BELIEFS = stem_set("believe think claim say said opinion poll survey")


@dataclass(frozen=True, slots=True)
class ClaimProfile:
    """The kind of a claim and the properties that guards ask for."""

    kind: ClaimKind
    comparative: bool
    count: bool
    belief: bool
    """About what people say or believe, so that reports of belief are evidence for it."""
    absolute: bool
    negated: bool
    hedged: bool

    @property
    def assertive(self) -> bool:
        """Stated as plain fact: uncertain wording in the evidence then says less than the claim does."""
        return not self.hedged and not self.belief


@lru_cache(maxsize=1_024)
def profile(claim: str, domain: str = "general") -> ClaimProfile:
    """Types a claim. The domain is a prior: it lets everyday verbs count as medical or scientific ones."""
    words = tokens(claim)
    stems = frozenset(map(stem, words))
    return ClaimProfile(
        kind=_kind(" ".join(words), stems, domain.lower()),
        comparative=is_comparative(claim),
        count=is_count_claim(claim),
        belief=is_reporting(claim) or not _BELIEFS.isdisjoint(stems),
        absolute=has_absolute_quantifier(claim),
        negated=is_negated(claim),
        hedged=is_hedged(claim),
    )


def _kind(lowered: str, stems: frozenset[str], domain: str) -> ClaimKind:
    """From the most specific to the least: a cure that works by a mechanism is judged as a cure."""
    about_health = domain in HEALTH_DOMAINS or not _HEALTH.isdisjoint(stems)
    about_biology = domain in SCIENCE_DOMAINS or about_health or not _BIOLOGY.isdisjoint(stems)
    if not _CURES.isdisjoint(stems) or (about_health and not _TREATS.isdisjoint(stems)):
        return "therapeutic"
    if not _MECHANISMS.isdisjoint(stems) or (about_biology and not _ACTIONS.isdisjoint(stems)):
        return "mechanistic"
    if not _CAUSES.isdisjoint(stems) or any(phrase in lowered for phrase in _CAUSAL_PHRASES):
        return "causal"
    return "general"
