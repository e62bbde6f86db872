"""Runs: open, feed with spans, settle, read."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from litestar import Request, get, post
from litestar.types import ASGIApp

from fleetmem import errors, wire
from fleetmem.board import capture
from fleetmem.errors import RequestInvalid
from fleetmem.ids import RunId, TaskId
from fleetmem.store import runs
from fleetmem_gateway import answers, gateway, intake, screened
from fleetmem_gateway.openapi import Doc

_RUN: Final[dict[str, object]] = {
    "id": "01981d02-9e40-7e15-a2b8-7d1c3f60aa94",
    "task": "01981d02-5c1b-7a90-8e44-0c2f9a1be7d3",
    "team": "website",
    "agent": "backend",
    "audience": "client",
    "attempt": 1,
    "node": "health-check",
    "instruction": "Add GET /healthz and a test.",
    "status": "running",
    "output": None,
    "failure": None,
    "started_at": "2026-07-20T09:14:20.700000+00:00",
    "settled_at": None,
    "spans": None,
    "errors": None,
    "input_tokens": None,
    "output_tokens": None,
    "duration_ms": None,
}
_ENDED: Final = {
    "status": "succeeded",
    "output": "Added, with a test.",
    "settled_at": "2026-07-20T09:20:20.700000+00:00",
    "spans": 1,
    "errors": 0,
    "input_tokens": 0,
    "output_tokens": 0,
    "duration_ms": 360_000,
}
_SPAN: Final = {"seq": 1, "kind": "tool", "name": "shell", "body": "pytest -q: 12 passed"}
_STORED: Final = {
    **_SPAN,
    "is_error": False,
    "input_tokens": None,
    "output_tokens": None,
    "started_at": None,
    "ended_at": None,
    "arrived_at": "2026-07-20T09:15:00.000000+00:00",
}
_WIDE: Final = 4
_WIDEST: Final = 16


@post(
    "/v1/runs",
    doc=Doc(
        summary="Open a run",
        answers={201: wire.WrittenRun},
        body=wire.RunDraft,
        example=_RUN | {"redacted_by": []},
        body_example={"task": _RUN["task"], "node": _RUN["node"], "instruction": _RUN["instruction"]},
        refuses=(errors.Absent, errors.TaskSettled),
    ),
)
async def open_run(request: Request[Any, Any, Any]) -> ASGIApp:
    """Begin the bearer's next attempt at a task, and record what it is shown."""
    caller = await gateway.admit(request)
    draft, retry = await gateway.receive(request, wire.RunDraft, times=_WIDE)
    return answers.written(await caller.ask(runs.open_, await _opened(draft), retry))


@get(
    "/v1/runs/{id:str}",
    doc=Doc(
        summary="Read a run",
        answers={200: wire.RunDetail},
        example=_RUN | {"injection": None},
        refuses=(errors.Absent,),
    ),
)
async def get_run(request: Request[Any, Any, Any]) -> ASGIApp:
    """Read one run; what it was shown is told to its own agent alone."""
    caller = await gateway.admit(request)
    intake.query(request.scope, wire.NoQuery)
    return answers.passed(await caller.ask(runs.get, RunId(intake.record_id(request.scope))))


@post(
    "/v1/runs/{id:str}/spans",
    doc=Doc(
        summary="Add spans to a run",
        answers={200: wire.AddedSpans},
        body=wire.SpanBatch,
        example={"run": _RUN["id"], "added": 1, "known": 0, "redacted_by": []},
        body_example={"spans": [_SPAN]},
        refuses=(errors.Absent, errors.RunSettled),
    ),
)
async def add_spans(request: Request[Any, Any, Any]) -> ASGIApp:
    """Add up to 500 steps to the bearer's own running run. Sending one again changes nothing, with or without a key."""
    caller = await gateway.admit(request)
    run_id = RunId(intake.record_id(request.scope))
    given, retry = await gateway.receive(request, wire.SpanBatch, times=_WIDEST)
    return answers.written(await caller.ask(runs.add, run_id, await _batch(given.spans), retry))


