"""Bytes to contract and back. What does not decode is a `BadMessage` with one of a closed set of reasons."""

import json

from pydantic import BaseModel, ValidationError

from streams.topics import Topic

SCHEMA_VERSION = 1


class BadMessage(Exception):  # noqa: N818 - it describes the message, and is caught in one place
    """A message that can never be processed as it is."""

    def __init__(self, reason: str, message: str, job_id: str | None = None) -> None:
        super().__init__(message)
        self.reason = reason
        self.job_id = job_id


def encode(value: BaseModel | bytes) -> bytes:
    """UTF-8 JSON; what is bytes already is sent as it is."""
    return value if isinstance(value, bytes) else value.model_dump_json().encode()


def decode(topic: Topic, key: bytes | None, value: bytes | None) -> BaseModel:
    """The model that `topic` promises, or the reason why these bytes are not one."""
    contract = topic.contract
    if contract is None:
        raise BadMessage("no_contract", f"nothing is read from {topic.name}")
    if value is None:
        raise BadMessage("null_value", "the message has no value; send a JSON object")
    if len(value) > topic.value_max_bytes:
        raise BadMessage("too_large", f"{len(value)} bytes; {topic.name} takes at most {topic.value_max_bytes}")
    try:
        model = contract.model_validate_json(value)
    except ValidationError as error:
        # Only what is refused is parsed a second time, for a reason that says more.
        raise _refusal(value, error) from None
    job_id = getattr(model, "job_id", "")
    if key is not None and key != job_id.encode():
        raise BadMessage("bad_key", "the message key is not the job_id of its value", job_id or None)
    return model


def _refusal(value: bytes, error: ValidationError) -> BadMessage:
    """The first thing that is wrong with it: no JSON, no object, another version, or its fields."""
    try:
        document = json.loads(value)
    except (ValueError, RecursionError):
        return BadMessage("not_json", "the value is not UTF-8 JSON")
    if not isinstance(document, dict):
        return BadMessage("invalid", f"expected a JSON object, got {type(document).__name__}")
    named = document.get("job_id")
    job_id = named if isinstance(named, str) else None
    version = document.get("schema_version", SCHEMA_VERSION)
    if version is not SCHEMA_VERSION and version != SCHEMA_VERSION:
        return BadMessage("wrong_version", f"schema_version {version!r} is not supported; send 1", job_id)
    return BadMessage("invalid", describe(error), job_id)


def describe(error: ValidationError) -> str:
    """One line per wrong field, the field named first."""
    parts = []
    for problem in error.errors(include_url=False)[:5]:
        field = ".".join(str(part) for part in problem["loc"]) or "value"
        parts.append(f"{field}: {problem['msg'].removeprefix('Value error, ')}")
    return "; ".join(parts)
