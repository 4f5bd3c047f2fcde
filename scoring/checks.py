"""Guards at the door of every formula: a bad number is a ValueError naming its field, never a NaN later on."""

import math


def finite(name: str, value: float) -> float:
    """Return `value` if it is a finite number."""
    if type(value) is float and math.isfinite(value):  # nearly every call; the general test below costs five times that
        return value
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{name} must be a finite number, got {value!r}")
    return float(value)


def unit(name: str, value: float) -> float:
    """Return `value` if it lies in [0, 1]."""
    number = finite(name, value)
    if not 0.0 <= number <= 1.0:
        raise ValueError(f"{name} must lie in [0, 1], got {value!r}")
    return number


def clamp(value: float, low: float = 0.0, high: float = 1.0) -> float:
    """The nearest number to `value` within [low, high]."""
    return min(max(value, low), high)
