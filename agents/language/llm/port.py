"""What the tasks ask of a language model, and what it answers or why it did not."""

from dataclasses import dataclass
from typing import Literal, Protocol

from pydantic import BaseModel

from agents.language.quota import CallTag

# A closed set of words: they are recorded with the job and label metrics.
FailureReason = Literal[
    "wrong_key", "unknown_model", "rate_limited", "server_error", "timeout", "connection", "too_long", "circuit_open",
    "refused_request",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call: what the model is told, what it is given, and the shape its answer must have."""

    tag: CallTag
    system: str
    content: str
    schema: type[BaseModel]
    max_output_tokens: int
    repair: str = ""
    """In a second attempt: the first answer and what was wrong with it."""


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What came back, unparsed. `complete` is False if it was cut off, `refusal` holds the words of a refusal."""

    text: str
    model: str
    tokens_in: int
    tokens_out: int
    complete: bool = True
    refusal: str = ""


class ModelFailedError(Exception):
    """No answer. `reason` is one of a closed set, the message is for people."""

    def __init__(self, reason: FailureReason, message: str) -> None:
        super().__init__(message)
        self.reason: FailureReason = reason


class LanguageModel(Protocol):
    """A chat model behind some endpoint."""

    def model_for(self, tag: CallTag) -> str:
        """The name of the model that answers calls of this tag."""
        ...

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        """Answers, within its timeouts and retries, or raises ModelFailedError."""
        ...
