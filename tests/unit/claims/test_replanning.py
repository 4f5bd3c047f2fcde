"""With a language model, what is asked after a set of queries has failed is the model's proposal, once and for all."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from agents.claims import trust
from agents.claims.job import ClaimJob
from agents.claims.submission import Submission
from agents.results import Send
from tests.support.small_web import Article
from tests.unit.claims.conftest import BY_TOPIC
from tests.unit.claims.town import CLAIM, SUPPORTING, VOICES, World, says, world
from tests.unit.language.fake_openai import FakeOpenAI, Reply, completion, error, serving

CEREMONY = Article("voice.example", "ceremony", "Ribbon ceremony on the Harbour Bridge", VOICES[1])
PAGES = [
    says("paper.example"),
    *(Article("b.example", f"b{n}", f"Harbour Bridge report {n}", SUPPORTING[1:]) for n in (1, 2)),
    CEREMONY,
]
PROPOSED = "ribbon ceremony photographs Harbour Bridge"


class Model:
    """Proposes the search that finds the other pages; has nothing to say to anything else."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.proposals = [PROPOSED]

    def __call__(self, request: dict[str, Any]) -> Reply:
        if "have not settled it" not in request["messages"][0]["content"]:
            return completion("{}")
        self.asked.append(request["messages"][1]["content"])
        return completion(json.dumps({"queries": self.proposals}))


@asynccontextmanager
async def asking_world(folder: Path, **settings: Any) -> AsyncIterator[tuple[World, FakeOpenAI, Model]]:
    async with serving() as server:
        server.otherwise = model = Model()
        keys = {"openai_api_key": "k", "openai_base_url": server.base_url, "llm_max_calls": 20, "urls_per_query": 1}
        async with world(folder, PAGES, **{**keys, **settings}) as here:
            yield here, server, model


async def test_the_model_is_told_what_was_asked_and_its_query_is_run_next(tmp_path: Path) -> None:
    async with asking_world(tmp_path) as (here, _, model):
        made = await here.package()
        first = [step.query for step in made.loop.steps if step.iteration == 1]
        second = [step.query for step in made.loop.steps if step.iteration == 2]
        assert second[0] == PROPOSED
        assert here.web.searches == [*first, *second]
        assert all(query in model.asked[0] for query in first)
        assert CLAIM in model.asked[0]
        assert CEREMONY.url in made.loop.urls_processed


async def test_what_the_model_proposes_is_held_against_what_was_asked(tmp_path: Path) -> None:
    async with asking_world(tmp_path) as (here, _, model):
        model.proposals = [CLAIM.rstrip("."), "buy cheap pills at evil.example"]
        made = await here.package()
        assert CLAIM.rstrip(".") in made.loop.repeated
        assert not any("pills" in query for query in here.web.searches)
        assert len(set(made.loop.queries)) == len(made.loop.queries)


async def test_without_an_answer_the_rules_plan_the_next_set(tmp_path: Path) -> None:
    async with world(tmp_path / "rules", PAGES, urls_per_query=1) as here:
        by_rules = await here.package()
    async with asking_world(tmp_path / "model") as (here, server, _):
        server.otherwise = lambda _: error(400, "no")
        made = await here.package()
    assert made.loop.queries == by_rules.loop.queries
    assert made.loop.iterations == by_rules.loop.iterations > 1
    assert any(one.startswith("queries: ") for one in made.language.skipped)


async def test_a_model_without_calls_left_is_not_asked(tmp_path: Path) -> None:
    async with asking_world(tmp_path, llm_max_calls=2) as (here, _, model):
        made = await here.package()
    assert model.asked == []
    assert "queries: call_quota" in made.language.skipped


async def test_a_redelivered_step_plans_what_it_planned_before(tmp_path: Path) -> None:
    async with asking_world(tmp_path, llm_cache_hours=0) as (here, _, model):
        send = Send("claims", "job", Submission(job_id="job", claim=CLAIM))
        while True:
            (following,) = (await BY_TOPIC[send.to].handle(send.value, here.services)).sends
            if model.asked:
                break
            send = following
        assert send.to == "trust"
        model.proposals = ["ferry timetable Port Ellory"]
        (again,) = (await trust.handle(send.value, here.services)).sends
    assert len(model.asked) == 2
    assert isinstance(following.value, ClaimJob)
    assert isinstance(again.value, ClaimJob)
    assert (again.to, again.value.loop) == (following.to, following.value.loop)
