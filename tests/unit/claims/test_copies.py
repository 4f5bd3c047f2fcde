"""The same wire story on ten sites is one piece of evidence, and the package says so."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from agents.claims.copies import MOST_COPIES, WIDE, copies_last, search_past_copies
from agents.claims.evidence import CandidateRow
from agents.claims.package import VerdictPackage
from agents.claims.package.audit import audit
from agents.claims.submission import Submission
from agents.evidence.extraction import ExtractedPage
from agents.evidence.ingest import ingest_page
from agents.services import Services
from scoring.stories import StoryPolicy
from storage.ports import Hit, HybridQuery, Passage
from storage.ports.evidence import CURRENT_AFFAIRS
from streams.bootstrap import open_services
from streams.settings import Settings
from tests.unit.claims.conftest import travel

CLAIM = "Solvara closed its factory in Port Ellan in March 2026."
STORY = (
    "Solvara closed its factory in Port Ellan in March 2026, ending sixty years of glass making on the east quay. "
    "The company's director, Nora Pell, said that energy prices had left no other way. About 340 people worked there "
    "until the last shift, and two hundred of them have been offered places in the plant at Granmouth.\n"
    "The union called the closure of the Port Ellan factory a broken promise and asked the ministry for a meeting. "
    "The mayor said that the quay would not stand empty for long and that three buyers had shown an interest."
)
OTHER = (
    "In Port Ellan the furnaces of Solvara are cold: the glass factory was shut in March 2026 after months of talks. "
    "People here had feared as much since the winter, when a second line had been stopped and its crew sent home."
)
STAGES = ("diversity", "agreement", "coverage", "trust_post_adaptive")


def page(host: str, text: str) -> ExtractedPage:
    title = f"Solvara leaves Port Ellan - {host}"
    return ExtractedPage(f"https://{host}/news/2026/03/solvara-leaves", title, text, None, host, "en")


async def judged(folder: Path, pages: list[ExtractedPage]) -> VerdictPackage:
    settings = Settings(data_dir=folder, embedder="static", embedded=True, search_providers=("none",))
    async with open_services(settings) as services:
        await store(pages, services)
        payload, _ = await travel(Submission(job_id="story", claim=CLAIM), services)
    return VerdictPackage.model_validate_json(payload)


async def store(pages: list[ExtractedPage], services: Services) -> None:
    for one in pages:
        await ingest_page(
            one,
            CURRENT_AFFAIRS,
            index=services.index,
            embedder=services.embedder,
            credibility=services.credibility,
            now=services.clock(),
        )


def signals(made: VerdictPackage) -> dict[str, float]:
    return {name: getattr(made, name) for name in STAGES}


@pytest.fixture
def ten_copies() -> list[ExtractedPage]:
    return [page(f"site{n}.org", f"By our staff, site {n}.\n{STORY}") for n in range(10)]


async def test_ten_copies_weigh_as_much_as_one(tmp_path: Path, ten_copies: list[ExtractedPage]) -> None:
    one = await judged(tmp_path / "one", ten_copies[:1])
    ten = await judged(tmp_path / "ten", ten_copies)
    assert signals(ten) == pytest.approx(signals(one), abs=0.02)
    assert (ten.diversity, ten.agreement) == (one.diversity, one.agreement)
    assert ten.verdict == one.verdict
    assert ten.analysis_counts["stories"] <= one.analysis_counts["stories"]


async def test_the_package_names_the_row_that_each_copy_repeats(
    tmp_path: Path, ten_copies: list[ExtractedPage]
) -> None:
    made = await judged(tmp_path, ten_copies)
    originals = {row.id for row in made.evidence if not row.same_as}
    repeated = [row for row in made.evidence if row.same_as]
    assert len({row.domain for row in made.evidence if row.id in originals}) == 1
    assert len(repeated) == made.signal_counts["copies"] >= 5
    assert {row.same_as for row in repeated} <= originals


async def test_ten_copies_take_no_place_from_an_independent_report(
    tmp_path: Path, ten_copies: list[ExtractedPage]
) -> None:
    own = page("own.org", OTHER)
    alone = await judged(tmp_path / "alone", ten_copies)
    two = await judged(tmp_path / "two", [ten_copies[0], own])
    made = await judged(tmp_path / "all", [*ten_copies, own])
    assert {row.domain for row in made.evidence if not row.same_as} >= {"own.org"}
    assert made.diversity > alone.diversity
    # Nine copies more change nothing but what the package says of them.
    assert (made.diversity, made.agreement, made.verdict) == (two.diversity, two.agreement, two.verdict)
    assert made.analysis_counts["stories"] == two.analysis_counts["stories"]
    assert len({row.domain for row in made.evidence if row.same_as}) == 9
    assert made.signal_counts["copies"] == sum(bool(row.same_as) for row in made.evidence) >= 9
    assert "own.org" not in {row.domain for row in made.evidence if row.same_as}
    assert audit(made) == []


async def test_an_audit_finds_a_copy_that_is_passed_off_as_a_source_of_its_own(
    tmp_path: Path, ten_copies: list[ExtractedPage]
) -> None:
    made = await judged(tmp_path, ten_copies)
    assert audit(made) == []
    forged = tuple(row.model_copy(update={"same_as": ""}) for row in made.evidence)
    differences = audit(made.model_copy(update={"evidence": forged}))
    assert any(one.where.endswith(".same_as") for one in differences)


def row(name: str, text: str, semantic: float, kg: float = 0.0) -> CandidateRow:
    return CandidateRow(id=name, text=text, origin="vector", url=f"https://{name}.org/1", semantic=semantic, kg=kg)


def order(rows: Sequence[CandidateRow]) -> list[str]:
    return [one.id for one in copies_last(rows, StoryPolicy())]


def test_copies_come_behind_everything_else_the_better_first() -> None:
    rows = [row("copy", STORY, 0.7), row("poor", OTHER, 0.1), row("wire", STORY, 0.9), row("worse copy", STORY, 0.6)]
    assert order(rows) == ["wire", "poor", "copy", "worse copy"]


def test_without_copies_the_better_come_first_by_whichever_signal_is_stronger() -> None:
    assert order([row("b", STORY, 0.3), row("a", OTHER, 0.1, kg=0.5)]) == ["a", "b"]
    assert order([row("b", "Short.", 0.5), row("a", "Short.", 0.5)]) == ["a", "b"], "too short to be told as copies"
    assert order([]) == []


class Written:
    """An index whose order of hits a test writes down."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self.asked: list[int] = []

    async def search(self, query: HybridQuery) -> list[Hit]:
        self.asked.append(query.limit)
        now = datetime(2026, 3, 1, tzinfo=UTC)
        passages = [Passage("facts", f"https://s{n}.org/1", text, now) for n, text in enumerate(self._texts)]
        return [Hit(one, 0.9, 0.9, 0.9 - n / 100) for n, one in enumerate(passages)][: query.limit]


async def found(index: Written, limit: int = 10) -> list[str]:
    query = HybridQuery("closed", np.zeros(2, dtype=np.float32), limit=limit)
    hits = await search_past_copies(index, query, StoryPolicy())  # type: ignore[arg-type]  # what it uses of an index
    return [hit.passage.url for hit in hits]


async def test_a_search_without_copies_looks_once() -> None:
    index = Written([f"Report {n}: {OTHER.replace(' ', f' w{n} ')}" for n in range(20)])
    assert await found(index) == [f"https://s{n}.org/1" for n in range(10)]
    assert index.asked == [10]


async def test_a_search_full_of_copies_looks_behind_them_once_more() -> None:
    index = Written([*([STORY] * 20), OTHER])
    urls = await found(index)
    assert urls[:2] == ["https://s0.org/1", "https://s20.org/1"]
    assert len(urls) == 2 + MOST_COPIES
    assert index.asked == [10, WIDE]


async def test_a_search_that_found_all_there_is_does_not_look_again() -> None:
    index = Written([STORY, STORY, OTHER])
    assert len(await found(index)) == 3
    assert index.asked == [10]
