"""Each kind of document becomes a title, a text, a day and an address; what cannot be read says why."""

import io
import itertools
from datetime import date
from pathlib import Path

import pytest
from pypdf import PdfReader, PdfWriter

from agents.evidence.documents import Document, Reading, ReadingPolicy, Skip
from agents.evidence.documents.addresses import bare_stem, file_address, record_address
from agents.evidence.documents.bodies import Body, canonical_address, read_body
from agents.evidence.documents.dates import day_of
from agents.evidence.documents.pdf import PdfText, read_pdf
from agents.evidence.documents.records import read_record
from agents.evidence.documents.text import decoded, read_markdown, read_plain, unwrapped
from tests.unit.ingest.makers import ARTICLE, html, pdf

TODAY = date(2026, 6, 1)


def record(value: dict[str, object], stem: str = "corpus") -> Document:
    found = read_record(value, stem, Reading(latest=TODAY))
    assert isinstance(found, Document), found
    return found


def body(kind: str, data: bytes, *, saved: bool = False) -> Document | Skip:
    return read_body(Body(data, kind, "doc:here", "here"), Reading(latest=TODAY), saved=saved)


def test_a_record_of_sentences_is_one_text_under_an_address_of_its_own() -> None:
    page = record({"doc_id": 7, "title": "Gandhi (film)", "sentences": ["One.", " Two. "]}).page
    assert (page.url, page.title, page.text) == ("doc:corpus/7", "Gandhi (film)", "One. Two.")
    assert (page.domain, page.published) == ("", None)


def test_the_section_of_a_record_stands_in_its_title() -> None:
    titles = [
        record({"title": "Gandhi (film)", "section": "Production\n", "text": "T."}).page.title,
        record({"section": "Production", "text": "T."}).page.title,
        record({"title": "Gandhi (film)", "section": 7, "text": "T."}).page.title,
    ]
    assert titles == ["Gandhi (film). Production", "Production", "Gandhi (film)"]


@pytest.mark.parametrize("name", ["text", "content", "body", "abstract"])
@pytest.mark.parametrize("day", ["date", "published"])
def test_a_record_of_the_common_shapes_keeps_its_address_and_day(name: str, day: str) -> None:
    page = record({"url": "https://a.org/x?utm_source=y", "title": "T", name: "Some text.", day: "2026-05-01"}).page
    assert (page.url, page.domain) == ("https://a.org/x", "a.org")
    assert (page.text, page.published) == ("Some text.", date(2026, 5, 1))


def test_a_record_without_an_id_is_named_by_its_text() -> None:
    first, again = record({"text": "The same."}).page.url, record({"text": "The same.", "title": "x"}).page.url
    assert first == again
    assert record({"text": "Another."}).page.url != first


def test_ids_that_hold_slashes_or_blanks_stay_one_part_of_the_address() -> None:
    assert record_address("my corpus", "a/b c", "") == "doc:my%20corpus/a%2Fb%20c"


def test_an_address_that_is_none_falls_back_on_the_id() -> None:
    assert record({"id": "x", "url": "javascript:alert(1)", "text": "T."}).page.url == "doc:corpus/x"


def test_a_list_of_paragraphs_is_a_text() -> None:
    assert record({"content": ["One.", "", "Two."]}).page.text == "One.\n\nTwo."


def test_half_a_surrogate_pair_becomes_a_mark_that_every_store_can_write() -> None:
    assert record({"id": 1, "text": "half \ud83d a pair\x00"}).page.text.encode()


@pytest.mark.parametrize("value", [{}, {"title": "only"}, {"text": "  "}, {"sentences": []}, {"text": 5}])
def test_a_record_without_text_says_what_was_looked_for(value: dict[str, object]) -> None:
    assert "no text" in str(read_record(value, "corpus", Reading()))


@pytest.mark.parametrize(
    ("value", "day"),
    [
        ("2026-05-01", date(2026, 5, 1)),
        ("2026-05-01T23:00:00Z", date(2026, 5, 1)),
        ("20260501", date(2026, 5, 1)),
        ("Fri, 01 May 2026 10:00:00 GMT", date(2026, 5, 1)),
        (1777593600, date(2026, 5, 1)),
        (1777593600000, date(2026, 5, 1)),
        ("2026-07-01", None),
        ("2026-13-01", None),
        ("May 2026", None),
        (2026, None),
        (True, None),
        (None, None),
        ("", None),
        (1e300, None),
    ],
)
def test_a_day_is_read_in_the_usual_spellings_and_never_from_the_future(value: object, day: date | None) -> None:
    assert day_of(value, TODAY) == day


def test_markdown_gives_its_heading_as_title_and_its_words_without_marks() -> None:
    text = (
        "# The **new** bridge\n\nThe [council](https://a.org) approved\nit ![map](map.png) on `Monday`.\n\n"
        "- first *point*\n- second\n\n```\ncode\n```\n<div>html</div>\n"
    )
    read = read_markdown(text)
    assert read.title == "The new bridge"
    assert read.text.splitlines()[0] == "The council approved"
    assert not set("*`[]<>#!") & set(read.text)
    assert "first point" in read.text


