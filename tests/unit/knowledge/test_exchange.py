"""What is exported comes back the same, on any adapter; what is not a back-up is refused with its line."""

import base64
import gzip
import json
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np
import pytest

from agents.knowledge.exchange import BadBackup, export, import_lines
from agents.knowledge.scanning import all_claims, all_entities, all_facts, all_passages
from scoring.values import Triple
from storage.embedded.stores import open_embedded
from storage.errors import StoreMismatch
from storage.ports import ClaimRecord, Embedder, Entity, Fact, Passage, Stores
from tests.contract.corpus import corpus, vector_of
from tests.contract.hostile import HOSTILE
from tests.unit.knowledge.places import EMBEDDER

NOW = datetime(2026, 1, 1, 12, 0, 0, 123456, tzinfo=UTC)


@pytest.fixture
async def elsewhere(tmp_path: Path) -> AsyncIterator[Stores]:
    """Where a back-up is carried to."""
    opened = await open_embedded(tmp_path / "elsewhere", EMBEDDER)
    yield opened
    await opened.close()


async def filled(stores: Stores) -> None:
    odd = [
        (Passage("static_gk", f"doc:odd/{n}", str(case.values[0]), NOW, published=date(2020, 2, 29)), vector_of(moon=n))
        for n, case in enumerate(HOSTILE)
    ]
    await stores.index.upsert([*corpus(), *odd])
    await stores.graph.upsert_entities([Entity("World Health Organization", "organisation", ("WHO", "OMS"))])
    facts = [
        Fact(
            Triple("Apollo 11", "landed on", f"site {n}"),
            f"https://nasa.gov/{n}",
            NOW,
            0.25,
            date(2019, 7, 20),
            text="T",
        )
        for n in range(600)
    ]
    await stores.graph.upsert_facts(facts)
    await stores.graph.record_claim(ClaimRecord("job-1", "Apollo landed 🚀", ("Apollo 11",), NOW))


async def everything(stores: Stores) -> list[object]:
    held: list[object] = []
    for collection in await stores.index.collections():
        held.append(collection)
        held += [(passage, tuple(vector)) async for passage, vector in all_passages(stores.index, collection.name)]
    held += [(entity.name, entity.kind, sorted(entity.aliases)) async for entity in all_entities(stores.graph)]
    held += [fact async for fact in all_facts(stores.graph)]
    held += [claim async for claim in all_claims(stores.graph)]
    return held


@pytest.mark.parametrize("name", ["backup.jsonl", "backup.jsonl.gz"])
async def test_a_back_up_comes_back_as_it_was(stores: Stores, elsewhere: Stores, tmp_path: Path, name: str) -> None:
    await filled(stores)
    written = await export(tmp_path / name, stores.index, stores.graph, NOW)
    stored = await import_lines(tmp_path / name, elsewhere.index, elsewhere.graph, EMBEDDER)
    assert await everything(elsewhere) == await everything(stores)
    assert stored == {kind: written[kind] for kind in ("passage", "entity", "fact", "claim")}
    assert (stored["passage"], stored["fact"], stored["claim"]) == (12 + len(HOSTILE), 600, 1)


async def test_importing_twice_is_importing_once(stores: Stores, elsewhere: Stores, tmp_path: Path) -> None:
    await filled(stores)
    await export(tmp_path / "b.jsonl", stores.index, stores.graph, NOW)
    for _ in range(2):
        await import_lines(tmp_path / "b.jsonl", elsewhere.index, elsewhere.graph, EMBEDDER)
    assert await everything(elsewhere) == await everything(stores)


async def test_what_was_carried_over_is_found_by_searching(stores: Stores, elsewhere: Stores, tmp_path: Path) -> None:
    await filled(stores)
    await export(tmp_path / "b.jsonl", stores.index, stores.graph, NOW)
    await import_lines(tmp_path / "b.jsonl", elsewhere.index, elsewhere.graph, EMBEDDER)
    for collection in await elsewhere.index.collections():
        assert await elsewhere.index.unreachable(collection.name) == []
    assert (await elsewhere.graph.resolve(["who"]))["who"].name == "World Health Organization"


