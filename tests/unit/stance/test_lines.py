"""JSON lines in, JSON lines out."""

import json
from datetime import date
from pathlib import Path

import pytest

from agents.language.stance import OnnxStance, judge_lines
from agents.language.stance.lines import passage
from tests.unit.stance.tiny_model import write_model


@pytest.fixture
def model(tmp_path: Path) -> OnnxStance:
    return OnnxStance(write_model(tmp_path / "stance", ("yes", "no")))


def test_every_line_gets_its_probabilities(model: OnnxStance) -> None:
    lines = ['{"claim": "a claim", "evidence": "yes"}', "", '{"claim": "a claim", "evidence": "no", "title": "Title"}']
    answers = [json.loads(line) for line in judge_lines(lines, model)]
    assert [max(answer, key=answer.get) for answer in answers] == ["supports", "refutes"]
    assert all(sum(answer.values()) == pytest.approx(1.0, abs=1e-5) for answer in answers)


@pytest.mark.parametrize(
    "line",
    [
        "nonsense",
        "[]",
        '{"claim": "x"}',
        '{"claim": 1, "evidence": "x"}',
        '{"claim": "x", "evidence": "y", "published": "?"}',
    ],
)
def test_a_line_that_cannot_be_read_is_named(model: OnnxStance, line: str) -> None:
    good = '{"claim": "a claim", "evidence": "yes"}'
    with pytest.raises(ValueError, match="line 2: expected"):
        list(judge_lines([good, line], model))


def test_title_and_date_stand_before_the_passage() -> None:
    day = date(2020, 3, 1)
    assert passage("It rained.", "Weather", day) == "Weather (2020-03-01). It rained."
    assert passage("It rained.", "Weather") == "Weather. It rained."
    assert passage("It rained.", published=day) == "(2020-03-01) It rained."
    assert passage("It rained.") == "It rained."
