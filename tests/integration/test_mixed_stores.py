"""Each store on a server or embedded, as configured; what is opened is closed again when the next one fails."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from scoring.values import Triple
from storage.embedded.stores import KNOWLEDGE_FILE, LEDGER_FILE
from storage.errors import StoreMismatch
from storage.ports import Embedder, EvidenceRef, Fact, HybridQuery, JobRecord, JobState, Outcome, Passage, Stores
from storage.servers.stores import open_stores
from tests.support.servers import neo4j_server, weaviate_server

EMBEDDER = Embedder("e", 4)
NOW = datetime(2026, 1, 1, tzinfo=UTC)
VECTOR = np.array([1, 0, 0, 0], dtype=np.float32)


async def opened(kind: str, folder: Path, space: str) -> Stores:
    weaviate = weaviate_server(space) if "weaviate" in kind else None
    neo4j = neo4j_server(space) if "neo4j" in kind else None
    return await open_stores(EMBEDDER, data_dir=folder, weaviate=weaviate, neo4j=neo4j)


@pytest.mark.services
@pytest.mark.parametrize(
    ("kind", "files"),
    [
        ("weaviate and neo4j", set()),
        ("weaviate", {LEDGER_FILE, KNOWLEDGE_FILE}),
        ("neo4j", {KNOWLEDGE_FILE}),
        ("neither", {LEDGER_FILE, KNOWLEDGE_FILE}),
    ],
)
async def test_a_verdict_is_kept_whatever_stands_behind_the_ports(
    kind: str, files: set[str], tmp_path: Path, space: str
) -> None:
    passage = Passage("facts", "https://a.org/1", "The text", NOW)
    for _ in range(2):  # the second time everything is there already
        stores = await opened(kind, tmp_path, space)
        await stores.ledger.open_job(JobRecord("job", "f", b"claim", NOW))
        await stores.index.upsert([(passage, VECTOR)])
        await stores.graph.upsert_facts([Fact(Triple("A", "knows", "B"), passage.url, NOW, passage_id=passage.id)])
        await stores.urls.register([passage.url], stage=0, claim_ids=["job"], now=NOW)
        await stores.ledger.decide(Outcome("job", 1, JobState.COMPLETED, b"verdict", NOW))
        await stores.ledger.record_provenance("job", [EvidenceRef(passage.id, passage.url)])
        [hit] = await stores.index.search(HybridQuery("text", VECTOR))
        assert hit.passage == passage
        assert (await stores.graph.counts()).facts == 1
        assert [ref.evidence_id for ref in await stores.ledger.provenance("job")] == [passage.id]
        await stores.close()
    assert {file.name for file in tmp_path.iterdir()} == files


@pytest.mark.services
async def test_a_source_that_verdicts_rest_on_outlives_its_facts(tmp_path: Path, space: str) -> None:
    """Ledger and graph share their sources in Neo4j."""
    stores = await opened("neo4j", tmp_path, space)
    url = "https://a.org/1"
    await stores.graph.upsert_facts([Fact(Triple("A", "knows", "B"), url, NOW, domain="a.org", title="A page")])
    await stores.ledger.record_provenance("job", [EvidenceRef("e", url)])
    assert (await stores.graph.facts_from(url))[0].title == "A page"
    assert await stores.graph.delete_by_url(url) == 1
    assert (await stores.graph.counts()).sources == 0
    assert await stores.ledger.provenance("job") == [EvidenceRef("e", url)]
    await stores.close()


@pytest.mark.services
async def test_when_neo4j_refuses_nothing_stays_open(tmp_path: Path, space: str) -> None:
    """An unclosed client would be a ResourceWarning, and warnings are errors."""
    wrong = replace(neo4j_server(space), user="nobody", password="wrong")
    for weaviate in (weaviate_server(space), None):
        with pytest.raises(StoreMismatch, match="refuses user"):
            await open_stores(EMBEDDER, data_dir=tmp_path, weaviate=weaviate, neo4j=wrong)
