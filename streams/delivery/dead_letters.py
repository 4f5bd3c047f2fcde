"""A dead letter: the raw value under its original key and headers, with the reason in headers of ours."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from streams.delivery.producer import Headers

PREFIX = "veristream.error."
MESSAGE_LIMIT = 2000


@dataclass(frozen=True, slots=True)
class Message:
    """A Kafka message as a stage reads it."""

    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    headers: Headers = ()


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a message could not be processed. `reason` is one of a closed set; the rest is for people."""

    reason: str
    exception: str
    message: str
    stage: str
    job_id: str | None = None
    attempt: int = 1


REASONS = (
    "null_value",
    "too_large",
    "not_json",
    "wrong_version",
    "invalid",
    "bad_key",
    "job_id_taken",
    "permanent",
    "retries_exhausted",
    "unexpected",
)


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """What is produced to `dead-letters`."""

    key: bytes | None
    value: bytes | None
    headers: Headers


def dead_letter(message: Message, reason: Reason) -> DeadLetter:
    """Everything in it follows from the message and the failure, so a repeated one is identical.

    A dead letter that was replayed and failed again keeps the newest reason only.
    """
    ours = {
        "reason": reason.reason,
        "exception": reason.exception,
        "message": reason.message[:MESSAGE_LIMIT],
        "stage": reason.stage,
        "topic": message.topic,
        "partition": str(message.partition),
        "offset": str(message.offset),
        "attempt": str(reason.attempt),
        "job_id": reason.job_id or "",
    }
    kept = tuple((name, value) for name, value in message.headers if not name.startswith(PREFIX))
    added = tuple((PREFIX + name, value.encode(errors="replace")) for name, value in ours.items())
    return DeadLetter(key=message.key, value=message.value, headers=kept + added)


def error_headers(headers: Iterable[tuple[str, bytes | None]]) -> Mapping[str, str]:
    """Our part of a dead letter's headers, by short name."""
    return {
        name.removeprefix(PREFIX): (value or b"").decode(errors="replace")
        for name, value in headers
        if name.startswith(PREFIX)
    }


def original_headers(headers: Iterable[tuple[str, bytes | None]]) -> Headers:
    """The headers that the message came with."""
    return tuple((name, value) for name, value in headers if not name.startswith(PREFIX))