async def test_every_line_is_an_object_of_a_known_kind_and_vectors_are_exact(stores: Stores, tmp_path: Path) -> None:
    await filled(stores)
    await export(tmp_path / "b.jsonl.gz", stores.index, stores.graph, NOW)
    lines = [json.loads(line) for line in gzip.decompress((tmp_path / "b.jsonl.gz").read_bytes()).splitlines()]
    assert lines[0]["kind"] == "veristream"
    assert {line["kind"] for line in lines[1:]} == {"collection", "passage", "entity", "fact", "claim"}
    exact = {line["text"]: np.frombuffer(base64.b64decode(line["vector"]), "<f4") for line in lines if "vector" in line}
    for passage, vector in corpus():
        assert (exact[passage.text] == vector).all()


async def test_another_embedders_back_up_is_one_clear_line(stores: Stores, elsewhere: Stores, tmp_path: Path) -> None:
    await filled(stores)
    await export(tmp_path / "b.jsonl", stores.index, stores.graph, NOW)
    with pytest.raises(StoreMismatch, match="holds vectors of test-embedder"):
        await import_lines(tmp_path / "b.jsonl", elsewhere.index, elsewhere.graph, Embedder("another", 8))
    assert await everything(elsewhere) == []


async def test_an_export_that_breaks_off_leaves_no_file_and_keeps_the_old_one(stores: Stores, tmp_path: Path) -> None:
    await filled(stores)
    path = tmp_path / "b.jsonl"
    path.write_text("the old one")

    def broken(kind: str) -> None:
        if kind == "fact":
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        await export(path, stores.index, stores.graph, NOW, broken)
    assert path.read_text() == "the old one"
    assert [one.name for one in tmp_path.glob("b.jsonl*")] == ["b.jsonl"]


HEADER = {"kind": "veristream", "version": 1, "exported_at": NOW.isoformat()}
COLLECTION = {"kind": "collection", "name": "facts", "embedder": "test-embedder", "dimension": 8, "passages": 1}
PASSAGE = {
    "kind": "passage", "collection": "facts", "url": "u", "text": "t", "fetched": NOW.isoformat(), "title": "",
    "snippet": "", "domain": "", "published": None, "credibility": 0.5, "extraction": "", "content_hash": "",
    "vector": "AACAPwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
}  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "is empty"),
        ([PASSAGE], "is not a back-up"),
        ([HEADER | {"version": 2}], "line 1: version"),
        ([HEADER, "{"], "line 2: Invalid JSON"),
        ([HEADER, {"kind": "poem"}], "line 2: Input tag 'poem'"),
        ([HEADER, PASSAGE], "line 2: collection 'facts' has no line of its own"),
        ([HEADER, COLLECTION, PASSAGE | {"vector": "%%"}], "line 3"),
        ([HEADER, COLLECTION, PASSAGE | {"credibility": 2}], "line 3: credibility must lie in"),
        ([HEADER, COLLECTION, {**PASSAGE, "extra": 1}], "line 3: extra"),
        ([HEADER, {"kind": "entity", "name": " ", "type": "", "aliases": []}], "line 2: an entity's name"),
    ],
)
async def test_what_is_not_a_back_up_is_refused_with_its_line(
    elsewhere: Stores, tmp_path: Path, lines: list[object], message: str
) -> None:
    path = tmp_path / "b.jsonl"
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
    with pytest.raises(BadBackup, match=message.replace("'", ".")):
        await import_lines(path, elsewhere.index, elsewhere.graph, EMBEDDER)


async def test_a_line_written_by_hand_is_taken(elsewhere: Stores, tmp_path: Path) -> None:
    path = tmp_path / "b.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in (HEADER, COLLECTION, PASSAGE)))
    assert await import_lines(path, elsewhere.index, elsewhere.graph, EMBEDDER) == {"passage": 1}
