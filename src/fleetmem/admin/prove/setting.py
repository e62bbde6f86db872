"""Set the stage: throw-away principals, keys and tokens by the owner's hand, then records by the agents' own."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final, LiteralString

import psycopg
from psycopg.types.json import Jsonb

from fleetmem.admin import keys, tokens
from fleetmem.admin.prove import cast
from fleetmem.admin.prove.cast import Player
from fleetmem.admin.prove.stage import Bearer, Stage
from fleetmem.fleet.agent import Rol
from fleetmem.fleet.claims import KEY_BYTES, SigningKey, header, pads

Connection = psycopg.Connection[tuple[object, ...]]

# A run that is killed leaves its keys valid for no longer than this.
_KEY_LIFE: Final = "20 minutes"
_FOREVER: Final = ("-1 minute", _KEY_LIFE, False)
# Name in the stage, role, and from when (an interval from now), until when, and whether it is revoked.
_KEYS: Final = (
    ("agent", Rol.AGENT, *_FOREVER),
    ("operator", Rol.OPERATOR, *_FOREVER),
    ("auditor", Rol.AUDITOR, *_FOREVER),
    ("revoked", Rol.AGENT, "-1 minute", _KEY_LIFE, True),
    ("ended", Rol.AGENT, "-1 hour", "-1 second", False),
    ("early", Rol.AGENT, "10 minutes", _KEY_LIFE, False),
)
_REGISTER: Final = """
insert into vault.signing_key (header, kid, ipad, opad, pepper, login, rol, must, not_before, not_after, revoked)
values (%s, %s, %s, %s, %s, %s, %s, %s, clock_timestamp() + %s::interval, clock_timestamp() + %s::interval, %s)
"""
# What became of some of the cast after their tokens were issued.
_FATES: Final[Mapping[str, LiteralString]] = {
    "gone": "update fleet.principal set active = false where name = %s",
    "retired": "update fleet.principal set active = false where name = %s",
    "held": "update fleet.principal set suspended_at = clock_timestamp() where name = %s",
    "stale": "update fleet.principal set tokens_from = clock_timestamp() where name = %s",
}


@contextmanager
def acting_as(connection: Connection, role: LiteralString) -> Iterator[None]:
    """Become the owner of what is written, for a superuser and for an owner who is none alike."""
    connection.execute(b"set local role " + role.encode())
    yield
    connection.execute("reset role")


def set_up(connection: Connection, run: str, unix_s: Callable[[], float], extras: tuple[Player, ...] = ()) -> Stage:
    """Make a run's audiences, principals, keys and tokens, inside the caller's transaction; no records yet.

    `extras` play beside the cast; the audiences that they name beyond the cast's are made too.
    """
    players = (*cast.PLAYERS, *extras)
    with acting_as(connection, "fleetmem_owner"):
        _audiences(connection, run, players)
        _principals(connection, run, players)
        _teams(connection, run)
    signing_keys = _keys(connection, run)
    bearers = _bearers(connection, run, players)
    with acting_as(connection, "fleetmem_owner"):
        for short, fate in _FATES.items():
            connection.execute(fate, [cast.full(run, short)])
    return Stage(run=run, bearers=bearers, keys=signing_keys, records={}, unix_s=unix_s)


def _audiences(connection: Connection, run: str, players: tuple[Player, ...]) -> None:
    named = {name for player in players for name in (*player.reads, *player.writes)}
    for name in sorted(named | cast.AUDIENCES.keys()):
        connection.execute("insert into fleet.audience (name) values (%s)", [cast.full(run, name)])


def _principals(connection: Connection, run: str, players: tuple[Player, ...]) -> None:
    for player in players:
        connection.execute(
            "insert into fleet.principal (name, rol, description, reads, writes) values (%s, %s, %s, %s, %s)",
            [
                cast.full(run, player.name),
                player.rol.value,
                f"throw-away principal of `fleetmem prove`: {player.description}",
                [cast.full(run, audience) for audience in player.reads],
                [cast.full(run, audience) for audience in player.writes],
            ],
        )


def _teams(connection: Connection, run: str) -> None:
    for name, (members, audiences) in cast.TEAMS.items():
        connection.execute(
            "insert into fleet.team (name, audiences) values (%s, %s)",
            [cast.full(run, name), [cast.full(run, audience) for audience in audiences]],
        )
        for position, member in enumerate(members):
            connection.execute(
                "insert into fleet.team_member (team, agent, position) values (%s, %s, %s)",
                [cast.full(run, name), cast.full(run, member), position],
            )


def _keys(connection: Connection, run: str) -> dict[str, SigningKey]:
    deployment = keys.audience(connection)
    made = {}
    for name, rol, since, until, is_revoked in _KEYS:
        key = SigningKey(kid=cast.full(run, name), key=os.urandom(KEY_BYTES), aud=deployment, rol=rol)
        ipad, opad = pads(key.key)
        owned = [header(key.kid), key.kid, ipad, opad, os.urandom(32), keys.LOGIN[rol], rol.value, Jsonb(key.must())]
        connection.execute(_REGISTER, [*owned, since, until, is_revoked])
        made[name] = key
    return made


def _bearers(connection: Connection, run: str, players: tuple[Player, ...]) -> dict[str, Bearer]:
    label = cast.full(run, "token")
    owners = {player.name: player.name for player in players} | {"revoked": "kit", "expired": "kit", "spare": "kit"}
    made = {
        short: Bearer(*tokens.issue(connection, cast.full(run, owner), label=label)) for short, owner in owners.items()
    }
    tokens.revoke(connection, made["revoked"].id)
    connection.execute(
        "update vault.bearer set expires_at = clock_timestamp() - interval '1 second' where id = %s",
        [made["expired"].id],
    )
    return made
