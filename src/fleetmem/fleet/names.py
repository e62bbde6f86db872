"""Names of agents, audiences, operators and auditors: one alphabet, and no two that a reader could confuse.

A name is what an audit is read by, so it must be impossible to add `john_doe` next to `john-doe`, `he1lo` next to
`hello`, or a Cyrillic look-alike of either. Two names that share a `skeleton` are the same name to a tired reader.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from fleetmem.fleet.text import LOOKALIKES

SHORTEST: Final = 2
LONGEST: Final = 40

_NAME: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_ALPHABET: Final = "lower-case letters a-z, digits and single hyphens, starting with a letter"

# Words that a record's author must never be: they would read as an authority, as a quantifier, or as nothing at all.
_RESERVED_WORDS: Final = (
    "admin administrator agent agents all anonymous anybody anyone auditor auditors colleague colleagues database"
    " everybody everyone gateway human humans me myself nil no no-one nobody none null operator operators overseer owner"
    " owners postgres root self somebody someone sudo superuser supervisor system them undefined unknown us user users we"
    " yes you"
)
RESERVED: Final = frozenset(_RESERVED_WORDS.split())
_RESERVED_PREFIX: Final = "fleetmem"
# `fleetmem prove` makes these names, and removes whatever bears one.
_THROW_AWAY_PREFIX: Final = "prove-"


def fault(name: str) -> str | None:
    """Say in one clause why a text cannot be a name, or return None for a good one."""
    if not SHORTEST <= len(name) <= LONGEST:
        return f"must have {SHORTEST} to {LONGEST} characters, not {len(name)}"
    foreign = next((character for character in name if not character.isascii()), None)
    if foreign is not None:
        return f"holds U+{ord(foreign):04X} {unicodedata.name(foreign, 'without a name')}; a name is {_ALPHABET}"
    if _NAME.fullmatch(name) is None:
        return f"must be {_ALPHABET}{_suggestion(name)}"
    if name.startswith(_THROW_AWAY_PREFIX):
        return "is kept for the throw-away names of `fleetmem prove`"
    if is_reserved(name):
        return "is reserved: a record's author must never read as an authority, a crowd or nobody"
    return None


def is_reserved(name: str) -> bool:
    """Tell whether a name, or one that looks like it, is kept from use."""
    seen = skeleton(name)
    return seen.startswith(_RESERVED_PREFIX_SKELETON) or seen in _RESERVED_SKELETONS


def skeleton(name: str) -> str:
    """Reduce any text to what a reader sees of it: equal skeletons mean names that could be confused.

    Case, accents, width, separators and the look-alikes 0/o, 1/l, rn/m, vv/w and Cyrillic or Greek letters fall away.
    Source: the skeleton of Unicode Technical Standard 39, section 4, cut to the alphabet of names.
    """
    # Decomposed before the case is folded too: a mathematical capital has no lower case until it is a plain letter.
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", name).casefold()).translate(LOOKALIKES)
    letters = "".join(character for character in folded if character.isascii() and character.isalnum())
    return letters.replace("0", "o").replace("1", "l").replace("rn", "m").replace("vv", "w")


def _suggestion(name: str) -> str:
    repaired = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    return f"; try `{repaired}`" if repaired != name and _NAME.fullmatch(repaired) else ""


_RESERVED_SKELETONS: Final = frozenset(skeleton(word) for word in RESERVED)
_RESERVED_PREFIX_SKELETON: Final = skeleton(_RESERVED_PREFIX)
