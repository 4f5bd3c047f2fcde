"""When the search for evidence ends, and for which of a closed set of reasons (001, 002, 004 §4).

One pure decision over facts that travel in the verdict package, so that an audit decides it again.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from scoring.checks import unit
from scoring.evoi import ExtractBudgetPolicy, ExtractReason
from scoring.retrieval_sufficiency import retrieval_signals
from scoring.values import Evidence

StopReason = Literal[
    "sufficient",
    "cache",
    "query_budget",
    "url_exhausted",
    "iteration_budget",
    "deadline",
    "confidence_mode",
    "comparative_monopoly",
    "evoi_below_cost",
    "no_provider",
    "no_new_evidence",
]


@dataclass(frozen=True, slots=True)
class LoopPolicy:
    """What the specifications leave open about the loop, and 002's extraction budgets for claims."""

    # A claim of its own is all that was asked: settling it is worth twice what one of an article's many claims is. An
    # even hit rate then pays for nine pages, three misses end it, and so do eight hits once everything is covered.
    extract: ExtractBudgetPolicy = field(default_factory=lambda: ExtractBudgetPolicy(value=4.0))
    # Addresses that a claim itself names. Few claims name more than one or two, and a page that is pointed at says
    # less often what it is said to: one is always read, four at most.
    inline: ExtractBudgetPolicy = field(default_factory=lambda: ExtractBudgetPolicy(min_extracts=1, max_extracts=4))
    # A comparison that only one site makes is its opinion; a second search that finds no other site will not help.
    monopoly_loops: int = 2
    # Above this cosine two queries ask the same. The raw cosine: the calibration is fitted on claims and passages, and
    # all queries about one claim lie at its top. Of the planned queries about the sample claims, rewordings lie
    # between 0.88 and 0.99 and the search for debunkings below 0.9.
    repeat_cosine: float = 0.9
    # A result whose title and snippet hold less of the claim's words than this is not fetched while others hold more.
    # Of the sample web's results, pages on the subject of a claim hold 0.38 or more, others up to 0.43, most under 0.3.
    snippet_overlap: float = 0.34
    # Rows more for every planned set of queries: what is looked for again is looked at more widely (004 §4).
    top_k_growth: int = 2

    def __post_init__(self) -> None:
        unit("repeat_cosine", self.repeat_cosine)
        unit("snippet_overlap", self.snippet_overlap)
        if self.monopoly_loops < 1 or self.top_k_growth < 0:
            raise ValueError("monopoly_loops must be at least 1 and top_k_growth not negative")


@dataclass(frozen=True, slots=True)
class LoopFacts:
    """Everything that the decision to search on or to stop looks at."""

    loops: int
    sufficient: bool
    route: str = ""
    """Which gate let the evidence pass."""
    settles: bool = False
    """Whether the stored evidence alone would give a verdict (000 §3 steps 6-7)."""
    overdue: bool = False
    provider: bool = True
    """Whether somebody can be asked, and answers."""
    monopoly_loops: int = 0
    """Loops in a row after which all evidence of a comparative claim came from one registered domain."""
    evoi: float = 0.0
    extraction: ExtractReason = "min_extracts"
    """What the extraction budget says of the next page."""
    queries_left: int = 1
    pages_left: int = 1
    """By the job's budgets of pages and of bytes, whichever is the smaller."""
    planned: int = 1
    """Queries of the current set that are still to run."""
    set_pages: int = 0
    """Pages that the set's searches gave to read."""
    set_evidence: int = 0
    """Pieces of admissible evidence that were not there before the set."""
    iterations_left: int = 1
    next_planned: int | None = None
    """Queries of the next set that repeat none before; None while no next set is planned."""


DEFAULT = LoopPolicy()


def stop_reason(facts: LoopFacts, policy: LoopPolicy = DEFAULT) -> StopReason | None:
    """Why the loop ends here, or None when it goes on. What is settled comes first, then what forbids going on."""
    return _settled(facts) or _forbidden(facts, policy) or _spent(facts) or _through(facts)


def _settled(facts: LoopFacts) -> StopReason | None:
    if not facts.sufficient:
        return None
    if facts.loops == 0:
        return "cache" if facts.settles else None
    return "confidence_mode" if facts.route == "confidence_mode" else "sufficient"


def _forbidden(facts: LoopFacts, policy: LoopPolicy) -> StopReason | None:
    if facts.overdue:
        return "deadline"
    if not facts.provider:
        return "no_provider"
    if facts.monopoly_loops >= policy.monopoly_loops:
        return "comparative_monopoly"
    return "evoi_below_cost" if facts.extraction == "below_marginal_cost" else None


def _spent(facts: LoopFacts) -> StopReason | None:
    if facts.queries_left <= 0:
        return "query_budget"
    return "url_exhausted" if facts.pages_left <= 0 or facts.extraction == "max_extracts" else None


def _through(facts: LoopFacts) -> StopReason | None:
    """At the end of a set: nothing to read, nothing learned, no further set, or nothing new to ask in it."""
    if facts.planned > 0:
        return None
    if facts.loops and not facts.set_pages:
        return "url_exhausted"
    if not facts.set_evidence:
        return "no_new_evidence"
    if facts.iterations_left <= 0:
        return "iteration_budget"
    return "no_new_evidence" if facts.next_planned == 0 else None


def claim_belief(evidence: Iterable[Evidence]) -> float:
    """How far the evidence leans towards the claim: (1 + support) / (2 + support + conflict), masses as in 002's S.

    One imagined voice on either side keeps a single page from looking like certainty.
    """
    signals = retrieval_signals(evidence, 0)
    support, conflict = signals.se_support_mass, signals.conflict_mass
    return (1.0 + support) / (2.0 + support + conflict)
