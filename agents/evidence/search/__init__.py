"""Searching the web: the providers, and the chain that asks them in order."""

from agents.evidence.search.chain import SearchChain
from agents.evidence.search.factcheck import FactCheckSearch
from agents.evidence.search.guard import DEFAULT_POLICIES, Guarded, ProviderPolicy
from agents.evidence.search.searxng import SearxngSearch
from agents.evidence.search.tavily import ExtractedText, TavilySearch
from agents.evidence.search.values import ClaimReview, Provider, ReviewedResult, SearchFailed
from agents.evidence.search.wikipedia import WikipediaSearch

__all__ = [
    "DEFAULT_POLICIES",
    "ClaimReview",
    "ExtractedText",
    "FactCheckSearch",
    "Guarded",
    "Provider",
    "ProviderPolicy",
    "ReviewedResult",
    "SearchChain",
    "SearchFailed",
    "SearxngSearch",
    "TavilySearch",
    "WikipediaSearch",
]
