"""Train the stance model: `python -m training.train --data DIR --base FILE --config training/config.toml --out DIR`.

Several teachers are trained with different seeds; the student learns from the labels and from their averaged
distributions. What comes out: `weights.npz`, `dev_logits.npz`, `train.log`, and unless `--weights-only` is given the
finished model folder that `training.finish` makes of them.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from training.base import Weights, keep_layers, near_words, read_base, read_compact, write_compact
from training.config import Config, RunRules, read_config
from training.epoch import EpochBuilder
from training.metrics import score_set, softmax
from training.pairs import DevPair, read_dev, read_training
from training.prepare import EpochQueue, Fetch
from training.tokens import Encoded, encode, load_tokenizer

if TYPE_CHECKING:
    from training.bert import StanceNet

WEIGHTS = "weights.npz"
TEACHING_SECONDS = 3600.0
"""After that something is wrong."""
DEV_TOKENS = 400
"""Dev passages are cut here while training is watched; the finished model reads long ones in windows."""


class Journal:
    """The training log: on the screen and in a file, each line with its second."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", encoding="utf-8")
        self._path = path
        self._started = time.monotonic()

    def __call__(self, message: str) -> None:
        line = f"{self.seconds():5.0f} s  {message}"
        print(line, flush=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def seconds(self) -> float:
        """Since the start."""
        return time.monotonic() - self._started


class Session:
    """One training session: base weights, epochs and dev sets, and the networks made from them."""

    def __init__(self, config: Config, base: Weights, dev: Mapping[str, Sequence[DevPair]], log: Journal) -> None:
        import torch

        self._config, self._base, self._dev, self._log = config, base, dev, log
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self._encoded: dict[str, Encoded] = {}
        log(f"training on {self._device}")

    def read_dev_sets(self, tokenizer_file: Path) -> None:
        """Encode the dev sets once."""
        tokenizer = load_tokenizer(tokenizer_file)
        for name, pairs in self._dev.items():
            self._encoded[name] = encode(tokenizer, [(pair.claim, pair.evidence) for pair in pairs], DEV_TOKENS)

    def train(
        self,
        name: str,
        rules: RunRules,
        seed: int,
        epochs: Sequence[Fetch],
        *,
        start: Weights | None = None,
        teachers: Sequence["StanceNet"] = (),
        finish_by: float | None = None,
    ) -> "StanceNet":
        """One run from the base weights, or from `start`."""
        import torch

        from training.bert import StanceNet, fill, shape_of
        from training.loop import Trainer

        torch.manual_seed(seed)
        weights = self._base if start is None else start
        net = StanceNet(shape_of(weights), rules.dropout)
        fill(net, weights)
        self._log(f"{name}: {len(epochs)} epochs, seed {seed}, {len(teachers)} teachers")
        return Trainer(net, rules, self._device, seed, self._log).run(epochs, teachers, finish_by)

    def watch(self, name: str, net: "StanceNet") -> dict[str, NDArray[np.float32]]:
        """Scores on the dev sets, logged; the logits are returned."""
        from training.loop import predict

        logits = {key: predict(net, ids, self._device) for key, ids in self._encoded.items()}
        results = [
            score_set(key, softmax(values.astype(np.float64)), [pair.label for pair in self._dev[key]])
            for key, values in logits.items()
        ]
        each = ", ".join(f"{row.name} {row.macro_f1:.3f}/{row.accuracy:.3f}" for row in results)
        mean = float(np.mean([row.macro_f1 for row in results])) if results else 0.0
        self._log(f"{name}: mean macro-F1 {mean:.4f}; macro-F1/accuracy {each}")
        return logits

    def ready(self, weights: Weights) -> "StanceNet":
        """A network that was trained elsewhere."""
        from training.bert import StanceNet, fill, shape_of

        net = StanceNet(shape_of(weights))
        fill(net, weights)
        return net.to(self._device).eval()

    def half(self, net: "StanceNet") -> "StanceNet":
        """A finished teacher, ready to be asked."""
        import torch

        return net.to(torch.bfloat16) if self._device.type == "cuda" else net


def _epochs(queue: EpochQueue, numbers: range) -> Callable[[int, int], list[Fetch]]:
    """Epochs by run: every run sees its own, all asked for at once so that they are ready in time."""
    fetches = queue.start(numbers)
    return lambda first, count: fetches[first - numbers.start : first - numbers.start + count]


def _epoch_numbers(config: Config, args: argparse.Namespace) -> range:
    """The epochs that this process trains on."""
    each, taught = config.teacher.epochs, config.teachers * config.teacher.epochs
    if args.teacher is not None:
        return range(args.teacher * each, (args.teacher + 1) * each)
    return range(taught if args.side_by_side else 0, taught + config.student.epochs + config.polish.epochs)


def _teacher_folder(out: Path, number: int) -> Path:
    return out / f"teacher-{number + 1}"


def _teach_side_by_side(config: Config, args: argparse.Namespace, log: Journal) -> None:
    """Every teacher in a process of its own, all at once: the network is too small to fill a GPU alone."""
    running = []
    for number in range(config.teachers):
        own = ["--teacher", str(number), "--out", str(_teacher_folder(args.out, number))]
        given = [part for part in args.given if part != "--side-by-side"]
        running.append(subprocess.Popen([sys.executable, "-m", "training.train", *given, *own]))
    try:
        ended = [process.wait(TEACHING_SECONDS) for process in running]
    finally:
        for process in running:
            process.kill()
    if any(ended):
        raise SystemExit(f"a teacher's training failed (exit codes {ended}): its log is beside its weights")
    log(f"{config.teachers} teachers trained side by side")


def _teachers(
    session: Session, config: Config, args: argparse.Namespace, epochs: Callable[[int, int], list[Fetch]], log: Journal
) -> tuple[list["StanceNet"], Weights | None]:
    """The teachers, trained here or already beside this process, and the weights that the student starts from."""
    from training.bert import weights_of

    teachers: list[StanceNet] = []
    start: Weights | None = None
    for number in range(config.teachers) if args.teacher is None else (args.teacher,):
        if args.side_by_side:
            net = session.ready(read_compact(_teacher_folder(args.out, number) / WEIGHTS))
        else:
            part = epochs(number * config.teacher.epochs, config.teacher.epochs)
            net = session.train(f"teacher {number + 1}", config.teacher, config.seed + 1 + number, part)
            _save(net, session.watch(f"teacher {number + 1}", net), args.out, log)
        start = weights_of(net) if number + 1 == config.student_from else start
        teachers.append(session.half(net))
    return teachers, start


def run(config: Config, args: argparse.Namespace, log: Journal) -> None:
    """Data to weights."""
    from training.bert import weights_of

    base = read_base(args.base)
    if config.layers is not None:
        base = keep_layers(base, config.layers)
    tokenizer_file: Path = args.tokenizer or args.base.parent / "tokenizer.json"
    data = read_training(args.data, config.sources, config.data_limit)
    counts = ", ".join(f"{name} {len(pairs)}" for name, pairs in data.by_source.items())
    log(f"training pairs: {counts}; left out as held-out claims: {dict(data.left_out)}")
    near = near_words(base, load_tokenizer(tokenizer_file).get_vocab())
    builder = EpochBuilder(data, config.augment, near, config.seed)
    queue = EpochQueue(builder, tokenizer_file, config.max_tokens, args.workers)
    epochs = _epochs(queue, _epoch_numbers(config, args))
    if args.side_by_side:
        _teach_side_by_side(config, args, log)
    dev = {name: pairs for folder in args.data for name, pairs in read_dev(folder, config.dev_limit).items()}
    session = Session(config, base, dev, log)
    session.read_dev_sets(tokenizer_file)
    teachers, start = _teachers(session, config, args, epochs, log)
    if args.teacher is not None:
        queue.close()
        return
    taught = config.teachers * config.teacher.epochs
    part = epochs(taught, config.student.epochs)
    finish_by = None if args.time_limit is None else time.monotonic() + args.time_limit - log.seconds()
    student = session.train(
        "student", config.student, config.seed, part, start=start, teachers=teachers, finish_by=finish_by
    )
    _save(student, session.watch("student", student), args.out, log)
    if config.polish.epochs:
        part = epochs(taught + config.student.epochs, config.polish.epochs)
        student = session.train(
            "polish", config.polish, config.seed, part, start=weights_of(student), finish_by=finish_by
        )
        _save(student, session.watch("polish", student), args.out, log)
    queue.close()


def _save(net: "StanceNet", logits: Mapping[str, NDArray[np.float32]], out: Path, log: Journal) -> None:
    from training.bert import weights_of

    write_compact(weights_of(net), out / WEIGHTS)
    halves = {name: values.astype(np.float16) for name, values in logits.items()}
    np.savez_compressed(out / "dev_logits.npz", **halves)  # type: ignore[arg-type]  # keyword arrays
    log(f"wrote {out / WEIGHTS}, {(out / WEIGHTS).stat().st_size / 1e6:.1f} MB")


def parse_args(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m training.train", description="Train the stance model.")
    parser.add_argument("--data", type=Path, nargs="+", required=True, help="folders of train_*/dev_*.jsonl.gz")
    parser.add_argument("--base", type=Path, required=True, help="ONNX file of the base encoder")
    parser.add_argument("--tokenizer", type=Path, help="tokenizer.json, default beside the base")
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--workers", type=int, default=5, help="processes that prepare epochs; 0 for none")
    parser.add_argument(
        "--time-limit", type=float, help="seconds; the student's last epochs are given up if they would end later"
    )
    parser.add_argument("--side-by-side", action="store_true", help="train the teachers at once, on one GPU")
    parser.add_argument("--teacher", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--weights-only", action="store_true", help="leave quantising and reports to training.finish")
    args = parser.parse_args(argv)
    args.given = list(sys.argv[1:] if argv is None else argv)
    return args


def main(argv: Sequence[str] | None = None) -> None:
    """Train, then finish."""
    args = parse_args(argv)
    log = Journal(args.out / "train.log")
    log("arguments " + " ".join(args.given))
    config = read_config(args.config)
    run(config, args, log)
    if not args.weights_only and args.teacher is None:
        from training.finish import finish

        tokenizer = args.tokenizer or args.base.parent / "tokenizer.json"
        finish(args.out / WEIGHTS, tokenizer, args.data, args.out, config.dev_limit)


if __name__ == "__main__":
    main()
