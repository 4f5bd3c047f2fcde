"""`veristream knowledge` and `veristream stores` as a user meets them."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agents.language.embedders.static import StaticEmbedder
from scoring.values import Triple
from storage.embedded.stores import open_embedded
from storage.ports import AuditEntry, Embedder, Fact, Passage
from streams.cli.errors import Refused
from streams.cli.knowledge import read_queries
from tests.unit.knowledge.command import run

STATIC = Embedder(StaticEmbedder.name, StaticEmbedder.dimension)


def test_a_refresh_without_a_key_searches_the_sample_web(environment: dict[str, str], tmp_path: Path) -> None:
    queries = tmp_path / "desks.txt"
    queries.write_text("# our desks\nbridge council\n\nhospital\nbridge council\n")
    done = run(environment, "knowledge", "refresh", "--queries", str(queries))
    assert done.exit_code == 0
    assert done.stdout.startswith("current_affairs_24h: ")
    assert done.stdout.endswith("from 2 queries\n")
    again = run(environment, "knowledge", "refresh", "--queries", str(queries))
    assert again.stdout == done.stdout


def test_queries_are_read_from_a_file_or_are_the_desks_of_a_newsroom(tmp_path: Path) -> None:
    assert len(read_queries(None)) > 10
    for text in (None, "# nothing\n\n"):
        path = tmp_path / "q.txt"
        if text is not None:
            path.write_text(text)
        with pytest.raises(Refused):
            read_queries(path)


def test_a_refresh_that_finds_nothing_says_that_the_old_collection_stays(
    environment: dict[str, str], tmp_path: Path
) -> None:
    queries = tmp_path / "q.txt"
    queries.write_text("zzzzqqq\n")
    done = run(environment, "knowledge", "refresh", "--queries", str(queries))
    assert done.exit_code == 1
    assert done.stderr == "error: none of 0 pages could be read (nothing found); the old collection stays\n"


def test_a_back_up_is_written_and_read_back(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Bridge\n\nMayor Jane Morrow opened the bridge in Kelderwick.")
    assert run(environment, "ingest", str(tmp_path / "a.md"), "--relations").exit_code == 0
    backup = tmp_path / "b.jsonl.gz"
    written = run(environment, "stores", "export", str(backup))
    assert written.stdout == f"wrote 1 passages, 1 relations, 2 entities, 0 claims to {backup}\n"
    elsewhere = environment | {"VERISTREAM_DATA_DIR": str(tmp_path / "elsewhere")}
    read = run(elsewhere, "stores", "import", str(backup))
    assert read.stdout == f"stored 1 passages, 1 relations, 2 entities, 0 claims from {backup}\n"
    assert run(elsewhere, "stores", "verify").stdout == "looked at 1 passages and 1 relations\nthe stores agree\n"


def test_what_is_no_back_up_is_one_line(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "b.jsonl").write_text("{}\n")
    done = run(environment, "stores", "import", str(tmp_path / "b.jsonl"))
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
    assert run(environment, "stores", "import", str(tmp_path / "none")).exit_code == 1


def test_verify_fails_while_something_is_amiss_and_repair_mends_it(environment: dict[str, str], tmp_path: Path) -> None:
    async def leave_a_loose_relation() -> None:
        stores = await open_embedded(tmp_path / "data", STATIC)
        await stores.graph.upsert_facts([Fact(Triple("A", "is", "B"), "https://gone.org/1", datetime.now(UTC))])
        await stores.close()

    asyncio.run(leave_a_loose_relation())
    wrong = run(environment, "stores", "verify")
    assert wrong.exit_code == 1
    assert "pages whose relations name passages that are gone: 1" in wrong.stdout
    assert "  https://gone.org/1" in wrong.stderr
    mended = run(environment, "stores", "repair")
    assert mended.exit_code == 0
    assert "relations deleted 1" in mended.stdout
    assert run(environment, "stores", "verify").exit_code == 0


def test_purge_keeps_what_a_workspace_wants_kept(environment: dict[str, str], tmp_path: Path) -> None:
    async def entries(*old: tuple[str, int]) -> None:
        stores = await open_embedded(tmp_path / "data", STATIC)
        for workspace, days in old:
            at = datetime.now(UTC) - timedelta(days=days)
            await stores.ledger.append_audit(AuditEntry(f"{workspace}-{days}", "job", at, b"{}", workspace))
        await stores.close()

    asyncio.run(entries(("news", 100), ("news", 40), ("news", 10), ("legal", 100), ("legal", 400)))
    first = run(environment, "stores", "purge", "--workspace", "legal=365")
    assert first.stdout == "deleted 2 audit entries, 0 notes on fetched pages and 0 answers of models\n"
    second = run(environment, "stores", "purge", "--days", "30", "--workspace", "legal=365")
    assert second.stdout == "deleted 1 audit entries, 0 notes on fetched pages and 0 answers of models\n"


@pytest.mark.parametrize("text", ["legal", "=5", "legal=x", "legal=0"])
def test_a_retention_that_makes_no_sense_is_one_line(environment: dict[str, str], text: str) -> None:
    done = run(environment, "stores", "purge", "--workspace", text)
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)


def test_a_page_is_forgotten_by_its_address(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Bridge\n\nMayor Jane Morrow opened the bridge in Kelderwick.")
    assert run(environment, "ingest", str(tmp_path / "a.md"), "--relations").exit_code == 0
    gone = run(environment, "stores", "forget", "doc:a.md")
    assert gone.stdout == "deleted 1 passages and 1 relations; 0 pages may be read again\n"
    assert run(environment, "stores", "verify").stdout == "looked at 0 passages and 0 relations\nthe stores agree\n"
    again = run(environment, "stores", "forget", "doc:a.md")
    assert again.exit_code == 1
    assert again.stderr.startswith("error: the stores hold nothing under such an address")


def test_what_jobs_read_long_ago_is_purged_on_request(environment: dict[str, str], tmp_path: Path) -> None:
    async def leave(days: int) -> None:
        stores = await open_embedded(tmp_path / "data", STATIC)
        at = datetime.now(UTC) - timedelta(days=days)
        vector = (await StaticEmbedder().embed(["bridge"]))[0]
        passage = Passage("facts", f"https://a.org/{days}", f"The bridge of day {days}.", at)
        await stores.index.upsert([(passage, vector)])
        await stores.graph.upsert_facts([Fact(Triple("A", f"is {days}", "B"), passage.url, at, passage_id=passage.id)])
        await stores.close()

    for days in (3, 30):
        asyncio.run(leave(days))
    assert "passages" not in run(environment, "stores", "purge").stdout
    purged = run(environment, "stores", "purge", "--facts-days", "7")
    assert purged.stdout.endswith("deleted 1 passages and 1 relations; 0 pages may be read again\n")
    assert run(environment, "stores", "verify").stdout == "looked at 1 passages and 1 relations\nthe stores agree\n"
