"""The database servers of one process: its primary, and a hot standby for the agents' reads where there is one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from structlog.typing import FilteringBoundLogger

from fleetmem.config import Settings
from fleetmem.store import pgerrors, pool, standby
from fleetmem.store.pool import Address, Pool, Pooler
from fleetmem.store.session import Session
from fleetmem.store.standby import Replicated, Standby
from fleetmem_gateway.service import Service, address, password, standby_address


@asynccontextmanager
async def open_session(service: Service, settings: Settings, log: FilteringBoundLogger) -> AsyncIterator[Session]:
    """Hold the pools open that a running service needs.

    Raises:
        SetupInvalid: a setting or the password is unusable.
        Unavailable: the primary does not answer. A standby may be away, also now.
    """
    where = standby_address(settings, service)
    async with _pool(service, settings, size=settings.pool_size) as opened:
        if where is None:
            yield Session(opened, wait_s=settings.pool_wait_s)
            return
        async with _reads(where, service, settings, opened, log) as fresh:
            yield Replicated(opened, fresh, wait_s=settings.pool_wait_s)


@asynccontextmanager
async def primary(service: Service, settings: Settings, *, size: int) -> AsyncIterator[Session]:
    """Hold a pool of up to `size` connections to the primary open.

    Raises:
        SetupInvalid: a setting or the password is unusable.
        Unavailable: the primary does not answer.
    """
    async with _pool(service, settings, size=size) as opened:
        yield Session(opened, wait_s=settings.pool_wait_s)


@asynccontextmanager
async def _pool(service: Service, settings: Settings, *, size: int) -> AsyncIterator[Pool]:
    word, pooler = password(settings, service), Pooler(settings.pooler)
    try:
        opened = await pool.open_pool(address(settings), login=service.login, password=word, size=size, pooler=pooler)
    except pgerrors.FAILURES as error:
        raise pgerrors.translate(error) from error
    async with opened:
        yield opened


@asynccontextmanager
async def _reads(
    where: Address, service: Service, settings: Settings, opened: Pool, log: FilteringBoundLogger
) -> AsyncIterator[Standby]:
    """Keep measuring how old a standby's state is; log when reads go there, and when they come back."""
    word, size, wait_s = password(settings, service), settings.pool_size, settings.pool_wait_s
    second = pool.make_pool(where, login=service.login, password=word, size=size, timeout_s=standby.ANSWERS_WITHIN_S)

    def turned(is_fresh: bool) -> None:  # noqa: FBT001 -- the one thing there is to say
        log.warning("standby", reads="standby" if is_fresh else "primary")

    async with second:
        fresh = Standby(Session(second, wait_s=wait_s), Session(opened, wait_s=wait_s), lag_s=settings.read_lag_s)
        watching = asyncio.create_task(fresh.watch(turned))
        try:
            yield fresh
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
