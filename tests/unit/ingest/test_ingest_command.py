"""`veristream ingest` as a user meets it: what it says, what it refuses, and Ctrl-C in the middle."""

import asyncio
import os
import pty
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from tests.support.processes import ROOT, clean_environment, veristream
from tests.unit.evidence.conftest import RawServer, reply
from tests.unit.evidence.conftest import raw_server as raw_server  # noqa: PLC0414 - a fixture, used by its name
from tests.unit.ingest.makers import html, json_lines
from tests.unit.knowledge.command import run

DOCUMENTS = [{"id": n, "title": f"Title {n}", "text": f"Document number {n} is about bridges."} for n in range(600)]


def test_it_says_what_was_stored_known_and_skipped(environment: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    json_lines(folder / "c.jsonl.gz", [*DOCUMENTS[:20], {"id": "empty"}])
    (folder / "a.html").write_text(html())
    (folder / "b.png").write_bytes(b"x")
    first = run(environment, "ingest", str(folder))
    assert first.exit_code == 0
    assert first.stdout == "21 documents: 21 new passages, 0 known already; skipped 2\n"
    assert "skipped 1: no_text" in first.stderr
    assert "skipped 1: unknown_type" in first.stderr
    assert f"{folder / 'c.jsonl.gz'}:21: no text under any of" in first.stderr
    again = run(environment, "ingest", str(folder))
    assert again.stdout == "21 documents: 0 new passages, 21 known already; skipped 2\n"


def test_on_a_terminal_a_bar_shows_how_far_how_fast_and_how_long_still(
    environment: dict[str, str], tmp_path: Path
) -> None:
    corpus = json_lines(tmp_path / "c.jsonl", DOCUMENTS)
    terminal, end = pty.openpty()
    shown = {"TERM": "xterm", "COLUMNS": "120"}
    child = subprocess.Popen(
        [sys.executable, "-m", "streams.cli", "ingest", str(corpus)],
        cwd=ROOT,
        env=clean_environment(environment | shown),
        stdout=subprocess.DEVNULL,
        stderr=end,
    )
    os.close(end)
    text = b""
    with suppress(OSError):  # what Linux says when nobody has the other end open any more
        while piece := os.read(terminal, 65_536):
            text += piece
    os.close(terminal)
    assert child.wait(60) == 0
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text.decode())
    bar = re.findall(r"([\d,]+) documents, [\d,]+/s (\d:\d\d:\d\d|-:--:--)", plain)
    assert bar
    assert bar[-1][0] == "600"


def test_the_collection_can_be_chosen_and_that_of_jobs_gets_its_relations(
    environment: dict[str, str], tmp_path: Path
) -> None:
    path = json_lines(tmp_path / "c.jsonl", [{"id": 1, "text": "Mayor Jane Morrow opened the bridge in Kelderwick."}])
    done = run(environment, "ingest", str(path), "--collection", "facts")
    assert done.stdout == "1 documents: 1 new passages, 0 known already, 1 new relations; skipped 0\n"
    assert run(environment, "stores", "verify").exit_code == 0
    wrong = run(environment, "ingest", str(path), "--collection", "poems")
    assert wrong.exit_code == 2


def test_a_path_that_does_not_exist_is_one_line(environment: dict[str, str], tmp_path: Path) -> None:
    done = run(environment, "ingest", str(tmp_path / "nowhere"))
    assert done.exit_code == 1
    assert done.stderr == f"error: no such file or folder: {tmp_path / 'nowhere'}\n"


def test_nothing_readable_at_all_is_a_failure(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "x.png").write_bytes(b"x")
    done = run(environment, "ingest", str(tmp_path / "x.png"))
    assert done.exit_code == 1
    assert "error: nothing could be read" in done.stderr


def test_another_embedder_is_one_clear_line(environment: dict[str, str], tmp_path: Path) -> None:
    path = json_lines(tmp_path / "c.jsonl", DOCUMENTS[:1])
    assert run(environment, "ingest", str(path)).exit_code == 0
    done = run(environment | {"VERISTREAM_EMBEDDER": "bge-small"}, "ingest", str(path))
    assert done.exit_code == 1
    assert done.stderr.startswith("error: collection 'static_gk' holds vectors of wordllama-l2-supercat-256")
    assert done.stderr.count("\n") == 1


async def test_pages_of_a_feed_are_read_once_a_day(
    environment: dict[str, str], raw_server: RawServer, tmp_path: Path
) -> None:
    origin = raw_server.origin
    feed = f"<rss version='2.0'><channel><title>f</title><item><link>{origin}/a</link></item></channel></rss>"
    raw_server.answers["/feed"] = reply(feed.encode(), content_type="application/rss+xml")
    raw_server.answers["/a"] = reply(html().encode())
    first = await asyncio.to_thread(run, environment, "ingest", f"{origin}/feed")
    assert first.stdout == "1 documents: 1 new passages, 0 known already; skipped 0\n"
    again = await asyncio.to_thread(run, environment, "ingest", f"{origin}/feed")
    assert again.stdout == "0 documents: 0 new passages, 0 known already; skipped 1\n"
    assert again.exit_code == 0
    assert raw_server.requests == ["/feed", "/a", "/feed"]


async def test_ctrl_c_keeps_what_is_stored_and_the_same_command_goes_on_from_there(
    environment: dict[str, str], raw_server: RawServer, tmp_path: Path
) -> None:
    corpus = json_lines(tmp_path / "c.jsonl.gz", DOCUMENTS)
    raw_server.silent.add("/never")
    child = veristream(["ingest", str(corpus), f"{raw_server.origin}/never"], environment, tmp_path / "log").start()
    try:
        async with asyncio.timeout(100):
            while not raw_server.requests:  # the whole file has been read by then, and its last batch is waiting
                await asyncio.sleep(0.05)
        child.send(signal.SIGINT)
        assert await asyncio.to_thread(child.wait, 30) == 130
    finally:
        if child.alive:
            child.kill()
    # Whole batches: the one that was being written when the signal came may or may not be among them.
    told = re.search(r"stopped: (\d+) new passages are stored; the same command goes on from there", child.text())
    assert told is not None
    stored = int(told[1])
    assert stored in {256, 512}
    done = await asyncio.to_thread(run, environment, "ingest", str(corpus))
    assert done.stdout == f"600 documents: {600 - stored} new passages, {stored} known already; skipped 0\n"
