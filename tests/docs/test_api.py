"""docs/api.md and the two services: the same addresses, parameters, bodies, statuses, and examples that decode strictly."""

import json
import re
from itertools import chain
from typing import Any

import msgspec
import pytest

from fleetmem import wire
from fleetmem.wire import NoQuery, Nothing
from fleetmem_gateway import openapi
from fleetmem_gateway.app import AGENT_HANDLERS, CONSOLE_HANDLERS
from fleetmem_gateway.openapi import Doc
from tests.docs import markdown
from tests.docs.markdown import page

_TEXT = page("docs/api.md")
_ROUTES = markdown.sections(_TEXT, level=3)
_DESCRIBED = {
    "agents": json.loads(openapi.describe("agents", AGENT_HANDLERS)),
    "console": json.loads(openapi.describe("console", CONSOLE_HANDLERS)),
}
# Served, and described by nothing: they are no part of what an agent's program calls.
_UNDESCRIBED = {"GET /metrics", "GET /schema"}


def _title(method: str, path: str, service: str) -> str:
    return f"`{method.upper()} {path}`" + (" on the console" if (path, service) == ("/v1/me", "console") else "")


_OPERATIONS = {
    _title(method, path, service): operation
    for service, document in _DESCRIBED.items()
    for path, item in document["paths"].items()
    for method, operation in item.items()
}
_DOCS = {
    _title(str(method), re.sub(r":[a-z]+\}", "}", path), service): doc
    for service, handlers in (("agents", AGENT_HANDLERS), ("console", CONSOLE_HANDLERS))
    for handler in handlers
    if isinstance(doc := handler.opt.get("doc"), Doc)
    for path in handler.paths
    for method in handler.http_methods
}
_EXAMPLES = [block for name in ("docs/api.md", "docs/errors.md") for block in markdown.blocks(page(name))]


def test_every_route_has_its_section_and_no_other_has_one() -> None:
    written = {title for title in _ROUTES if title.startswith("`")}
    assert written == {*_OPERATIONS, *(f"`{route}`" for route in _UNDESCRIBED)}
    assert _DOCS.keys() == _OPERATIONS.keys()


@pytest.mark.parametrize("title", _OPERATIONS)
def test_a_route_lists_the_statuses_it_may_answer(title: str) -> None:
    listed = re.search(r"^Statuses: ([0-9, ]+); ([0-9, ]+)\.", _ROUTES[title], flags=re.MULTILINE)
    assert listed is not None
    assert re.findall(r"\d+", listed[0]) == list(_OPERATIONS[title]["responses"])


@pytest.mark.parametrize("title", _OPERATIONS)
def test_a_route_lists_what_it_takes(title: str) -> None:
    asked, given = _DOCS[title].query, _DOCS[title].body
    queries = markdown.rows(_ROUTES[title], "query", "type", "default", "meaning")
    bodies = markdown.rows(_ROUTES[title], "body", "type", "default", "meaning")
    assert _told(queries, "query") == _fields(asked)
    assert _told(bodies, "body") == _fields(given or Nothing)


def test_nothing_takes_a_query_that_is_not_told() -> None:
    assert {doc.query for doc in _DOCS.values()} >= {NoQuery, wire.BeatQuery, wire.HandoffQuery, wire.PageQuery}


@pytest.mark.parametrize(
    "block", [each for each in _EXAMPLES if each.language == "json"], ids=lambda block: block.label
)
def test_an_example_is_what_it_is_an_example_of(block: markdown.Block) -> None:
    shape: Any = getattr(wire, block.label)
    decoded = msgspec.json.decode(block.content, type=shape)
    assert _contains(msgspec.to_builtins(decoded), json.loads(block.content))


def test_every_struct_that_a_route_speaks_has_an_example() -> None:
    spoken = set(chain.from_iterable((*doc.answers.values(), doc.body) for doc in _DOCS.values())) - {None, Nothing}
    assert {shape.__name__ for shape in spoken if shape} <= {block.label for block in _EXAMPLES}


@pytest.mark.parametrize("code", sorted(set(re.findall(r"`([a-z]+\.[a-z_]+)`", _TEXT))))
def test_a_code_in_the_running_text_is_an_error(code: str) -> None:
    known = {
        row["code"]
        for row in markdown.rows(page("docs/errors.md"), "code", "class", "HTTP", "exit", "cause", "what to do")
    }
    assert code in known or code.endswith(".py")


def _told(rows: list[dict[str, str]], name: str) -> dict[str, str]:
    return {row[name]: row["default"] for row in rows}


def _fields(shape: type[msgspec.Struct]) -> dict[str, str]:
    """Return what a struct takes: each field with its default as the page writes it."""
    return {
        field.encode_name: "required" if field.required else msgspec.json.encode(field.default).decode().strip('"')
        for field in msgspec.structs.fields(shape)
    }


def _contains(whole: Any, part: Any) -> bool:
    """Tell whether every name of a document is one of the struct it was read as."""
    match whole, part:
        case dict(), dict():
            return all(name in whole and _contains(whole[name], value) for name, value in part.items())
        case list(), list():
            return len(whole) == len(part) and all(map(_contains, whole, part))
        case _:
            return True
