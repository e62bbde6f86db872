"""Errors as RFC 9457 problem documents: the only module that knows HTTP statuses.

An answer to an absent record and one to a hidden record are the same bytes but for the request id.
"""

from __future__ import annotations

import traceback
from collections.abc import Collection
from typing import Any, Final

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException, MethodNotAllowedException, NotFoundException

from fleetmem import errors
from fleetmem.errors import FleetmemError
from fleetmem.wire import Problem
from fleetmem_gateway import trace
from fleetmem_gateway.answers import Answer

STATUS: Final[dict[type[FleetmemError], int]] = {
    errors.RequestInvalid: 400,
    errors.Unauthenticated: 401,
    errors.TokenInvalid: 401,
    errors.Forbidden: 403,
    errors.AudienceNotWritable: 403,
    errors.Absent: 404,
    errors.RouteAbsent: 404,
    errors.MethodNotAllowed: 405,
    errors.Conflict: 409,
    errors.IdempotencyConflict: 409,
    errors.TransitionRefused: 409,
    errors.BeatEnded: 409,
    errors.NoteDecided: 409,
    errors.NoteEdited: 409,
    errors.NoteUnfit: 409,
    errors.NoteQuarantined: 409,
    errors.NoteRecipients: 409,
    errors.TaskSettled: 409,
    errors.RunSettled: 409,
    errors.BodyTooLarge: 413,
    errors.MediaUnsupported: 415,
    errors.SecretInBody: 422,
    errors.RecipientUnknown: 422,
    errors.RateLimited: 429,
    errors.Internal: 500,
    errors.Unavailable: 503,
}
_HEADERS: Final = ((b"content-type", b"application/problem+json"), (b"cache-control", b"no-store"))
_CHALLENGE: Final = {
    errors.Unauthenticated.code: (b"www-authenticate", b'Bearer realm="fleetmem"'),
    errors.TokenInvalid.code: (b"www-authenticate", b'Bearer realm="fleetmem", error="invalid_token"'),
}
_FRAMES_KEPT: Final = 4


def answer(request: Request[Any, Any, Any], exception: Exception) -> Response[bytes]:
    """Turn whatever a handler raised into a problem document, and note it for the request's log line."""
    problem = document(trace.of(request.scope), exception)
    headers = {name.decode(): value.decode() for name, value in problem.headers}
    return Response(problem.body, status_code=problem.status, headers=headers, media_type="application/problem+json")


def document(of: trace.Trace, exception: Exception) -> Answer:
    """Write the problem document of an exception; one that is not of the tree tells a caller nothing."""
    error = _within_tree(exception)
    of.code = error.code
    status = STATUS.get(type(error), 500)
    if status in {500, 503}:
        of.fault = _fault(exception)
    problem = Problem(
        type=f"urn:fleetmem:error:{error.code}",
        title=error.title,
        status=status,
        detail=error.detail,
        code=error.code,
        request_id=of.request_id,
        field=error.field,
        rule=error.rule,
    )
    return Answer(status, msgspec.json.encode(problem), (*_HEADERS, *_further(error, exception)))


def allow(methods: Collection[str]) -> str:
    """Write an Allow header: what an address has handlers for, HEAD wherever there is a GET, and OPTIONS."""
    return ", ".join(sorted({*methods, "OPTIONS"} | ({"HEAD"} if "GET" in methods else set())))


def _within_tree(exception: Exception) -> FleetmemError:
    match exception:
        case FleetmemError():
            return exception
        case NotFoundException():
            return errors.RouteAbsent()
        case MethodNotAllowedException():
            return errors.MethodNotAllowed()
        case HTTPException(status_code=400):
            return errors.RequestInvalid("The request cannot be understood", field="request", rule="format")
        case _:
            return errors.Internal()


def _further(error: FleetmemError, exception: Exception) -> list[tuple[bytes, bytes]]:
    headers = []
    if error.retry_after_s is not None:
        headers.append((b"retry-after", b"%d" % error.retry_after_s))
    if error.code in _CHALLENGE:
        headers.append(_CHALLENGE[error.code])
    if isinstance(exception, MethodNotAllowedException) and exception.headers:
        headers.append((b"allow", allow(exception.headers["allow"].split(", ")).encode()))
    return headers


def _fault(exception: Exception) -> dict[str, object]:
    """Describe a fault without its message: a driver's message may repeat a value that somebody sent."""
    cause = exception.__cause__ or exception
    frames = traceback.extract_tb(exception.__traceback__)[-_FRAMES_KEPT:]
    return {
        "exception": type(cause).__name__,
        "sqlstate": getattr(cause, "sqlstate", None),
        "constraint": getattr(cause, "constraint_name", None),
        "at": [f"{frame.filename.rpartition('/')[2]}:{frame.lineno} {frame.name}" for frame in frames],
    }
