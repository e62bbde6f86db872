"""The console: operators and auditors, agents, tokens, and handoffs without their words."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from msgspec import Struct

from fleetmem.wire.handoffs import HandoffStatus


class ConsoleMe(Struct, frozen=True, kw_only=True):
    """Which operator or auditor the bearer is."""

    name: str
    role: Literal["operator", "auditor"]


class ConsoleAgent(Struct, frozen=True, kw_only=True):
    """An agent as the roster has it; `suspended_at` is None unless an operator suspended it."""

    name: str
    description: str
    reads: list[str]
    writes: list[str]
    workspace: str | None
    active: bool
    suspended_at: datetime | None


class ConsoleToken(Struct, frozen=True, kw_only=True):
    """A bearer token's life, never the token nor its hash. `expires_at` None means never."""

    id: str
    principal: str
    label: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None


class OverdueHandoff(Struct, frozen=True, kw_only=True):
    """A handoff past its date, without its text: operators see that work is late, not what it is."""

    id: UUID
    sender: str
    recipient: str
    audience: str
    status: HandoffStatus
    flags: list[str]
    created_at: datetime
    due_at: datetime
    updated_at: datetime


class Suspension(Struct, frozen=True, kw_only=True):
    """An agent that was suspended, or let back in (`suspended_at` None)."""

    name: str
    suspended_at: datetime | None


class Revocation(Struct, frozen=True, kw_only=True):
    """A bearer token that was revoked, now or before."""

    id: str
    principal: str
    revoked_at: datetime


class AgentList(Struct, frozen=True, kw_only=True):
    """Every agent, by name."""

    items: list[ConsoleAgent]


class TokenList(Struct, frozen=True, kw_only=True):
    """Every bearer token, oldest first."""

    items: list[ConsoleToken]


class OverduePage(Struct, frozen=True, kw_only=True):
    """Newest first. `next` is the cursor of the following page, None on the last."""

    items: list[OverdueHandoff]
    next: str | None
