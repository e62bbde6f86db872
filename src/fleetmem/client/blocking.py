"""The blocking client."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from uuid import UUID

from fleetmem import wire
from fleetmem.client import calls
from fleetmem.client.access import find
from fleetmem.client.patience import Patience
from fleetmem.client.teamwork import Teamwork


class FleetClient(Teamwork):
    """One agent's way into the fleet; safe to use from several threads.

    `url`, `token` and `token_file` come from FLEETMEM_URL, FLEETMEM_TOKEN and FLEETMEM_TOKEN_FILE where they are not
    given. A token that is replaced in its file is taken up when the old one is refused. `timeout_s` bounds each try.
    `insecure` allows http:// to another machine, which shows the token to the network.

    Every method raises a class of `fleetmem.errors`. A record that is hidden from this agent and one that does not exist
    are both `Absent`.
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
        access = find(url=url, token=token, token_file=token_file, insecure=insecure)
        super().__init__(access, timeout_s=timeout_s, patience=patience)

    def me(self) -> wire.Me:
        """Say who this agent is, what it may read and write, and who its colleagues are."""
        return self._ask(calls.me())

    def publish(
        self,
        topic: str,
        body: str,
        *,
        audience: str,
        expires_at: datetime | None = None,
        idempotency_key: str | None = None,
    ) -> wire.Beat:
        """Publish a beat; this agent's live one on the same topic is superseded. It lives seven days unless told."""
        return self._ask(
            calls.publish(topic, body, audience=audience, expires_at=expires_at, idempotency_key=idempotency_key)
        )

    def beats(
        self,
        *,
        topic: str | None = None,
        author: str | None = None,
        audience: str | None = None,
        since: datetime | None = None,
        live: bool = True,
        page_size: int = wire.PAGE_SIZE,
    ) -> Iterator[wire.Beat]:
        """Yield the beats this agent may see, newest first, fetching page by page; only live ones unless told."""
        return self._items(
            lambda cursor: calls.beats(
                topic=topic,
                author=author,
                audience=audience,
                since=since,
                live=live,
                page_size=page_size,
                cursor=cursor,
            )
        )

    def beat(self, beat_id: UUID | str) -> wire.Beat:
        """Read one beat, whatever its status."""
        return self._ask(calls.beat(beat_id))

    def history(self, beat_id: UUID | str, *, page_size: int = wire.PAGE_SIZE) -> Iterator[wire.Beat]:
        """Yield what a beat's author said on its topic, newest first, as far as this agent may see it."""
        return self._items(lambda cursor: calls.history(beat_id, page_size=page_size, cursor=cursor))

    def retract(self, beat_id: UUID | str, *, idempotency_key: str | None = None) -> wire.Beat:
        """End one of this agent's own live beats; it stays readable."""
        return self._ask(calls.retract(beat_id, idempotency_key=idempotency_key))

    def send(
        self,
        recipient: str,
        request: str,
        *,
        audience: str,
        due_at: datetime | None = None,
        idempotency_key: str | None = None,
    ) -> wire.Handoff:
        """Ask a colleague to do something. The two of you always see it; others by its audience."""
        return self._ask(
            calls.send(recipient, request, audience=audience, due_at=due_at, idempotency_key=idempotency_key)
        )

    def inbox(
        self, *, status: wire.HandoffStatus | None = None, overdue: bool = False, page_size: int = wire.PAGE_SIZE
    ) -> Iterator[wire.Handoff]:
        """Yield what was asked of this agent, newest first."""
        return self.handoffs("inbox", status=status, overdue=overdue, page_size=page_size)

    def outbox(
        self, *, status: wire.HandoffStatus | None = None, overdue: bool = False, page_size: int = wire.PAGE_SIZE
    ) -> Iterator[wire.Handoff]:
        """Yield what this agent asked of others, newest first."""
        return self.handoffs("outbox", status=status, overdue=overdue, page_size=page_size)

    def handoffs(
        self,
        box: wire.Box = "visible",
        *,
        status: wire.HandoffStatus | None = None,
        overdue: bool = False,
        page_size: int = wire.PAGE_SIZE,
    ) -> Iterator[wire.Handoff]:
        """Yield a box, newest first: `inbox`, `outbox`, or everything this agent may see."""
        return self._items(
            lambda cursor: calls.handoffs(box, status=status, overdue=overdue, page_size=page_size, cursor=cursor)
        )

    def handoff(self, handoff_id: UUID | str) -> wire.HandoffDetail:
        """Read one handoff with every move it made."""
        return self._ask(calls.handoff(handoff_id))

    def accept(
        self, handoff_id: UUID | str, reply: str | None = None, *, idempotency_key: str | None = None
    ) -> wire.Handoff:
        """Take an open handoff on, as its recipient."""
        return self._ask(calls.move(handoff_id, "accept", reply=reply, idempotency_key=idempotency_key))

    def decline(
        self, handoff_id: UUID | str, reply: str | None = None, *, idempotency_key: str | None = None
    ) -> wire.Handoff:
        """Turn an open handoff down, as its recipient."""
        return self._ask(calls.move(handoff_id, "decline", reply=reply, idempotency_key=idempotency_key))

    def withdraw(
        self, handoff_id: UUID | str, reply: str | None = None, *, idempotency_key: str | None = None
    ) -> wire.Handoff:
        """Take an open handoff back, as its sender."""
        return self._ask(calls.move(handoff_id, "withdraw", reply=reply, idempotency_key=idempotency_key))

    def answer(
        self, handoff_id: UUID | str, outcome: wire.Outcome, reply: str, *, idempotency_key: str | None = None
    ) -> wire.Handoff:
        """Say how an accepted handoff ended, `done` or `failed`, as its recipient."""
        return self._ask(calls.answer(handoff_id, outcome, reply, idempotency_key=idempotency_key))
