"""What kind of statement a claim is: the ranker's weights and the guards depend on it."""

from dataclasses import dataclass
from typing import Literal

from scoring.text import (
    has_absolute_quantifier,
    is_comparative,
    is_count_claim,
    is_hedged,
    is_negated,
    is_reporting,
    tokens,
)
from scoring.text.lexicon import word_set

ClaimKind = Literal["therapeutic", "causal", "mechanistic", "general"]

HEALTH_DOMAINS = word_set("health medicine medical nutrition")
SCIENCE_DOMAINS = HEALTH_DOMAINS | word_set("science biology chemistry")

_CURES = word_set("cure cures cured curing heal heals healed remedy remedies therapeutic therapy therapies antidote")
# Everyday verbs that are about treatment only where health is the subject.
_TREATS = word_set(
    """
    treat treats treated treating treatment prevent prevents prevented preventing reduce reduces reduced lower lowers
    relieve relieves relieved protect protects protected improve improves effective ineffective helps boost boosts
    fight fights
    """
)
_HEALTH = word_set(
    """
    alzheimer alzheimers arthritis asthma autism bacteria blood cancer cancers cholesterol cold covid dementia depression
    diabetes disease diseases dose doses drug drugs fever flu headache headaches health heart hiv hospital immune
    immunity infection infections insomnia malaria measles medicine migraine obesity pain patient patients pneumonia
    pregnancy pressure stroke supplement supplements symptom symptoms tumor tumors tumour vaccine vaccines vaccination
    virus viruses vitamin
    """
)
_MECHANISMS = word_set(
    """
    binds binding catalyses catalyzes encodes inhibit inhibits inhibiting mechanism mechanisms mediates metabolised
    metabolized modulates pathway pathways phosphorylates receptor receptors synthesises synthesizes transcription
    upregulates downregulates
    """
)
# Mechanistic only where biology or chemistry is the subject.
_ACTIONS = word_set(
    "activates activating block blocks blocking regulates converts produces releases absorbs suppresses"
)
_BIOLOGY = word_set(
    "brain cell cells dna enzyme enzymes gene genes hormone hormones insulin molecule molecules mrna neurons protein "
    "proteins rna"
)
_CAUSES = word_set(
    """
    because cause caused causes causing contributes contributed induces induced provoke provokes provoked trigger
    triggered triggers
    """
)
_CAUSAL_PHRASES = (
    "as a result of",
    "due to",
    "gives you",
    "lead to",
    "leads to",
    "led to",
    "linked to",
    "responsible for",
    "result in",
    "resulted in",
    "results in",
    "associated with",
    "increases the risk",
    "raises the risk",
)
_BELIEF_SUBJECTS = word_set(
    "believe believes believed think thinks thought claim claims claimed say says said poll survey"
)


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


def profile(claim: str, domain: str = "general") -> ClaimProfile:
    """Types a claim. The domain is a prior: it lets everyday verbs count as medical or scientific ones."""
    words = tokens(claim)
    return ClaimProfile(
        kind=_kind(" ".join(words), frozenset(words), domain.lower()),
        comparative=is_comparative(claim),
        count=is_count_claim(claim),
        belief=is_reporting(claim) or not _BELIEF_SUBJECTS.isdisjoint(words),
        absolute=has_absolute_quantifier(claim),
        negated=is_negated(claim),
        hedged=is_hedged(claim),
    )


def _kind(lowered: str, words: frozenset[str], domain: str) -> ClaimKind:
    """From the most specific to the least: a cure that works by a mechanism is judged as a cure."""
    about_health = domain in HEALTH_DOMAINS or not _HEALTH.isdisjoint(words)
    about_biology = domain in SCIENCE_DOMAINS or about_health or not _BIOLOGY.isdisjoint(words)
    if not _CURES.isdisjoint(words) or (about_health and not _TREATS.isdisjoint(words)):
        return "therapeutic"
    if not _MECHANISMS.isdisjoint(words) or (about_biology and not _ACTIONS.isdisjoint(words)):
        return "mechanistic"
    if not _CAUSES.isdisjoint(words) or any(phrase in lowered for phrase in _CAUSAL_PHRASES):
        return "causal"
    return "general"
