"""A town of the tests' own: one claim, pages that support it, pages that do not speak of it, and empty stores."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.claims.package import VerdictPackage
from agents.claims.package.audit import audit
from agents.claims.submission import Submission
from agents.results import Note
from agents.services import Services
from streams.bootstrap import open_services
from streams.settings import Settings
from tests.support.small_web import Article, SmallWeb, small_web
from tests.unit.claims.conftest import travel

CLAIM = "The Harbour Bridge in Port Ellory reopened to traffic on 12 January 2026."
SUPPORTING = (
    "The Harbour Bridge in Port Ellory reopened to traffic on 12 January 2026, the port authority said.",
    "Lorries and buses crossed the Harbour Bridge again after a winter of repairs, and the ferry has stopped running.",
)
# In words of their own: copies of one story would count once.
VOICES = (
    SUPPORTING,
    (
        "At six in the morning the first bus rolled over the river, and children waved from its windows.",
        "The Harbour Bridge in Port Ellory reopened to traffic on 12 January 2026, a week earlier than planned.",
    ),
    (
        "Shopkeepers on the quay had waited for this day since October and handed out tea to everyone who passed.",
        "On 12 January 2026 the Harbour Bridge in Port Ellory reopened to traffic, as the mayor had promised them.",
    ),
    (
        "Engineers replaced forty steel girders, painted the railings green and tested the lamps twice before the end.",
        "Port Ellory's Harbour Bridge reopened to traffic on 12 January 2026 after the last inspection of the deck.",
    ),
)
UNRELATED = (
    "The bakery on Market Street has a new oven and sells rye bread on Thursdays from seven in the morning.",
    "Its owner says that the recipe is old, that the flour comes from the mill, and that the bread keeps for a week.",
)


def says(host: str, voice: int = 0) -> Article:
    return Article(host, f"harbour-bridge-{voice}", "Harbour Bridge in Port Ellory reopened to traffic", VOICES[voice])


def papers(count: int) -> list[Article]:
    """So many papers that support the claim, each in its own words."""
    return [says(f"paper-{number}.example", number) for number in range(count)]


def about_bread(number: int) -> Article:
    """Found by the same words, and silent on the claim."""
    return Article(f"bakery-{number}.example", f"bread-{number}", f"Port Ellory bakery news {number}", UNRELATED)


@dataclass
class World:
    services: Services
    web: SmallWeb

    async def package(self, claim: str = CLAIM, job_id: str = "job", **fields: Any) -> VerdictPackage:
        made, _ = await self.journey(Submission(job_id=job_id, claim=claim, **fields))
        return made

    async def journey(self, submission: Submission) -> tuple[VerdictPackage, list[tuple[str, Note]]]:
        payload, notes = await travel(submission, self.services)
        made = VerdictPackage.model_validate_json(payload)
        assert audit(made) == []
        return made, notes


@asynccontextmanager
async def world(folder: Path, articles: Sequence[Article], **settings: Any) -> AsyncIterator[World]:
    """A worker's services before empty stores, and this web; a claim that comes again is worked on again."""
    async with small_web(folder / "web", articles) as web:
        options = {
            "data_dir": folder / "data",
            "sample_web_url": web.origin,
            "embedded": True,
            "embedder": "static",
            "stance": "rules",
        }
        town = {"credible_domains": tuple({article.host for article in articles}), "match_claims": False}
        async with open_services(Settings(**{**options, **town, **settings})) as services:
            yield World(services, web)
