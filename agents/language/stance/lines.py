"""Stances of JSON lines: `{"claim", "evidence"}` in, `{"supports", "refutes", "neutral"}` out, one for one."""

import json
from collections.abc import Iterable, Iterator
from datetime import date
from functools import lru_cache

from pydantic import BaseModel, ValidationError

from agents.language.model_files import model_folder
from agents.language.ports import Pair
from agents.language.stance.onnx import OnnxStance

FOLDER = "stance"
_DIGITS = 6


class StanceLine(BaseModel):
    """What is judged: a claim, a passage, and where known the passage's title and date of publication."""

    claim: str
    evidence: str
    title: str = ""
    published: date | None = None

    def pair(self) -> Pair:
        """The pair as the model is asked for it."""
        return Pair(self.claim, passage(self.evidence, self.title, self.published))


@lru_cache(maxsize=1)
def bundled_model() -> OnnxStance:
    """The model that comes with the package."""
    return OnnxStance(model_folder(FOLDER))


def passage(text: str, title: str = "", published: date | None = None) -> str:
    """Evidence as the model was trained to read it: title and date first."""
    if title:
        return f"{title} ({published.isoformat()}). {text}" if published else f"{title}. {text}"
    return f"({published.isoformat()}) {text}" if published else text


def judge_lines(lines: Iterable[str], model: OnnxStance | None = None) -> Iterator[str]:
    """One line of probabilities per line of input; blank lines are passed over."""
    judge = model or bundled_model()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        (stance,) = judge.score_batch([_read(line, number).pair()])
        shares = {"supports": stance.supports, "refutes": stance.refutes, "neutral": stance.neutral}
        yield json.dumps({name: round(share, _DIGITS) for name, share in shares.items()})


def _read(line: str, number: int) -> StanceLine:
    try:
        return StanceLine.model_validate_json(line)
    except ValidationError:
        raise ValueError(
            f'line {number}: expected {{"claim": "...", "evidence": "..."}}, '
            'optionally with "title" and "published" (YYYY-MM-DD)'
        ) from None
