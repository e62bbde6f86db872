"""G. The other roles: operators, auditors, and the owners that nobody logs in as."""

from collections.abc import Iterator
from typing import Final

from fleetmem.admin.prove.case import Allowed, Case, Control, Group, Rows, Value, Who, answers, blind, refused
from fleetmem.admin.prove.catalogue.people import BACKER, CHIEF, KIT, OWNER, READER, SAGE, SCRIBE, VERIFIER

_SUSPEND: Final = "update fleet.principal set suspended_at = now() where name = <kit>"
_REVOKE: Final = "select fence.token_revoke('no such token')"
_TABLES: Final = ("audience", "principal", "beat", "handoff", "handoff_transition", "idempotency")

OPERATORS: Final = Group(
    "G",
    "Operators and auditors at the console",
    controls=(
        blind("G06", CHIEF, _SUSPEND, "a real operator suspends an agent", rows=1),
        answers("G06r", CHIEF, _REVOKE, False, "and may revoke a token"),
    ),
    cases=(
        blind("G04", Who("fleetmem_console", "fleetmem_operator", "kit"), _SUSPEND, "an agent's claim in the operators' role",
              Control(CHIEF, Rows(1))),
        refused("G04r", Who("fleetmem_console", "fleetmem_operator", "kit"), _REVOKE, "28000", "an agent's claim",
                Control(CHIEF, Value(False))),
        refused("G05", Who("fleetmem_console", "fleetmem_operator", "rol operator"), _REVOKE, "28000",
                "an operator's claim that the agents' key signed", Control(CHIEF, Value(False))),
        blind("G07", SAGE, _SUSPEND, "an auditor suspends nobody", Control(CHIEF, Rows(1))),
        refused("G07r", SAGE, _REVOKE, "28000", "an auditor revokes nothing", Control(CHIEF, Value(False))),
        refused("G08", CHIEF, "update fleet.principal set reads = array[<board>] where name = <kit>", "42501",
                "an operator widens nobody's reach"),
        refused("G08w", CHIEF, "update fleet.principal set writes = array[<board>] where name = <kit>", "42501", "nor this"),
        refused("G08a", CHIEF, "update fleet.principal set active = true where name = <gone>", "42501", "nor brings one back"),
        refused("G08t", CHIEF, "update fleet.principal set tokens_from = '-infinity' where name = <stale>", "42501",
                "nor an ended token"),
        blind("G09", CHIEF, "update fleet.principal set suspended_at = now() where name = <retired>",
              "an operator suspends agents only", Control(CHIEF, Rows(1), _SUSPEND)),
        blind("G09s", CHIEF, "update fleet.principal set suspended_at = now() where name = <chief>", "not even itself"),
        answers("G09t", CHIEF, "update fleet.principal set suspended_at = '-infinity' where name = <kit> returning"
                " suspended_at between now() - interval '1 minute' and clock_timestamp()", True,
                "when it was is the database's to say"),
        refused("G10", CHIEF, "insert into fleet.principal (name, rol) values ('mole', 'operator')", "42501", "no new operator"),
        refused("G10d", CHIEF, "delete from fleet.principal where name = <kit>", "42501", "and none deleted"),
        refused("G11", CHIEF, "insert into fleet.beat (topic, body, audience) values ('t', 'x', <hall>)", "42501",
                "an operator publishes nothing", Control(KIT, Rows(1))),
        refused("G12", CHIEF, "update fleet.handoff set status = 'withdrawn' where id = <h_in>", "42501",
                "an operator answers for nobody"),
        refused("G12s", SAGE, "insert into fleet.idempotency (key, request_sha256, status, answer)"
                " values ('k', sha256('x'), 200, '{}')", "28000", "an auditor writes nothing", Control(CHIEF, Rows(1))),
        refused("G12v", CHIEF, "select sha256 from vault.bearer", "42501", "a token's digest is nobody's"),
        answers("G12t", CHIEF, "select count(*) from (select * from fence.tokens()) t where to_jsonb(t) ? 'sha256'", 0,
                "not even by the operators' list of tokens"),
    ),
)  # fmt: skip


def _reader() -> Iterator[Case]:
    for number, table in enumerate(_TABLES, start=1):
        yield refused(
            f"GR{number}i", READER, f"insert into fleet.{table} default values", "42501", "an auditor reads only"
        )
        yield refused(f"GR{number}d", READER, f"delete from fleet.{table}", "42501", "an auditor reads only")
        yield refused(f"GR{number}t", READER, f"truncate fleet.{table}", "42501", "an auditor reads only")


AUDITORS: Final = Group(
    "G",
    "The auditors' login at a prompt",
    controls=(
        answers("G13", READER, "select count(*) from fleet.beat where audience in (<hall>, <board>, <ops>, <drop>)", 7,
                "an auditor sees every beat"),
        answers("G13h", READER, "select count(*) from fleet.handoff where sender in (<kit>, <zoe>, <max>)", 7,
                "and every handoff"),
    ),
    cases=(
        *_reader(),
        refused("G14", READER, "select * from vault.signing_key", "42501", "no key"),
        refused("G14b", READER, "select * from vault.bearer", "42501", "no token's digest"),
        refused("G30", READER, "update fleet.principal set active = true", "42501", "an auditor reads only"),
        refused("G31", READER, "update fleet.beat set ended_as = 'retracted'", "42501", "an auditor reads only"),
        refused("G32", READER, "select id from fleet.beat for share", "42501", "nor holds a lock"),
        refused("G33", READER, "create temp table x (a int)", "42501", "no TEMP"),
        refused("G34", READER, "select api.beat_get(null, null)", "42501", "and calls nothing"),
    ),
)  # fmt: skip


