"""What a cosine of one embedder means: a monotone map onto [0, 1], so that thresholds hold for every embedder."""

from collections.abc import Sequence
from dataclasses import dataclass

from scoring.checks import clamp, finite


@dataclass(frozen=True, slots=True)
class SimilarityCalibration:
    """Three points of the map: 0 at the median of random pairs, 0.5 where related and random pairs separate best,
    1 at the top. Between them it is linear, beyond them it is flat."""

    zero: float
    half: float
    one: float

    def __post_init__(self) -> None:
        low, middle, high = finite("zero", self.zero), finite("half", self.half), finite("one", self.one)
        if not -1.0 <= low < middle < high <= 1.0:
            raise ValueError(f"calibration points must rise within [-1, 1], got {low}, {middle}, {high}")

    def __call__(self, cosine: float) -> float:
        """The calibrated similarity of one raw cosine."""
        value = finite("cosine", cosine)
        if value <= self.half:
            return clamp(0.5 * (value - self.zero) / (self.half - self.zero), 0.0, 0.5)
        return clamp(0.5 + 0.5 * (value - self.half) / (self.one - self.half), 0.5, 1.0)


# The share of related pairs that may lie above the top: beyond it, pairs are near copies of each other and a
# higher cosine says nothing more about relevance.
TOP_QUANTILE = 0.99


def fit(related: Sequence[float], random_pairs: Sequence[float]) -> SimilarityCalibration:
    """The calibration that the cosines of related pairs and of random pairs give."""
    import numpy as np  # only fitting needs it; the settings, which check three numbers, load quickly

    positives, negatives = np.sort(np.asarray(related)), np.sort(np.asarray(random_pairs))
    if len(positives) < 2 or len(negatives) < 2:
        raise ValueError("fitting a calibration needs at least two related and two random pairs")
    thresholds = np.unique(np.concatenate([positives, negatives]))
    kept = 1.0 - np.searchsorted(positives, thresholds, side="left") / len(positives)
    rejected = np.searchsorted(negatives, thresholds, side="left") / len(negatives)
    best = float(thresholds[int(np.argmax(kept + rejected))])
    zero, one = float(np.median(negatives)), float(np.quantile(positives, TOP_QUANTILE))
    return SimilarityCalibration(zero=round(zero, 4), half=round(best, 4), one=round(one, 4))
