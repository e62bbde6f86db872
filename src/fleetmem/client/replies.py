"""What came back: a struct, or an error of the product's tree found by its public code."""

from __future__ import annotations

from typing import Final, TypeVar

import httpx
import msgspec

from fleetmem import errors
from fleetmem.errors import FleetmemError, Unavailable
from fleetmem.wire import Problem

T = TypeVar("T")

# Answers of what stands in front of the gateway: they carry no problem document.
_BY_STATUS: Final[dict[int, type[FleetmemError]]] = {
    401: errors.TokenInvalid,
    413: errors.BodyTooLarge,
    429: errors.RateLimited,
    502: errors.Unavailable,
    503: errors.Unavailable,
    504: errors.Unavailable,
}


def read(response: httpx.Response, shape: type[T]) -> T:
    """Read an answer.

    Raises:
        FleetmemError: the class the problem document names; the root for an answer that cannot be understood.
    """
    if not response.is_success:
        raise failure(response)
    try:
        return msgspec.json.decode(response.content, type=shape)
    except msgspec.MsgspecError as error:
        raise FleetmemError(f"{response.url.host} answered, but not as a fleetmem gateway does") from error


def failure(response: httpx.Response) -> FleetmemError:
    """Return the error an unsuccessful answer stands for."""
    retry_after_s = _seconds(response.headers.get("retry-after"))
    try:
        problem = msgspec.json.decode(response.content, type=Problem)
    except msgspec.MsgspecError:
        kind = _BY_STATUS.get(response.status_code, FleetmemError)
        detail = f"{response.url.host} answered {response.status_code} without saying why"
        return kind(detail, retry_after_s=retry_after_s)
    return errors.by_code(problem.code)(
        problem.detail,
        field=problem.field,
        rule=problem.rule,
        retry_after_s=retry_after_s,
        request_id=problem.request_id,
    )


def unreachable(url: httpx.URL, error: httpx.TransportError) -> Unavailable:
    """Return what a broken connection stands for; the request may have been done, and is safe to send again."""
    said = str(error) or type(error).__name__
    return Unavailable(f"the gateway at {url.scheme}://{url.netloc.decode()} does not answer: {said}")


def _seconds(header: str | None) -> int | None:
    return int(header) if header is not None and header.isascii() and header.isdigit() else None
