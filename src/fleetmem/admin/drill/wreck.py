"""Damage on purpose, to a copy: what a restore must undo, and what the comparisons must see."""

from typing import Any, Final

import psycopg

_ROWS: Final = """
alter table fleet.beat disable trigger user;
alter table fleet.handoff disable trigger user;
alter table fleet.handoff_transition disable trigger user;
alter table fleet.audience disable trigger user;
alter table fleet.principal disable trigger user;
delete from fleet.handoff_transition;
delete from fleet.handoff;
delete from fleet.beat where get_byte(uuid_send(id), 15) % 2 = 0;
update fleet.beat set body = 'wrecked', author = author;
insert into fleet.audience (name, description) values ('wrecked-on-purpose', 'made by a drill');
update fleet.principal set reads = array(select name from fleet.audience where active) where rol = 'agent';
update vault.bearer set revoked_at = null;
"""
# A reason rewritten, and a row written by hand: also a ledger that was empty is then none.
_LEDGER: Final = """
alter table fleet.ledger disable trigger user;
update fleet.ledger set reason = 'wrecked' where seq = (select max(seq) from fleet.ledger);
insert into fleet.ledger (seq, at, event, actor, detail, prev, hash)
select coalesce(max(seq), 0) + 1, clock_timestamp(), 'proposed', 'nobody', '{}', sha256(''), sha256('') from fleet.ledger;
"""
_FENCE: Final = """
drop policy agent_reads on fleet.beat;
create policy agent_reads on fleet.beat for select to fleetmem_agent using (true);
alter table fleet.handoff no force row level security;
drop trigger z_never on fleet.principal;
grant select on fleet.beat to public;
alter policy worker_grants on fleet.note with check (true);
alter table fleet.note_recipient disable trigger a_may_receive;
grant usage on schema queue to fleetmem_agent;
"""
# What a verification of the wrecked copy must name, by kind and object.
NAMED: Final = (
    ("policy", "agent_reads on fleet.beat"),
    ("row security", "fleet.handoff"),
    ("trigger", "z_never on fleet.principal"),
    ("relation privilege", "fleet.beat"),
    ("trigger state", "a_stamp on fleet.beat"),
    ("policy", "worker_grants on fleet.note"),
    ("trigger state", "a_may_receive on fleet.note_recipient"),
    ("trigger state", "z_never on fleet.ledger"),
    ("schema privilege", "queue"),
)


def wreck(connection: psycopg.Connection[Any]) -> None:
    """Delete, forge and widen, then open the fence."""
    connection.execute(_ROWS)
    connection.execute(_LEDGER)
    connection.execute(_FENCE)


def open_one_policy(connection: psycopg.Connection[Any]) -> None:
    """The negative control: one policy lets every agent read every beat."""
    connection.execute("alter policy agent_reads on fleet.beat using (true)")
