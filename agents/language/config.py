"""Everything about language that settings may choose, as frozen values. Nothing below reads the environment."""

from dataclasses import dataclass, field

from agents.language.rules.decompose import DecomposePolicy


@dataclass(frozen=True, slots=True)
class LanguagePolicy:
    """Sizes and limits of the tasks."""

    decompose: DecomposePolicy = field(default_factory=DecomposePolicy)
    use_model_for_claims: bool = True
    """DECOMPOSE_USE_LLM of 004: whether the claim call is made at all."""
    max_claim_length: int = 2_000
    max_passage_length: int = 1_200
    max_passages: int = 30
    """004 §6.2: stance of up to thirty items at once."""
    max_page_length: int = 6_000
    """Characters of a page that the facts call sees: four pages still leave room for the answer in small contexts."""
    max_pages: int = 4
    max_article_length: int = 24_000
    max_document_length: int = 2_400
    max_documents: int = 12
