"""From what a model wrote to a value of the schema: JSON where it can be found, never executed, never trusted."""

import json
import re
from typing import TypeVar

from pydantic import BaseModel, ValidationError

Parsed = TypeVar("Parsed", bound=BaseModel)

MAX_ANSWER = 200_000
_FENCE = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL | re.IGNORECASE)


class UnusableAnswerError(Exception):
    """The answer does not fit the schema. The message can be shown to the model."""


def parse(text: str, schema: type[Parsed]) -> Parsed:
    """The first JSON object in the answer that fits the schema: bare, in a code fence, or inside other text."""
    problem = "the answer contains no JSON object"
    for candidate in _candidates(text[:MAX_ANSWER]):
        try:
            return schema.model_validate_json(candidate)
        except ValidationError as error:
            problem = _explained(error)
    raise UnusableAnswerError(problem)


def _candidates(text: str) -> list[str]:
    stripped = text.strip()
    found = [stripped] if stripped.startswith("{") else []
    found += [match.group(1).strip() for match in _FENCE.finditer(text)]
    embedded = _first_object(text)
    return list(dict.fromkeys([*found, *([embedded] if embedded else [])]))


def _first_object(text: str) -> str:
    """The first text from an opening brace that is a whole JSON object."""
    decoder = json.JSONDecoder()
    at = text.find("{")
    tries = 0
    while at != -1 and tries < 20:
        try:
            _, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at, tries = text.find("{", at + 1), tries + 1
        else:
            return text[at:end]
    return ""


def _explained(error: ValidationError) -> str:
    """The first few problems in words that a model can act on."""
    lines = [
        f"{'.'.join(str(part) for part in problem['loc']) or 'answer'}: {problem['msg']}"
        for problem in error.errors(include_url=False, include_input=False)[:5]
    ]
    return "; ".join(lines)
