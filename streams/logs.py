"""Structured logs: readable on a terminal, JSON otherwise, with job, stage and loop on every line that has them."""

import logging
import sys
from typing import Any

import structlog

from streams.settings import Settings

# Their INFO lines tell of every rebalance and every request; ours tell what matters to an operator.
QUIET = (
    "aiokafka",
    "faust",
    "mode",
    "httpx",
    "httpcore",
    "trafilatura",
    "htmldate",
    "asyncio",
    "neo4j",
    "weaviate",
    "uvicorn",
    "streams.app",  # Faust logs under the name of whoever subclasses it
    "streams.transport",
)


def configure_logs(settings: Settings, *, quiet: bool = False) -> None:
    """Route structlog and the standard library's logging through one renderer on standard error."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_renderers(settings)],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel("ERROR" if quiet else settings.log_level.upper())
    for name in QUIET:
        logging.getLogger(name).setLevel("ERROR" if quiet else "WARNING")
    # "Timer … is overlapping": a busy machine, not an error, and said several times a second.
    logging.getLogger("mode.timers").setLevel("ERROR")
    # Deadlocks that the driver's own retry resolves are part of concurrent merges.
    logging.getLogger("neo4j").setLevel("ERROR")


def _renderers(settings: Settings) -> list[Any]:
    readable = settings.log_format == "console" or (settings.log_format == "auto" and sys.stderr.isatty())
    if readable:
        return [structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())]
    return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
