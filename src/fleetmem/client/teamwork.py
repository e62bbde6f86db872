"""What the blocking client does in a team: tasks, messages, runs and their steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from uuid import UUID

from fleetmem import wire
from fleetmem.client import team_calls
from fleetmem.client.conversation import Conversation


class Teamwork(Conversation):
    """A member's part in its teams."""

    def teams(self) -> list[wire.Team]:
        """List the teams this agent is a member of, with their members and audiences."""
        return self._ask(team_calls.teams()).items

    def open_task(
        self, team: str, prompt: str, *, audience: str, idempotency_key: str | None = None
    ) -> wire.OpenedTask:
        """Open a task of a team. Secrets in the prompt are rewritten; `redacted_by` of the answer says by which rules."""
        return self._ask(team_calls.open_task(team, prompt, audience=audience, idempotency_key=idempotency_key))

    def tasks(
        self, team: str, *, status: wire.TaskStatus | None = None, page_size: int = wire.PAGE_SIZE
    ) -> Iterator[wire.Task]:
        """Yield a team's tasks, newest first, as far as this agent may see them."""
        return self._items(lambda cursor: team_calls.tasks(team, status=status, page_size=page_size, cursor=cursor))

    def task(self, task_id: UUID | str) -> wire.TaskDetail:
        """Read one task with the runs at it that this agent may see."""
        return self._ask(team_calls.task(task_id))

    def settle_task(
        self, task_id: UUID | str, outcome: wire.TaskOutcome, *, idempotency_key: str | None = None
    ) -> wire.Task:
        """Say how a task ended, once: as who opened it, or as a member with a run at it."""
        return self._ask(team_calls.settle_task(task_id, outcome, idempotency_key=idempotency_key))

    def post_message(
        self,
        team: str,
        body: str,
        *,
        audience: str,
        speaker: wire.Speaker = "agent",
        task: UUID | str | None = None,
        run: UUID | str | None = None,
        idempotency_key: str | None = None,
    ) -> wire.PostedMessage:
        """Say something within a team; `human` marks a person's words that this agent reports."""
        return self._ask(
            team_calls.post_message(
                team,
                body,
                audience=audience,
                speaker=speaker,
                task=task,
                run=run,
                idempotency_key=idempotency_key,
            )
        )

    def messages(
        self,
        team: str,
        *,
        task: UUID | str | None = None,
        after: UUID | str | None = None,
        page_size: int = wire.PAGE_SIZE,
    ) -> Iterator[wire.Message]:
        """Yield what a team said, oldest first, as far as this agent may see it: all, or what came after a message."""
        return self._items(
            lambda cursor: team_calls.messages(team, task=task, after=after, page_size=page_size, cursor=cursor)
        )

    def open_run(
        self,
        task_id: UUID | str,
        *,
        instruction: str = "",
        node: str | None = None,
        injection: wire.InjectionDraft | None = None,
        idempotency_key: str | None = None,
    ) -> wire.WrittenRun:
        """Begin this agent's next attempt at a task, and record what it is shown."""
        return self._ask(
            team_calls.open_run(
                task_id, instruction=instruction, node=node, injection=injection, idempotency_key=idempotency_key
            )
        )

    def run(self, run_id: UUID | str) -> wire.RunDetail:
        """Read one run; what it was shown is told to its own agent alone."""
        return self._ask(team_calls.run(run_id))

    def add_spans(self, run_id: UUID | str, spans: Sequence[wire.SpanDraft]) -> wire.AddedSpans:
        """Add up to 500 steps to a run of this agent's. Adding one again, by its `seq`, changes nothing."""
        return self._ask(team_calls.add_spans(run_id, spans))

    def spans(self, run_id: UUID | str, *, page_size: int = wire.PAGE_SIZE) -> Iterator[wire.Span]:
        """Yield the steps of a run in their order."""
        return self._items(lambda cursor: team_calls.spans(run_id, page_size=page_size, cursor=cursor))

    def settle_run(
        self,
        run_id: UUID | str,
        outcome: wire.RunOutcome,
        *,
        output: str | None = None,
        failure: str | None = None,
        idempotency_key: str | None = None,
    ) -> wire.WrittenRun:
        """Say how a run of this agent's ended; its steps are counted then."""
        return self._ask(
            team_calls.settle_run(run_id, outcome, output=output, failure=failure, idempotency_key=idempotency_key)
        )
