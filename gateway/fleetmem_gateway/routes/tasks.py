"""Tasks: open, list, read, settle."""

from __future__ import annotations

from typing import Any, Final

from litestar import Request, get, post
from litestar.types import ASGIApp

from fleetmem import errors, wire
from fleetmem.board import capture
from fleetmem.ids import TaskId
from fleetmem.store import tasks
from fleetmem_gateway import answers, gateway, intake, screened
from fleetmem_gateway.openapi import Doc

_TASK: Final[dict[str, object]] = {
    "id": "01981d02-5c1b-7a90-8e44-0c2f9a1be7d3",
    "team": "website",
    "opened_by": "backend",
    "prompt": "Add a health check to the service.",
    "audience": "client",
    "status": "open",
    "created_at": "2026-07-20T09:14:02.118000+00:00",
    "settled_at": None,
}
_WIDE: Final = 4


@post(
    "/v1/teams/{team:str}/tasks",
    doc=Doc(
        summary="Open a task",
        answers={201: wire.OpenedTask},
        body=wire.TaskDraft,
        example=_TASK | {"redacted_by": []},
        body_example={"prompt": _TASK["prompt"], "audience": _TASK["audience"]},
        refuses=(errors.Absent, errors.AudienceNotWritable),
    ),
)
async def open_task(request: Request[Any, Any, Any]) -> ASGIApp:
    """Open a task of a team. Secrets in the prompt are rewritten before it is kept."""
    caller = await gateway.admit(request)
    team = intake.plain_name(request.scope, "team")
    draft, retry = await gateway.receive(request, wire.TaskDraft, times=_WIDE)
    return answers.written(await caller.ask(tasks.open_, await _checked(team, draft), retry))


@get(
    "/v1/teams/{team:str}/tasks",
    doc=Doc(
        summary="List a team's tasks, newest first",
        answers={200: wire.TaskPage},
        query=wire.TaskQuery,
        example={"items": [_TASK], "next": None},
        refuses=(errors.Absent,),
    ),
)
async def list_tasks(request: Request[Any, Any, Any]) -> ASGIApp:
    """List a team's tasks as far as the bearer may see them, newest first."""
    caller = await gateway.admit(request)
    team = intake.plain_name(request.scope, "team")
    query = intake.query(request.scope, wire.TaskQuery)
    return answers.passed(await caller.ask(tasks.page, team, query.status, intake.place(query.cursor, query.limit)))


@get(
    "/v1/tasks/{id:str}",
    doc=Doc(
        summary="Read a task",
        answers={200: wire.TaskDetail},
        example=_TASK | {"runs": []},
        refuses=(errors.Absent,),
    ),
)
async def get_task(request: Request[Any, Any, Any]) -> ASGIApp:
    """Read one task with the runs at it that the bearer may see."""
    caller = await gateway.admit(request)
    intake.query(request.scope, wire.NoQuery)
    return answers.passed(await caller.ask(tasks.get, TaskId(intake.record_id(request.scope))))


@post(
    "/v1/tasks/{id:str}/settle",
    doc=Doc(
        summary="Settle a task",
        answers={200: wire.Task},
        body=wire.TaskEnd,
        example=_TASK | {"status": "done", "settled_at": "2026-07-20T09:31:47.502000+00:00"},
        body_example={"outcome": "done"},
        refuses=(errors.Absent, errors.TaskSettled),
    ),
)
async def settle_task(request: Request[Any, Any, Any]) -> ASGIApp:
    """Say how a task ended, once; for whoever opened it, and for members with a run at it."""
    caller = await gateway.admit(request)
    task_id = TaskId(intake.record_id(request.scope))
    given, retry = await gateway.receive(request, wire.TaskEnd)
    return answers.written(await caller.ask(tasks.settle, task_id, given.outcome, retry))


async def _checked(team: str, draft: wire.TaskDraft) -> tasks.NewTask:
    prompt = capture.words(draft.prompt, field="prompt", longest=capture.LONGEST_PROMPT)
    kept = await screened.redacted({"prompt": prompt})
    return tasks.NewTask(
        team=team,
        prompt=kept.texts["prompt"][: capture.LONGEST_PROMPT],
        audience=draft.audience,
        redacted_by=kept.rules,
    )


HANDLERS: Final = (open_task, list_tasks, get_task, settle_task)
