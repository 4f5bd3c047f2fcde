"""Folders are read to the bottom in a fixed order; damage in one file never keeps the others from being read."""

import gzip
import json
from pathlib import Path

import pytest

from agents.evidence.documents import Document, FileSource, Piece, Reading, ReadingPolicy, Skip, find_files, read_file
from agents.evidence.documents.kinds import kind_of, kind_of_answer
from agents.knowledge.sources import NoSuchSource, plan_sources
from tests.unit.ingest.makers import ARTICLE, html, json_lines, pdf


def pieces(root: Path, reading: Reading | None = None) -> list[Piece]:
    found: list[Piece] = []
    for source in find_files(root):
        if isinstance(source, FileSource):
            found += read_file(source, reading)
        else:
            found.append(Piece(source, 0))
    return found


def addresses(root: Path) -> list[str]:
    return [item.page.url for item, _ in pieces(root) if isinstance(item, Document)]


def reasons(root: Path, reading: Reading | None = None) -> list[tuple[str, str]]:
    return [(Path(item.where).name, item.reason) for item, _ in pieces(root, reading) if isinstance(item, Skip)]


def test_a_folder_is_read_to_the_bottom_whatever_its_files_are(tmp_path: Path) -> None:
    root = tmp_path / "notes"
    (root / "deep" / "er").mkdir(parents=True)
    (root / "a.html").write_text(html())
    (root / "deep" / "b.md").write_text("# B\n\nText of b.")
    (root / "deep" / "er" / "c.txt.gz").write_bytes(gzip.compress(b"Text of c."))
    (root / "d.pdf").write_bytes(pdf([ARTICLE]))
    json_lines(root / "e.jsonl", [{"id": 1, "text": "One."}, {"id": 2, "text": "Two."}])
    json_lines(root / "f.jsonl.gz", [{"id": 1, "text": "Three."}])
    (root / "g.json").write_text(json.dumps([{"id": 1, "text": "Four."}]))
    assert addresses(root) == [
        "doc:notes/a.html",
        "doc:notes/d.pdf",
        "doc:notes/deep/b.md",
        "doc:notes/deep/er/c.txt.gz",
        "doc:e/1",
        "doc:e/2",
        "doc:f/1",
        "doc:g/1",
    ]
    assert reasons(root) == []


def test_hidden_files_are_left_out_and_unknown_ones_are_counted(tmp_path: Path) -> None:
    root = tmp_path / "mixed"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "x.txt").write_text("hidden")
    (root / ".hidden.txt").write_text("hidden")
    (root / "picture.png").write_bytes(b"\x89PNG")
    assert reasons(root) == [("picture.png", "unknown_type")]


