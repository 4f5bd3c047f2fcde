"""Stances of JSON lines: `{"claim", "evidence"}` in, `{"supports", "refutes", "neutral"}` out, one for one."""

import json
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from datetime import date
from itertools import islice

from pydantic import BaseModel, ConfigDict, ValidationError

from agents.language.ports import Pair, StanceModel

DIGITS = 6
AT_ONCE = 64
"""Lines that are judged together: enough to keep every core busy, few enough that answers come while one types."""
EXPECTED = 'expected {"claim": "...", "evidence": "..."}, optionally with "title" and "published" (YYYY-MM-DD)'


class StanceLine(BaseModel):
    """What is judged: a claim, a passage, and where known the passage's title and date of publication."""

    model_config = ConfigDict(frozen=True)

    claim: str
    evidence: str
    title: str = ""
    published: date | None = None

    def pair(self) -> Pair:
        """The pair as a model is asked for it."""
        return Pair(self.claim, self.evidence, self.title, self.published)


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that could not be read; its answer is missing, those of all others are not."""

    number: int
    reason: str = EXPECTED


async def judge_lines(lines: Iterable[str], model: StanceModel) -> AsyncIterator[str | BadLine]:
    """One line of probabilities per line of input, in order; blank lines are passed over."""
    numbered = ((number, line) for number, line in enumerate(lines, start=1) if line.strip())
    while some := list(islice(numbered, AT_ONCE)):
        read = [_read(number, line) for number, line in some]
        stances = iter(await model.judge([one.pair() for one in read if isinstance(one, StanceLine)]))
        for one in read:
            if isinstance(one, BadLine):
                yield one
                continue
            stance = next(stances)
            shares = {"supports": stance.supports, "refutes": stance.refutes, "neutral": stance.neutral}
            yield json.dumps({name: round(share, DIGITS) for name, share in shares.items()})


def _read(number: int, line: str) -> StanceLine | BadLine:
    try:
        return StanceLine.model_validate_json(line)
    except ValidationError:
        return BadLine(number)
