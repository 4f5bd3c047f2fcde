"""The stance model in the package: small enough, whole, and as good at small cases as its card says."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.language.ports import Pair
from agents.language.stance import OnnxStance
from training.behaviour import pass_rates, read_cases, run_cases

MODELS = Path(__file__).parents[3] / "models"
MEGABYTE = 1_000_000
SLACK = 0.05
"""Eight-bit arithmetic differs a little between processors: one case in twenty may turn."""


@pytest.fixture(scope="module")
def model() -> Iterator[OnnxStance]:
    opened = OnnxStance(MODELS / "stance")
    yield opened
    opened.close()


def test_the_files_are_small_enough_to_ship() -> None:
    sizes = {path.parent.name: path.stat().st_size / MEGABYTE for path in MODELS.glob("*/model.onnx")}
    assert sizes["stance"] <= 36
    assert sum(sizes.values()) <= 70


def test_small_cases_are_answered_as_often_as_the_card_says(model: OnnxStance) -> None:
    card = (MODELS / "stance" / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([a-z ]+) \| \d+ \| (\d+)% \|$", card, re.MULTILINE)
    said = {name: int(share) / 100 for name, share in rows}
    outcomes = run_cases(model, read_cases())
    found = {name: passed / total for name, (passed, total) in pass_rates(outcomes).items()}
    assert {name: rate for name, rate in found.items() if rate < said[name] - SLACK} == {}
    assert set(said) == {*found, "all"}


def test_what_is_told_as_hearsay_takes_no_side(model: OnnxStance) -> None:
    claim = "The film star Delia Marchetti bought Hollin House in 2025."
    stated, heard = model.score_batch([Pair(claim, claim), Pair(claim, f"{claim[:-1]}, or so we hear.")])
    assert stated.supports > 0.9
    assert heard.neutral > 0.8
