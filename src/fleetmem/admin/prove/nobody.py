"""Ask everything there is to ask with a claim that stands for nobody: the most that may come of it is nothing.

Half of it must be silent (a policy that raised would tell rows apart from no rows), the other half must be loud, and with
one message for every reason.
"""

from typing import Final

import psycopg

from fleetmem.admin.prove.case import GATEWAY, Who
from fleetmem.admin.prove.sessions import Got, attempt, entered
from fleetmem.admin.prove.setting import Connection
from fleetmem.admin.prove.stage import Stage

# Of the stage alone, by indexed columns: the same verdict on a fleet with a million beats.
READS: Final = {
    "fleet.audience": "select count(*) from fleet.audience where name in (<hall>, <board>, <ops>)",
    "fleet.principal": "select count(*) from fleet.principal where name in (<kit>, <zoe>, <max>)",
    "fleet.beat": "select count(*) from fleet.beat where audience in (<hall>, <board>, <ops>, <drop>)",
    "fleet.handoff": "select count(*) from fleet.handoff where recipient in (<kit>, <max>, <lee>)",
    "fleet.handoff_transition": "select count(*) from fleet.handoff_transition"
    " where handoff in (<h_in>, <h_out>, <h_hidden>, <h_done>)",
    "fleet.idempotency": "select count(*) from fleet.idempotency where principal in (<kit>, <zoe>)",
    "fleet.team": "select count(*) from fleet.team where name in (<desk>, <away>)",
    "fleet.team_member": "select count(*) from fleet.team_member where team in (<desk>, <away>)",
    "fleet.message": "select count(*) from fleet.message where team in (<desk>, <away>)",
    "fleet.task": "select count(*) from fleet.task where team in (<desk>, <away>)",
    "fence.my_teams()": "select count(fence.my_teams())",
    "fence.current_agent()": "select count(fence.current_agent())",
    "fence.read_set()": "select count(fence.read_set())",
    "fence.write_set()": "select count(fence.write_set())",
}
_EVERYTHING: Final = "select " + " + ".join(f"({statement})" for statement in READS.values())
_MESSAGE: Final = "fence: no valid claim"
_INSIDE: Final = ("select fence.require('agent')", "insert into fleet.idempotency (key) values ('x')")
# The doors of the gateway's login, with the claim as a bound argument.
_DOORS: Final = (
    "select fence.enter(%s, 'agent', false)",
    "select api.me(%s)",
    "select api.beat_list(%s, null, null, null, null, false, null, 10)",
    "select api.beat_publish(%s, null, null, 'x', 'x', 'x', null)",
    "select api.team_list(%s)",
    "select api.message_list(%s, 'x', null, null, 10)",
    "select api.task_open(%s, null, null, 'x', 'x', 'x', '{}')",
)


def tried(connection: Connection, who: Who, token: str | None, stage: Stage) -> Got:
    """Read every table and call every door under a claim; the first thing that is not as it must be is the answer."""
    with entered(connection, who, token):
        whole = attempt(connection, stage.filled(_EVERYTHING))
    if whole.state is not None or whole.first != 0:
        return _first_that_tells(connection, who, token, stage)
    for statement in _INSIDE:
        with entered(connection, who, token):
            got = attempt(connection, statement)
        if not _is_loud(got):
            return Got(state=got.state or "allowed", message=f"{statement}: {got.message}")
    return _at_the_doors(connection, token) if who.login == GATEWAY else Got()


def _first_that_tells(connection: Connection, who: Who, token: str | None, stage: Stage) -> Got:
    for table, statement in READS.items():
        with entered(connection, who, token):
            got = attempt(connection, stage.filled(statement))
        if got.state is not None or got.first != 0:
            return Got(state=got.state or "rows", message=f"{table}: {got.first}")
    return Got(state="rows", message="not the same twice")


def _at_the_doors(connection: Connection, token: str | None) -> Got:
    for door in _DOORS:
        got = _knocked(connection, door, token)
        if not _is_loud(got):
            return Got(state=got.state or "allowed", message=f"{door}: {got.message}")
    return Got()


def _knocked(connection: Connection, door: str, token: str | None) -> Got:
    try:
        connection.execute(door.encode(), [token])
    except psycopg.Error as error:
        return Got(state=error.sqlstate or "lost", message=error.diag.message_primary or "")
    return Got()


def _is_loud(got: Got) -> bool:
    return got.state == "28000" and got.message == _MESSAGE
