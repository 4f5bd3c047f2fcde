"""A job whose evidence, stances and proposal a test writes down; stages, stores, formulas and client are real."""

import dataclasses
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agents.claims.package import VerdictPackage
from agents.claims.submission import Submission
from agents.language.ports import Pair
from agents.services import Services
from scoring.policy import Policy
from scoring.values import NEUTRAL, Stance
from storage.ports import Passage
from storage.ports.evidence import STATIC_KNOWLEDGE
from streams.bootstrap import open_services
from streams.settings import Settings
from tests.unit.claims.conftest import travel
from tests.unit.language.fake_openai import FakeOpenAI, completion, serving

FETCHED = datetime(2026, 1, 5, tzinfo=UTC)


@dataclass(frozen=True)
class Said:
    """A page of the world, and what a reader takes it to say of the claim: supports, refutes, or both to a degree."""

    text: str
    supports: float = 0.0
    refutes: float = 0.0
    domain: str = "a.example"
    credibility: float = 0.9

    @property
    def stance(self) -> Stance:
        return Stance(self.supports, self.refutes, 1.0 - self.supports - self.refutes)


class WrittenStances:
    """The stance model, reading from the test's own list."""

    name = "written"

    def __init__(self, said: Sequence[Said]) -> None:
        self._said = said

    async def judge(self, pairs: Sequence[Pair]) -> tuple[Stance, ...]:
        return tuple(next((one.stance for one in self._said if one.text in pair.passage), NEUTRAL) for pair in pairs)


@asynccontextmanager
async def empty_world(folder: Path) -> AsyncIterator[tuple[Services, FakeOpenAI]]:
    """No knowledge, no web, and a model that is asked over HTTP."""
    async with serving() as model:
        options: dict[str, Any] = {"data_dir": folder, "embedder": "static", "match_claims": False}
        asking = {"openai_api_key": "k", "openai_base_url": model.base_url, "search_providers": ("none",)}
        async with open_services(Settings(**options, **asking)) as services:
            yield services, model


async def judged(
    claim: str,
    said: Sequence[Said],
    world: tuple[Services, FakeOpenAI],
    *,
    proposes: str | None = None,
    because: str = "",
    policy: Policy | None = None,
) -> VerdictPackage:
    """The package of a claim about which exactly this was said, and of which a model proposes this, if it does."""
    services, model = world
    told = json.dumps({"stances": [], "verdict": proposes, "rationale": because})
    model.otherwise = lambda _: completion(told if proposes else "", refusal=None if proposes else "no")
    vectors = await services.embedder.embed([one.text for one in said])
    pages = [
        Passage(
            STATIC_KNOWLEDGE,
            f"https://{one.domain}/{number}",
            one.text,
            FETCHED,
            domain=one.domain,
            published=FETCHED.date(),
            credibility=one.credibility,
        )
        for number, one in enumerate(said)
    ]
    await services.index.upsert(list(zip(pages, vectors, strict=True)))
    reading = dataclasses.replace(services, stance=WrittenStances(said), policy=policy or services.policy)
    payload, _ = await travel(Submission(job_id="job", claim=claim, top_k=20), reading)
    return VerdictPackage.model_validate_json(payload)
