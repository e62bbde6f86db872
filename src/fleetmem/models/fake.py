"""An encoder for tests: words become places of a vector. It knows no meaning, and refuses to start outside tests."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Sequence
from typing import Final

from fleetmem import config
from fleetmem.errors import ConfigInvalid
from fleetmem.models.encoder import Identity, Vectors


class Fake:
    """Texts with the same words have the same vector."""

    identity: Final = Identity("fake", hashlib.sha256(b"fake").hexdigest(), "float64")

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return a vector of length one for each text."""
        return [_vector(text) for text in texts]


def open_fake() -> Fake:
    """Make one.

    Raises:
        ConfigInvalid: this is no test.
    """
    if not config.is_a_test():
        raise ConfigInvalid(
            "FLEETMEM_RECOGNIZER=fake recognizes nothing and is for tests alone",
            field="FLEETMEM_RECOGNIZER",
            rule="fake",
        )
    return Fake()


def _vector(text: str) -> list[float]:
    counts = [0.0] * _SIZE
    for word in re.findall(r"\w+", text.casefold()) or [text]:
        digest = hashlib.sha256(word.encode()).digest()
        counts[int.from_bytes(digest[:2], "big") % _SIZE] += 1.0
    length = math.sqrt(sum(each * each for each in counts))
    return [each / length for each in counts]


_SIZE: Final = 256
