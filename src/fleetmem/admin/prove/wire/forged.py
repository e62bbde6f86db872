"""One forged request: what is sent, and what the answer must and must never be."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import httpx

from fleetmem.admin.prove.verdict import Kind, Verdict, Way
from fleetmem.admin.prove.wire.line import Line, Reply

_FAULTS: Final = 500
# What no answer to a forged request may hold, whatever its status. zoe's own are in the controls alone.
_SECRETS: Final = ("board secret 12345", "zoe in the drop")


@dataclass(frozen=True, slots=True, kw_only=True)
class Forged:
    """A request and its answer.

    `status` is any of these; 0 is a connection that was closed without an answer. `code` is the problem's, where it
    matters. `holds` says something more of the answer, in the words of `expected`. A control shows that the same works.
    """

    id: str
    who: str
    says: str
    sends: Callable[[Line], Reply]
    status: tuple[int, ...]
    code: str | None = None
    holds: Callable[[Line, Reply], bool] | None = None
    expected: str = ""
    why: str = ""
    is_control: bool = False


def judged(line: Line, forged: Forged) -> Verdict:
    """Send a forged request and judge the answer."""
    try:
        reply = forged.sends(line)
    except (httpx.TransportError, OSError) as error:
        return _verdict(forged, f"no answer: {type(error).__name__}", is_held=False)
    faults = list(_faults(line, forged, reply))
    code = f" {reply.code}" if reply.code else ""
    return _verdict(forged, f"{reply.status}{code}{': ' + ', '.join(faults) if faults else ''}", is_held=not faults)


def _faults(line: Line, forged: Forged, reply: Reply) -> list[str]:
    faults = []
    if reply.status not in forged.status:
        faults.append("the status is another")
    if forged.code is not None and reply.code != forged.code:
        faults.append("the code is another")
    if reply.status >= _FAULTS:
        faults.append("the service failed")
    if not forged.is_control and any(secret.encode() in reply.body for secret in _SECRETS):
        faults.append("the answer holds what is hidden")
    if forged.holds is not None and not _holds(forged.holds, line, reply):
        faults.append("the answer is another")
    return faults


def _holds(holds: Callable[[Line, Reply], bool], line: Line, reply: Reply) -> bool:
    """Ask about an answer; one that is of another shape altogether does not hold."""
    try:
        return holds(line, reply)
    except (KeyError, TypeError, AttributeError):
        return False


def _verdict(forged: Forged, got: str, *, is_held: bool) -> Verdict:
    wanted = " or ".join(str(status) if status else "closed" for status in forged.status)
    return Verdict(
        way=Way.WIRE,
        section="W",
        id=forged.id,
        kind=Kind.CONTROL if forged.is_control else Kind.REFUSAL,
        who=forged.who,
        attempt=forged.says,
        expected=" ".join(filter(None, (wanted, forged.code, forged.expected))),
        got=got,
        held=is_held,
        why=forged.why,
    )


def is_kit(line: Line, reply: Reply) -> bool:
    """Tell whether the answer to /v1/me names kit."""
    document = reply.json()
    return isinstance(document, dict) and document.get("name") == line.stage.name("kit")
