"""Why a decision about a note was refused: where the note stands by now, and what to do instead."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from fleetmem import wire
from fleetmem.client import ConsoleClient
from fleetmem.errors import Absent, NoteDecided, NoteEdited

_INSTEAD: Final = {
    "candidate": "`fleetmem review reject` is how a candidate becomes no memory",
    "approved": "`fleetmem review revoke` takes it back",
    "rejected": "that stands",
    "withheld": "`fleetmem review show` says why",
    "revoked": "that stands",
}


def refuse_unless(status: wire.NoteStatus, seen: wire.NoteDetail) -> None:
    """Stop before anybody is asked about a note that does not stand where the decision starts from.

    Raises:
        NoteDecided: it stands elsewhere.
    """
    if seen.status != status:
        raise NoteDecided(_standing(seen))


@contextmanager
def explained(client: ConsoleClient, note: str, *, agent: str | None = None) -> Iterator[None]:
    """Decide; a refusal says how the note stands by now. `agent` is the one it should be taken from."""
    try:
        yield
    except NoteDecided as error:
        seen = client.note(note)
        if not (seen.status == "candidate" and seen.signed):  # then it is the signature that stands in the way
            error.detail = _standing(seen)
        raise
    except NoteEdited as error:
        error.detail = f"The note is at revision {client.note(note).revision} by now; see what it says: `fleetmem review show {note}`"
        raise
    except Absent as error:
        if agent is not None and all(each.agent != agent for each in client.note(note).granted):
            error.detail = f"The note is not granted to an agent {agent}"
        raise


def _standing(seen: wire.NoteDetail) -> str:
    return f"The note is {seen.status} (revision {seen.revision}); {_INSTEAD[seen.status]}"
