"""What the notes of finished steps mean for the metrics."""

from collections.abc import Mapping

from agents.results import Detail, Note
from streams import metrics


def observe(note: Note) -> None:
    """Count what a note tells; most notes only travel on `progress`."""
    detail = note.detail
    if note.event == "accepted":
        metrics.CLAIMS_SUBMITTED.inc()
        metrics.SUBMISSION_FIELDS_IGNORED.inc(_number(detail, "ignored_fields"))
    elif note.event == "decomposed":
        metrics.CLAIMS_DECOMPOSED.inc()
    elif note.event == "decided":
        metrics.VERDICTS.labels(detail["verdict"], detail["status"]).inc()
        if detail.get("matched") is not None:
            metrics.MATCHES.labels(detail["matched"]).inc()
        if detail.get("matched") != "exact":  # the loops of a repeated verdict were counted when it was first told
            metrics.LOOP_COUNT.observe(_number(detail, "loops"))
            metrics.LOOP_STOP.labels(detail["stop_reason"]).inc()
        metrics.END_TO_END.observe(_number(detail, "seconds"))
        for end in ("decided", "dead_letter", "deadline"):
            metrics.SUB_CLAIMS.labels(end).inc(_number(detail, f"parts_{end}"))
        _observe_language(detail)


def _observe_language(detail: Mapping[str, Detail]) -> None:
    """What language models cost a finished job, its sub-claims included."""
    metrics.LANGUAGE_CALLS.inc(_number(detail, "llm_calls"))
    metrics.LANGUAGE_TOKENS.inc(_number(detail, "llm_tokens"))
    metrics.LANGUAGE_COST.inc(_number(detail, "llm_cost_usd"))
    metrics.LANGUAGE_CACHE_HITS.inc(_number(detail, "llm_cache_hits"))
    skipped = detail.get("llm_skipped")
    for one in skipped if isinstance(skipped, list) else ():
        call, _, reason = one.partition(": ")
        metrics.LANGUAGE_SKIPPED.labels(call, reason).inc()


def _number(detail: Mapping[str, Detail], name: str) -> float:
    """What a note counts; one that does not speak of it counts none."""
    value = detail.get(name)
    return float(value) if isinstance(value, int | float) else 0.0
