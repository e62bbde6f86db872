"""Every claim a case can present, by name: a true one of somebody in the cast, or one of the forgeries."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from fleetmem.admin.prove.forgery import BY_HAND, FORGERIES, Forgery
from fleetmem.admin.prove.stage import Stage

_FORGED: Final[Mapping[str, Forgery]] = MappingProxyType({forgery.name: forgery for forgery in (*FORGERIES, BY_HAND)})


class Purse:
    """Makes claims for one stage, fresh each time: a true one lives for a minute only."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    def claim(self, name: str | None) -> str | None:
        """Return the claim of that name; None where no claim is presented at all."""
        if name is None:
            return None
        if name in _FORGED:
            return _FORGED[name].make(self._stage)
        return self._stage.claim(name)
