"""A worker whose parent was killed ends itself, so that it does not go on answering on a port that nobody watches."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def ends_with_its_parent() -> Iterator[None]:
    """Watch the process that started this one, where there is one, for as long as the block lasts."""
    parent = multiprocessing.parent_process()
    if parent is None:
        yield
        return
    loop = asyncio.get_running_loop()
    loop.add_reader(parent.sentinel, _end, loop, parent.sentinel)
    try:
        yield
    finally:
        loop.remove_reader(parent.sentinel)


def _end(loop: asyncio.AbstractEventLoop, sentinel: int) -> None:
    loop.remove_reader(sentinel)
    os.kill(os.getpid(), signal.SIGTERM)
