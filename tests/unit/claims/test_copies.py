"""The same wire story on ten sites is one piece of evidence, and the package says so."""

from pathlib import Path

import pytest

from agents.claims.audit import audit
from agents.claims.package import VerdictPackage
from agents.claims.submission import Submission
from agents.evidence.extraction import ExtractedPage
from agents.evidence.ingest import ingest_page
from agents.services import Services
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


async def test_copies_take_no_place_from_an_independent_report(tmp_path: Path, ten_copies: list[ExtractedPage]) -> None:
    alone = await judged(tmp_path / "alone", ten_copies[:1])
    made = await judged(tmp_path / "both", [*ten_copies[:8], page("own.org", OTHER)])
    assert "own.org" in {row.domain for row in made.evidence if not row.same_as}
    assert made.diversity > alone.diversity


async def test_an_audit_finds_a_copy_that_is_passed_off_as_a_source_of_its_own(
    tmp_path: Path, ten_copies: list[ExtractedPage]
) -> None:
    made = await judged(tmp_path, ten_copies)
    assert audit(made) == []
    forged = tuple(row.model_copy(update={"same_as": ""}) for row in made.evidence)
    differences = audit(made.model_copy(update={"evidence": forged}))
    assert any(one.where.endswith(".same_as") for one in differences)
