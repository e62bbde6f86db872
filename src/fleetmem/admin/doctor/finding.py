"""What an examination yields."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """How bad a finding is."""

    SOUND = "sound"
    OPEN = "open"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Finding:
    """What was looked at, what was found, and what to do; `remedy` is empty where nothing is."""

    state: State
    what: str
    found: str
    remedy: str = ""
