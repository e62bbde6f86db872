"""What a run puts into a database for its attempts to aim at: names, keys, bearer tokens, and the claims made of them."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from psycopg import sql

from fleetmem.admin.prove import cast
from fleetmem.fleet.agent import Rol
from fleetmem.fleet.claims import SigningKey, header, mint
from fleetmem.ids import bearer_sha256

_PLACE: Final = re.compile(r"<([a-z][a-z0-9_]*)>")


@dataclass(frozen=True, slots=True)
class Bearer:
    """A throw-away bearer token: its public id, and the token that only this process knows."""

    id: str
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One run's world.

    `bearers` by name of the cast (or of a special token), `keys` by role and the special ones, `records` the ids of what was
    written, by the name that statements use. `unix_s` reads the clock, in seconds.
    """

    run: str
    bearers: Mapping[str, Bearer]
    keys: Mapping[str, SigningKey]
    records: Mapping[str, str]
    unix_s: Callable[[], float]

    def name(self, short: str) -> str:
        """Return the name in the database of someone, or of an audience, of the cast."""
        return cast.full(self.run, short)

    def claim(self, short: str) -> str:
        """Sign a fresh claim for one of the cast, as the service that it belongs to would."""
        player = next((each for each in cast.PLAYERS if each.name == short), None)
        rol = Rol.AGENT if player is None else player.rol
        return mint(self.keys[rol.value], self.name(short), self.bearers[short].id, self.unix_s())

    def value(self, short: str) -> str:
        """Return what a placeholder stands for: a record's id, a token's digest or id, a key's header, or a name."""
        kind, _, of = short.partition("_")
        if kind == "digest":
            return bearer_sha256(self.bearers[of].token).hex()
        if kind == "token":
            return self.bearers[of].id
        if kind == "head":
            return header(self.keys[of].kid)
        return self.records[short] if short in self.records else self.name(short)

    def filled(self, statement: str) -> str:
        """Put quoted literals where a statement has placeholders."""
        return _PLACE.sub(lambda found: sql.Literal(self.value(found[1])).as_string(), statement)

    def filled_value(self, value: object) -> object:
        """Put the plain text where an expected value is a placeholder."""
        found = _PLACE.fullmatch(value) if isinstance(value, str) else None
        return self.value(found[1]) if found else value

    def unfilled(self, text: str) -> str:
        """Put the placeholder's word where a text holds a name or id of this run, so that a report can show it."""
        for short, record in self.records.items():
            text = text.replace(record, f"<{short}>")
        return text.replace(cast.full(self.run, ""), "")
