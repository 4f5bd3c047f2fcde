"""Behaviour cases in the manner of CheckList: small templates for which any reader knows the answer.

python -m training.behaviour --model models/stance       # pass rate per capability, as a Markdown table
"""

import argparse
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from agents.language.ports import Pair
from agents.language.stance.onnx import OnnxStance

CASES = Path(__file__).parent / "behaviour.toml"


@dataclass(frozen=True, slots=True)
class Case:
    """One pair with the answers that pass."""

    capability: str
    claim: str
    evidence: str
    expect: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A case and what the model said."""

    case: Case
    answer: str

    @property
    def passed(self) -> bool:
        """Whether the answer is one of the expected."""
        return self.answer in self.case.expect


def read_cases(path: Path = CASES) -> list[Case]:
    """Every template with every filling of its block, without repetitions."""
    blocks = tomllib.loads(path.read_text(encoding="utf-8"))["block"]
    return list(dict.fromkeys(case for block in blocks for case in _expand(block)))


def _expand(block: Mapping[str, Sequence[Mapping[str, str]]]) -> Iterator[Case]:
    for evidence, claim in block["templates"]:
        for filling in block["fillings"]:
            yield Case(
                capability=str(block["capability"]),
                claim=_sentence(claim.format(**filling)),
                evidence=_sentence(evidence.format(**filling)),
                expect=tuple(str(answer) for answer in block["expect"]),
            )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def run_cases(model: OnnxStance, cases: Sequence[Case]) -> list[Outcome]:
    """What the model says of each case."""
    stances = model.score_batch([Pair(case.claim, case.evidence) for case in cases])
    return [Outcome(case, stance.label) for case, stance in zip(cases, stances, strict=True)]


def pass_rates(outcomes: Sequence[Outcome]) -> dict[str, tuple[int, int]]:
    """Passed and all cases per capability, in the order of the file."""
    rates: dict[str, tuple[int, int]] = {}
    for outcome in outcomes:
        passed, total = rates.get(outcome.case.capability, (0, 0))
        rates[outcome.case.capability] = (passed + outcome.passed, total + 1)
    return rates


def table(rates: Mapping[str, tuple[int, int]]) -> str:
    """A Markdown table with a last line for all cases."""
    lines = ["| capability | cases | passed |", "|---|---|---|"]
    lines += [f"| {name} | {total} | {passed / total:.0%} |" for name, (passed, total) in rates.items()]
    passed, total = (sum(column) for column in zip(*rates.values(), strict=True))
    return "\n".join([*lines, f"| all | {total} | {passed / total:.0%} |"])


def main() -> None:
    """Print the table, and with --failures each case that failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--failures", action="store_true")
    args = parser.parse_args()
    outcomes = run_cases(OnnxStance(args.model), read_cases())
    print(table(pass_rates(outcomes)))
    for outcome in outcomes if args.failures else ():
        if not outcome.passed:
            print(f"{outcome.case.capability}: {outcome.answer} | {outcome.case.claim} | {outcome.case.evidence}")


if __name__ == "__main__":
    main()