def test_front_matter_tells_title_day_and_address() -> None:
    read = read_markdown(
        '---\ntitle: "A title"\ndate: 2026-04-03\nurl: https://a.org/p\n---\n# Heading\n\nText.', TODAY
    )
    assert (read.title, read.published, read.url) == ("A title", date(2026, 4, 3), "https://a.org/p")
    assert "Heading" in read.text


def test_lines_that_an_editor_wrapped_are_one_sentence_again_and_verse_stays_verse() -> None:
    wrapped = "This is a sentence that an editor has wrapped at a fixed width\nand continued here."
    assert unwrapped(wrapped) == wrapped.replace("\n", " ")
    assert unwrapped("Short line\nAnother line") == "Short line\nAnother line"
    assert unwrapped("One paragraph.\n\n\n\nAnother.") == "One paragraph.\n\nAnother."


def test_a_text_file_that_opens_with_a_headline_has_a_title() -> None:
    assert read_plain("The bridge\n\nIt opened.").title == "The bridge"
    assert read_plain("It opened on Monday.\n\nMore.").title == ""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_text_in_unicode_is_decoded(encoding: str) -> None:
    assert decoded("Żółć\r\n東京".encode(encoding)) == "Żółć\n東京"


@pytest.mark.parametrize("raw", [b"caf\xe9", b"PK\x03\x04\x00\x00binary", "x".encode("utf-16-le")])
def test_what_is_no_unicode_text_is_not_guessed_at(raw: bytes) -> None:
    found = body("text", raw)
    assert isinstance(found, Skip)
    assert found.reason == "not_text"


def test_a_saved_page_is_known_by_the_address_it_names_for_itself() -> None:
    page = html(head="<link href='https://news.example.org/bridge?utm_source=x' rel=\"canonical\">").encode()
    found = body("html", page, saved=True)
    assert isinstance(found, Document)
    assert (found.page.url, found.page.domain) == ("https://news.example.org/bridge", "news.example.org")
    assert (found.page.title, found.page.published) == ("New bridge approved", date(2026, 3, 2))
    assert "Home News Sport" not in found.page.text


def test_a_fetched_page_does_not_choose_its_address() -> None:
    found = body("html", html(head="<link rel=canonical href=https://reuters.com/x>").encode())
    assert isinstance(found, Document)
    assert found.page.url == "doc:here"


@pytest.mark.parametrize(
    "head", ["", "<link rel=canonical>", "<link rel='canonical' href='/relative'>", "<link rel=x href=https://a.org>"]
)
def test_a_page_without_a_usable_address_of_its_own_has_none(head: str) -> None:
    assert canonical_address(html(head=head).encode()) is None


def test_a_page_without_an_article_says_so() -> None:
    found = body("html", b"<html><body><nav>Home</nav></body></html>")
    assert isinstance(found, Skip)
    assert found.reason in {"no_text", "unreadable"}


def test_a_pdf_is_read_with_its_title_and_its_lines_joined() -> None:
    lines = ["The council approved a new bridge over the river in a vote on Mon-", "day evening, and work begins."]
    found = body("pdf", pdf(lines, title="Minutes of the council"))
    assert isinstance(found, Document)
    assert found.page.title == "Minutes of the council"
    assert (
        found.page.text
        == "The council approved a new bridge over the river in a vote on Monday evening, and work begins."
    )
    assert found.method == "pypdf"


def test_a_pdf_that_cannot_be_read_says_why() -> None:
    policy = ReadingPolicy()
    assert read_pdf(b"%PDF-1.4 and then nothing", policy)[0] == "unreadable"
    assert read_pdf(pdf([]), policy)[0] == "no_text"
    assert read_pdf(_locked(pdf([ARTICLE])), policy)[0] == "encrypted"
    assert read_pdf(pdf([ARTICLE]), ReadingPolicy(max_pdf_pages=0))[0] == "too_large"


def test_a_pdf_that_takes_too_long_is_given_up() -> None:
    ticks = itertools.count(step=100.0)
    assert read_pdf(pdf([ARTICLE]), ReadingPolicy(), now=lambda: next(ticks))[0] == "timeout"
    assert isinstance(read_pdf(pdf([ARTICLE]), ReadingPolicy()), PdfText)


def _locked(raw: bytes) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(raw)))
    writer.encrypt("secret", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def test_addresses_of_files_follow_the_folder_that_was_named() -> None:
    assert file_address(Path("/x/notes/a/b c.md"), Path("/x/notes")) == "doc:notes/a/b%20c.md"
    assert file_address(Path("/x/b.md"), Path("/x/b.md")) == "doc:b.md"


@pytest.mark.parametrize(("name", "stem"), [("fm2.corpus.jsonl.gz", "fm2.corpus"), ("a.json", "a"), ("a.gz", "a")])
def test_a_stem_leaves_out_how_a_file_is_packed(name: str, stem: str) -> None:
    assert bare_stem(name) == stem
