"""Language for the stages: one object with a method per task. Without a model every method works by rules.

Each method takes the job's quota state and returns the next one; the state goes on with the job.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agents.language.config import LanguagePolicy
from agents.language.llm.asking import Asker
from agents.language.quota import QuotaState
from agents.language.rules.drafting import Change, Criticism, Document
from agents.language.rules.facts import PageFacts
from agents.language.tasks import article, claim, drafts, facts, queries, summary, verdict
from agents.language.tasks.claim import ClaimReading, ClaimText
from agents.language.tasks.facts import Page
from agents.language.tasks.queries import Sought
from agents.language.tasks.verdict import Passage, VerdictReading
from scoring.drafts.matching import SupportLevel
from scoring.skeleton import CoverageSkeleton
from scoring.values import Verdict


@dataclass(frozen=True, slots=True)
class Language:
    """The tasks with a model to ask, or none."""

    asker: Asker | None = None
    policy: LanguagePolicy = field(default_factory=LanguagePolicy)

    async def read_claim(self, text: ClaimText, state: QuotaState) -> tuple[ClaimReading, QuotaState]:
        """Names, type, statements, anchors, queries and metadata: one call."""
        return await claim.read_claim(text, self.asker, self.policy, state)

    async def plan_next(self, sought: Sought, state: QuotaState) -> tuple[tuple[str, ...], QuotaState]:
        """Queries for what earlier ones have left open: a low-priority call."""
        return await queries.plan_next(sought, self.asker, self.policy, state)

    def shares(self, state: QuotaState, parts: int) -> tuple[QuotaState, ...]:
        """The quotas of a job's sub-jobs: together they may spend what the job has left."""
        return self.asker.shares(state, parts) if self.asker is not None else (QuotaState(),) * parts

    async def judge_evidence(
        self, text: str, passages: Sequence[Passage], state: QuotaState
    ) -> tuple[VerdictReading, QuotaState]:
        """Revised stances, a proposed verdict and its rationale: one critical call."""
        return await verdict.judge_evidence(text, passages, self.asker, self.policy, state)

    async def read_pages(
        self, text: str, pages: Sequence[Page], state: QuotaState
    ) -> tuple[Mapping[str, PageFacts], QuotaState]:
        """Facts and relations of all pages of a loop: one critical call."""
        return await facts.read_pages(text, pages, self.asker, self.policy, state)

    async def summarise(self, results: Sequence[tuple[str, Verdict]], state: QuotaState) -> tuple[str, QuotaState]:
        """One text over the parts of a decomposed claim: a low-priority call."""
        return await summary.summarise(results, self.asker, self.policy, state)

    async def outline_article(self, text: str, state: QuotaState) -> tuple[CoverageSkeleton, QuotaState]:
        """The coverage skeleton of an article."""
        return await article.outline_article(text, self.asker, self.policy, state)

    async def write_draft(self, query: str, documents: Sequence[Document], state: QuotaState) -> tuple[str, QuotaState]:
        """A draft that answers a question from documents."""
        return await drafts.write_draft(query, documents, self.asker, self.policy, state)

    async def revise_draft(
        self, draft: str, changes: Sequence[Change], documents: Sequence[Document], state: QuotaState
    ) -> tuple[str, QuotaState]:
        """The draft with the demanded changes."""
        return await drafts.revise_draft(draft, changes, documents, self.asker, self.policy, state=state)

    async def criticise_draft(
        self, draft: str, query: str, documents: Sequence[Document], state: QuotaState
    ) -> tuple[tuple[Criticism, ...], QuotaState]:
        """What a skeptic holds against a draft: a low-priority call."""
        return await drafts.criticise_draft(draft, query, documents, self.asker, self.policy, state=state)

    async def judge_claims(
        self, claims: Sequence[tuple[str, Sequence[str]]], documents: Sequence[Document], state: QuotaState
    ) -> tuple[Mapping[tuple[int, str], SupportLevel], QuotaState]:
        """Support levels of a draft's claims by document."""
        return await drafts.judge_claims(claims, documents, self.asker, self.policy, state=state)
