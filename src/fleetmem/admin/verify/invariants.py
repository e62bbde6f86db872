"""What must hold whatever is declared: the lints of the policies, and more that only make sense on a live server."""

import re
import tomllib
import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import psycopg

from fleetmem.admin import policies
from fleetmem.admin.verify.findings import Finding, Source
from fleetmem.admin.verify.rows import is_superuser
from fleetmem.sql.fence_files import shipped

_HERE: Final = Path(__file__).resolve().parent
_FOR_SUPERUSERS: Final = frozenset({"statistics_kept", "weak_passwords"})
_OLD_UNICODE: Final = unicodedata.ucd_3_2_0


def broken_rules(connection: psycopg.Connection[Any]) -> Iterator[Finding]:
    """Run every query that must return nothing; each row that one returns is a finding."""
    for finding in policies.lint(connection):
        name, _, held = finding.partition(": ")
        rule = _rule(shipped("policies") / "fence" / "lint" / f"{name}.sql")
        yield Finding(Source.INVARIANT, name, held, f"{held} breaks the rule `{name}`", rule)
    sees_all = is_superuser(connection)
    for path in sorted((_HERE / "invariants").glob("*.sql")):
        if sees_all or path.stem not in _FOR_SUPERUSERS:
            for row in connection.execute(path.read_bytes()).fetchall():
                held = " ".join(str(value) for value in row)
                yield Finding(Source.INVARIANT, path.stem, held, f"{held} breaks the rule `{path.stem}`", _rule(path))
    yield from _folding(connection)
    yield from _memory_rule(connection)


def unseen(connection: psycopg.Connection[Any]) -> tuple[str, ...]:
    """What this login cannot look at, in words."""
    if is_superuser(connection):
        return ()
    return (
        "subscriptions, user mappings, large objects, collected statistics and password verifiers: not superuser",
        "what only a superuser could have closed in the catalogue is taken as declared; `fleetmem doctor` names each",
    )


def server(connection: psycopg.Connection[Any]) -> Iterator[Finding]:
    """Check the server's minor version against the known fixes, and the settings that the fence counts on."""
    number = connection.info.server_version
    major, minor = divmod(number, 10_000)
    yield from missing_fixes(major, minor)
    throw_away = connection.execute("select setting from pg_catalog.pg_settings where name = 'fsync'").fetchone()
    settings = tomllib.loads((_HERE / "server_settings.toml").read_text(encoding="utf-8"))
    rows = connection.execute(
        "select name, reset_val from pg_catalog.pg_settings where name = any (%s) order by name", [list(settings)]
    ).fetchall()
    unsound = {name: value for name, value in rows if value not in settings[name]["allowed"]}
    for name, value in unsound.items():
        rule = settings[name]
        is_excused = rule.get("unless_throw_away") and throw_away == ("off",)
        if not is_excused and unsound.keys() & set(rule.get("only_beside", [name])):
            what = f"the server's setting {name} is {value}, not {' or '.join(rule['allowed'])}"
            yield Finding(Source.SERVER, "server setting", name, what, rule["opens"])


def missing_fixes(major: int, minor: int) -> Iterator[Finding]:
    """The fixes that PostgreSQL `major.minor` lacks, by the dated table in `postgres_fixes.toml`."""
    table = tomllib.loads((_HERE / "postgres_fixes.toml").read_text(encoding="utf-8"))
    for fix in table["fix"]:
        first = fix["fixed_in"].get(str(major))
        if first is not None and minor < first:
            what = f"PostgreSQL {major}.{minor} lacks the fix of {fix['id']}, which is in {major}.{first} ({fix['source']})"
            yield Finding(Source.SERVER, "server version", fix["id"], what, fix["what"])


def _folding(connection: psycopg.Connection[Any]) -> Iterator[Finding]:
    """The table that topics are compared by. Characters that are newer than either side's Unicode may differ."""
    if connection.execute("select to_regclass('fence.casefold')").fetchone() == (None,):
        return
    held: dict[str, str] = dict(connection.execute("select from_char, to_text from fence.casefold").fetchall())
    wrong = [one for one, to in held.items() if unicodedata.category(one) != "Cn" and _fold(one) != to]
    gone = _folded_for_ages() - held.keys()
    if wrong or gone:
        what = f"fence.casefold is wrong for {len(wrong)} characters and lacks {len(gone)}"
        yield Finding(Source.INVARIANT, "casefold", "fence.casefold", what, "one topic can have two live beats")


def _memory_rule(connection: psycopg.Connection[Any]) -> Iterator[Finding]:
    """The one row that says when a person must see a memory: without it no rule says so, and grants are refused."""
    name = "fleet.memory_rule"
    if connection.execute("select to_regclass(%s)", [name]).fetchone() == (None,):
        return
    row = connection.execute("select count(*) from fleet.memory_rule").fetchone()
    if row != (1,):
        what = f"{name} holds {row[0] if row else 'no'} rows, not one"
        opens = "nothing says which memories a person must see; `fleetmem roster sync` cannot set it"
        yield Finding(Source.INVARIANT, "memory_rule", name, what, opens)


@cache
def _folded_for_ages() -> frozenset[str]:
    """The characters that case folding changes and that every Unicode since 3.2 knows."""
    every = map(chr, (*range(0x80, 0xD800), *range(0xE000, 0x10450)))
    return frozenset(one for one in every if one.casefold() != one and _OLD_UNICODE.category(one) != "Cn")


def _fold(character: str) -> str:
    return unicodedata.normalize("NFC", character.casefold())


def _rule(path: Path) -> str:
    """The comment at the head of a query: the rule in words."""
    head = re.match(r"(?:--[^\n]*\n)+", path.read_text(encoding="utf-8"))
    return (
        "" if head is None else " ".join(line.removeprefix("--").strip() for line in head[0].splitlines()).rstrip(".")
    )
