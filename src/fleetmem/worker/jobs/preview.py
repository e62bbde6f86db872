"""Say what a candidate would write into each recipient's workspace, to the byte, for whoever reviews it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from fleetmem import landing
from fleetmem.errors import RequestInvalid, WorkspaceRefused
from fleetmem.landing import Memory, Preview
from fleetmem.memory import safety
from fleetmem.worker import workspaces
from fleetmem.worker.means import Means

# Short: several may wait for one workspace, each in a place where another job could be done.
_PATIENCE_S: Final = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipient:
    """One recipient of a candidate, and what would be written for it."""

    note: UUID
    revision: int
    content: str
    agent: str
    nonce: str
    skill: str | None
    description: str | None
    workspace: str | None
    target: str | None


def run(means: Means, *, note: UUID) -> None:
    """Keep a preview for each recipient of the candidate's present revision.

    Raises:
        WorkspaceRefused: a workspace is not to be had for the moment.
    """
    with means.session.transaction() as transaction:
        recipients = transaction.rows(Recipient, "worker_preview_of", note)
    for recipient in recipients:
        kept = _previewed(means, recipient)
        with means.session.transaction() as transaction:
            transaction.value("worker_preview_keep", recipient.note, recipient.revision, recipient.agent, *kept)


def _previewed(means: Means, recipient: Recipient) -> tuple[str | None, bytes | None, str | None, str | None]:
    """Return path, digest of what is there, text that would be there, and the refusal in their place."""
    memory = Memory(
        note=recipient.note,
        nonce=recipient.nonce,
        content=recipient.content,
        skill=recipient.skill,
        description=recipient.description,
    )
    try:
        workspace = workspaces.fit(means.workspaces, recipient.workspace, recipient.target)
        made = landing.preview(workspace, memory, patience_s=_PATIENCE_S)
    except (WorkspaceRefused, RequestInvalid) as error:
        if workspaces.passes(error):
            raise
        return None, None, None, workspaces.why(error)
    return made.path, _digest(made), _shown(means, made.after), None


def _digest(made: Preview) -> bytes | None:
    return None if made.before is None else hashlib.sha256(made.before).digest()


def _shown(means: Means, after: bytes) -> str:
    """Return bytes as text; what no text can hold is written as its escape, and a secret of the file's owner is left out."""
    text = after.decode("utf-8", errors="backslashreplace").replace("\0", "\\x00")
    return safety.redact(means.policy.secrets, {"after": text}).texts["after"]
