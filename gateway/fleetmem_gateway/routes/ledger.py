"""The ledger: its rows for whoever verifies them, its head to pin, and what it says an agent knew."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

import msgspec
from litestar import Request, get
from litestar.types import ASGIApp

from fleetmem import errors, wire
from fleetmem.board import limits
from fleetmem.memory import ledger as chain
from fleetmem.store import ledger
from fleetmem_gateway import answers, clock, gateway, intake
from fleetmem_gateway.openapi import Doc


@get("/v1/ledger", doc=Doc(summary="Read the ledger", answers={200: wire.LedgerPage}, query=wire.LedgerQuery))
async def read_ledger(request: Request[Any, Any, Any]) -> ASGIApp:
    """Read the ledger's rows, oldest first, as they were hashed."""
    caller = await gateway.admit(request)
    query = intake.query(request.scope, wire.LedgerQuery)
    wanted = ledger.Filter(after=query.after, note=query.note, agent=query.agent, size=query.limit)
    return answers.passed(await caller.ask(ledger.page, caller.bearer.rol, wanted))


@get("/v1/ledger/head", doc=Doc(summary="Read the ledger's head", answers={200: wire.LedgerHead}))
async def read_head(request: Request[Any, Any, Any]) -> ASGIApp:
    """Read the last row's number and hash: what to keep elsewhere, so that a missing end can be seen."""
    caller = await gateway.admit(request)
    intake.query(request.scope, wire.NoQuery)
    return answers.passed(await caller.ask(ledger.head, caller.bearer.rol))


@get(
    "/v1/ledger/explain",
    doc=Doc(
        summary="Explain what an agent knew",
        answers={200: wire.Explanation},
        query=wire.ExplainQuery,
        refuses=(errors.Absent,),
    ),
)
async def explain_agent(request: Request[Any, Any, Any]) -> ASGIApp:
    """Say what an agent knew at a moment, what it was denied and why, and what had been taken back by then."""
    caller = await gateway.admit(request)
    query = intake.query(request.scope, wire.ExplainQuery)
    at = None if query.at is None else limits.gone_by(query.at, field="at", now=clock.now())
    story = await caller.ask(ledger.story, caller.bearer.rol, query.agent, at)
    return answers.encoded(_explained(msgspec.json.decode(story, type=wire.Story)))


def _explained(story: wire.Story) -> wire.Explanation:
    told = (chain.Told(row.seq, row.at, row.event, row.note, row.agent, row.reason) for row in story.told)
    found = chain.explain(told, story.agent, story.at)

    def about(note: UUID) -> str:
        return story.notes.get(str(note), "")

    return wire.Explanation(
        agent=story.agent,
        at=story.at,
        known=[wire.KnownNote(note=each.note, description=about(each.note), since=each.since) for each in found.known],
        denied=[
            wire.DeniedNote(note=each.note, description=about(each.note), since=each.since, reason=each.reason)
            for each in found.denied
        ],
        revoked=[
            wire.RevokedNote(
                note=each.note,
                description=about(each.note),
                known_since=each.known_since,
                since=each.since,
                reason=each.reason,
                gone_at=each.gone_at,
            )
            for each in found.revoked
        ],
        unsettled=[
            wire.UnsettledNote(
                note=each.note, description=about(each.note), state=each.state, since=each.since, reason=each.reason
            )
            for each in found.unsettled
        ],
    )


HANDLERS: Final = (read_ledger, read_head, explain_agent)
