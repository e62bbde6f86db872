"""The operators' and auditors' client: review, incidents and the ledger."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from uuid import UUID

from fleetmem import wire
from fleetmem.client.access import find
from fleetmem.client.call import Call, moment, page, record, write
from fleetmem.client.conversation import Conversation
from fleetmem.client.patience import Patience


class ConsoleClient(Conversation):
    """One operator's or auditor's way to the console; safe to use from several threads.

    `url`, `token` and `token_file` come from FLEETMEM_CONSOLE_URL, FLEETMEM_TOKEN and FLEETMEM_TOKEN_FILE where they are
    not given. `timeout_s` bounds each try. `insecure` allows http:// to another machine, which shows the token to the
    network.

    Every method raises a class of `fleetmem.errors`; an auditor that tries to act meets `Forbidden`.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        token: str | None = None,
        token_file: Path | None = None,
        insecure: bool = False,
        timeout_s: float = 10.0,
        patience: Patience = Patience(),  # noqa: B008 -- frozen
    ) -> None:
        access = find(url=url, token=token, token_file=token_file, insecure=insecure, to_console=True)
        super().__init__(access, timeout_s=timeout_s, patience=patience)

    def me(self) -> wire.ConsoleMe:
        """Say which operator or auditor this is."""
        return self._ask(Call("GET", "v1/me", wire.ConsoleMe))

    def notes(
        self, *, status: wire.NoteStatus | None = None, team: str | None = None, page_size: int = wire.PAGE_SIZE
    ) -> Iterator[wire.NoteLine]:
        """Yield notes, newest first."""
        asked = {"status": status, "team": team}
        return self._items(lambda cursor: page("v1/notes", wire.NotePage, asked, page_size, cursor))

    def note(self, note: UUID | str) -> wire.NoteDetail:
        """Read everything that a reviewer decides on."""
        return self._ask(Call("GET", f"v1/notes/{record(note)}", wire.NoteDetail))

    def recall(self, note: UUID | str) -> wire.Recall:
        """Read who ever held a note, and which records they wrote meanwhile."""
        return self._ask(Call("GET", f"v1/notes/{record(note)}/recall", wire.Recall))

    def approve(
        self, note: UUID | str, revision: int, *, remark: str | None = None, idempotency_key: str | None = None
    ) -> wire.NoteDecision:
        """Sign the revision that was seen."""
        given = wire.Approval(revision=revision, remark=remark)
        return self._decide(note, "approve", given, idempotency_key)

    def edit(self, note: UUID | str, change: wire.NoteEdit, *, idempotency_key: str | None = None) -> wire.NoteDecision:
        """Change a candidate's words, or who receives it."""
        return self._decide(note, "edit", change, idempotency_key)

    def reject(
        self, note: UUID | str, *, remark: str | None = None, idempotency_key: str | None = None
    ) -> wire.NoteDecision:
        """Decide that a candidate becomes no memory."""
        return self._decide(note, "reject", wire.Rejection(remark=remark), idempotency_key)

    def revoke(
        self,
        note: UUID | str,
        *,
        agent: str | None = None,
        remark: str | None = None,
        idempotency_key: str | None = None,
    ) -> wire.NoteDecision:
        """Take an approved note back, from one agent or from all."""
        return self._decide(note, "revoke", wire.NoteRevocation(agent=agent, remark=remark), idempotency_key)

    def reset(self, segment: UUID | str, *, idempotency_key: str | None = None) -> wire.SegmentReset:
        """Undo the notes of a segment that nobody decided about, and distil it again."""
        return self._ask(write(f"v1/segments/{record(segment)}/reset", wire.SegmentReset, None, idempotency_key))

    def incidents(
        self,
        *,
        status: wire.IncidentStatus | None = None,
        kind: wire.IncidentKind | None = None,
        page_size: int = wire.PAGE_SIZE,
    ) -> Iterator[wire.Incident]:
        """Yield incidents, newest first."""
        asked = {"status": status, "kind": kind}
        return self._items(lambda cursor: page("v1/incidents", wire.IncidentPage, asked, page_size, cursor))

    def close_incident(
        self, incident: UUID | str, closing: wire.IncidentClosing, *, idempotency_key: str | None = None
    ) -> wire.Incident:
        """Say what an incident was."""
        path = f"v1/incidents/{record(incident)}/close"
        return self._ask(write(path, wire.Incident, closing, idempotency_key))

    def ledger(
        self,
        *,
        after: int | None = None,
        note: UUID | str | None = None,
        agent: str | None = None,
        page_size: int = wire.LEDGER_PAGE_MOST,
    ) -> Iterator[wire.LedgerRow]:
        """Yield the ledger's rows after a number, oldest first, fetching page by page."""
        narrowed = {"note": None if note is None else record(note), "agent": agent}
        while True:
            asked = narrowed | {"after": None if after is None else str(after)}
            got = self._ask(page("v1/ledger", wire.LedgerPage, asked, page_size, None))
            yield from got.items
            after = got.next
            if after is None:
                return

    def head(self) -> wire.LedgerHead:
        """Read the ledger's last row's number and hash."""
        return self._ask(Call("GET", "v1/ledger/head", wire.LedgerHead))

    def explain(self, agent: str, *, at: datetime | None = None) -> wire.Explanation:
        """Read what an agent knew at a moment, now unless told, and what it was denied and why."""
        asked = {"agent": agent} | ({} if at is None else {"at": moment(at, "at") or ""})
        return self._ask(Call("GET", "v1/ledger/explain", wire.Explanation, asked))

    def _decide(
        self,
        note: UUID | str,
        verb: str,
        given: wire.NoteEdit | wire.Approval | wire.Rejection | wire.NoteRevocation,
        idempotency_key: str | None,
    ) -> wire.NoteDecision:
        return self._ask(write(f"v1/notes/{record(note)}/{verb}", wire.NoteDecision, given, idempotency_key))
