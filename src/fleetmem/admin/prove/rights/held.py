"""What the database says of its objects' rights, and the comparison with the tables, cell by cell."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from fleetmem.admin.prove.rights.queue import SEQUENCES
from fleetmem.admin.prove.rights.relations import ALL, EVERYONE, NEVER_GRANTED, NEVER_GRANTED_17, OWNER, May, Relation
from fleetmem.admin.prove.rights.routine import Routine
from fleetmem.admin.prove.rights.routines import ROUTINES
from fleetmem.admin.prove.rights.tables import DELETED_BY, RELATIONS
from fleetmem.admin.prove.setting import Connection
from fleetmem.admin.prove.verdict import Kind, Verdict, Way

_MAINTAIN_SINCE: Final = 170_000
_OURS: Final = "n.nspname in ('fleet', 'fence', 'vault', 'api', 'queue')"
_COLUMNS: Final = f"""
select r.role, n.nspname || '.' || c.relname, v.verb,
       coalesce(string_agg(a.attname, ' ' order by a.attnum) filter (where has_column_privilege(r.role, c.oid, a.attnum, v.verb)), '')
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  cross join unnest(%s::text[]) r (role)
  cross join unnest(array['select', 'insert', 'update']) v (verb)
 where {_OURS} and c.relkind in ('r', 'p', 'v', 'm', 'f')
 group by 1, 2, 3
"""
_WHOLE: Final = f"""
select r.role, n.nspname || '.' || c.relname, v.verb,
       case v.verb when 'references' then has_any_column_privilege(r.role, c.oid, v.verb)
                   else has_table_privilege(r.role, c.oid, v.verb) end
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  cross join unnest(%s::text[]) r (role)
  cross join unnest(%s::text[]) v (verb)
 where {_OURS} and c.relkind in ('r', 'p', 'v', 'm', 'f')
"""
_RELATIONS: Final = f"""
select n.nspname || '.' || c.relname, c.relkind::text, c.relowner::regrole::text,
       coalesce((select string_agg(a.attname, ' ' order by a.attnum) from pg_attribute a
                  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped), '')
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
 where {_OURS} and c.relkind in ('r', 'p', 'v', 'm', 'f')
"""
_SEQUENCES: Final = f"""
select n.nspname || '.' || c.relname, c.relowner::regrole::text,
       array(select r.role || ' ' || v.verb from unnest(%s::text[]) r (role) cross join unnest(array['usage', 'select', 'update']) v (verb)
              where r.role <> c.relowner::regrole::text and has_sequence_privilege(r.role, c.oid, v.verb) order by 1)
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
 where {_OURS} and c.relkind = 'S'
"""
_ROUTINES: Final = f"""
select p.oid::regprocedure::text, p.proowner::regrole::text, p.prosecdef,
       coalesce(p.proconfig @> array['search_path=pg_catalog, pg_temp'], false),
       array(select r.role from unnest(%s::text[]) r (role)
              where r.role <> p.proowner::regrole::text and has_function_privilege(r.role, p.oid, 'execute'))
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
 where {_OURS}
"""


@dataclass(frozen=True, slots=True)
class Found:
    """The database's own answers: columns a role reaches by (role, relation, verb), and whole-table rights alike."""

    columns: Mapping[tuple[str, str, str], str]
    whole: Mapping[tuple[str, str, str], bool]


def compare(connection: Connection) -> Iterator[Verdict]:
    """Hold every relation and every function of ours, for every role and verb, to the tables."""
    yield from _relations(connection)
    yield from _sequences(connection)
    yield from _routines(connection)


def expected_columns(relation: Relation, role: str, verb: str) -> str:
    """Return the columns that a role may reach by a verb, in the table's order."""
    may = relation.may.get(role, May())
    named = {"select": may.select, "insert": may.insert, "update": f"{may.update} {may.locks}".strip()}[verb]
    if role == relation.owner or named == ALL:
        return relation.columns
    wanted = set(named.split())
    return " ".join(column for column in relation.columns.split() if column in wanted)


