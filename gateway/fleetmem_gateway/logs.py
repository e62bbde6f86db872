"""Log lines: one JSON object a line on standard output, or text for a person.

A line holds what happened, never what was said: no body, no token, no query value, no header but the request id.
"""

from __future__ import annotations

import logging
from typing import Any, Final

import msgspec
import structlog
from structlog.typing import FilteringBoundLogger

_LEVELS: Final = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}


def make_logger(*, service: str, log_format: str, level: str) -> FilteringBoundLogger:
    """Make the logger of one service."""
    stamp = structlog.processors.TimeStamper(fmt="iso", utc=True)
    add_level = structlog.processors.add_log_level
    if log_format == "json":
        processors: list[Any] = [add_level, stamp, structlog.processors.JSONRenderer(serializer=_encode)]
        factory: Any = structlog.BytesLoggerFactory()
    else:
        processors = [add_level, stamp, structlog.dev.ConsoleRenderer(colors=False)]
        factory = structlog.PrintLoggerFactory()
    logger: FilteringBoundLogger = structlog.wrap_logger(
        factory(),
        processors=processors,
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[level]),
        context_class=dict,
        cache_logger_on_first_use=True,
        service=service,
    )
    return logger


def _encode(event: dict[str, object], **_options: object) -> bytes:
    return msgspec.json.encode(event, enc_hook=str)
