"""Logits to probabilities."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.language.stance.calibration import StanceCalibration, read_calibration
from agents.language.stance.figures import Figures

LOGITS = st.lists(st.floats(-20, 20), min_size=3, max_size=3)


@given(LOGITS, st.floats(0.05, 5.0), st.sampled_from(Figures))
def test_probabilities_add_up_to_one(logits: list[float], scale: float, figures: Figures) -> None:
    calibration = StanceCalibration(scale, (0.1, -0.2, 0.3), {Figures.AGREE: (1.0, -1.0)})
    shares = calibration.probabilities(np.array(logits), figures)
    assert shares.sum() == pytest.approx(1.0)
    assert (shares >= 0).all()


def test_numbers_that_contradict_move_belief_from_supporting_to_refuting() -> None:
    calibration = StanceCalibration(shifts={Figures.CONTRADICT_BOUND: (-1.0, 1.0)})
    logits = np.array([1.0, 0.5, -2.0])
    silent = calibration.probabilities(logits, Figures.SILENT)
    contradicted = calibration.probabilities(logits, Figures.CONTRADICT_BOUND)
    assert silent.argmax() == 0
    assert contradicted.argmax() == 1


def test_what_the_rules_find_moves_belief_their_way() -> None:
    calibration = StanceCalibration(rules={"refutes": (-1.5, 1.5)})
    logits = np.array([1.0, 0.5, 0.4])
    assert calibration.probabilities(logits, Figures.SILENT).argmax() == 0
    assert calibration.probabilities(logits, Figures.SILENT, "refutes").argmax() == 1


def test_a_stored_calibration_is_read_back(tmp_path: Path) -> None:
    stored = {"scale": 0.6, "bias": [0, 0, 0.1], "shifts": {"agree_bound": [1.2, -0.8]}, "fitted": {"method": "x"}}
    path = tmp_path / "calibration.json"
    path.write_text(json.dumps(stored), encoding="utf-8")
    read = read_calibration(path)
    assert read.scale == 0.6
    assert read.shifts[Figures.AGREE_BOUND] == (1.2, -0.8)


@pytest.mark.parametrize(
    "stored",
    [
        "{}",
        "no json",
        '{"scale": 0, "bias": [0, 0, 0], "shifts": {}}',
        '{"scale": 1, "bias": [0, 0], "shifts": {}}',
        '{"scale": 1, "bias": [0, 0, 0], "shifts": {"nonsense": [1, 2]}}',
        '{"scale": 1, "bias": [0, 0, 0], "shifts": {}, "rules": {"nonsense": [1, 2]}}',
        '{"scale": NaN, "bias": [0, 0, 0], "shifts": {}}',
    ],
)
def test_a_damaged_calibration_names_its_file(stored: str, tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    path.write_text(stored, encoding="utf-8")
    with pytest.raises(ValueError, match=r"calibration\.json"):
        read_calibration(path)
