"""Put a calibration into force: the worker routes under it from its next note on, and the one before is kept.

Committed as one: there is no moment without a calibration in force, and none with two.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final
from uuid import UUID

import psycopg
from psycopg import errors
from psycopg.types.json import Jsonb

from fleetmem.errors import RequestInvalid
from fleetmem.memory.calibration import Calibration, row

LONGEST_NAME: Final = 100

_SAME: Final = "select id from fleet.calibration where active and kind = 'routing' and evidence = %s"
_END: Final = "update fleet.calibration set active = false where active and kind = 'routing'"
_BEGIN: Final = """
insert into fleet.calibration (active, kind, file_name, file_sha256, labels, model, model_sha256, threshold, precision,
                               precision_low, recall, recall_low, evidence, promoted_by)
values (true, %(kind)s, %(file_name)s, %(file_sha256)s, %(labels)s, %(model)s, %(model_sha256)s, %(threshold)s, %(precision)s,
        %(precision_low)s, %(recall)s, %(recall_low)s, %(evidence)s, %(by)s) returning id
"""


def promote(connection: psycopg.Connection[Any], calibration: Calibration, *, by: str) -> tuple[UUID, bool]:
    """Return the id of the promoted calibration, and whether it was not in force already.

    Raises:
        RequestInvalid: the name is none, or memory is granted without a person on better evidence than this.
    """
    if not (by.strip() and by.isprintable() and len(by) <= LONGEST_NAME):
        raise RequestInvalid(f"`by` must be 1 to {LONGEST_NAME} visible characters", field="by", rule="length")
    columns = asdict(row(calibration))
    evidence = Jsonb(columns.pop("evidence"))
    try:
        with connection.transaction():
            connection.execute("set local role fleetmem_owner")
            found = connection.execute(_SAME, [evidence]).fetchone()
            is_new = found is None
            if found is None:
                connection.execute(_END)
                found = connection.execute(_BEGIN, columns | {"evidence": evidence, "by": by.strip()}).fetchone()
            connection.execute("set constraints all immediate")
            connection.execute("set local role none")
    except errors.CheckViolation as error:
        if error.diag.constraint_name != "memory_rule_auto_grant":
            raise
        raise RequestInvalid(
            "the roster has `auto_grant: true`, which needs labels that people gave and its `least_precision` at the lower"
            " bound of the interval; turn that off first, or promote better evidence",
            field="CALIBRATION",
            rule="auto-grant",
        ) from error
    assert found is not None  # noqa: S101 -- an insert that returns
    return found[0], is_new
