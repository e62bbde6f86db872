"""The tables of rights, tried: each identity that can be reached sends each verb to each table and calls each function."""

from collections.abc import Iterator, Sequence
from typing import Final

import psycopg

from fleetmem.admin.prove.case import Who
from fleetmem.admin.prove.catalogue.people import (
    BACKER,
    BARE,
    BARE_CONSOLE,
    CHIEF,
    KIT,
    OWNER,
    READER,
    SCRIBE,
    VERIFIER,
    WORKS,
)
from fleetmem.admin.prove.purse import Purse
from fleetmem.admin.prove.rights.held import expected_columns
from fleetmem.admin.prove.rights.places import SCHEMAS
from fleetmem.admin.prove.rights.relations import Relation
from fleetmem.admin.prove.rights.routine import Routine
from fleetmem.admin.prove.rights.routines import ROUTINES
from fleetmem.admin.prove.rights.tables import DELETED_BY, RELATIONS
from fleetmem.admin.prove.sessions import Sessions, attempt, entered
from fleetmem.admin.prove.setting import Connection
from fleetmem.admin.prove.verdict import Kind, Verdict, Way

_WHO: Final = (BARE, KIT, BARE_CONSOLE, CHIEF, WORKS, READER, BACKER, OWNER, VERIFIER, SCRIBE)
_CALLERS: Final = (BARE, KIT, BARE_CONSOLE, CHIEF, WORKS, READER, BACKER)
_VERBS: Final = ("select", "insert", "update")
_NULLS: Final = """
select coalesce(string_agg('null::' || format_type(t.oid, null), ', ' order by t.place), '')
  from unnest((select proargtypes::oid[] from pg_proc where oid = %s::regprocedure)) with ordinality t (oid, place)
"""


def attempts(sessions: Sessions, purse: Purse, admin: Connection) -> Iterator[Verdict]:
    """Send every verb to every table, and a call to every function, as every identity; compare with the tables."""
    for who in filter(sessions.may_be, _WHO):
        connection = sessions.of(who.login)
        for relation in RELATIONS:
            if relation.owner not in (None, _role(who)):
                with entered(connection, who, purse.claim(who.claim)):
                    yield from _on_relation(connection, who, relation)
    calls = {routine.signature: _call(admin, routine) for routine in ROUTINES}
    for who in filter(sessions.may_be, _CALLERS):
        connection = sessions.of(who.login)
        for routine in ROUTINES:
            with entered(connection, who, purse.claim(who.claim)):
                yield _on_routine(connection, who, routine, calls[routine.signature])


def _role(who: Who) -> str:
    return who.role or who.login


def _may_use(role: str, schema: str) -> bool:
    return role == SCHEMAS[schema].owner or role in SCHEMAS[schema].users


def _on_relation(connection: Connection, who: Who, relation: Relation) -> Iterator[Verdict]:
    role, schema = _role(who), relation.name.partition(".")[0]
    for verb in _VERBS:
        allowed = _changes(relation, role, verb) if _may_use(role, schema) else []
        shut = [column for column in relation.columns.split() if column not in allowed]
        wrong = list(_wrong(connection, relation.name, verb, allowed, shut))
        yield _verdict(who, f"{verb} each column of {relation.name}", " ".join(allowed) or "every one 42501", wrong)
    state = _undone(connection, f"delete from {relation.name} where false")
    wanted = None if role in DELETED_BY.get(relation.name, ()) else "42501"
    wrong = [] if state == wanted else [f"delete: {state or 'allowed'}"]
    yield _verdict(who, f"delete from {relation.name}", wanted or "allowed", wrong)


def _changes(relation: Relation, role: str, verb: str) -> list[str]:
    """The columns that a verb does something with: a right that only locks rows changes nothing."""
    locks = relation.may[role].locks.split() if verb == "update" and role in relation.may else []
    return [column for column in expected_columns(relation, role, verb).split() if column not in locks]


def _wrong(connection: Connection, name: str, verb: str, allowed: Sequence[str], shut: Sequence[str]) -> Iterator[str]:
    """Try the allowed columns at once and each of the others alone; say what was not as it must be."""
    if allowed:
        state = _undone(connection, _statement(name, verb, allowed))
        if state is not None:
            yield f"{verb} ({', '.join(allowed)}): {state}"
    for column in shut:
        state = _undone(connection, _statement(name, verb, [column]))
        if state != "42501":
            yield f"{verb} ({column}): {state or 'allowed'}"


def _statement(name: str, verb: str, columns: Sequence[str]) -> str:
    listed = ", ".join(columns)
    match verb:
        case "select":
            return f"select {listed} from {name} where false"
        case "insert":
            return f"insert into {name} ({listed}) overriding system value select {', '.join(f'(null::{name}).{c}' for c in columns)} where false"
        case _:
            return f"update {name} set {', '.join(f'{column} = default' for column in columns)} where false"


def _on_routine(connection: Connection, who: Who, routine: Routine, call: str) -> Verdict:
    role, schema = _role(who), routine.signature.partition(".")[0]
    may = role in routine.callers and _may_use(role, schema)
    got = attempt(connection, call)
    is_shut = got.state == "42501" and got.message.startswith("permission denied for")
    wrong = (
        [] if may != is_shut else [f"{got.state} {got.message}" if is_shut else f"called: {got.state or 'an answer'}"]
    )
    return _verdict(who, f"call {routine.signature}", "may be called" if may else "42501", wrong)


def _call(admin: Connection, routine: Routine) -> str:
    row = admin.execute(_NULLS, [routine.signature]).fetchone() if _exists(admin, routine) else None
    return f"select {routine.signature.partition('(')[0]}({row[0] if row else ''})"


def _exists(admin: Connection, routine: Routine) -> bool:
    return admin.execute("select to_regprocedure(%s)", [routine.signature]).fetchone() != (None,)


def _undone(connection: Connection, statement: str) -> str | None:
    """Send a statement inside a savepoint and undo it; its SQLSTATE, or None where it was allowed."""
    connection.execute("savepoint tried")
    try:
        connection.execute(statement.encode())
    except psycopg.Error as error:
        return error.sqlstate
    finally:
        connection.execute("rollback to tried")
    return None


def _verdict(who: Who, attempted: str, expected: str, wrong: Sequence[str]) -> Verdict:
    return Verdict(
        way=Way.DATABASE,
        section="M",
        id=f"T:{attempted.replace(' ', ':')}:{_role(who)}",
        kind=Kind.REFUSAL,
        who=str(who),
        attempt=attempted,
        expected=expected,
        got="; ".join(wrong) or "as expected",
        held=not wrong,
        why="what the tables of rights do not allow is refused when it is tried",
    )
