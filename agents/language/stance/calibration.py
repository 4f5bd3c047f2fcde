"""From the network's logits to probabilities that mean what they say: temperature, bias, what numbers and rules add."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast, get_args

import numpy as np
from numpy.typing import NDArray

from agents.language.rules.stance import Found
from agents.language.stance.figures import Figures
from scoring.checks import finite

Logits = NDArray[np.float64]
Shift = tuple[float, float]
NO_SHIFT: Shift = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class StanceCalibration:
    """logits × scale + bias + the shifts of (supports, refutes) for what the numbers say and what the rules find."""

    scale: float = 1.0
    bias: tuple[float, float, float] = (0.0, 0.0, 0.0)
    shifts: Mapping[Figures, Shift] = field(default_factory=dict)
    rules: Mapping[Found, Shift] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if finite("scale", self.scale) <= 0.0:
            raise ValueError(f"scale must be positive, got {self.scale!r}")
        shifts = (*self.shifts.values(), *self.rules.values())
        for number in (*self.bias, *(value for shift in shifts for value in shift)):
            finite("calibration", number)

    def probabilities(self, logits: Logits, figures: Figures, found: Found = "neutral") -> Logits:
        """P(supports), P(refutes), P(neutral)."""
        moved = logits * self.scale + np.asarray(self.bias)
        for supports, refutes in (self.shifts.get(figures, NO_SHIFT), self.rules.get(found, NO_SHIFT)):
            moved = moved + np.asarray((supports, refutes, 0.0))
        shares = np.exp(moved - moved.max())
        result: Logits = shares / shares.sum()
        return result


def read_calibration(path: Path) -> StanceCalibration:
    """The calibration stored beside a model."""
    try:
        stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        supports, refutes, neutral = (float(value) for value in stored["bias"])
        return StanceCalibration(
            scale=float(stored["scale"]),
            bias=(supports, refutes, neutral),
            shifts={Figures(name): (float(a), float(b)) for name, (a, b) in stored["shifts"].items()},
            rules={_found(name): (float(a), float(b)) for name, (a, b) in stored.get("rules", {}).items()},
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is not a stance calibration ({error}): restore the published file") from error


def _found(name: str) -> Found:
    if name not in get_args(Found):
        raise ValueError(f"rules never find {name!r}")
    return cast("Found", name)
