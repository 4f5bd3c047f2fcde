"""Reading a derivation's inputs back, as they come out of JSON, so that a formula can run on them again."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeVar, cast

from scoring.checks import finite, unit
from scoring.derivation import Input, Scalar

Policy = TypeVar("Policy")
Inputs = Mapping[str, Input]


def constants(policy: Any) -> dict[str, Scalar]:
    """The numbers of a flat policy object, as the `policy` input of a derivation."""
    return {field.name: getattr(policy, field.name) for field in fields(policy)}


def check_shares(policy: Any, apart_from: Sequence[str] = ()) -> None:
    """Every number of a policy lies in [0, 1], but for the named ones (counts)."""
    for name, value in constants(policy).items():
        if name not in apart_from and isinstance(value, int | float) and not isinstance(value, bool):
            unit(name, value)


def policy_from(kind: type[Policy], inputs: Inputs) -> Policy:
    """The policy that was in force, rebuilt from the `policy` input."""
    values = inputs.get("policy")
    known = {field.name for field in fields(cast("Any", kind))}
    if isinstance(values, Mapping) and set(values) == known:
        return kind(**values)
    odd = sorted(known ^ set(values)) if isinstance(values, Mapping) else repr(values)
    raise ValueError(f"policy must hold exactly the constants of {kind.__name__}; missing or unknown: {odd}")


def number(inputs: Inputs, name: str) -> float:
    """A finite number."""
    value = inputs.get(name)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return finite(name, value)
    raise ValueError(f"{name} must be a finite number, got {value!r}")


def count(inputs: Inputs, name: str) -> int:
    """A whole number that is not negative."""
    value = inputs.get(name)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise ValueError(f"{name} must be a whole number of at least 0, got {value!r}")


def flag(inputs: Inputs, name: str) -> bool:
    """True or false."""
    value = inputs.get(name)
    if isinstance(value, bool):
        return value
    raise ValueError(f"{name} must be true or false, got {value!r}")


def word(inputs: Inputs, name: str) -> str:
    """A string."""
    value = inputs.get(name)
    if isinstance(value, str):
        return value
    raise ValueError(f"{name} must be a string, got {value!r}")


def numbers(inputs: Inputs, name: str) -> tuple[float, ...]:
    """A list of finite numbers."""
    return tuple(number({name: item}, name) for item in _items(inputs, name))


def words(inputs: Inputs, name: str) -> tuple[str, ...]:
    """A list of strings."""
    return tuple(word({name: item}, name) for item in _items(inputs, name))


def _items(inputs: Inputs, name: str) -> Sequence[Scalar]:
    value = inputs.get(name)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return value
    raise ValueError(f"{name} must be a list, got {value!r}")