@get(
    "/v1/runs/{id:str}/spans",
    doc=Doc(
        summary="List a run's spans",
        answers={200: wire.SpanPage},
        query=wire.PageQuery,
        example={"items": [_STORED], "next": None},
        refuses=(errors.Absent,),
    ),
)
async def list_spans(request: Request[Any, Any, Any]) -> ASGIApp:
    """List the steps of a run in their order."""
    caller = await gateway.admit(request)
    query = intake.query(request.scope, wire.PageQuery)
    place = intake.place(query.cursor, query.limit)
    return answers.passed(await caller.ask(runs.spans, RunId(intake.record_id(request.scope)), place))


@post(
    "/v1/runs/{id:str}/settle",
    doc=Doc(
        summary="Settle a run",
        answers={200: wire.WrittenRun},
        body=wire.RunEnd,
        example=_RUN | _ENDED | {"redacted_by": []},
        body_example={"outcome": "succeeded", "output": _ENDED["output"]},
        refuses=(errors.Absent, errors.RunSettled),
    ),
)
async def settle_run(request: Request[Any, Any, Any]) -> ASGIApp:
    """Say how the bearer's own run ended, once; its spans are counted."""
    caller = await gateway.admit(request)
    run_id = RunId(intake.record_id(request.scope))
    given, retry = await gateway.receive(request, wire.RunEnd, times=_WIDE)
    return answers.written(await caller.ask(runs.settle, run_id, await _ended(given), retry))


async def _opened(draft: wire.RunDraft) -> runs.NewRun:
    texts = {
        "instruction": capture.printed(draft.instruction, field="instruction", longest=capture.LONGEST_INSTRUCTION)
    }
    if draft.node is not None:
        texts["node"] = capture.name(draft.node, field="node", longest=capture.LONGEST_NODE)
    kept = await screened.redacted(texts)
    return runs.NewRun(
        task=TaskId(draft.task),
        node=None if draft.node is None else kept.texts["node"][: capture.LONGEST_NODE],
        instruction=kept.texts["instruction"][: capture.LONGEST_INSTRUCTION],
        injection=None if draft.injection is None else msgspec.json.encode(draft.injection).decode(),
        redacted_by=kept.rules,
    )


async def _ended(given: wire.RunEnd) -> runs.End:
    longest = {"output": capture.LONGEST_OUTPUT, "failure": capture.LONGEST_FAILURE}
    texts = {
        field: capture.words(text, field=field, longest=most)
        for field, most in longest.items()
        if (text := getattr(given, field)) is not None
    }
    kept = await screened.redacted(texts)
    cut = {field: text[: longest[field]] for field, text in kept.texts.items()}
    return runs.End(outcome=given.outcome, output=cut.get("output"), failure=cut.get("failure"), redacted_by=kept.rules)


async def _batch(given: list[wire.SpanDraft]) -> runs.Batch:
    if len({span.seq for span in given}) < len(given):
        raise RequestInvalid("`spans` gives a `seq` twice", field="spans[].seq", rule="duplicate")
    texts = [
        {
            "name": capture.name(span.name, field=f"spans[{at}].name", longest=capture.LONGEST_SPAN_NAME),
            "body": capture.printed(span.body, field=f"spans[{at}].body", longest=capture.LONGEST_SPAN),
        }
        for at, span in enumerate(given)
    ]
    kept = await screened.all_redacted(texts)
    spans = [
        {
            "seq": span.seq,
            "kind": span.kind,
            "name": record.texts["name"][: capture.LONGEST_SPAN_NAME],
            "body": record.texts["body"][: capture.LONGEST_SPAN],
            "is_error": span.is_error,
            "input_tokens": span.input_tokens,
            "output_tokens": span.output_tokens,
            "started_at": capture.moment(span.started_at, field=f"spans[{at}].started_at"),
            "ended_at": capture.moment(span.ended_at, field=f"spans[{at}].ended_at"),
        }
        for at, (span, record) in enumerate(zip(given, kept, strict=True))
    ]
    rules = dict.fromkeys(rule for record in kept for rule in record.rules)
    return runs.Batch(spans=msgspec.json.encode(spans).decode(), redacted_by=tuple(rules))


HANDLERS: Final = (open_run, get_run, add_spans, list_spans, settle_run)
