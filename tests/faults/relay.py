"""A network path that can be hurt: a TCP relay on loopback that stalls, resets, or cuts in the middle of a message."""

import asyncio
import socket
import struct
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

Far = Callable[[], Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]
_PIECE_BYTES: Final = 65_536
# SO_LINGER, on, zero seconds: closing sends RST, as a crashed host or a forgetful firewall would.
_RST_ON_CLOSE: Final = struct.pack("ii", 1, 0)


@dataclass(slots=True)
class Relay:
    """Passes bytes on to wherever `far` connects, while it is whole; `passed` counts connections.

    A stall holds bytes and connections without closing any, as a network that drops packets does. A cut lets `cut_bytes`
    of the next piece through in whichever direction it goes, and resets the connection there.
    """

    far: Far
    port: int = 0
    passed: int = 0
    broken: int = 0
    _cut_bytes: int | None = None
    _flowing: asyncio.Event = field(default_factory=asyncio.Event)
    _server: asyncio.Server | None = None
    _ends: dict[asyncio.StreamWriter, asyncio.StreamWriter] = field(default_factory=dict)

    async def start(self) -> None:
        self._flowing.set()
        self._server = await asyncio.start_server(self._pass, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
        self._flowing.set()
        self.reset()
        await asyncio.sleep(0)

    def stall(self) -> None:
        self._flowing.clear()

    def mend(self) -> None:
        self._cut_bytes = None
        self._flowing.set()

    def cut(self, after_bytes: int) -> None:
        """Break each connection inside its next message, from now until it is mended."""
        self._cut_bytes = after_bytes

    def reset(self) -> None:
        """Reset every connection there is; new ones pass."""
        for end in list(self._ends):
            self._break(end)

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._flowing.wait()
        try:
            far_reader, far_writer = await self.far()
        except OSError:
            writer.transport.abort()
            return
        self.passed += 1
        self._ends[writer] = far_writer
        try:
            await asyncio.gather(self._pump(reader, far_writer, writer), self._pump(far_reader, writer, writer))
        finally:
            self._ends.pop(writer, None)
            for end in (writer, far_writer):
                end.transport.abort()

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, connection: asyncio.StreamWriter
    ) -> None:
        with suppress(OSError):
            while piece := await reader.read(_PIECE_BYTES):
                await self._flowing.wait()
                if self._cut_bytes is not None:
                    writer.write(piece[: self._cut_bytes])
                    await asyncio.sleep(0)
                    self._break(connection)
                    return
                writer.write(piece)
                await writer.drain()
        with suppress(OSError, RuntimeError):
            writer.write_eof()

    def _break(self, connection: asyncio.StreamWriter) -> None:
        for end in (connection, self._ends.get(connection, connection)):
            raw = end.get_extra_info("socket")
            if raw is not None and raw.family != socket.AF_UNIX:
                with suppress(OSError):
                    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RST_ON_CLOSE)
            end.transport.abort()
        self.broken += 1
