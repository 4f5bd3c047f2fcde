"""What every AnswerStore must do."""

from datetime import UTC, datetime, timedelta

import pytest

from storage.errors import StoreRefused
from storage.ports import AnswerPolicy, AnswerStore, Stores
from tests.contract.hostile import LONE_SURROGATE, SHORT_HOSTILE

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
INSTANT = timedelta(microseconds=1)


async def keep(answers: AnswerStore, key: str, text: str = "text", at: datetime = NOW, ttl: timedelta = HOUR) -> None:
    await answers.put(key, text, until=at + ttl, now=at)


async def test_an_answer_is_kept_until_its_time_is_over(answers: AnswerStore) -> None:
    assert await answers.get("a", now=NOW) is None
    await keep(answers, "a", "first")
    assert await answers.get("a", now=NOW) == "first"
    assert await answers.get("a", now=NOW + HOUR - INSTANT) == "first"
    assert await answers.get("a", now=NOW + HOUR) is None
    assert await answers.get("b", now=NOW) is None


async def test_a_second_answer_takes_the_place_of_the_first_with_its_own_time(answers: AnswerStore) -> None:
    await keep(answers, "a", "first")
    await keep(answers, "a", "second", at=NOW + HOUR / 2)
    assert await answers.get("a", now=NOW + HOUR) == "second"
    assert await answers.count() == 1


async def test_what_has_run_out_is_deleted_by_the_next_write_or_by_a_purge(answers: AnswerStore) -> None:
    for key in ("a", "b"):
        await keep(answers, key)
    await keep(answers, "c", at=NOW + HOUR)
    assert await answers.count() == 1
    await keep(answers, "d", at=NOW + HOUR, ttl=3 * HOUR)
    assert await answers.purge(NOW + 2 * HOUR) == 1
    assert await answers.purge(NOW + 2 * HOUR) == 0
    assert await answers.get("d", now=NOW + 2 * HOUR) == "text"


async def test_the_oldest_go_first_when_there_are_too_many(bounded: AnswerStore) -> None:
    for number in range(5):
        await keep(bounded, f"key {number}", at=NOW + number * INSTANT)
    await keep(bounded, "key 2", "again", at=NOW + 5 * INSTANT)
    await keep(bounded, "key 5", at=NOW + 6 * INSTANT)
    assert await bounded.count() == 3
    kept = [number for number in range(6) if await bounded.get(f"key {number}", now=NOW + HOUR / 2)]
    assert kept == [2, 4, 5]


async def test_a_text_that_is_too_long_is_not_kept(bounded: AnswerStore) -> None:
    await keep(bounded, "long", "x" * 101)
    assert await bounded.count() == 0
    await keep(bounded, "fits", "x" * 100)
    assert await bounded.count() == 1


async def test_another_handle_sees_it(answers: AnswerStore, other: Stores) -> None:
    await keep(answers, "a", "first")
    assert await other.answers.get("a", now=NOW) == "first"


@pytest.mark.parametrize("text", SHORT_HOSTILE)
async def test_any_text_comes_back_as_it_was_written(answers: AnswerStore, text: str) -> None:
    await keep(answers, f"key {text}", text)
    assert await answers.get(f"key {text}", now=NOW) == text


async def test_what_cannot_be_stored_is_refused(answers: AnswerStore) -> None:
    with pytest.raises(StoreRefused, match="key"):
        await keep(answers, "")
    with pytest.raises(StoreRefused, match="Unicode"):
        await keep(answers, "a", LONE_SURROGATE)
    with pytest.raises(StoreRefused, match="time zone"):
        await answers.get("a", now=datetime(2026, 1, 1))  # noqa: DTZ001 - that is the point
    with pytest.raises(StoreRefused, match="at least one"):
        AnswerPolicy(max_entries=0)
