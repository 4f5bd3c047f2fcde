"""What the formulas read from text: words, stems, entities, quantities, language cues and overlaps.

Everything is linear in the length of the text.
"""

from scoring.text.cues import (
    has_absolute_quantifier,
    is_comparative,
    is_count_claim,
    is_hedged,
    is_negated,
    is_reporting,
)
from scoring.text.entities import entities
from scoring.text.overlap import anchor_match, claim_overlap, entity_overlap
from scoring.text.quantities import Quantity, quantities
from scoring.text.words import content_stems, content_words, stem, tokens

__all__ = [
    "Quantity",
    "anchor_match",
    "claim_overlap",
    "content_stems",
    "content_words",
    "entities",
    "entity_overlap",
    "has_absolute_quantifier",
    "is_comparative",
    "is_count_claim",
    "is_hedged",
    "is_negated",
    "is_reporting",
    "quantities",
    "stem",
    "tokens",
]
