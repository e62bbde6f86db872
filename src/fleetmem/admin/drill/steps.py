"""The steps of a drill. Each takes the log, does one thing to a copy, and notes what had to hold."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from fleetmem.admin import backup as backups
from fleetmem.admin import database, verify
from fleetmem.admin.backup import Manifest, ledger
from fleetmem.admin.backup.restore import differing
from fleetmem.admin.database import Conninfo
from fleetmem.admin.drill import claims, proof, wreck
from fleetmem.admin.drill.claims import Bearer, Clock
from fleetmem.admin.drill.log import Log
from fleetmem.admin.verify import Row
from fleetmem.fleet.claims import SigningKey, mint

_COUNTED = ("policy", "trigger", "function", "constraint", "index")
_TOKENS = ("vault.bearer",)


@dataclass(frozen=True, slots=True)
class Copy:
    """A scratch database that a drill restores into: the owner's way in, and its logins'."""

    owner: Conninfo
    logins: dict[str, Conninfo]


def restore_once(log: Log, copy: Copy, file: Path, pg_bin: Path | None) -> tuple[Manifest, list[Bearer]]:
    """Restore with every token kept; returns the manifest and the tokens that still open something."""
    with log.step("restore into a scratch database") as check:
        restored = backups.restore(copy.owner, file, keep_tokens=True, pg_bin=pg_bin)
        with database.owner(copy.owner) as connection:
            wrong = differing(connection, restored.manifest)
            bearers = claims.live(connection)
            found = claims.resolving(connection, bearers)
        rows = sum(table.rows for table in restored.manifest.tables.values())
        check("every table is what the manifest says", not wrong, "; ".join(wrong) or f"{rows} rows, hashes equal")
        head, faults = restored.manifest.ledger_head, restored.ledger_faults
        check("the ledger is one whole chain", not faults, "; ".join(faults) or f"to row {head}")
        check("tokens that were kept are found (the control)", found == len(bearers), f"{found} of {len(bearers)}")
    return restored.manifest, bearers


def wreck_it(log: Log, copy: Copy, manifest: Manifest, expected: frozenset[Row]) -> None:
    """Damage rows and fence; the comparisons must see it, or their silence later would mean nothing."""
    with log.step("wreck it on purpose") as check, database.owner(copy.owner) as connection:
        wreck.wreck(connection)
        wrong = differing(connection, manifest)
        check("the wrecked rows are seen to differ", bool(wrong), "; ".join(wrong))
        if manifest.ledger_head != ledger.ABSENT:
            faults = ledger.faults(connection, manifest.ledger_head)
            check("the wrecked ledger is seen to be no chain", bool(faults), "; ".join(faults))
        found = {(each.kind, each.object) for each in verify.inspect(connection, expected).findings}
        missed = [f"{kind} {name}" for kind, name in wreck.NAMED if (kind, name) not in found]
        check("the opened fence is seen and named", not missed, ", ".join(missed) or f"{len(found)} findings")


def restore_again(log: Log, copy: Copy, file: Path, pg_bin: Path | None) -> None:
    """Restore as after a loss: into an empty database, tokens of before revoked."""
    with log.step("restore again, as after a loss") as check:
        restored = backups.restore(copy.owner, file, pg_bin=pg_bin)
        with database.owner(copy.owner) as connection:
            wrong = differing(connection, restored.manifest, but=_TOKENS)
            still_live = len(claims.live(connection))
        check("rows are what they were", not wrong, "; ".join(wrong) or "hashes equal")
        already = restored.manifest.tables[_TOKENS[0]].rows - restored.revoked
        check("every token of before is revoked", not still_live, f"{restored.revoked} now, {already} already")


def apply_again(log: Log, copy: Copy, manifest: Manifest, expected: frozenset[Row]) -> dict[str, tuple[int, int]]:
    """Run migrations and policies again; nothing may change, and the fence must be the declared one, fact by fact."""
    with log.step("migrations and policies again") as check:
        done = database.prepare(copy.owner, again=True)
        check("no migration was missing", not done.migrations, ", ".join(done.migrations) or "none")
        check("no policy file was missing", done.policies.is_empty, "all files as declared")
        with database.owner(copy.owner) as connection:
            wrong = differing(connection, manifest, but=_TOKENS)
            live = verify.rows.render(connection)
            findings = verify.inspect(connection, expected).findings
        check("rows are still what they were", not wrong, "; ".join(wrong) or "hashes equal")
        declared, found = counts(expected), counts(live)
        check("as many policies, triggers, grants and functions as declared", declared == found, _told(found))
        sentences = [each.sentence() for each in findings]
        check("the fence is the declared one", not findings, "; ".join(sentences) or f"{len(live)} facts compared")
    return {kind: (declared[kind], found[kind]) for kind in declared}


def old_credentials(log: Log, copy: Copy, bearers: list[Bearer], old_key: SigningKey | None, clock: Clock) -> None:
    """Tokens and keys of before open nothing; who was let go stays out; a new key and token work."""
    with log.step("credentials of before") as check, database.owner(copy.owner) as connection:
        found = claims.resolving(connection, bearers)
        check("no token of before is found", found == 0, f"{found} of {len(bearers)}")
        key = claims.new_key(connection)
        somebody = claims.agent(connection, active=True)
        bearer_id = next((each.id for each in bearers if each.principal == somebody), "none")
        got = claims.answer(connection, mint(key, somebody, bearer_id, clock()))
        check("a claim for a token of before is refused, even under a new key", got == "28000", got)
        if old_key is not None:
            got = claims.answer(connection, claims.fresh_claim(connection, old_key, somebody, clock))
            check("a claim under the signing key of before is refused", got == "28000", got)
        got = claims.answer(connection, claims.fresh_claim(connection, key, somebody, clock))
        check("a new key and a new token work (the control)", got == "answered", got)
        got = claims.answer(
            connection, claims.fresh_claim(connection, key, claims.agent(connection, active=False), clock)
        )
        check("an agent that was let go stays out, whatever it holds", got == "28000", got)


def attack(log: Log, copy: Copy, manifest: Manifest, prove: proof.Proof) -> None:
    """Run prove's database part on the copy; afterwards the ledger must stand where it stood."""
    with log.step("attack the restored copy") as check:
        proved = prove(copy.owner, copy.logins)
        with database.owner(copy.owner) as connection:
            head = ledger.head(connection)
        if manifest.ledger_head != ledger.ABSENT:
            check("the ledger stands where it stood", head == manifest.ledger_head, f"row {head}")
        check("every attempt came to what it must", not proved.broken, _broken(proved))
        check("there were attempts", proved.attempts > 0, str(proved.attempts))


