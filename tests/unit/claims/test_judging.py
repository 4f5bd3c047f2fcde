"""Rows are read one by one, and the rows of one page together."""

from collections.abc import Sequence
from datetime import date
from types import SimpleNamespace
from typing import cast

import pytest

from agents.claims.evidence import TEXT_LIMIT, CandidateRow
from agents.claims.judging import judge_rows
from agents.language.ports import Pair
from agents.services import Services
from scoring.values import NEUTRAL, Stance

SUPPORTING = Stance(supports=0.9, refutes=0.05, neutral=0.05)
CLAIM = "Anna Weber wrote the bill of 1994."


class NeedsBoth:
    """Supports only a passage that names both halves of what is claimed; keeps what it was asked."""

    name = "needs both"
    reads_pages = True

    def __init__(self) -> None:
        self.asked: list[Pair] = []

    async def judge(self, pairs: Sequence[Pair]) -> tuple[Stance, ...]:
        self.asked += pairs
        return tuple(SUPPORTING if "Weber" in pair.passage and "1994" in pair.passage else NEUTRAL for pair in pairs)


def row(number: int, text: str, title: str = "The bill", domain: str = "paper.example") -> CandidateRow:
    return CandidateRow(id=str(number), text=text, origin="vector", title=title, domain=domain)


async def judged(rows: list[CandidateRow]) -> tuple[list[str], NeedsBoth]:
    model = NeedsBoth()
    read = await judge_rows(CLAIM, rows, cast("Services", SimpleNamespace(stance=model)))
    return [stance.label for stance in read.rows], model


async def test_two_rows_of_a_page_say_together_what_neither_says_alone() -> None:
    labels, _ = await judged(
        [row(1, "The bill is of 1994."), row(2, "Weber wrote it."), row(3, "It rained.", "Weather")]
    )
    # One voice: the page speaks through its first row.
    assert labels == ["supports", "neutral", "neutral"]


async def test_rows_of_different_pages_are_not_read_together() -> None:
    labels, model = await judged([row(1, "The bill is of 1994."), row(2, "Weber wrote it.", domain="other.example")])
    assert labels == ["neutral", "neutral"]
    assert len(model.asked) == 2


async def test_a_row_that_says_more_alone_keeps_its_own_stance() -> None:
    filler = "Nothing. " * (TEXT_LIMIT // 9)
    labels, model = await judged([row(1, "Weber wrote it in 1994."), row(2, filler[:TEXT_LIMIT])])
    assert labels == ["supports", "neutral"]
    assert max(len(pair.passage) for pair in model.asked) <= TEXT_LIMIT


async def test_a_model_that_reads_sentence_by_sentence_is_not_asked_about_pages() -> None:
    model = NeedsBoth()
    model.reads_pages = False
    rows = [row(1, "The bill is of 1994."), row(2, "Weber wrote it.")]
    await judge_rows(CLAIM, rows, cast("Services", SimpleNamespace(stance=model)))
    assert len(model.asked) == 2


async def test_no_rows_are_no_question() -> None:
    labels, model = await judged([])
    assert (labels, model.asked) == ([], [])


async def test_what_was_read_at_an_earlier_look_is_not_read_again() -> None:
    first, second = row(1, "The bill is of 1994."), row(2, "Weber wrote it.")
    model = NeedsBoth()
    services = cast("Services", SimpleNamespace(stance=model))
    earlier = await judge_rows(CLAIM, [first], services)
    model.asked.clear()
    later = await judge_rows(CLAIM, [first, second], services, earlier.texts)
    # The new row, and the page that both make.
    assert [pair.passage for pair in model.asked] == ["Weber wrote it.", "The bill is of 1994. Weber wrote it."]
    assert later == await judge_rows(CLAIM, [first, second], services)


class Denies:
    """Refutes whatever it reads."""

    name = "denies"

    async def judge(self, pairs: Sequence[Pair]) -> tuple[Stance, ...]:
        return tuple(Stance(supports=0.1, refutes=0.8, neutral=0.1) for _ in pairs)


async def test_a_page_from_before_the_day_in_question_cannot_deny_it() -> None:
    rows = [
        row(number, "The bridge is closed.").model_copy(update={"published": day})
        for number, day in enumerate((date(2025, 2, 10), date(2025, 10, 3), None))
    ]
    services = cast("Services", SimpleNamespace(stance=Denies()))
    read = await judge_rows("The bridge reopened on 2 October 2025.", rows, services)
    assert [stance.refutes for stance in read.rows] == [0.0, 0.8, 0.8]
    assert read.rows[0].neutral == pytest.approx(0.9)
    undated = await judge_rows("The bridge reopened.", rows, services)
    assert [stance.refutes for stance in undated.rows] == [0.8, 0.8, 0.8]
