"""A transcript of any known form, from its lines."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, Final

from fleetmem.memory.rollout import claude_code, codex, native
from fleetmem.memory.rollout.lines import objects
from fleetmem.memory.rollout.turns import Fault, Malformed, Transcript, finished


class Format(StrEnum):
    """Who wrote a transcript."""

    CODEX = "codex"
    CLAUDE_CODE = "claude-code"
    FLEETMEM = "fleetmem"


Reader = codex.Reader | claude_code.Reader | native.Reader
_READERS: Final[Mapping[Format, type[Reader]]] = {
    Format.CODEX: codex.Reader,
    Format.CLAUDE_CODE: claude_code.Reader,
    Format.FLEETMEM: native.Reader,
}
_NATIVE: Final = frozenset({"session", "task", "message", "step", "end"})


def transcript(lines: Iterable[tuple[int, bytes]], form: Format | None) -> tuple[Transcript, Format | None]:
    """Read every line, under `form` or under what the first line that can be told is of; None where none can.

    The session's name is its own, or the hash of its first line where it has none.
    """
    reader: Reader | None = _READERS[form]() if form else None
    faults: list[Fault] = []
    first: str | None = None
    for each in objects(lines):
        if isinstance(each, Fault):
            faults.append(each)
            continue
        number, line = each
        first = first or hashlib.sha256(repr(sorted(line.items())).encode("utf-8", "replace")).hexdigest()
        if reader is None and (form := told(line)) is not None:
            reader = _READERS[form]()
        if reader is None:
            faults.append(Fault(number, "of no known form"))
            continue
        try:
            reader.take(number, line)
        except Malformed as error:
            faults.append(Fault(number, str(error)))
        except RecursionError:
            faults.append(Fault(number, "nested too deep"))
    if reader is None:
        return Transcript("", (), tuple(faults)), None
    return Transcript(reader.session or first or "", tuple(finished(reader.turns)), tuple(faults)), form


def told(line: Mapping[str, Any]) -> Format | None:
    """Tell a form from one line of it."""
    kind = line.get("type")
    if isinstance(line.get("payload"), dict) and isinstance(kind, str):
        return Format.CODEX
    if isinstance(line.get("sessionId"), str):
        return Format.CLAUDE_CODE
    return Format.FLEETMEM if isinstance(kind, str) and kind in _NATIVE and "timestamp" not in line else None
