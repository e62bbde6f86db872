"""D. Disarming the fence: statements that only an owner may send, sent by an agent and by an operator."""

from collections.abc import Iterator
from typing import Final

from fleetmem.admin.prove.case import Case, Group, Who, answers, refused
from fleetmem.admin.prove.catalogue.people import CHIEF, KIT

_OWNERS: Final = "an owner's right, and no agent owns anything"
# `@` stands for each table in turn.
_EACH_TABLE: Final = (
    "alter table @ disable row level security",
    "alter table @ no force row level security",
    "alter table @ disable trigger all",
    "alter table @ owner to fleetmem_agent",
    "create policy p on @ using (true)",
    "create trigger t before insert on @ for each row execute function fence.never()",
    "create rule r as on insert to @ do also select 1",
    "drop table @ cascade",
    "truncate @",
    "lock table @ in access exclusive mode",
    "lock table @ in share row exclusive mode",
    "grant all on @ to fleetmem_agent",
)
_TABLES: Final = (
    "fleet.audience", "fleet.principal", "fleet.beat", "fleet.handoff", "fleet.handoff_transition", "fleet.idempotency",
    "vault.signing_key", "vault.bearer", "fence.applied", "fence.casefold", "fence.migration",
)  # fmt: skip
_ONE: Final = (
    "drop policy agent_reads on fleet.beat",
    "alter policy agent_reads on fleet.beat using (true)",
    "alter policy agent_reads on fleet.handoff to public",
    "drop policy agent_recalls on fleet.idempotency",
    "drop trigger a_stamp on fleet.beat",
    "alter table fleet.handoff disable trigger b_move",
    "alter trigger a_stamp on fleet.beat rename to z",
    "alter table fleet.beat drop column author",
    "alter table fleet.beat alter author set default 'x'",
    "alter table fleet.beat alter author set statistics 100",
    "alter table fleet.beat rename to b",
    "alter table fleet.beat rename author to a",
    "alter table fleet.beat set schema public",
    "alter table fleet.beat drop constraint beat_body_length",
    "alter table fleet.beat inherit fleet.handoff",
    "create index on fleet.beat (body)",
    "drop index fleet.beat_one_live",
    "comment on table fleet.beat is 'x'",
    "create statistics fleet.s on author, audience from fleet.beat",
    "reindex table fleet.beat",
    "cluster fleet.beat using beat_pkey",
    "alter schema fleet owner to fleetmem_agent",
    "drop schema fleet cascade",
    "drop schema vault cascade",
    "grant usage on schema vault to fleetmem_agent",
    "alter function fence.never() rename to n",
    "alter function fence.beat_stamp() owner to fleetmem_agent",
    "update fence.applied set sha256 = ''",
    "insert into fence.casefold values ('x', 'y')",
    "delete from fence.casefold",
)


def _of(letter: str, who: Who) -> Iterator[Case]:
    everything = (*(statement.replace("@", table) for table in _TABLES for statement in _EACH_TABLE), *_ONE)
    for number, statement in enumerate(everything, start=1):
        # A grant that grants nothing is a warning where the grantor holds some right of its own.
        states = "42501 01007" if statement.startswith("grant") else "42501"
        yield refused(f"D{letter}{number:03}", who, statement, states, _OWNERS)


GROUPS: Final = (
    Group(
        "D",
        "Disarming, as an agent",
        controls=(
            answers("D0", KIT, "select count(*) from fleet.beat where id = <b_kit>", 1, "kit is in and can read"),
        ),
        cases=tuple(_of("a", KIT)),
    ),
    Group(
        "D",
        "Disarming, as an operator",
        controls=(
            answers("D1", CHIEF, "select count(*) from fleet.principal where name = <kit>", 1, "chief can read"),
        ),
        cases=tuple(_of("o", CHIEF)),
    ),
)
