"""The usual way to build it: FastAPI on uvicorn, a JWT verified in Python, one statement after another in a transaction.

A program of its own, run by the peers' environment; it shares nothing with the product but the database. Its
configuration is one JSON document on standard input.
"""

# mypy: disable-error-code="import-not-found, untyped-decorator"
# FastAPI is installed where this runs, and not where it is checked.

import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

import asyncpg
import jwt
import uvicorn
from fastapi import Depends, FastAPI, Header, HTTPException, Request
from pydantic import BaseModel

CONFIG: dict[str, Any] = json.load(sys.stdin)
KEY = bytes.fromhex(CONFIG["key"])


class Beat(BaseModel):
    """What a list answers."""

    id: UUID
    author: str
    topic: str
    body: str
    audience: str
    created_at: datetime
    expires_at: datetime
    ended_at: datetime | None


class Draft(BaseModel):
    """What is published."""

    topic: str
    body: str
    audience: str


class Made(BaseModel):
    """What was published."""

    id: UUID
    created_at: datetime


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Hold a pool of the same size as the gateway's."""
    async with asyncpg.create_pool(**CONFIG["database"], min_size=CONFIG["pool"], max_size=CONFIG["pool"]) as pool:
        app.state.pool = pool
        yield


app = FastAPI(lifespan=lifespan)


def claim(authorization: Annotated[str, Header()]) -> str:
    """Verify the caller's claim."""
    token = authorization.removeprefix("Bearer ")
    try:
        jwt.decode(token, KEY, algorithms=["HS256"], audience=CONFIG["audience"])
    except jwt.PyJWTError as error:
        raise HTTPException(401) from error
    return token


Claim = Annotated[str, Depends(claim)]


@asynccontextmanager
async def entered(request: Request, held: str) -> AsyncIterator[asyncpg.Connection]:
    """Open a transaction under the claim."""
    async with request.app.state.pool.acquire() as connection, connection.transaction():
        await connection.execute(
            "select set_config('role', 'fleetmem_agent', true), set_config('fence.token', $1, true)", held
        )
        await connection.fetchrow("select name from fence.require('agent')")
        yield connection


@app.get("/beats")
async def newest(request: Request, held: Claim) -> list[Beat]:
    """List the newest beats."""
    async with entered(request, held) as connection:
        return [Beat(**row) for row in await connection.fetch(CONFIG["newest"])]


@app.post("/beats", status_code=201)
async def publish(request: Request, held: Claim, draft: Draft) -> Made:
    """Publish a beat."""
    async with entered(request, held) as connection:
        [row] = await connection.fetch(
            "insert into fleet.beat (topic, body, audience) values ($1, $2, $3) returning id, created_at",
            draft.topic,
            draft.body,
            draft.audience,
        )
    return Made(**row)


uvicorn.run(app, host="127.0.0.1", port=CONFIG["port"], log_level="warning", access_log=False)
