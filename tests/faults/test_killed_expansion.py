"""(f) A worker dies by kill -9 in the middle of an expansion: the next one reads again only what was in flight."""

from collections import Counter
from pathlib import Path

import pytest

from agents.claims.package import VerdictPackage
from tests.faults.conftest import Stage
from tests.support.small_web import Article, small_web

pytestmark = [pytest.mark.faults, pytest.mark.services, pytest.mark.timeout(240)]

JOB = "killed-expansion"
BATCH = 5
TEXT = (
    "The Harbour Bridge in Port Ellory reopened to traffic after a winter of repairs, the port authority said.",
    "Lorries and buses cross it again, and the ferry across the bay has stopped running for good this week.",
)
NAMED = [Article(f"notice-{n}.example", f"bridge-{n}", f"Notice {n}", TEXT) for n in range(4)]
FOUND = [Article(f"paper-{n}.example", f"bridge-{n}", f"Harbour Bridge in Port Ellory {n}", TEXT) for n in range(8)]
CLAIM = f"The Harbour Bridge in Port Ellory reopened, see {' and '.join(article.url for article in NAMED)}"


async def test_only_the_pages_in_flight_are_fetched_again(stage: Stage, tmp_path: Path) -> None:
    async with small_web(tmp_path / "web", [*NAMED, *FOUND]) as web:
        web.hold_after = BATCH
        stage.more |= {"VERISTREAM_SAMPLE_WEB_URL": web.origin, "VERISTREAM_URLS_PER_QUERY": "8"}
        await stage.create_topics()
        first = stage.worker()
        await stage.submit([(JOB, CLAIM)])
        await web.until_fetched(BATCH + 1, 90)
        first.kill()
        stored, interrupted = web.fetched[:BATCH], web.fetched[BATCH:]
        assert 0 < len(interrupted) <= BATCH
        web.hold_after = None
        web.release.set()
        stage.worker()
        async with stage.outputs("verdicts") as verdicts:
            await verdicts.until_keys(stage.topic("verdicts"), {JOB}, 120)
            (verdict,) = verdicts.records
        again = Counter(web.fetched)
        assert all(again[path] == 1 for path in stored), "a page that was stored is fetched again"
        assert sum(count - 1 for count in again.values()) <= BATCH
        package = VerdictPackage.model_validate_json(verdict.value or b"")
        assert len(package.loop.urls_processed) == len(set(package.loop.urls_processed))
        # What the first worker had stored is on the record of the second as well.
        read = {article.url for article in (*NAMED, *FOUND) if article.path in stored}
        assert read <= set(package.loop.urls_processed)
    assert stage.stop_workers() == [0]
    code, line = stage.judge()
    assert (code, line.split(",")[0]) == (0, "ALL RECORDS DELIVERED: 1 accepted")
