"""A worker's world without Kafka: embedded stores in a folder of the test's own, and the sample web on loopback."""

from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from agents.claims.submission import Submission
from agents.results import Note, Send
from agents.services import Services
from streams.bootstrap import open_services
from streams.embedded.sample_web import serve
from streams.embedded.samples import load_knowledge_base, trusting_the_town
from streams.settings import Settings
from streams.topology import STAGES

BY_TOPIC = {stage.reads.name: stage for stage in STAGES}


@asynccontextmanager
async def world(folder: Path, **settings: Any) -> AsyncIterator[Services]:
    """The town's knowledge base stored, its web served."""
    async with serve() as origin:
        # Table and rules are quick; what is promised here does not hang on the models.
        # Tests send the same few claims again and again, and mean each of them to go the whole way.
        quick = {"embedder": "static", "stance": "rules", "match_claims": False}
        options = {"data_dir": folder, "sample_web_url": origin, "embedded": True, **quick, **settings}
        chosen = trusting_the_town(Settings(**options))
        await load_knowledge_base(chosen)
        async with open_services(chosen) as services:
            yield services


@pytest.fixture
async def services(tmp_path: Path) -> AsyncIterator[Services]:
    async with world(tmp_path) as ready:
        yield ready


async def travel(submission: Submission, services: Services) -> tuple[bytes, list[tuple[str, Note]]]:
    """One claim through every handler, as the topics would carry it: the verdict's bytes and the notes on the way."""
    verdicts, notes = await run(Send("claims", submission.job_id, submission), services)
    (verdict,) = verdicts
    assert isinstance(verdict.value, bytes)
    return verdict.value, notes


async def run(first: Send, services: Services) -> tuple[list[Send], list[tuple[str, Note]]]:
    """A value and everything that follows from it, one step after the other: the verdicts, and the notes on the way."""
    waiting, verdicts, notes = deque([first]), [], []
    while waiting:
        send = waiting.popleft()
        if send.to == "verdicts":
            verdicts.append(send)
            continue
        result = await BY_TOPIC[send.to].handle(send.value, services)
        notes += [(BY_TOPIC[send.to].name, note) for note in result.notes]
        waiting.extend(result.sends)
    return verdicts, notes
