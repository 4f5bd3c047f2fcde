"""OpenAI's chat API as data: what goes out in each output mode, what comes back, and what its statuses mean."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import openai
from openai.types.chat import ChatCompletion

from agents.language.llm.port import FailureReason, ModelAnswer, ModelFailedError, ModelRequest

OutputMode = Literal["schema", "json", "text"]
WEAKER: Mapping[OutputMode, OutputMode | None] = {"schema": "json", "json": "text", "text": None}


class PassingError(Exception):
    """A failure that may pass, with the pause the server asked for."""

    def __init__(self, reason: FailureReason, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.reason: FailureReason = reason
        self.retry_after = retry_after


def messages(request: ModelRequest, mode: OutputMode) -> list[Any]:
    system = request.system
    if mode != "schema":
        shape = json.dumps(request.schema.model_json_schema(), ensure_ascii=False)
        system = f"{system}\n\nAnswer with one JSON object and nothing else. Its JSON schema is:\n{shape}"
    messages = [{"role": "system", "content": system}, {"role": "user", "content": request.content}]
    if request.repair:
        messages.append({"role": "user", "content": request.repair})
    return messages


def output_format(request: ModelRequest, mode: OutputMode) -> dict[str, Any]:
    if mode == "text":
        return {}
    if mode == "json":
        return {"response_format": {"type": "json_object"}}
    schema = {
        "name": request.schema.__name__,
        "strict": True,
        "schema": strict_schema(request.schema.model_json_schema()),
    }
    return {"response_format": {"type": "json_schema", "json_schema": schema}}


def strict_schema(schema: Any) -> Any:
    """A JSON schema as strict mode wants it: every property required, none beyond them, no defaults or limits."""
    if isinstance(schema, list):
        return [strict_schema(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    dropped = {"default", "maxLength", "minLength", "maxItems", "minItems", "maximum", "minimum", "title"}
    kept = {
        key: strict_schema(value) for key, value in schema.items() if key not in dropped or _is_property(key, schema)
    }
    if kept.get("type") == "object" and "properties" in kept:
        kept["required"] = list(kept["properties"])
        kept["additionalProperties"] = False
    return kept


def _is_property(key: str, schema: dict[str, Any]) -> bool:
    """A property may be called "title"; then its value is a schema and not a text."""
    return isinstance(schema.get(key), dict)


def is_about_format(error: openai.BadRequestError) -> bool:
    text = str(error).lower()
    return any(word in text for word in ("response_format", "json_schema", "json_object", "schema", "structured"))


def failure_of(error: openai.APIStatusError) -> Exception:
    if error.status_code in (401, 403):
        return ModelFailedError("wrong_key", "the endpoint refuses the key: check OPENAI_API_KEY")
    if error.status_code == 404:
        return ModelFailedError(
            "unknown_model", "the endpoint does not know the model or the path: check OPENAI_BASE_URL"
        )
    if error.status_code == 429:
        return PassingError("rate_limited", "the endpoint limits the rate", retry_after(error.response.headers))
    if error.status_code >= 500 or error.status_code in (408, 409):
        return PassingError("server_error", short(error), retry_after(error.response.headers))
    return ModelFailedError("refused_request", short(error))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asks to wait; dates and nonsense are taken as no wish."""
    milliseconds, seconds = headers.get("retry-after-ms"), headers.get("retry-after")
    try:
        if milliseconds is not None:
            return max(0.0, float(milliseconds) / 1000.0)
        return max(0.0, float(seconds)) if seconds is not None else None
    except ValueError:
        return None


def answer_of(body: bytes, request: ModelRequest, model: str) -> ModelAnswer:
    """The first choice of a chat completion. A body that is none counts as an empty answer, to be repaired."""
    try:
        parsed = ChatCompletion.model_validate_json(body)
        choice = parsed.choices[0]
    except (ValueError, IndexError):
        return ModelAnswer("", model, _estimate([request.system, request.content]), 0, complete=False)
    text = choice.message.content or ""
    usage = parsed.usage
    return ModelAnswer(
        text=text,
        model=model,
        tokens_in=usage.prompt_tokens if usage else _estimate([request.system, request.content]),
        tokens_out=usage.completion_tokens if usage else _estimate([text]),
        complete=choice.finish_reason != "length",
        refusal=choice.message.refusal or ("content_filter" if choice.finish_reason == "content_filter" else ""),
    )


def _estimate(texts: Sequence[str]) -> int:
    """Tokens where an endpoint does not report them: four characters each, the usual rule for English."""
    return sum(len(text) for text in texts) // 4


def short(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