def test_bad_lines_are_named_by_number_and_the_good_ones_are_read(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_bytes(
        b'\xef\xbb\xbf{"id": 1, "text": "One."}\nnot json\n\n[1]\n{"id": 2}\n{"id": 3, "text": "Three."}\n'
    )
    found = pieces(path)
    assert [item.page.url for item, _ in found if isinstance(item, Document)] == ["doc:c/1", "doc:c/3"]
    assert [(item.where.rpartition(":")[2], item.reason) for item, _ in found if isinstance(item, Skip)] == [
        ("2", "bad_line"),
        ("4", "bad_line"),
        ("5", "no_text"),
    ]


def test_a_line_of_any_length_costs_no_more_memory_than_the_limit_and_the_next_one_is_read(tmp_path: Path) -> None:
    path = json_lines(tmp_path / "c.jsonl.gz", [{"id": 1, "text": "x" * 5000}, {"id": 2, "text": "Two."}])
    found = pieces(path, Reading(policy=ReadingPolicy(max_line_bytes=1000)))
    assert [type(item).__name__ for item, _ in found] == ["Skip", "Document"]


def test_a_compressed_file_that_breaks_off_gives_what_it_has_and_says_so(tmp_path: Path) -> None:
    whole = json_lines(tmp_path / "w.jsonl.gz", [{"id": n, "text": f"Text {n} {'x' * n}."} for n in range(3000)])
    cut = tmp_path / "cut.jsonl.gz"
    cut.write_bytes(whole.read_bytes()[:-2000])
    found = pieces(cut)
    assert sum(isinstance(item, Document) for item, _ in found) > 100
    assert isinstance(found[-1].item, Skip)
    assert found[-1].item.reason == "unreadable"


@pytest.mark.parametrize(
    ("name", "raw", "reason"),
    [
        ("a.txt", b" \n", "empty"),
        ("a.txt", b"x" * 101, "too_large"),
        ("a.txt.gz", gzip.compress(b"x" * 100_000), "too_large"),
        ("a.txt.gz", b"\x1f\x8b broken", "unreadable"),
        ("a.json", b"{", "unreadable"),
        ("a.json", b"[]", "empty"),
        ("a.md", b"![only a picture](x.png)", "no_text"),
        ("a.html", b"<html></html>", "no_text"),
    ],
)
def test_a_file_that_holds_no_document_says_why(tmp_path: Path, name: str, raw: bytes, reason: str) -> None:
    (tmp_path / name).write_bytes(raw)
    policy = ReadingPolicy(max_text_bytes=100)
    assert reasons(tmp_path / name, Reading(policy=policy)) == [(name, reason)]


def test_a_file_that_vanishes_or_is_closed_to_us_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("text")
    (source,) = find_files(path)
    assert isinstance(source, FileSource)
    path.unlink()
    (piece,) = read_file(source)
    assert isinstance(piece.item, Skip)
    assert piece.item.detail == "No such file or directory"


def test_a_json_file_may_hold_an_object_a_list_or_lines(tmp_path: Path) -> None:
    for text in ('{"id": 1, "text": "T."}', '[{"id": 1, "text": "T."}]', '{"id": 1, "text": "T."}\n{"id": 2}'):
        (tmp_path / "a.json").write_text(text)
        assert addresses(tmp_path / "a.json") == ["doc:a/1"]


def test_progress_reaches_the_size_of_the_file_on_disk(tmp_path: Path) -> None:
    path = json_lines(tmp_path / "c.jsonl.gz", [{"id": n, "text": f"Text {n}."} for n in range(50)])
    found = pieces(path)
    assert [piece.consumed for piece in found] == sorted(piece.consumed for piece in found)
    assert found[-1].consumed == path.stat().st_size


def test_everything_that_was_named_is_looked_up_before_anything_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("text")
    with pytest.raises(NoSuchSource, match=r"no such file or folder: .*nowhere"):
        plan_sources([str(tmp_path / "a.txt"), str(tmp_path / "nowhere")])
    assert plan_sources([str(tmp_path)]).size == 4


@pytest.mark.parametrize(
    ("name", "kind"), [("A.HTML", "html"), ("x.tar.gz", None), ("x.md.gz", "markdown"), ("x", None), ("x.rss", "feed")]
)
def test_a_name_says_what_a_file_is(name: str, kind: str | None) -> None:
    assert kind_of(name) == kind


@pytest.mark.parametrize(
    ("url", "content_type", "start", "kind"),
    [
        ("https://a.org/x", "text/html", b"<html>", "html"),
        ("https://a.org/x", "text/html", b"<?xml version='1.0'?><rss version='2.0'>", "feed"),
        ("https://a.org/x.md", "text/plain", b"# x", "markdown"),
        ("https://a.org/x", "text/plain", b"x", "text"),
        ("https://a.org/c.jsonl.gz", "application/octet-stream", b"\x1f\x8b", "lines"),
        ("https://a.org/x", "application/octet-stream", b"", None),
    ],
)
def test_an_answer_is_what_its_server_says_unless_that_says_nothing(
    url: str, content_type: str, start: bytes, kind: str | None
) -> None:
    assert kind_of_answer(url, content_type, start) == kind
