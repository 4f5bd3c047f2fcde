"""What a refresh asks of a worker's services, and no more."""

from collections.abc import Callable
from datetime import datetime
from typing import Protocol

from agents.evidence.credibility import SourceCredibility
from agents.evidence.ports import PageFetcher, WebSearch
from agents.language.ports import Embedder
from storage.ports import EvidenceIndex, VerdictLedger


class RefreshNeeds(Protocol):
    """`agents.services.Services` has all of these."""

    @property
    def ledger(self) -> VerdictLedger: ...

    @property
    def index(self) -> EvidenceIndex: ...

    @property
    def embedder(self) -> Embedder: ...

    @property
    def search(self) -> WebSearch | None: ...

    @property
    def fetcher(self) -> PageFetcher | None: ...

    @property
    def credibility(self) -> SourceCredibility: ...

    @property
    def clock(self) -> Callable[[], datetime]: ...
