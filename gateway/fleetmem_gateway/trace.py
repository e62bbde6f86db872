"""What is known of one request while it runs: for its answer's headers, its log line and its metrics."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, cast

from litestar.types import HTTPScope

_KEY: Final = "fleetmem.trace"


@dataclass(slots=True)
class Trace:
    """`bearer` is the name behind the token, once known; `code` the error's, if it failed; `fault` what broke, of ours."""

    request_id: str
    bearer: str | None = None
    code: str | None = None
    fault: dict[str, object] = field(default_factory=dict)


def attach(scope: HTTPScope, trace: Trace) -> None:
    """Let whatever handles the request find its trace."""
    cast("dict[str, object]", scope)[_KEY] = trace


def of(scope: HTTPScope) -> Trace:
    """Find the trace of a request."""
    return cast("dict[str, Trace]", scope)[_KEY]