def break_it(log: Log, copy: Copy, expected: frozenset[Row], prove: proof.Proof) -> None:
    """The negative control: open one policy, and both the verification and the attacks must go red."""
    with log.step("break one policy, to see it go red") as check:
        with database.owner(copy.owner) as connection:
            wreck.open_one_policy(connection)
        with database.owner(copy.owner) as connection:
            findings = verify.inspect(connection, expected).findings
        named = [each.what for each in findings if each.object == "agent_reads on fleet.beat"]
        check("the verification names the policy", bool(named), "; ".join(named))
        proved = prove(copy.owner, copy.logins)
        got_through = set(proved.broken) - set(proved.described)
        check("an attack gets through", bool(got_through), _broken(proved))


def counts(rows: Iterable[Row]) -> dict[str, int]:
    """How many of each kind of thing a fence consists of."""
    found = Counter(row.kind for row in rows)
    rights = sum(count for kind, count in found.items() if kind.endswith(" privilege"))
    return {kind: found[kind] for kind in _COUNTED} | {"grant": rights}


def at(copy: Copy, dbname: str) -> Copy:
    """The same ways into another database."""

    def there(conninfo: Conninfo) -> Conninfo:
        return cast("Conninfo", {**conninfo, "dbname": dbname})

    return Copy(there(copy.owner), {login: there(way) for login, way in copy.logins.items()})


def _told(found: dict[str, int]) -> str:
    return ", ".join(f"{kind} {count}" for kind, count in found.items())


def _broken(proved: proof.Proved) -> str:
    shown = ", ".join(proved.broken[:12]) + (" …" if len(proved.broken) > 12 else "")  # noqa: PLR2004 -- a line's worth
    return f"{proved.attempts} attempts, {len(proved.broken)} came out otherwise{': ' + shown if proved.broken else ''}"
