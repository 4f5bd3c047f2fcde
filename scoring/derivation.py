"""A decision with the steps that led to it, in one shape everywhere, so that anyone can recompute it.

`Recorder` writes a derivation while a formula runs; `replay` computes its value again from the steps alone.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from scoring.checks import clamp, finite

Op = Literal["set", "add", "subtract", "multiply", "cap", "floor", "clamp"]
Scalar = float | int | str | bool | None
Input = Scalar | Sequence[Scalar] | Mapping[str, Scalar]


@dataclass(frozen=True, slots=True)
class Step:
    """One named operation and the running result after it. `clamp` carries its two bounds as value."""

    name: str
    op: Op
    value: float | tuple[float, float]
    result: float


@dataclass(frozen=True, slots=True)
class Derivation:
    """Inputs under their specification's names, the steps in order, and the value they end on."""

    inputs: Mapping[str, Input]
    steps: tuple[Step, ...]
    value: float


_MEANING: Mapping[str, Callable[[float, float], float]] = {
    "set": lambda _, value: value,
    "add": lambda running, value: running + value,
    "subtract": lambda running, value: running - value,
    "multiply": lambda running, value: running * value,
    "cap": min,
    "floor": max,
}


def apply(op: Op, running: float, value: float | tuple[float, float]) -> float:
    """The meaning of each operation: the one place that replaying and recording share."""
    if isinstance(value, tuple):
        if op != "clamp":
            raise ValueError(f"op {op!r} takes one number, got {value!r}")
        return clamp(running, *value)
    if op not in _MEANING:
        raise ValueError(f"op {op!r} does not take the single value {value!r}")
    return _MEANING[op](running, value)


class Recorder:
    """Applies steps one after another and remembers them."""

    def __init__(self, **inputs: Input) -> None:
        self._inputs = inputs
        self._steps: list[Step] = []
        self._value = 0.0

    @property
    def value(self) -> float:
        return self._value

    def set(self, name: str, value: float) -> float:
        return self._step(name, "set", value)

    def add(self, name: str, value: float) -> float:
        return self._step(name, "add", value)

    def subtract(self, name: str, value: float) -> float:
        return self._step(name, "subtract", value)

    def multiply(self, name: str, value: float) -> float:
        return self._step(name, "multiply", value)

    def cap(self, name: str, value: float) -> float:
        return self._step(name, "cap", value)

    def floor(self, name: str, value: float) -> float:
        return self._step(name, "floor", value)

    def clamp(self, name: str = "clamp", low: float = 0.0, high: float = 1.0) -> float:
        return self._step(name, "clamp", (low, high))

    def derivation(self) -> Derivation:
        """What was recorded. A formula that recorded nothing decided nothing."""
        if not self._steps:
            raise ValueError("a derivation needs at least one step")
        return Derivation(inputs=dict(self._inputs), steps=tuple(self._steps), value=self._value)

    def _step(self, name: str, op: Op, value: float | tuple[float, float]) -> float:
        self._value = finite(name, apply(op, self._value, value))
        self._steps.append(Step(name, op, value, self._value))
        return self._value


def replay(derivation: Derivation) -> float:
    """The value that the recorded steps lead to, from nothing but the steps."""
    if not derivation.steps or derivation.steps[0].op != "set":
        raise ValueError("the first step of a derivation sets its base")
    running = 0.0
    for step in derivation.steps:
        running = apply(step.op, running, step.value)
    return running