def _never() -> Iterator[Case]:
    # TRUNCATE would lock the tables of a running fleet before its trigger refuses; S4 reads the trigger instead.
    for number, table in enumerate(_TABLES, start=1):
        yield refused(
            f"G4{number}", OWNER, f"delete from fleet.{table} where false", "42501", "the never-trigger meets all"
        )


OWNERS: Final = Group(
    "G",
    "The owners, that nobody logs in as",
    controls=(
        answers("G40", OWNER, "select count(*) from fleet.principal where name = <kit>", 1, "the owner syncs the roster"),
        answers("G40v", VERIFIER, "select count(*) from vault.signing_key where kid = <agent>", 1, "the verifier holds keys"),
        answers("G40s", SCRIBE, "select count(*) from fleet.beat where id = <b_hidden>", 1, "the scribe stamps beats"),
    ),
    cases=(
        *_never(),
        answers("G21", OWNER, "select count(*) from fleet.beat where id in (<b_kit>, <b_hidden>)", 0,
                "FORCE: the owner reads no beat", Control(KIT, Value(1))),
        answers("G21h", OWNER, "select count(*) from fleet.handoff where id in (<h_in>, <h_hidden>)", 0, "no handoff",
                Control(KIT, Value(1))),
        answers("G21t", OWNER, "select count(*) from fleet.handoff_transition where handoff = <h_in>", 0, "no history",
                Control(KIT, Value(1))),
        answers("G21i", OWNER, "select count(*) from fleet.idempotency where principal = <kit>", 0, "no remembered answer",
                Control(KIT, Value(1))),
        refused("G19", OWNER, "update fleet.beat set body = 'x' where id = <b_kit>", "42501", "nor changes a text"),
        refused("G19h", OWNER, "update fleet.handoff set request = 'x' where id = <h_in>", "42501", "nor a request"),
        refused("G19t", OWNER, "update fleet.handoff_transition set reply = 'x' where handoff = <h_in>", "42501", "nor a history"),
        refused("G19i", OWNER, "update fleet.idempotency set answer = 'x' where principal = <kit>", "42501", "nor an answer"),
        refused("G22", OWNER, "insert into fleet.beat (topic, body, audience, author) values ('t', 'x', <hall>, <kit>)", "42501 28000",
                "nor publishes for anybody"),
        refused("G23", OWNER, "select * from vault.signing_key", "42501", "the owner sees no key"),
        refused("G23b", OWNER, "select * from vault.bearer", "42501", "nor a token's digest"),
        refused("G24", VERIFIER, "select id from fleet.beat", "42501", "the verifier reads no record"),
        refused("G24h", VERIFIER, "select id from fleet.handoff", "42501", "the verifier reads no record"),
        refused("G25", SCRIBE, "select kid from vault.signing_key", "42501", "the scribe sees no key"),
        refused("G26", SCRIBE, "update fleet.beat set body = 'x' where id = <b_kit>", "42501", "the scribe changes no text"),
        refused("G27", SCRIBE, "update fleet.beat set ended_as = 'retracted' where id = <b_kit>", "23514",
                "the scribe only supersedes", Control(SCRIBE, Rows(1),
                "update fleet.beat set ended_as = 'superseded' where id = <b_kit>")),
        blind("G28", SCRIBE, "update fleet.beat set ended_as = 'superseded' where id = <b_ended>", "and nothing twice"),
        refused("G29", SCRIBE, "select request from fleet.handoff", "42501", "the scribe reads no handoff's text",
                Control(SCRIBE, Allowed(), "select id from fleet.handoff")),
        refused("G29t", SCRIBE, "select reply from fleet.handoff_transition", "42501", "nor what was replied"),
    ),
)  # fmt: skip

BACKUPS: Final = Group(
    "G",
    "The login that copies every row for a backup",
    controls=(answers("G60", BACKER, "select count(*) from fleet.beat where id in (<b_kit>, <b_hidden>)", 2, "it copies"),),
    cases=(
        refused("G61", BACKER, "select * from vault.signing_key", "42501", "no key is in a backup"),
        refused("G62", BACKER, "insert into fleet.beat (topic, body, audience) values ('t', 'x', <hall>)", "42501",
                "it writes nothing"),
        refused("G63", BACKER, "update fleet.handoff set status = 'done' where id = <h_in>", "42501", "it writes nothing"),
        refused("G64", BACKER, "update fleet.principal set reads = writes", "42501", "it writes nothing"),
        refused("G65", BACKER, "update vault.bearer set revoked_at = null", "42501", "it brings no token back"),
        refused("G66", BACKER, "delete from fleet.beat where id = <b_kit>", "42501", "it deletes nothing"),
        refused("G67", BACKER, "truncate fleet.idempotency", "42501", "it deletes nothing"),
        refused("G68", BACKER, "select fence.current_agent()", "42501", "it is nobody"),
        refused("G69", BACKER, "select api.me(null)", "42501", "and calls nothing"),
        refused("G70", BACKER, "create temp table x (a int)", "42501", "no TEMP"),
        refused("G71", BACKER, "lock table fleet.beat in share mode", "42501", "it holds no writer up"),
    ),
)  # fmt: skip

GROUPS: Final = (OPERATORS, AUDITORS, OWNERS, BACKUPS)
