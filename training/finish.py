"""From trained weights to the model folder: eight-bit ONNX file, tokenizer, calibration, checksums and results.

python -m training.finish --weights OUT/weights.npz --tokenizer tokenizer.json --data DIR --out DIR
"""

import argparse
import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.language.ports import Pair
from agents.language.rules.stance import Found, LexicalStance
from agents.language.stance.calibration import StanceCalibration
from agents.language.stance.figures import Figures, read_figures
from agents.language.stance.files import CHECKSUMS, NEEDED
from agents.language.stance.onnx import OnnxStance, StanceRunPolicy
from agents.language.stance.windows import pool
from training.base import read_compact
from training.calibrate import Labelled, as_json, fit
from training.export import write_onnx
from training.metrics import SetResult, expected_calibration_error, gold, score_set, softmax, table
from training.pairs import DevPair, read_dev

Floats = NDArray[np.float64]
FITTED_HALF = 0
"""Rows with an even number fit the calibration; the odd ones judge it."""
METHOD = (
    "temperature, a bias for neutral and a shift per answer of the numbers; least log loss on every even row; "
    "a fixed shift for findings of the rules"
)


@dataclass(frozen=True, slots=True)
class ReadPair:
    """What the eight-bit network says of one dev pair: logits and numbers of each of its windows."""

    logits: tuple[Floats, ...]
    figures: tuple[Figures, ...]
    found: tuple[Found, ...]
    """What the rules find in each window."""


def write_folder(out: Path, calibration: StanceCalibration, notes: Mapping[str, object]) -> None:
    """(Re)write calibration and checksums."""
    stored = json.dumps(as_json(calibration, notes), indent=2)
    (out / "calibration.json").write_text(stored + "\n", encoding="utf-8")
    lines = [f"{hashlib.sha256((out / name).read_bytes()).hexdigest()}  {name}\n" for name in NEEDED]
    (out / CHECKSUMS).write_text("".join(lines), encoding="utf-8")


def read_set(model: OnnxStance, pairs: Sequence[DevPair]) -> list[ReadPair]:
    """Every pair through the network, in windows where it is long."""
    rules = LexicalStance()

    def read(pair: DevPair) -> ReadPair:
        windows = model.windows(Pair(pair.claim, pair.evidence))
        logits = tuple(model.logits(pair.claim, window) for window in windows)
        figures = tuple(read_figures(pair.claim, window) for window in windows)
        return ReadPair(logits, figures, tuple(rules.find(pair.claim, window).found for window in windows))

    with ThreadPoolExecutor() as readers:
        return list(readers.map(read, pairs))


def probabilities(rows: Sequence[ReadPair], calibration: StanceCalibration, sharpness: float) -> Floats:
    """What the finished model answers."""
    answers = []
    for row in rows:
        each = [calibration.probabilities(*window) for window in zip(row.logits, row.figures, row.found, strict=True)]
        answers.append(each[0] if len(each) == 1 else pool(each, sharpness))
    return np.stack(answers)


def fit_on_half(rows: Mapping[str, Sequence[ReadPair]], dev: Mapping[str, Sequence[DevPair]]) -> StanceCalibration:
    """The calibration from the fitting half of every set; pairs count alike, whatever set they are from."""
    parts = []
    for name, read in rows.items():
        truth = gold([pair.label for pair in dev[name]])
        chosen = [
            number
            for number in range(len(read))
            if number % 2 == FITTED_HALF and truth[number] >= 0 and len(read[number].logits) == 1
        ]
        if chosen:
            logits = np.stack([read[number].logits[0] for number in chosen])
            figures = [read[number].figures[0] for number in chosen]
            parts.append(Labelled(logits, figures, truth[chosen], len(chosen) / 1000))
    return fit(parts)


def held_out_error(answers: Mapping[str, Floats], dev: Mapping[str, Sequence[DevPair]]) -> float:
    """ECE over the odd rows of all sets together."""
    shares, truths = [], []
    for name, values in answers.items():
        truth = gold([pair.label for pair in dev[name]])
        judged = (truth >= 0) & (np.arange(len(truth)) % 2 != FITTED_HALF)
        shares.append(values[judged])
        truths.append(truth[judged])
    return expected_calibration_error(np.concatenate(shares), np.concatenate(truths))


def _scores(answers: Mapping[str, Floats], dev: Mapping[str, Sequence[DevPair]]) -> list[SetResult]:
    return [score_set(name, values, [pair.label for pair in dev[name]]) for name, values in answers.items()]


def finish(
    weights: Path, tokenizer: Path, data: Sequence[Path], out: Path, dev_limit: int | None = None
) -> StanceCalibration:
    """Make the folder and its results."""
    size = write_onnx(read_compact(weights), out / "model.onnx")
    shutil.copyfile(tokenizer, out / "tokenizer.json")
    write_folder(out, StanceCalibration(), {})
    policy = StanceRunPolicy()
    model = OnnxStance(out, policy)
    dev = {name: pairs for folder in data for name, pairs in read_dev(folder, dev_limit).items()}
    rows = {}
    for name, pairs in dev.items():
        rows[name] = read_set(model, pairs)
        print(f"read {name}: {len(pairs)} pairs", flush=True)
    model.close()
    calibration = fit_on_half(rows, dev)
    answers = {name: probabilities(read, calibration, policy.sharpness) for name, read in rows.items()}
    plain = {name: softmax(np.stack([row.logits[0] for row in read])) for name, read in rows.items()}
    error = held_out_error(answers, dev)
    write_folder(out, calibration, {"method": METHOD, "ece_on_odd_rows": round(error, 4)})
    report = _report(out / "dev_logits.npz", plain=plain, answers=answers, dev=dev, error=error, size=size)
    (out / "results.md").write_text(report, encoding="utf-8")
    print(report)
    return calibration


def _report(
    float_logits: Path,
    *,
    plain: Mapping[str, Floats],
    answers: Mapping[str, Floats],
    dev: Mapping[str, Sequence[DevPair]],
    error: float,
    size: int,
) -> str:
    parts = [f"## The finished model ({size / 1e6:.1f} MB, eight bits, calibrated)\n", table(_scores(answers, dev))]
    parts.append(f"\nExpected calibration error over the odd rows of all sets: {error:.3f}. Fitted: {METHOD}.")
    parts.append("\n## The network alone, eight bits, no calibration, no numbers\n")
    parts.append(table(_scores(plain, dev)))
    if float_logits.exists():
        with np.load(float_logits) as stored:
            exact = {name: softmax(stored[name].astype(np.float64)) for name in stored.files if name in dev}
        parts += ["\n## The network alone, in floats\n", table(_scores(exact, dev))]
    return "\n".join(parts) + "\n"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m training.finish", description="Finish a trained stance model.")
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--data", type=Path, nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--dev-limit", type=int, help="only the first pairs of each dev set")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    finish(args.weights, args.tokenizer, args.data, args.out, args.dev_limit)


if __name__ == "__main__":
    main()
