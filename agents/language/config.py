"""Everything about language that settings may choose, as frozen values. Nothing below reads the environment."""

from dataclasses import dataclass, field

from agents.language.rules.decompose import DecomposePolicy


@dataclass(frozen=True, slots=True)
class LanguagePolicy:
    """Sizes and limits of the tasks."""

    decompose: DecomposePolicy = field(default_factory=DecomposePolicy)
    use_model_for_claims: bool = True
    """DECOMPOSE_USE_LLM of 004: whether the claim call is made at all."""
    agreeing_sources: int = 3
    """Stored evidence that settles a claim is not shown to a model if this many sources say the same and none says
    otherwise; 0 shows it always."""
    summarised_parts: int = 3
    """Verdicts on so many parts are worth a model's summary; two read as well one after the other."""
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
