"""Extraction on pages that are odd, broken or hostile; the sample pages are tested with the samples."""

import asyncio
import subprocess
import sys
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.evidence.extraction import (
    ExtractedPage,
    ExtractionFailure,
    ExtractionPolicy,
    domain_of,
    extract,
    extract_now,
)
from agents.evidence.language import extraction_mark, language_of, marked_language
from agents.evidence.readers import without_furniture

URL = "https://www.Kelderwick-Gazette.example/news/2025/10/bridge"
SENTENCE = "Weir Bridge in Kelderwick reopened to traffic on 2 October 2025 after eight months of repairs. "


def article(body: str = SENTENCE * 3, head: str = "", lang: str = 'lang="en-GB"') -> str:
    return (
        f"<html {lang}><head><title>Bridge open</title>{head}</head><body><nav>Menu Home</nav>"
        f"<article><h1>Bridge open</h1><p>{body}</p></article><footer>All rights reserved</footer></body></html>"
    )


async def test_an_article_gives_its_text_title_domain_and_language() -> None:
    page = await extract(article(), URL)
    assert page == ExtractedPage(URL, "Bridge open", (SENTENCE * 3).strip(), None, "kelderwick-gazette.example", "en")


async def test_bytes_in_another_encoding_are_read_as_well() -> None:
    html = article("In Grünfurt blühen die Bäume, und die Straßen sind voller Äpfel und Bücher. " * 3)
    head = '<meta charset="iso-8859-1">'
    page = await extract(html.replace("<head>", f"<head>{head}").encode("latin-1"), URL)
    assert isinstance(page, ExtractedPage)
    assert "Grünfurt blühen die Bäume" in page.text


@pytest.mark.parametrize(
    "head",
    [
        '<meta property="article:published_time" content="2025-10-03T07:30:00+00:00">',
        '<script type="application/ld+json">{"@type": "NewsArticle", "datePublished": "2025-10-03"}</script>',
        '<meta name="dc.date" content="2025-10-03">',
    ],
)
async def test_the_date_is_the_one_the_markup_states(head: str) -> None:
    page = await extract(article(head=head), URL)
    assert isinstance(page, ExtractedPage)
    assert page.published == date(2025, 10, 3)


async def test_a_date_that_only_stands_in_the_text_is_not_taken_for_the_publication_date() -> None:
    page = await extract(article(), "https://kelderwick-gazette.example/bridge")
    assert isinstance(page, ExtractedPage)
    assert page.published is None


@pytest.mark.parametrize(("latest", "believed"), [(date(2025, 10, 3), True), (date(2025, 10, 2), False), (None, True)])
async def test_a_date_in_the_future_of_the_clock_is_not_believed(latest: date | None, believed: bool) -> None:
    head = '<meta property="article:published_time" content="2025-10-03T07:30:00+00:00">'
    page = await extract(article(head=head), "https://kelderwick-gazette.example/bridge", latest=latest)
    assert isinstance(page, ExtractedPage)
    assert (page.published == date(2025, 10, 3)) is believed


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        ("", "empty"),
        (b" \n ", "empty"),
        ("no tags at all, only a sentence that somebody wrote down", "unreadable"),
        (b"%PDF-1.7\xff\xfe\x00\x01", "unreadable"),
        ("<html><body><img src='a.png'></body></html>", "no_text"),
        ("<html><body>" + "<p>" * 60_000, "too_large"),
        ("x" * 5_000_001, "too_large"),
        ("<html><body>" + "<div>" * 100_000 + SENTENCE, "too_large"),
        ("<html><body>" + "<div>" * 40_000 + SENTENCE, "no_text"),
    ],
)
async def test_a_page_without_an_article_is_a_failure_that_says_why(page: str | bytes, reason: str) -> None:
    failure = await extract(page, URL)
    assert isinstance(failure, ExtractionFailure)
    assert (failure.reason, failure.url) == (reason, URL)
    assert failure.detail


QUOTED_END = "a{}='>'"


def names(count: int, form: str, between: str = " ") -> str:
    return between.join(form.format(number) for number in range(count))


@pytest.mark.parametrize(
    ("page", "detail"),
    [
        (f"<html><body><p {names(600_000, 'a{}')}>x</p>", "does not end"),
        (f"<html><body><p {names(300_000, QUOTED_END)}>x</p>", "does not end"),
        (f"<html><body><p {names(300_000, 'a{}', '/')}>x</p>", "does not end"),
        (f"<html><body><p {names(200_000, QUOTED_END, '')}>x</p>", "does not end"),
        (f"<html><body><!-- <p a=' --><p {names(300_000, 'a{}')}>'>x</p>", "does not end"),
        (f"<html><body><p {names(257, 'a{}')}>x</p>", "more than 256 attributes"),
        ("<html><body>" + f"<p {names(250, 'a{}')}>x</p>" * 601, "more than 150000 attributes"),
        ("<html><body>" + "<a>" * 1_600_000, "more than 50000 elements"),
    ],
    ids=["bare", "quoted", "slashes", "nothing between", "behind a comment", "one", "together", "elements"],
)
async def test_a_page_that_no_parser_would_get_through_is_refused_before_it_is_parsed(page: str, detail: str) -> None:
    failure = await extract(page, URL)
    assert isinstance(failure, ExtractionFailure)
    assert failure.reason == "too_large"
    assert detail in failure.detail


