"""Reading a derivation's inputs back: each kind accepts what JSON gives and refuses the rest by name."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from scoring.inputs import check_shares, constants, count, flag, number, numbers, policy_from, word, words


@dataclass(frozen=True, slots=True)
class Small:
    share: float = 0.5
    times: int = 3
    on: bool = True


@pytest.mark.parametrize(
    ("read", "value", "expected"),
    [
        (number, 1, 1.0),
        (number, 0.5, 0.5),
        (count, 0, 0),
        (flag, False, False),
        (word, "", ""),
        (numbers, [1, 0.5], (1.0, 0.5)),
        (numbers, (), ()),
        (words, ["a"], ("a",)),
    ],
)
def test_good_inputs_are_read(read: Callable[..., Any], value: Any, expected: Any) -> None:
    assert read({"x": value}, "x") == expected


@pytest.mark.parametrize(
    ("read", "value"),
    [
        (number, True),
        (number, "1"),
        (number, None),
        (number, float("nan")),
        (number, float("inf")),
        (count, -1),
        (count, 1.0),
        (count, True),
        (flag, 1),
        (flag, None),
        (word, 3),
        (numbers, "12"),
        (numbers, [1, "2"]),
        (numbers, [float("nan")]),
        (words, "ab"),
        (words, [1]),
        (words, None),
    ],
)
def test_bad_inputs_are_refused_by_name(read: Callable[..., Any], value: Any) -> None:
    with pytest.raises(ValueError, match="x must be"):
        read({"x": value}, "x")


def test_a_missing_input_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="coverage"):
        number({}, "coverage")


def test_a_policy_goes_through_its_constants_and_back() -> None:
    policy = Small(share=0.25, times=7, on=False)
    assert policy_from(Small, {"policy": constants(policy)}) == policy


@pytest.mark.parametrize("values", [{}, {"share": 0.5}, {**constants(Small()), "more": 1}, None, 3])
def test_a_policy_with_missing_or_unknown_constants_is_refused(values: Any) -> None:
    with pytest.raises(ValueError, match="Small"):
        policy_from(Small, {"policy": values})


def test_shares_are_checked_but_for_the_named_counts_and_flags() -> None:
    check_shares(Small(), apart_from=("times",))
    with pytest.raises(ValueError, match="times"):
        check_shares(Small())
    with pytest.raises(ValueError, match="share"):
        check_shares(Small(share=1.5), apart_from=("times",))
