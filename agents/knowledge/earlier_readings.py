"""Gathers how the documents of a run read, so that what they used to say can go once all of them are stored."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from agents.evidence.replacing import replace_earlier
from storage.ports import EvidenceIndex, KnowledgeGraph

KEPT = 200_000
"""Ids of passages held in memory, some 30 MB, before the documents gathered so far are settled."""
AT_ONCE = 500
"""Documents settled per call."""


class EarlierReadings:
    """Of one run. Records of one file may share an address, so a document is known whole only at the end of the run.

    In a run beyond `kept` ids it is taken for whole earlier; what comes later under its address is then added to it.
    """

    def __init__(
        self,
        collection: str,
        index: EvidenceIndex,
        graph: KnowledgeGraph | None,
        begun: datetime,
        kept: int = KEPT,
    ) -> None:
        self._collection = collection
        self._index = index
        self._graph = graph
        self._begun = begun
        self._kept = kept
        self._readings: dict[str, dict[str, None]] = {}
        self._held = 0
        self._settled: set[int] = set()

    async def note(self, url: str, ids: Iterable[str]) -> int:
        """A document is stored, or a part of one; how many outdated passages went on this occasion."""
        if hash(url) in self._settled:
            return 0
        reading = self._readings.setdefault(url, {})
        before = len(reading)
        reading.update(dict.fromkeys(ids))
        self._held += len(reading) - before
        return await self.settle() if self._held >= self._kept else 0

    async def settle(self) -> int:
        """Delete what earlier readings of the documents gathered so far left; how many passages that were."""
        gone = 0
        for urls in _groups(list(self._readings)):
            pages = {url: list(self._readings.pop(url)) for url in urls}
            gone += await replace_earlier(
                self._collection, pages, index=self._index, graph=self._graph, before=self._begun
            )
            self._settled.update(map(hash, urls))
        self._held = 0
        return gone


def _groups(urls: Sequence[str]) -> Iterable[Sequence[str]]:
    return (urls[start : start + AT_ONCE] for start in range(0, len(urls), AT_ONCE))
