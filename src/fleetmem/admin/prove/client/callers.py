"""One client for each of the cast, made when it is first needed; and what a call came to, as one word."""

from collections.abc import Callable
from types import TracebackType
from typing import Final, Self

from fleetmem.admin.prove.stage import Stage
from fleetmem.client import FleetClient, Patience
from fleetmem.errors import FleetmemError

_PATIENCE: Final = Patience(retries=6)


class Callers:
    """Clients of the gateway at `url`, by name of the cast or of a special token."""

    def __init__(self, stage: Stage, url: str) -> None:
        self._stage = stage
        self._url = url
        self._made: dict[str, FleetClient] = {}

    def of(self, name: str) -> FleetClient:
        """Return the client that holds this one's token."""
        if name not in self._made:
            token = self._stage.bearers[name].token
            self._made[name] = FleetClient(self._url, token=token, insecure=True, patience=_PATIENCE)
        return self._made[name]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for client in self._made.values():
            client.close()


def outcome_of(call: Callable[[], object]) -> str:
    """Make a call: `allowed`, the code of its refusal, or the text it returned."""
    try:
        got = call()
    except FleetmemError as error:
        return error.code
    return got if isinstance(got, str) else "allowed"
