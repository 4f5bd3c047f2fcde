"""What the notes of finished steps mean for the metrics."""

from collections.abc import Mapping

from agents.results import Detail, Note
from streams import metrics


def observe(note: Note) -> None:
    """Count what a note tells; most notes only travel on `progress`."""
    detail = note.detail
    if note.event == "accepted":
        metrics.CLAIMS_SUBMITTED.inc()
        metrics.SUBMISSION_FIELDS_IGNORED.inc(float(detail.get("ignored_fields") or 0))  # type: ignore[arg-type]
    elif note.event == "decomposed":
        metrics.CLAIMS_DECOMPOSED.inc()
    elif note.event == "decided":
        metrics.VERDICTS.labels(detail["verdict"], detail["status"]).inc()
        if detail.get("matched") is not None:
            metrics.MATCHES.labels(detail["matched"]).inc()
        if detail.get("matched") != "exact":  # the loops of a repeated verdict were counted when it was first told
            metrics.LOOP_COUNT.observe(float(detail["loops"]))  # type: ignore[arg-type]
            metrics.LOOP_STOP.labels(detail["stop_reason"]).inc()
        metrics.END_TO_END.observe(float(detail["seconds"]))  # type: ignore[arg-type]
        for end in ("decided", "dead_letter", "deadline"):
            metrics.SUB_CLAIMS.labels(end).inc(float(detail.get(f"parts_{end}") or 0))  # type: ignore[arg-type]
        _observe_language(detail)


def _observe_language(detail: Mapping[str, Detail]) -> None:
    """What language models cost a finished job, its sub-claims included."""
    metrics.LANGUAGE_CALLS.inc(float(detail["llm_calls"]))  # type: ignore[arg-type]
    metrics.LANGUAGE_TOKENS.inc(float(detail["llm_tokens"]))  # type: ignore[arg-type]
    metrics.LANGUAGE_COST.inc(float(detail["llm_cost_usd"]))  # type: ignore[arg-type]
    metrics.LANGUAGE_CACHE_HITS.inc(float(detail["llm_cache_hits"]))  # type: ignore[arg-type]
    for skipped in detail["llm_skipped"]:  # type: ignore[union-attr]
        call, _, reason = skipped.partition(": ")
        metrics.LANGUAGE_SKIPPED.labels(call, reason).inc()
