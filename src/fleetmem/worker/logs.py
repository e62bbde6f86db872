"""The worker's log lines: what happened to which job, never what was said.

A database error repeats rows in its message, and so does a model's; of a fault a line holds its kind alone.
"""

from __future__ import annotations

import logging
from typing import Any, Final

import msgspec
import psycopg
import structlog
from structlog.typing import FilteringBoundLogger

from fleetmem.errors import FleetmemError

_LEVELS: Final = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}
_QUEUE: Final = "procrastinate"


def make_logger(*, log_format: str, level: str) -> FilteringBoundLogger:
    """Make the worker's logger, and lead the queue's own warnings to it, without their texts."""
    stamp = structlog.processors.TimeStamper(fmt="iso", utc=True)
    as_json = log_format == "json"
    render: Any = structlog.processors.JSONRenderer(serializer=_encode)
    logger: FilteringBoundLogger = structlog.wrap_logger(
        structlog.BytesLogger() if as_json else structlog.PrintLogger(),
        processors=[
            structlog.processors.add_log_level,
            stamp,
            render if as_json else structlog.dev.ConsoleRenderer(colors=False),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[level]),
        context_class=dict,
        cache_logger_on_first_use=True,
        service="worker",
    )
    queue = logging.getLogger(_QUEUE)
    queue.handlers, queue.propagate = [_Bridge(logger)], False
    for noisy in ("psycopg", "psycopg.pool"):
        logging.getLogger(noisy).setLevel(logging.CRITICAL)
    return logger


def fault(error: BaseException) -> str:
    """Name a fault without repeating anything that was said: its kind, and the rule, code or constraint it broke."""
    kind = type(error).__name__
    parts: tuple[str | None, ...] = ()
    if isinstance(error, psycopg.Error):
        parts = (error.sqlstate, error.diag.constraint_name)
    elif isinstance(error, FleetmemError):
        parts = (error.code, error.rule)
    told = " ".join(part for part in parts if part)
    return f"{kind}: {told}" if told else kind


class _Bridge(logging.Handler):
    """Carries a warning of the queue over by its name; its text may hold an error's."""

    def __init__(self, logger: FilteringBoundLogger) -> None:
        super().__init__(logging.WARNING)
        self._logger = logger

    def emit(self, record: logging.LogRecord) -> None:
        action = str(getattr(record, "action", None) or record.funcName)
        error = record.exc_info[1] if record.exc_info else None
        if action not in _OURS:
            self._logger.warning("queue", action=action, **({"fault": fault(error)} if error else {}))


# What the worker says of a job itself, with more of its circumstances.
_OURS: Final = frozenset({"job_error", "job_error_retry", "job_success"})


def _encode(event: dict[str, object], **_options: object) -> bytes:
    return msgspec.json.encode(event, enc_hook=str)
