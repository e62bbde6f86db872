"""A wire to the database that can be cut and mended: a relay on loopback between a service and the real server."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field

from fleetmem.admin.postgres import ConnInfo


@dataclass(slots=True)
class Wire:
    """Relays to `database` from a port of its own while it is whole."""

    database: ConnInfo
    port: int = 0
    _server: asyncio.Server | None = None
    _ends: set[asyncio.StreamWriter] = field(default_factory=set)

    @property
    def url(self) -> str:
        return f"postgresql://127.0.0.1:{self.port}/{self.database.dbname}"

    async def mend(self) -> None:
        self._server = await asyncio.start_server(self._relay, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def cut(self) -> None:
        """Refuse new connections and break the ones there are."""
        if self._server is not None:
            self._server.close()
            self._server = None
        for end in list(self._ends):
            end.transport.abort()
        await asyncio.sleep(0)

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host, port = self.database.host, self.database.port
        far_reader, far_writer = (
            await asyncio.open_unix_connection(f"{host}/.s.PGSQL.{port}")
            if host.startswith("/")
            else await asyncio.open_connection(host, port)
        )
        self._ends |= {writer, far_writer}
        try:
            await asyncio.gather(_pump(reader, far_writer), _pump(far_reader, writer))
        finally:
            self._ends -= {writer, far_writer}


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while piece := await reader.read(65_536):
            writer.write(piece)
            await writer.drain()
    writer.close()
