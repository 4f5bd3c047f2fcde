"""Fits what turns the network's logits into probabilities: one scale, a bias for neutral, and what numbers add.

The scale and the bias are few on purpose: the dev sets have other shares of labels than any real stream of claims.
Supports and refutes get the same bias, so that no set's habit of supporting decides between the two.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.language.stance.calibration import StanceCalibration
from agents.language.stance.figures import Figures

Floats = NDArray[np.float64]
SPOKEN = tuple(kind for kind in Figures if kind is not Figures.SILENT)


@dataclass(frozen=True, slots=True)
class FitRules:
    """How the fit is done."""

    ridge: float = 0.003
    """Pulls the shifts towards zero: where few pairs speak, numbers change little."""
    steps: int = 300
    rules: float = 1.5
    """What a finding of the rules moves. Not fitted: the dev sets hardly ever repeat a claim's own words, and any value
    up to 2 changes their mean macro-F1 by 0.002 at most; on plain sentences, where rules do answer, they are right."""
    hedged: float = 5.0
    """What hearsay and mere possibility take from both sides: "X did it, or so we hear" says little about X. Enough to
    make the surest answer an open one."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """Logits, what the numbers say, and the gold label of many pairs; `weight` is the same for all of one set."""

    logits: Floats
    figures: Sequence[Figures]
    gold: NDArray[np.int64]
    weight: float


def fit(sets: Sequence[Labelled], rules: FitRules | None = None) -> StanceCalibration:
    """The calibration with the least log loss over the sets, each counted by its weight."""
    import torch

    chosen = rules or FitRules()
    scale = torch.zeros((), dtype=torch.float64, requires_grad=True)
    neutral = torch.zeros((), dtype=torch.float64, requires_grad=True)
    shifts = torch.zeros(len(SPOKEN), 2, dtype=torch.float64, requires_grad=True)
    parts = [
        (
            torch.from_numpy(part.logits),
            torch.from_numpy(_indicator(part.figures)),
            torch.from_numpy(part.gold),
            part.weight,
        )
        for part in sets
    ]
    optimiser = torch.optim.LBFGS([scale, neutral, shifts], max_iter=chosen.steps, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimiser.zero_grad()
        total = chosen.ridge * (shifts**2).sum()
        for logits, spoken, gold, weight in parts:
            moved = logits * scale.exp() + torch.cat([spoken @ shifts, neutral.expand(len(gold), 1)], dim=1)
            total = total + weight * torch.nn.functional.cross_entropy(moved, gold)
        total.backward()  # type: ignore[no-untyped-call]  # torch leaves this one untyped
        return total

    optimiser.step(loss)  # type: ignore[no-untyped-call]  # likewise
    found = shifts.detach().numpy()
    return StanceCalibration(
        scale=round(float(scale.detach().exp()), 4),
        bias=(0.0, 0.0, round(float(neutral.detach()), 4)),
        shifts={
            kind: (round(float(row[0]), 3), round(float(row[1]), 3)) for kind, row in zip(SPOKEN, found, strict=True)
        },
        rules={
            "supports": (chosen.rules, -chosen.rules),
            "refutes": (-chosen.rules, chosen.rules),
            "hedged": (-chosen.hedged, -chosen.hedged),
        },
    )


def _indicator(figures: Sequence[Figures]) -> Floats:
    return np.asarray([[kind is one for one in SPOKEN] for kind in figures], np.float64).reshape(-1, len(SPOKEN))


def as_json(calibration: StanceCalibration, notes: Mapping[str, object]) -> dict[str, object]:
    """What is stored beside the model."""
    return {
        "scale": calibration.scale,
        "bias": list(calibration.bias),
        "shifts": {kind.value: list(shift) for kind, shift in calibration.shifts.items()},
        "rules": {label: list(shift) for label, shift in calibration.rules.items()},
        "fitted": dict(notes),
    }
