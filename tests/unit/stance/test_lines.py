"""JSON lines in, JSON lines out."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.language.stance import OnnxStance
from agents.language.stance.lines import AT_ONCE, BadLine, judge_lines
from tests.unit.stance.tiny_model import write_model


@pytest.fixture
def model(tmp_path: Path) -> Iterator[OnnxStance]:
    opened = OnnxStance(write_model(tmp_path / "stance", ("yes", "no")))
    yield opened
    opened.close()


def line(evidence: str, **more: str) -> str:
    return json.dumps({"claim": "a claim", "evidence": evidence, **more})


async def answers(lines: list[str], model: OnnxStance) -> list[str]:
    """The likeliest label of each line, or the number of a line that could not be read."""
    found = []
    async for answer in judge_lines(lines, model):
        if isinstance(answer, BadLine):
            found.append(f"bad {answer.number}")
        else:
            shares = json.loads(answer)
            assert sum(shares.values()) == pytest.approx(1.0, abs=1e-5)
            found.append(max(shares, key=shares.get))
    return found


async def test_every_line_gets_its_probabilities(model: OnnxStance) -> None:
    lines = [line("yes"), "", line("no", title="Title", published="2024-05-01")]
    assert await answers(lines, model) == ["supports", "refutes"]


@pytest.mark.parametrize(
    "bad",
    [
        "nonsense",
        "[]",
        '{"claim": "x"}',
        '{"claim": 1, "evidence": "x"}',
        '{"claim": "x", "evidence": "y", "published": "?"}',
    ],
)
async def test_a_line_that_cannot_be_read_is_named_and_costs_no_other(model: OnnxStance, bad: str) -> None:
    assert await answers([line("yes"), bad, line("no")], model) == ["supports", "bad 2", "refutes"]


async def test_order_holds_over_many_batches(model: OnnxStance) -> None:
    words = ["yes" if number % 3 else "no" for number in range(2 * AT_ONCE + 5)]
    expected = ["supports" if word == "yes" else "refutes" for word in words]
    assert await answers([line(word) for word in words], model) == expected
