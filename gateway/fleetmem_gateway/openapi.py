"""The API's own description, OpenAPI 3.1, made from what each handler declares beside itself.

Structs become schemas by msgspec, so a limit that is checked is a limit that is documented. Every status an address can
answer is declared; schemathesis holds the gateway to that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final

import msgspec
from litestar.handlers import HTTPRouteHandler

from fleetmem import __version__, errors
from fleetmem.errors import FleetmemError
from fleetmem.wire import NoQuery, Problem
from fleetmem_gateway.problems import STATUS

_REF: Final = "#/components/schemas/{name}"
_ANYWHERE: Final = (errors.RequestInvalid, errors.Internal)
_BEHIND_AUTH: Final = (errors.TokenInvalid, errors.Forbidden, errors.RateLimited, errors.Unavailable)
_WITH_BODY: Final = (errors.BodyTooLarge, errors.MediaUnsupported, errors.IdempotencyConflict)
_PATH_PARAMETER: Final = re.compile(r"\{(?P<name>[a-z_]+):(?P<type>[a-z]+)\}")
_EXAMPLE_REQUEST_ID: Final = "3f0c9a52d1e84b7fa6c2b90e7d15c844"


@dataclass(frozen=True, slots=True, kw_only=True)
class Doc:
    """What a handler declares: `answers` by status, the errors of its own that it may raise, and examples.

    `body` None means that it takes none; an optional body may be left out altogether.
    """

    summary: str
    answers: Mapping[int, type[msgspec.Struct]]
    query: type[msgspec.Struct] = NoQuery
    body: type[msgspec.Struct] | None = None
    body_optional: bool = False
    example: Mapping[str, object] = field(default_factory=dict)
    body_example: Mapping[str, object] = field(default_factory=dict)
    refuses: tuple[type[FleetmemError], ...] = ()
    public: bool = False


def describe(title: str, handlers: Iterable[HTTPRouteHandler]) -> bytes:
    """Write the description of an application; handlers that declare no `doc` are left out of it."""
    documented = [(handler, doc) for handler in handlers if isinstance(doc := handler.opt.get("doc"), Doc)]
    schemas = _schemas(doc for _, doc in documented)
    paths: dict[str, dict[str, Any]] = {}
    for handler, doc in documented:
        for path in sorted(handler.paths):
            for method in sorted(handler.http_methods):
                operation = _operation(handler, doc, path, str(method), schemas)
                paths.setdefault(_PATH_PARAMETER.sub(r"{\g<name>}", path), {})[str(method).lower()] = operation
    return msgspec.json.encode(
        {
            "openapi": "3.1.0",
            "info": {
                "title": title,
                "version": __version__,
                "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
            },
            "paths": paths,
            "components": {
                "schemas": schemas,
                "securitySchemes": {
                    "bearer": {"type": "http", "scheme": "bearer", "description": "`fm_` and 43 base64url characters."}
                },
            },
        }
    )


def _schemas(docs: Iterable[Doc]) -> dict[str, Any]:
    shapes: set[type[msgspec.Struct]] = {Problem}
    for doc in docs:
        shapes |= {*doc.answers.values(), doc.query} | ({doc.body} if doc.body else set())
    ordered = sorted(shapes, key=lambda shape: shape.__name__)
    _, components = msgspec.json.schema_components(ordered, ref_template=_REF)
    return components


def _operation(
    handler: HTTPRouteHandler, doc: Doc, path: str, method: str, schemas: Mapping[str, Any]
) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": handler.handler_name,
        "summary": doc.summary,
        "description": (handler.fn.__doc__ or doc.summary).strip().partition("\n\n")[0],
        "parameters": [*_path_parameters(path), *_query_parameters(schemas[doc.query.__name__])],
        "responses": {**_answers(doc), **_refusals(doc, method)},
        "security": [] if doc.public else [{"bearer": []}],
    }
    if method == "POST":
        operation["parameters"].append(_IDEMPOTENCY_KEY)
    if doc.body is not None:
        operation["requestBody"] = {
            "required": not doc.body_optional,
            "content": {"application/json": _media(doc.body, doc.body_example)},
        }
    return operation


def _path_parameters(path: str) -> list[dict[str, Any]]:
    return [
        {
            "name": found["name"],
            "in": "path",
            "required": True,
            "schema": {"type": "string", "format": "uuid"}
            if found["name"] == "id"
            else {"type": "string", "minLength": 1},
        }
        for found in _PATH_PARAMETER.finditer(path)
    ]


def _query_parameters(schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Write each field of a query struct as a parameter: never null, which a query cannot say."""
    parameters, required = [], schema.get("required", ())
    for name, given in schema.get("properties", {}).items():
        rules = dict(given)
        if "anyOf" in rules:
            rules = next(dict(each) for each in rules["anyOf"] if each != {"type": "null"})
        rules.pop("default", None)
        if "enum" in rules:
            rules["enum"] = [value for value in rules["enum"] if value is not None]
        if given.get("default") is not None:
            rules["default"] = given["default"]
        parameters.append({"name": name, "in": "query", "required": name in required, "schema": rules})
    return parameters


def _answers(doc: Doc) -> dict[str, Any]:
    return {
        str(status): {
            "description": HTTPStatus(status).phrase,
            "headers": _REQUEST_ID,
            "content": {"application/json": _media(shape, doc.example)},
        }
        for status, shape in doc.answers.items()
    }


def _refusals(doc: Doc, method: str) -> dict[str, Any]:
    may_raise: set[type[FleetmemError]] = {*_ANYWHERE, *doc.refuses}
    if not doc.public:
        may_raise |= set(_BEHIND_AUTH)
    if method == "POST":
        may_raise |= set(_WITH_BODY)
    by_status: dict[int, list[type[FleetmemError]]] = {}
    for error in sorted(may_raise, key=lambda each: each.code):
        by_status.setdefault(STATUS[error], []).append(error)
    return {
        str(status): {
            "description": "; ".join(f"`{error.code}`: {error.title}" for error in raised),
            "headers": {**_REQUEST_ID, **_FURTHER_HEADERS.get(status, {})},
            "content": {
                "application/problem+json": {
                    "schema": {"$ref": _REF.format(name="Problem")},
                    "examples": {error.code: {"value": _problem(error, status)} for error in raised},
                }
            },
        }
        for status, raised in sorted(by_status.items())
    }


def _problem(error: type[FleetmemError], status: int) -> dict[str, Any]:
    return {
        "type": f"urn:fleetmem:error:{error.code}",
        "title": error.title,
        "status": status,
        "detail": error.title,
        "code": error.code,
        "request_id": _EXAMPLE_REQUEST_ID,
    }


def _media(shape: type[msgspec.Struct], example: Mapping[str, object]) -> dict[str, Any]:
    schema = {"$ref": _REF.format(name=shape.__name__)}
    return {"schema": schema, "example": example} if example else {"schema": schema}


_REQUEST_ID: Final = {
    "X-Request-Id": {"description": "The caller's own, where it sent one that is fit.", "schema": {"type": "string"}}
}
_FURTHER_HEADERS: Final[dict[int, dict[str, Any]]] = {
    401: {"WWW-Authenticate": {"schema": {"type": "string"}}},
    429: {"Retry-After": {"description": "Seconds.", "schema": {"type": "integer"}}},
    503: {"Retry-After": {"description": "Seconds.", "schema": {"type": "integer"}}},
}
_IDEMPOTENCY_KEY: Final = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "Makes the request safe to send twice: the first answer is given again.",
    "schema": {"type": "string", "pattern": "^[\\x21-\\x7e]{1,128}$"},
}
