"""What every noun shares: names, moments, pages, the empty request, and what any address may answer."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from fleetmem.board import beat
from fleetmem.fleet import names

PAGE_SIZE: Final = 20
PAGE_SIZE_MOST: Final = 100
# `$` alone would let a line feed follow, in Python's reading of it.
NAME_PATTERN: Final = r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$(?!\n)"
CURSOR_PATTERN: Final = r"^[A-Za-z0-9_-]{22}$(?!\n)"

Text = Annotated[
    str,
    Meta(min_length=1, max_length=beat.LONGEST_BODY, description="Plain text; line feeds and tabs are allowed."),
]
Name = Annotated[
    str,
    Meta(
        min_length=names.SHORTEST,
        max_length=names.LONGEST,
        pattern=NAME_PATTERN,
        description="Lower-case letters, digits, single hyphens.",
    ),
]
# Text rather than datetime: that an offset must be written is our rule, and its refusal names the field.
Instant = Annotated[str, Meta(description="RFC 3339, with an offset.", extra_json_schema={"format": "date-time"})]
Cursor = Annotated[str, Meta(pattern=CURSOR_PATTERN, description="`next` of the page before.")]
PageSize = Annotated[int, Meta(ge=1, le=PAGE_SIZE_MOST, description="How many records a page holds at most.")]
Remark = Annotated[str, Meta(min_length=1, max_length=1_000, description="Why, for whoever reads this later.")]


class Nothing(Struct, frozen=True, forbid_unknown_fields=True):
    """The body of an act that needs no word: absent, or an empty object."""


class PageQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which page of a list that has no filters."""

    cursor: Cursor | None = None
    limit: PageSize = PAGE_SIZE


class NoQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """The query of an address that takes none."""


class Described(Struct, frozen=True, kw_only=True):
    """A name and what the roster says of it."""

    name: str
    description: str


class Problem(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An RFC 9457 problem document. `field` and `rule` are left out where no field is to blame."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    request_id: str
    field: str | None = None
    rule: str | None = None


class Health(Struct, frozen=True, kw_only=True):
    """What a probe answers."""

    status: Literal["ok"]
