"""How right and how well calibrated the stances are: macro-F1 and accuracy per dev set, ECE over them together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
LABELS: Mapping[str, int] = {"SUPPORTS": 0, "REFUTES": 1, "NEI": 2}
TWO_LABELS: Mapping[str, tuple[int, int]] = {"covidfact": (0, 1), "wice_oracle": (0, 2)}
"""Sets that know two labels only: the likelier of these two is the answer."""
ECE_BINS = 15


@dataclass(frozen=True, slots=True)
class SetResult:
    """One dev set's scores."""

    name: str
    pairs: int
    macro_f1: float
    accuracy: float
    f1: tuple[float, ...]


def softmax(logits: Floats) -> Floats:
    """Probabilities along the last axis."""
    shifted = np.exp(logits - logits.max(axis=-1, keepdims=True))
    shares: Floats = shifted / shifted.sum(axis=-1, keepdims=True)
    return shares


def gold(labels: Sequence[str]) -> Ints:
    """Class indices; −1 where a label (PARTIAL) is none of the three, and the pair is left out."""
    return np.asarray([LABELS.get(label, -1) for label in labels], np.int64)


def f1_scores(answers: Ints, truth: Ints, classes: Sequence[int]) -> tuple[float, ...]:
    """F1 of each class."""
    scores = []
    for one in classes:
        hit = int(((answers == one) & (truth == one)).sum())
        said, was = int((answers == one).sum()), int((truth == one).sum())
        scores.append(2 * hit / (said + was) if said + was else 0.0)
    return tuple(scores)


def score_set(name: str, probabilities: Floats, labels: Sequence[str]) -> SetResult:
    """Scores of one set. In a two-label set what is not the first label is the second."""
    truth = gold(labels)
    known = truth >= 0
    classes = TWO_LABELS.get(name, (0, 1, 2))
    part = probabilities[known]
    answers = np.asarray(classes)[part[:, list(classes)].argmax(axis=1)]
    scores = f1_scores(answers, truth[known], classes)
    accuracy = float((answers == truth[known]).sum() / max(1, known.sum()))
    return SetResult(name, int(known.sum()), float(np.mean(scores)), accuracy, scores)


def expected_calibration_error(probabilities: Floats, truth: Ints, bins: int = ECE_BINS) -> float:
    """Distance between confidence and accuracy, over equal bins of the likeliest class's probability."""
    confidence, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == truth
    places = np.minimum((confidence * bins).astype(int), bins - 1)
    error = 0.0
    for place in range(bins):
        here = places == place
        if here.any():
            error += here.mean() * abs(confidence[here].mean() - right[here].mean())
    return float(error)


def table(results: Sequence[SetResult]) -> str:
    """A Markdown table."""
    lines = ["| set | pairs | macro-F1 | accuracy | F1 per label |", "|---|---|---|---|---|"]
    for row in results:
        each = " / ".join(f"{score:.3f}" for score in row.f1)
        lines.append(f"| {row.name} | {row.pairs} | {row.macro_f1:.3f} | {row.accuracy:.3f} | {each} |")
    return "\n".join(lines)