def _relations(connection: Connection) -> Iterator[Verdict]:
    known = {relation.name: relation for relation in RELATIONS}
    there = {
        str(name): (kind, owner, columns)
        for name, kind, owner, columns in connection.execute(_RELATIONS.encode()).fetchall()
    }
    for name in sorted(known.keys() | there.keys()):
        relation, found = known.get(name), there.get(name)
        shape = None if relation is None else ("r", relation.owner or (found or ("", "", ""))[1], relation.columns)
        yield state(f"M:{name}", f"{name}: kind, owner, columns", shape, found)
    found_rights = _found(connection)
    for name in sorted(known.keys() & there.keys()):
        yield from _cells(known[name], found_rights)


def _found(connection: Connection) -> Found:
    verbs = list(NEVER_GRANTED_17 if connection.info.server_version >= _MAINTAIN_SINCE else NEVER_GRANTED)
    columns = connection.execute(_COLUMNS.encode(), [list(EVERYONE)]).fetchall()
    whole = connection.execute(_WHOLE.encode(), [list(EVERYONE), verbs]).fetchall()
    return Found(
        columns={(str(role), str(name), str(verb)): str(list_) for role, name, verb, list_ in columns},
        whole={(str(role), str(name), str(verb)): bool(may) for role, name, verb, may in whole},
    )


def _cells(relation: Relation, found: Found) -> Iterator[Verdict]:
    for (role, name, verb), columns in sorted(found.columns.items()):
        if name == relation.name:
            wanted = expected_columns(relation, role, verb)
            yield state(
                f"M:{name}:{verb}:{role}", f"{verb} on {name}", wanted or "refused", columns or "refused", who=role
            )
    for (role, name, verb), may in sorted(found.whole.items()):
        if name == relation.name:
            allowed = role == relation.owner or (verb == "delete" and role in DELETED_BY.get(name, ()))
            wanted = "its owner" if role == relation.owner else "allowed" if allowed else "refused"
            got = wanted if may == allowed else ("allowed" if may else "refused")
            yield state(f"M:{name}:{verb}:{role}", f"{verb} on {name}", wanted, got, who=role)


def _sequences(connection: Connection) -> Iterator[Verdict]:
    known = {name: (OWNER, sorted(f"{role} usage" for role in users)) for name, users in SEQUENCES.items()}
    rows = connection.execute(_SEQUENCES.encode(), [list(EVERYONE)]).fetchall()
    there = {str(name): (str(owner), list(rights) if isinstance(rights, list) else []) for name, owner, rights in rows}
    for name in sorted(known.keys() | there.keys()):
        yield state(f"M:{name}", f"{name}: owner, rights", known.get(name), there.get(name))


def _routines(connection: Connection) -> Iterator[Verdict]:
    known = {routine.signature: routine for routine in ROUTINES}
    rows = connection.execute(_ROUTINES.encode(), [list(EVERYONE)]).fetchall()
    there = {str(row[0]): _described(str(row[1]), row[2], row[3], row[4]) for row in rows}
    for signature in sorted(known.keys() | there.keys()):
        wanted = _declared(known[signature]) if signature in known else None
        yield state(f"M:{signature}", f"{signature}: owner, rights, callers", wanted, there.get(signature))


def _declared(routine: Routine) -> str:
    callers = [role for role in EVERYONE if role in routine.callers]
    return _described(routine.owner, routine.is_definer, routine.is_definer, callers)


def _described(owner: str, is_definer: object, is_pinned: object, callers: object) -> str:
    mode = (
        "runs as its caller"
        if not is_definer
        else f"runs as its owner{'' if is_pinned else ' on the path of its caller'}"
    )
    called = ", ".join(str(role) for role in callers) if isinstance(callers, list) and callers else "nobody"
    return f"{owner}; {mode}; called by {called}"


def state(case_id: str, attempt: str, wanted: object, got: object, *, who: str = "the catalogue") -> Verdict:
    """Compare one cell of the tables with what the database says; None stands for an object that is not there."""
    return Verdict(
        way=Way.DATABASE,
        section="M",
        id=case_id,
        kind=Kind.STATE,
        who=who,
        attempt=attempt,
        expected="no such object is declared" if wanted is None else str(wanted),
        got="there is no such object" if got is None else str(got),
        held=wanted == got,
        why="what the tables of rights do not allow is refused",
    )
