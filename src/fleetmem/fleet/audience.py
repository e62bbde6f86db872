"""An audience: a named circle that a record is written for, and that an agent's read set holds or does not."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Audience:
    """One audience of the roster; its name is the whole of its meaning to the fence."""

    name: str
    description: str = ""
