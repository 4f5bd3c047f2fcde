"""The sample corpus holds what it promises: files, claims and expectations fit together."""

import re
from collections import defaultdict
from html import unescape
from pathlib import Path

import pytest

import samples
from agents.evidence import ExtractedPage, chunk, extract_now
from samples.corpus import SamplePage
from scoring.values import Verdict

CORPUS = samples.load()
ARTICLES = [page for page in CORPUS.pages if page.kind == "article"]
CHROME = re.compile(
    r"cookie|Skip to content|Zum Inhalt springen|More from|Weitere Seiten|Impressum|Complaints|Listen live"
)


def paragraphs(page: SamplePage) -> list[str]:
    """The paragraphs of the article, read off the file itself."""
    inside = page.html().split("</header>\n", 2)[-1].split("</article>")[0]
    return [unescape(text) for text in re.findall(r"<p>(.*?)</p>", inside)]


def test_every_file_is_in_the_manifest_and_every_page_has_a_file() -> None:
    on_disk = {path.relative_to(samples.samples_dir()) for path in samples.samples_dir().glob("pages/**/*.html")}
    assert {page.file.relative_to(samples.samples_dir()) for page in CORPUS.pages} == on_disk
    assert len({page.url for page in CORPUS.pages}) == len(CORPUS.pages)


def test_every_host_is_described_and_lies_under_the_reserved_domain() -> None:
    assert {page.host for page in CORPUS.pages} == set(CORPUS.hosts)
    assert all(re.fullmatch(r"[a-z-]+\.example", host) for host in CORPUS.hosts), "each its own registered domain"


def test_about_half_of_the_pages_are_in_the_knowledge_base() -> None:
    assert 0.4 <= len(CORPUS.knowledge_base) / len(CORPUS.pages) <= 0.6


def test_redirects_lead_to_pages() -> None:
    urls = {page.url for page in CORPUS.pages}
    assert CORPUS.redirects
    assert all(new in urls and old not in urls for old, new in CORPUS.redirects.items())


@pytest.mark.parametrize("page", CORPUS.pages, ids=lambda page: page.url)
def test_a_page_names_its_own_canonical_address(page: SamplePage) -> None:
    assert f'<link rel="canonical" href="{page.url}">' in page.html()


@pytest.mark.parametrize("page", ARTICLES, ids=lambda page: page.url)
def test_extraction_yields_the_article_and_nothing_around_it(page: SamplePage) -> None:
    extracted = extract_now(page.html(), page.url)
    assert isinstance(extracted, ExtractedPage)
    assert extracted.text.split("\n") == paragraphs(page)
    assert CHROME.search(page.html())
    assert not CHROME.search(extracted.text)
    assert (extracted.title, extracted.published) == (page.title, page.published)
    assert (extracted.domain, extracted.language) == (page.host, page.language)


@pytest.mark.parametrize("page", ARTICLES, ids=lambda page: page.url)
def test_an_article_is_short_dated_and_more_than_one_chunk(page: SamplePage) -> None:
    words = " ".join(paragraphs(page)).split()
    assert 120 <= len(words) <= 350
    assert page.published is not None
    assert 2024 <= page.published.year <= 2026
    assert len(chunk("\n".join(paragraphs(page)))) > 1


def test_home_and_section_pages_have_no_date() -> None:
    indexes = [page for page in CORPUS.pages if page.kind != "article"]
    assert {page.kind for page in indexes} == {"homepage", "section"}
    for page in indexes:
        extracted = extract_now(page.html(), page.url)
        assert not (isinstance(extracted, ExtractedPage) and extracted.published)


def test_the_wire_story_reads_the_same_on_three_hosts() -> None:
    copies = [page for page in CORPUS.pages if page.syndicated_from]
    assert len({page.host for page in copies}) == 3
    assert len({tuple(paragraphs(page)) for page in copies}) == 1


def test_exactly_one_page_tries_to_instruct_machines_and_one_is_german() -> None:
    assert [page.host for page in CORPUS.pages if page.prompt_injection] == ["kelderwick-forum.example"]
    assert [page.host for page in CORPUS.pages if page.language == "de"] == ["rathaus-gruenfurt.example"]
    (hostile,) = (page for page in CORPUS.pages if "Ignore all previous instructions" in page.html())
    assert hostile.prompt_injection


def test_every_claim_has_an_expectation_and_a_reason() -> None:
    ids = [claim.job_id for claim in CORPUS.claims]
    assert ids == sorted(set(ids))
    assert set(ids) == set(CORPUS.expected)
    assert all(expected.verdict in set(Verdict) and expected.why for expected in CORPUS.expected.values())


def test_every_verdict_and_every_path_is_expected_somewhere() -> None:
    assert {expected.verdict for expected in CORPUS.expected.values()} == set(Verdict)
    assert {expected.path for expected in CORPUS.expected.values()} == {"knowledge_base", "one_loop", "exhausts"}


def test_the_claims_that_can_be_decided_have_three_credible_hosts_on_the_path_they_take() -> None:
    """A topic's own words: pages of one topic are about one set of facts, and each claim is about one or two."""
    topics = {
        "sample-01": ["population"], "sample-02": ["population"], "sample-03": ["beds"], "sample-04": ["larch"],
        "sample-05": ["cup"], "sample-06": ["cup"], "sample-07": ["mayor"], "sample-08": ["bridge"],
        "sample-09": ["bridge"], "sample-10": ["budget"], "sample-11": ["budget"], "sample-12": ["library"],
        "sample-13": ["jobs"], "sample-14": ["storm"], "sample-15": ["water"], "sample-16": ["twin"],
        "sample-17": ["visitors"], "sample-18": ["cup", "league"], "sample-19": ["school"],
    }  # fmt: skip
    assert set(topics) == {id_ for id_, expected in CORPUS.expected.items() if expected.verdict != "UNVERIFIABLE"}
    stored, on_the_web = defaultdict(set), defaultdict(set)
    for page in ARTICLES:
        on_the_web[page.topic].add(page.syndicated_from or page.host)
        if page.knowledge_base:
            stored[page.topic].add(page.host)
    for job_id, about in topics.items():
        for topic in about:
            if CORPUS.expected[job_id].path == "knowledge_base":
                assert len(stored[topic]) >= 3, f"{job_id}: {topic} must be settled by what is stored"
            else:
                assert len(stored[topic]) < 3, f"{job_id}: {topic} must not be settled by what is stored"
                assert len(on_the_web[topic]) >= 3, f"{job_id}: {topic} must be settled by searching"


def test_a_copy_of_the_folder_loads_as_well(tmp_path: Path) -> None:
    (tmp_path / "claims.jsonl").write_text("\n")
    (tmp_path / "expected.json").write_text("{}")
    (tmp_path / "manifest.json").write_text('{"town": "Nowhere", "hosts": {}, "redirects": {}, "pages": []}')
    assert samples.load(tmp_path).town == "Nowhere"


def test_a_manifest_with_a_page_on_the_wrong_host_is_refused(tmp_path: Path) -> None:
    manifest = (samples.samples_dir() / "manifest.json").read_text(encoding="utf-8")
    (tmp_path / "manifest.json").write_text(manifest.replace('"host": "dales', '"host": "fells', 1))
    (tmp_path / "claims.jsonl").write_text("")
    with pytest.raises(ValueError, match=r"does not lie on fells-league\.example"):
        samples.load(tmp_path)
