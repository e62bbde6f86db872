"""Encoders: texts in, vectors of length one out. Which one runs is a setting, and none is ever replaced in silence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from fleetmem.config import Settings
from fleetmem.errors import ConfigInvalid

Vectors = Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True)
class Identity:
    """Which model made a vector: its name, the SHA-256 of its weights (hex), and the arithmetic it ran in."""

    model: str
    sha256: str
    arithmetic: str


class Encoder(Protocol):
    """What turns texts into vectors."""

    @property
    def identity(self) -> Identity:
        """Say which model this is."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return a vector of length one for each text, in order.

        Raises:
            Unavailable: the model is elsewhere and does not answer.
        """


def open_encoder(settings: Settings) -> Encoder | None:
    """Open the encoder that the settings name; None where recognition is off.

    Raises:
        ConfigInvalid: what it needs is missing; the message names it.
    """
    match settings.recognizer:
        case "sbert":
            from fleetmem.models import sbert  # noqa: PLC0415 -- what is not chosen need not be installed

            return sbert.open_checkpoint(settings.recognizer_path, threads=settings.recognizer_threads)
        case "openai":
            from fleetmem.models import embeddings  # noqa: PLC0415

            return embeddings.open_endpoint(settings)
        case "fake":
            from fleetmem.models import fake  # noqa: PLC0415

            return fake.open_fake()
        case "off":
            return None
        case other:
            raise ConfigInvalid(f"FLEETMEM_RECOGNIZER {other} is unknown", field="FLEETMEM_RECOGNIZER", rule="value")
