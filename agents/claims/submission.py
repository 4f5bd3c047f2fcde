"""What may be submitted, and how its text is normalised before anything else sees it (000 §2, 004 §2)."""

import hashlib
import re
import unicodedata
from datetime import date
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    model_validator,
)

CLAIM_MAX_CHARACTERS = 2000  # 004 §2
SUBMISSION_MAX_BYTES = 64 * 1024  # the HTTP body limit; a claim of 2,000 characters needs far less

DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)

JobId = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:\-]{0,127}$")]
AnyJobId = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:\-]{0,127}(~[1-9][0-9]?)?$")]
"""Also that of a sub-job: its parent's id and its number, which no submission can have (`storage.ports.sub_job_id`)."""


_REFUSED = r"\u0000-\u0008\u000e-\u001b\u007f-\u0084\u0086-\u009f"
_BLANK = r"\u0009-\u000d\u001c-\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_WRITTEN = {"pattern": f"^[^{_REFUSED}]*[^{_REFUSED}{_BLANK}][^{_REFUSED}]*$"}
"""What `normalise` asks of a text, told to whoever reads the JSON Schema: no control characters, not only blanks."""


def normalise(text: str) -> str:
    """NFC, runs of white space as one blank, no blanks at the ends; control characters are refused."""
    composed = unicodedata.normalize("NFC", text)
    # What is printable holds no control character; only the rest is looked at one by one. Every hop comes by here.
    for character in () if composed.isprintable() else composed:
        if unicodedata.category(character) in {"Cc", "Cs"} and not character.isspace():
            raise ValueError(f"control character U+{ord(character):04X} is not allowed; remove it")
    return " ".join(composed.split())


def _claim_text(value: object) -> object:
    return normalise(value) if isinstance(value, str) else value


def _whole(value: object) -> object:
    """JSON knows one kind of number: 5.0 is 5. To Python true is 1 as well, which nobody means."""
    if isinstance(value, bool):
        raise ValueError("must be a number")  # noqa: TRY004 - pydantic turns ValueErrors into messages
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _day(value: object) -> object:
    """A date as JSON Schema knows it: not a count of seconds, not a time of day."""
    if value is None or isinstance(value, date) or (isinstance(value, str) and DAY.fullmatch(value)):
        return value
    raise ValueError("must be a day such as 2026-03-01")


def _not_blank(text: str) -> str:
    if not text:
        raise ValueError("must not be empty")
    return text


ClaimText = Annotated[
    str,
    BeforeValidator(_claim_text),
    AfterValidator(_not_blank),
    Field(min_length=1, max_length=CLAIM_MAX_CHARACTERS, json_schema_extra=_WRITTEN),
]
ShortText = Annotated[
    str, BeforeValidator(_claim_text), Field(min_length=1, max_length=256, json_schema_extra=_WRITTEN)
]


class Submission(BaseModel):
    """A claim as its sender gives it. Fields we do not know are ignored here and counted by intake."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    schema_version: Annotated[Literal[1], BeforeValidator(_whole)] = 1
    job_id: Annotated[
        JobId, Field(description="Your name for the job; sent again with the same content, it is the same job.")
    ]
    claim: Annotated[ClaimText, Field(description="What is to be verified.")]
    room_id: Annotated[ShortText | None, Field(description="The room in which it was said.")] = None
    source: Annotated[
        Annotated[str, Field(min_length=1, max_length=2048)] | None, Field(description="Where it was said.")
    ] = None
    domain: Annotated[ShortText, Field(description="The field that it belongs to, such as health.")] = "general"
    top_k: Annotated[
        int, Field(ge=1, le=20, description="Passages that are kept at the first look."), BeforeValidator(_whole)
    ] = 5
    trust_mode: Annotated[
        Literal["adaptive", "confidence"] | None, Field(description="How evidence becomes sufficient.")
    ] = None
    workspace_id: Annotated[ShortText | None, Field(description="For the audit trail, like the two below.")] = None
    user_id: ShortText | None = None
    session_id: ShortText | None = None
    as_of: Annotated[
        Annotated[date, BeforeValidator(_day), Field(strict=False)] | None,
        Field(description="Nothing published after this day is used; absent means the day the job was accepted."),
    ] = None

    _ignored_fields: int = PrivateAttr(default=0)

    @model_validator(mode="wrap")
    @classmethod
    def _count_unknown(cls, value: Any, validate: ModelWrapValidatorHandler[Self]) -> Self:
        made = validate(value)
        if isinstance(value, dict):
            made._ignored_fields = len(value.keys() - cls.model_fields.keys())  # noqa: SLF001 - its own attribute
        return made

    @property
    def ignored_fields(self) -> int:
        """How many names of the submission meant nothing to us."""
        return self._ignored_fields

    def fingerprint(self) -> str:
        """Tells the same submission sent again from another one under the same id."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()
