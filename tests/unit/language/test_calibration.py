"""The calibration is monotone and meets its three points."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.language.calibration import SimilarityCalibration, fit

CALIBRATION = SimilarityCalibration(zero=0.2, half=0.5, one=0.9)


@pytest.mark.parametrize(
    ("cosine", "expected"),
    [(-1.0, 0.0), (0.2, 0.0), (0.35, 0.25), (0.5, 0.5), (0.7, 0.75), (0.9, 1.0), (1.0, 1.0)],
)
def test_the_three_points_and_the_lines_between_them(cosine: float, expected: float) -> None:
    assert CALIBRATION(cosine) == pytest.approx(expected)


@given(st.floats(-1, 1), st.floats(-1, 1))
def test_a_higher_cosine_never_gives_a_lower_similarity(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert 0.0 <= CALIBRATION(low) <= CALIBRATION(high) <= 1.0


@pytest.mark.parametrize("points", [(0.5, 0.5, 0.9), (0.6, 0.5, 0.9), (0.1, 0.5, 1.2), (float("nan"), 0.5, 0.9)])
def test_points_that_do_not_rise_are_refused(points: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="must"):
        SimilarityCalibration(*points)


def test_a_cosine_that_is_not_a_number_is_refused() -> None:
    with pytest.raises(ValueError, match="cosine"):
        CALIBRATION(float("nan"))


def test_fitting_puts_one_half_where_related_and_random_pairs_separate() -> None:
    fitted = fit(related=[0.6, 0.65, 0.7, 0.8, 0.95], random_pairs=[0.1, 0.2, 0.3, 0.4, 0.55])
    assert fitted.zero == pytest.approx(0.3)
    assert 0.55 < fitted.half <= 0.6
    assert 0.9 < fitted.one <= 0.95


def test_fitting_refuses_too_few_pairs() -> None:
    with pytest.raises(ValueError, match="at least two"):
        fit(related=[0.5], random_pairs=[0.1, 0.2])
