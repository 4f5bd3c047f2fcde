"""Asking a model: cache, quota, repair, refusal. Every way ends in a value or in a reason that is on record."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pydantic import BaseModel

from agents.language.cache import AnswerCache, cache_key
from agents.language.llm.asking import Asker, AskPolicy, Question
from agents.language.llm.parsing import UnusableAnswerError, parse
from agents.language.llm.port import ModelAnswer, ModelFailedError, ModelRequest
from agents.language.quota import CallTag, Price, QuotaPolicy, QuotaState
from storage.embedded.stores import open_embedded
from storage.ports import Embedder as EmbedderIdentity
from streams.topology import STAGES
from tests.unit.language.models import DictAnswers, ScriptedModel, asker_of


class Colour(BaseModel):
    name: str
    depth: int = 0


def question(version: str = "1", content: str = "data") -> Question[Colour]:
    return Question("colour", version, CallTag.CLAIM, "normal", "Name a colour.", content, Colour)


async def test_a_good_answer_is_one_call_with_its_tokens_and_its_cost() -> None:
    asker = asker_of(ScriptedModel('{"name": "red"}'), prices=(("model-for-claim", Price(1.0, 10.0)),))
    answer = await asker.ask(question(), QuotaState())
    assert answer.value == Colour(name="red")
    assert answer.source == "model"
    assert (answer.state.calls, answer.state.tokens) == (1, 120)
    assert answer.state.cost_usd == pytest.approx(0.0003)


async def test_an_unusable_answer_is_repaired_once_with_the_error_shown() -> None:
    model = ScriptedModel('{"colour": "red"}', 'Of course! ```json\n{"name": "red"}\n```')
    answer = await asker_of(model).ask(question(), QuotaState())
    assert answer.value == Colour(name="red")
    assert answer.state.calls == 2
    assert "name: Field required" in model.requests[1].repair


async def test_what_cannot_be_repaired_falls_back_with_its_reason() -> None:
    answer = await asker_of(ScriptedModel("red", "still red")).ask(question(), QuotaState())
    assert answer.value is None
    assert answer.reason == "unusable_answer"
    assert answer.state.calls == 2
    assert [one.reason for one in answer.state.skipped] == ["unusable_answer"]


async def test_a_repair_does_not_take_the_slot_of_a_critical_call() -> None:
    quota = QuotaPolicy(max_calls=3)
    answer = await asker_of(ScriptedModel("red", '{"name": "red"}'), quota).ask(question(), QuotaState())
    assert answer.value is None
    assert answer.state.calls == 1
    assert answer.reason == "unusable_answer"


async def test_a_refusal_is_not_argued_with() -> None:
    model = ScriptedModel("REFUSE", '{"name": "red"}')
    answer = await asker_of(model).ask(question(), QuotaState())
    assert answer.reason == "refusal"
    assert len(model.requests) == 1


async def test_a_model_that_is_down_is_a_reason_and_not_an_exception() -> None:
    answer = await asker_of(ScriptedModel(ModelFailedError("timeout", "too slow"))).ask(question(), QuotaState())
    assert (answer.value, answer.reason, answer.state.failures) == (None, "timeout", 1)


async def test_a_model_that_hangs_is_given_up_while_its_stage_still_has_time() -> None:
    hanging = ScriptedModel()
    answered = asyncio.Event()

    async def never(request: ModelRequest) -> ModelAnswer:
        await answered.wait()
        raise AssertionError(request)

    hanging.complete = never  # type: ignore[method-assign]  # that is what is tried
    answer = await asker_of(hanging, patience=0.01).ask(question(), QuotaState())
    assert (answer.value, answer.reason, answer.state.failures) == (None, "timeout", 1)
    asking = {"retrieval", "trust", "search-expansion", "adjudication", "aggregation"}
    patience = AskPolicy(QuotaPolicy()).patience
    assert all(patience < stage.timeout for stage in STAGES if stage.name in asking)


async def test_a_job_without_calls_left_is_skipped_and_says_so() -> None:
    model = ScriptedModel('{"name": "red"}')
    answer = await asker_of(model, QuotaPolicy(max_calls=2)).ask(question(), QuotaState())
    assert answer.reason == "call_quota"
    assert answer.state.skipped[0].tag is CallTag.CLAIM
    assert model.requests == []


async def test_the_same_question_is_answered_from_the_cache_and_counted() -> None:
    model = ScriptedModel('{"name": "red"}', '{"name": "blue"}', '{"name": "green"}')
    asker = asker_of(model)
    first = await asker.ask(question(), QuotaState())
    again = await asker.ask(question(), first.state)
    assert again.value == first.value
    assert (again.source, again.state.calls, again.state.cache_hits) == ("cache", 1, 1)
    assert (await asker.ask(question(version="2"), QuotaState())).value == Colour(name="blue")
    assert (await asker.ask(question(content="other"), QuotaState())).value == Colour(name="green")


async def test_an_unusable_answer_is_never_kept() -> None:
    model = ScriptedModel("red", "red", '{"name": "red"}')
    asker = asker_of(model)
    assert (await asker.ask(question(), QuotaState())).value is None
    assert (await asker.ask(question(), QuotaState())).source == "model"


async def test_an_answer_is_used_again_for_its_time_and_no_longer() -> None:
    now = [datetime(2026, 1, 1, tzinfo=UTC)]
    cache = AnswerCache(DictAnswers(), lambda: now[0])
    await cache.put("a", "text", timedelta(hours=1))
    assert await cache.get("a") == "text"
    now[0] += timedelta(hours=1)
    assert await cache.get("a") is None


async def test_without_any_time_nothing_is_kept() -> None:
    model = ScriptedModel('{"name": "red"}', '{"name": "blue"}')
    asker = asker_of(model, cache_ttl=timedelta())
    first = await asker.ask(question(), QuotaState())
    assert [first.source, (await asker.ask(question(), QuotaState())).source] == ["model", "model"]


async def test_a_store_that_is_down_is_a_miss_and_not_the_jobs_error() -> None:
    cache = AnswerCache(DictAnswers(broken=True), lambda: datetime(2026, 1, 1, tzinfo=UTC))
    asker = Asker(ScriptedModel('{"name": "red"}'), cache, AskPolicy(QuotaPolicy()))
    assert (await asker.ask(question(), QuotaState())).value == Colour(name="red")


async def test_workers_of_one_data_folder_share_what_they_paid_for(tmp_path: Path) -> None:
    """The answer outlives the process that asked; another version of the prompt asks anew."""
    asked = []
    for version in ("1", "1", "2"):
        stores = await open_embedded(tmp_path, EmbedderIdentity("none", 8))
        model = ScriptedModel('{"name": "red"}')
        cache = AnswerCache(stores.answers, lambda: datetime(2026, 1, 1, tzinfo=UTC))
        await Asker(model, cache, AskPolicy(QuotaPolicy())).ask(question(version), QuotaState())
        asked.append(len(model.requests))
        await stores.close()
    assert asked == [1, 0, 1]


def test_no_part_of_a_cache_key_can_pose_as_another() -> None:
    assert cache_key("m", "t", "1", "x") != cache_key("m", "t1", "", "x")
    assert cache_key("a", "b", "c", "d") == cache_key("a", "b", "c", "d")


async def test_a_kept_text_that_no_longer_fits_the_schema_is_a_miss() -> None:
    cache = AnswerCache(DictAnswers(), lambda: datetime(2026, 1, 1, tzinfo=UTC))
    await cache.put(cache_key("model-for-claim", "colour", "1", "data"), "rubbish", timedelta(hours=1))
    asker = Asker(ScriptedModel('{"name": "red"}'), cache, AskPolicy(QuotaPolicy()))
    assert (await asker.ask(question(), QuotaState())).source == "model"


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "red"}',
        'Here you are: {"name": "red"} Have fun!',
        '```json\n{"name": "red"}\n```',
        '{"broken": } {"name": "red"}',
        '{"name": "red", "unknown": [1, 2]}',
    ],
)
def test_json_is_found_wherever_it_is(text: str) -> None:
    assert parse(text, Colour).name == "red"


@pytest.mark.parametrize(
    "text", ["", "red", "{", "{}", '{"name": null}', "[" * 5000, '{"name": "x", "depth": "deep"}', "{" * 300]
)
def test_what_does_not_fit_is_said_to_be_unusable(text: str) -> None:
    with pytest.raises(UnusableAnswerError):
        parse(text, Colour)
