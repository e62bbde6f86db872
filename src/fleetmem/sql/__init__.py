"""The statements the gateway sends: named, in one `.sql` file a noun, read once.

A statement starts with a line `-- name: beat_list` and ends at the next such line. Values are `$1` placeholders; nothing
is ever put into a statement's text.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Final

_NAME: Final = re.compile(r"^-- name: ([a-z_]+)$", re.MULTILINE)


def statement(name: str) -> str:
    """Return the text of the statement of that name.

    Raises:
        KeyError: no file declares it.
    """
    return _statements()[name]


def names() -> frozenset[str]:
    """Return the name of every declared statement."""
    return frozenset(_statements())


@cache
def _statements() -> dict[str, str]:
    found: dict[str, str] = {}
    for file in sorted(files(__name__).iterdir(), key=lambda each: each.name):
        if file.name.endswith(".sql"):
            pieces = _NAME.split(file.read_text(encoding="utf-8"))[1:]
            for name, text in zip(pieces[::2], pieces[1::2], strict=True):
                if name in found:
                    raise ValueError(f"the statement {name} is declared twice")
                found[name] = text.strip().removesuffix(";")
    return found