@pytest.mark.parametrize(
    "within",
    [
        "<script>" + "var a = '<p b c d';\n" * 20_000 + "</script>",
        "<style>" + "a { color: red }\n" * 20_000 + "</style>",
        '<img src="data:image/png;base64,' + "iVBORw0KGgoAAAANSUhEUgAAAAUA/" * 10_000 + '">',
        '<svg><path d="' + "M10 20 L 30 40 " * 3_000 + '"/></svg>',
        "<!--" + "a remark of the editors " * 3_000 + "-->",
        f"<p {names(256, 'a{}')}>x</p>",
        "<pre>" + "a line of figures 1 2 3\n" * 20_000 + "</pre>",
    ],
    ids=["script", "style", "picture", "drawing", "comment", "attributes", "text"],
)
async def test_what_large_pages_usually_hold_is_read(within: str) -> None:
    page = await extract(article().replace("<body>", f"<body>{within}"), URL)
    assert isinstance(page, ExtractedPage), page


MEASURE = """
import resource, sys
from agents.evidence.extraction import extract_now

def grown(pages):
    peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    extract_now("<html><body><p>" + "A sentence of a page. " * 20 + "</p></body></html>", "https://a.example/1")
    before = peak()
    for page in pages:
        extract_now(page, "https://a.example/1")
    return (peak() - before) // 1024

names = " ".join(f"a{n}" for n in range(600_000))
print(grown(["<html><body>" + "<a>" * 1_600_000, "<html><body>" + "<div>" * 900_000, f"<html><body><p {names}>x"]))
"""


def test_reading_such_a_page_takes_little_memory() -> None:
    grown = subprocess.run([sys.executable, "-c", MEASURE], capture_output=True, text=True, check=True, timeout=120)
    assert int(grown.stdout) < 100, "megabytes, the page itself included"


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=400) | st.text(max_size=400) | st.text(alphabet="<>/=\"'pdiv aht ml\x00", max_size=400))
def test_garbage_never_raises(garbage: str | bytes) -> None:
    for page in (
        garbage,
        b"<html><body><p>" + (garbage.encode(errors="replace") if isinstance(garbage, str) else garbage),
    ):
        assert isinstance(extract_now(page, URL), ExtractedPage | ExtractionFailure)


async def test_a_page_that_takes_too_long_is_a_failure_and_the_loop_goes_on() -> None:
    outcome = await extract(article(), URL, policy=ExtractionPolicy(timeout_s=0.0))
    assert isinstance(outcome, ExtractionFailure)
    assert outcome.reason == "timeout"


async def test_the_loop_runs_while_a_page_is_read() -> None:
    ticks = 0
    done = asyncio.Event()

    async def tick() -> None:
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            await asyncio.sleep(0)

    ticking = asyncio.create_task(tick())
    await extract(article("<b>word</b> " * 3000), URL)
    done.set()
    await ticking
    assert ticks > 1


def test_the_domain_is_the_host_in_lower_case_without_www() -> None:
    assert domain_of("https://WWW.Council.example:8080/a?b#c") == "council.example"
    assert domain_of("not an address") == ""


@pytest.mark.parametrize(
    ("body", "reader"),
    [
        (f"<article><p>{SENTENCE * 3}</p></article>", "trafilatura"),
        (f"<div>{SENTENCE}</div><center>{SENTENCE.replace('Weir', 'Mill')}</center>", "trafilatura"),
        (f"<aside class='sidebar'><p>{SENTENCE}</p></aside>", "trafilatura-recall"),
        ("<div id='root'></div>", "description"),
    ],
)
def test_where_one_reader_finds_nothing_the_next_is_asked(body: str, reader: str) -> None:
    head = f'<title>Bridge open</title><meta name="description" content="{SENTENCE}">'
    page = extract_now(f"<html><head>{head}</head><body>{body}</body></html>", URL)
    assert isinstance(page, ExtractedPage)
    assert page.reader == reader
    assert SENTENCE.strip() in page.text


def test_lines_that_belong_to_the_site_are_left_out() -> None:
    furniture = ["We use cookies to improve your visit.", "Read more: the old bridge", "Share", "© 2025 The Gazette"]
    body = "".join(
        f"<p>{line}</p>" for line in [furniture[0], SENTENCE, *furniture[1:], SENTENCE.replace("Weir", "Mill")]
    )
    page = extract_now(f"<html><head><title>T</title></head><body><article>{body}</article></body></html>", URL)
    assert isinstance(page, ExtractedPage)
    assert page.text == f"{SENTENCE.strip()}\n{SENTENCE.replace('Weir', 'Mill').strip()}"


def test_a_long_paragraph_stays_whatever_it_begins_with() -> None:
    text = f"Subscribers to the bridge fund rose by twelve per cent last year. {SENTENCE}{SENTENCE}"
    assert without_furniture(text) == text.strip()


GERMAN = "Die Brücke in Kelderwick wurde am Freitag nach acht Monaten Bauzeit wieder für den Verkehr freigegeben. "


@pytest.mark.parametrize(
    ("text", "declared", "language"),
    [
        (SENTENCE * 2, "en", "en"),
        (GERMAN * 2, "en", "de"),  # pages are often made from a template in another language
        ("Le pont a été rouvert à la circulation vendredi après huit mois de travaux sur les piles. ", None, "fr"),
        ("Мост был открыт для движения в пятницу после восьми месяцев ремонта. ", None, "ru"),
        ("41,000 12.5 % 2025", "fr", "fr"),
        ("41,000 12.5 % 2025", None, None),
    ],
)
def test_the_words_tell_the_language_and_the_page_where_they_do_not(
    text: str, declared: str | None, language: str | None
) -> None:
    assert language_of(text, declared) == language


@pytest.mark.parametrize(("language", "marked"), [("de", "de"), ("en", ""), (None, "")])
def test_a_passage_carries_its_language_unless_it_is_english(language: str | None, marked: str) -> None:
    assert marked_language(extraction_mark("trafilatura", language)) == marked
