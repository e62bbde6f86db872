"""How a command ends: the exit code a script reads, and the one sentence a person reads.

::

    0   done
    1   refused or failed                          (a rule, a missing right, an expectation that did not hold)
    2   called wrongly                             (an unknown option, a missing argument)
    3   no token, or one that is not valid
    4   no such record, or none that may be seen
    5   the record is in another state             (ended, answered already, a key used before)
    69  the service does not answer now            (EX_UNAVAILABLE of sysexits.h)
    78  something must be repaired first           (EX_CONFIG of sysexits.h)
    130 interrupted
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import IntEnum
from typing import Final

from fleetmem import errors
from fleetmem.cli.show import neutral
from fleetmem.errors import FleetmemError


class Exit(IntEnum):
    """Every exit code."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    UNAUTHENTICATED = 3
    ABSENT = 4
    CONFLICT = 5
    UNAVAILABLE = 69
    CONFIGURATION = 78
    INTERRUPTED = 130


# The first class that fits counts, so a leaf stands before what it grew from.
_CODES: Final = (
    (errors.Unauthenticated, Exit.UNAUTHENTICATED),
    (errors.Absent, Exit.ABSENT),
    (errors.Conflict, Exit.CONFLICT),
    (errors.Unavailable, Exit.UNAVAILABLE),
    (errors.SetupInvalid, Exit.CONFIGURATION),
)
_ADVICE: Final = (
    (
        errors.TokenInvalid,
        "Ask the owner for a new one (`fleetmem token issue`), and set FLEETMEM_TOKEN_FILE to its file.",
    ),
    (errors.SecretInBody, "Say where the secret is kept instead of what it is."),
    (errors.AudienceNotWritable, "`fleetmem me` lists the audiences you may write for."),
    (errors.RecipientUnknown, "`fleetmem me` lists your colleagues."),
    (errors.RouteAbsent, "Do FLEETMEM_URL and FLEETMEM_CONSOLE_URL name the gateway and the console?"),
    (errors.TransitionRefused, "`fleetmem handoff show` tells where it stands."),
    (errors.RateLimited, "Wait, then send it again."),
    (errors.Unavailable, "Is the fleet up? `fleetmem doctor` looks; `fleetmem up` starts it."),
)
_RULED: Final = (errors.RequestInvalid, errors.SecretInBody)
_NO_FLEET: Final = frozenset({"42P01", "3F000", "42883", "42704", "3D000"})
_NOT_ALLOWED: Final = "42501"
_PASSING: Final = ("08", "53", "55P03", "57")


def run(command: Callable[[], object]) -> int:
    """Run a command and return its exit code; whatever went wrong ends as one sentence on standard error."""
    try:
        command()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except BrokenPipeError:
        # The reader left, as `head` does: nothing to say, and nobody to say it to.
        sys.stdout = None
        return Exit.DONE
    except Exception as error:  # noqa: BLE001 -- the edge: a person meets a sentence, never a traceback
        return tell(_within_tree(error))
    return Exit.DONE


def tell(error: FleetmemError) -> int:
    """Print an error to standard error and return its exit code."""
    advice = next((text for kind, text in _ADVICE if isinstance(error, kind)), "")
    request = f" (request {error.request_id})" if error.request_id else ""
    rule = f" [{error.rule}]" if error.rule and type(error) in _RULED else ""
    sentence = " ".join(part for part in (neutral(error.detail).rstrip(".") + "." + rule + request, advice) if part)
    sys.stderr.write(f"fleetmem: {sentence}\n")
    return code(error)


def code(error: FleetmemError) -> Exit:
    """Return the exit code of an error."""
    return next((exit_code for kind, exit_code in _CODES if isinstance(error, kind)), Exit.FAILED)


def _within_tree(error: Exception) -> FleetmemError:
    if isinstance(error, FleetmemError):
        return error
    if isinstance(error, OSError):
        return FleetmemError(f"{error.filename or 'the system'}: {error.strerror or error}")
    psycopg = sys.modules.get("psycopg")  # imported by the owner's commands alone
    if psycopg is not None and isinstance(error, psycopg.Error):
        return _from_database(error)
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    place = f"{frame.tb_frame.f_code.co_filename.rpartition('/')[2]}:{frame.tb_lineno}" if frame else "unknown"
    return errors.Internal(f"a fault of fleetmem's own: {type(error).__name__} at {place}; please report it")


def _from_database(error: Exception) -> FleetmemError:
    state = str(getattr(error, "sqlstate", None) or "")
    said = (str(error).strip() or type(error).__name__).splitlines()[0]
    if state in _NO_FLEET:
        return errors.SetupInvalid("the database holds no fleet of this version; run `fleetmem db migrate`")
    if state == _NOT_ALLOWED:
        return errors.SetupInvalid(
            f"the database's login may not do this ({said}); FLEETMEM_DATABASE_URL must be a superuser's, or of one who"
            " may create roles and is a member of fleetmem_owner"
        )
    if not state or state.startswith(_PASSING):
        return errors.Unavailable(f"the database does not answer: {said}")
    return FleetmemError(f"the database refused: {said}")
