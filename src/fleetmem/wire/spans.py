"""Spans: the steps of a run."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from msgspec import Meta, Struct

from fleetmem.board import capture
from fleetmem.wire.base import Instant
from fleetmem.wire.capture import Captured, Tokens

SpanKind = Literal["model", "tool", "message", "other"]


class SpanDraft(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One step of a run; `seq` is the caller's count, from 1."""

    seq: Annotated[int, Meta(ge=1, le=capture.HIGHEST_SPAN)]
    kind: SpanKind
    name: Captured
    body: Captured = ""
    is_error: bool = False
    input_tokens: Tokens | None = None
    output_tokens: Tokens | None = None
    started_at: Instant | None = None
    ended_at: Instant | None = None


class SpanBatch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Steps of a run. What is there already under the same `seq` stays as it is."""

    spans: Annotated[list[SpanDraft], Meta(min_length=1, max_length=capture.MOST_SPANS)]


class Span(Struct, frozen=True, kw_only=True):
    """One step of a run. `started_at` and `ended_at` are its sender's clock, `arrived_at` the database's."""

    seq: int
    kind: SpanKind
    name: str
    body: str
    is_error: bool
    input_tokens: int | None
    output_tokens: int | None
    started_at: datetime | None
    ended_at: datetime | None
    arrived_at: datetime


class AddedSpans(Struct, frozen=True, kw_only=True):
    """What became of a batch: how many were new, how many were there already."""

    run: UUID
    added: int
    known: int
    redacted_by: list[str]


class SpanPage(Struct, frozen=True, kw_only=True):
    """In the run's own order. `next` is the cursor of the following page, None on the last."""

    items: list[Span]
    next: str | None
