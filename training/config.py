"""The training configuration: one TOML file, read into frozen values; unknown keys are refused."""

import dataclasses
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from training.epoch import AugmentRules
from training.pairs import SourceRule

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RunRules:
    """One training run: a teacher's, the student's, or its polish."""

    epochs: int = 5
    learning_rate: float = 2.2e-4
    layer_decay: float = 0.93
    """Each layer below the last learns this much slower than the one above it."""
    head_factor: float = 4.0
    warmup: float = 0.06
    weight_decay: float = 0.02
    dropout: float = 0.1
    label_smoothing: float = 0.03
    tokens_per_batch: int = 32768
    average_decay: float = 0.999
    """Of the moving average of weights that is what the run returns."""
    consistency: float = 0.0
    """Weight of the agreement between two passes with other dropout (R-Drop); doubles the time."""
    distilled: float = 0.0
    """Share of the loss that follows the teachers instead of the labels."""


@dataclass(frozen=True, slots=True)
class Config:
    """Everything a run depends on besides data and base weights."""

    seed: int = 17
    sources: Mapping[str, SourceRule] = field(default_factory=dict)
    augment: AugmentRules = field(default_factory=AugmentRules)
    teacher: RunRules = field(default_factory=RunRules)
    teachers: int = 0
    """Runs with other seeds whose averaged distributions the student learns from."""
    student: RunRules = field(default_factory=RunRules)
    student_from: int | None = None
    """The teacher, counted from 1, whose weights the student starts from; none for the base's."""
    polish: RunRules = field(default_factory=lambda: RunRules(epochs=0))
    """A last run from the student's weights, on the labels alone."""
    max_tokens: int = 320
    data_limit: int | None = None
    """Keep only the first pairs of each source (the tiny mode)."""
    dev_limit: int | None = None
    layers: int | None = None
    """Keep only this many of the base's layers, evenly spaced (the tiny mode, or a faster file)."""


def _build(kind: type[T], values: Mapping[str, Any], where: str) -> T:
    known = {item.name for item in dataclasses.fields(kind)}  # type: ignore[arg-type]  # always a dataclass here
    unknown = sorted(set(values) - known)
    if unknown:
        raise SystemExit(f"unknown setting in [{where}]: {', '.join(unknown)}; known are {', '.join(sorted(known))}")
    return kind(**values)


def parse(values: Mapping[str, Any]) -> Config:
    """A configuration from parsed TOML."""
    top = dict(values)
    return _build(
        Config,
        {
            **top,
            "sources": {
                name: _build(SourceRule, rule, f"sources.{name}") for name, rule in top.get("sources", {}).items()
            },
            "augment": _build(AugmentRules, top.get("augment", {}), "augment"),
            "teacher": _build(RunRules, top.get("teacher", {}), "teacher"),
            "student": _build(RunRules, top.get("student", {}), "student"),
            "polish": _build(RunRules, {"epochs": 0, **top.get("polish", {})}, "polish"),
        },
        "top level",
    )


def read_config(path: Path) -> Config:
    """The configuration in a TOML file."""
    return parse(tomllib.loads(path.read_text(encoding="utf-8")))
