"""The recognizer of one worker: loaded once, used by one job at a time, and always under the calibration in force."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import UUID

import msgspec

from fleetmem.config import Settings
from fleetmem.errors import SetupInvalid
from fleetmem.memory import calibration
from fleetmem.memory.segment import Encode, Vector
from fleetmem.models import checkpoint, segmenting
from fleetmem.models.encoder import Encoder, open_encoder
from fleetmem.sql import routing_files

if TYPE_CHECKING:
    from fleetmem.models.recognizer import Recognizer


@dataclass(frozen=True, slots=True, kw_only=True)
class Promoted:
    """The calibration that was promoted last."""

    id: UUID
    evidence: Any


class Recognition:
    """What tells whom a memory is for. Loading takes seconds; whoever needs it first waits for it."""

    def __init__(self, settings: Settings) -> None:
        """Load nothing yet."""
        self.is_on = settings.recognizer != "off"
        self.is_real = settings.recognizer in {"sbert", "openai"}
        self._settings = settings
        self._lock = threading.Lock()
        self._encoder: Encoder | None = None
        self._held: tuple[UUID | None, Recognizer] | None = None

    def refuse_missing(self) -> None:
        """See, without loading it, that the model is there whole.

        Raises:
            ConfigInvalid: something is missing.
        """
        if self._settings.recognizer == "sbert":
            checkpoint.locate(self._settings.recognizer_path)

    def load(self) -> None:
        """Load the model now.

        Raises:
            ConfigInvalid: something is missing.
        """
        with self._lock:
            self._opened()

    def segmenting(self) -> Encode | None:
        """Load the model and return what segmentation takes its vectors from; None where it was calibrated on another.

        Raises:
            SetupInvalid: the model cannot be loaded.
        """
        if not self.is_on:
            return None
        with self._lock:
            encode = segmenting.encode(self._opened())
        return None if encode is None else partial(self._alone, encode)

    @contextmanager
    def deciding(self, promoted: Promoted | None) -> Iterator[Recognizer]:
        """Hold the recognizer under the promoted calibration, or the shipped one where there is none.

        Raises:
            SetupInvalid: the model cannot be loaded, or the calibration is of another model.
        """
        wanted = promoted.id if promoted else None
        with self._lock:
            encoder = self._opened()
            if self._held is None or self._held[0] != wanted:
                self._held = (wanted, _under(promoted, encoder))
            yield self._held[1]

    def _alone(self, encode: Encode, texts: Sequence[str]) -> Sequence[Vector]:
        with self._lock:
            return encode(texts)

    def _opened(self) -> Encoder:
        if self._encoder is None:
            self._encoder = open_encoder(self._settings)
        if self._encoder is None:
            raise SetupInvalid("recognition is off", field="FLEETMEM_RECOGNIZER", rule="off")
        return self._encoder


def _under(promoted: Promoted | None, encoder: Encoder) -> Recognizer:
    from fleetmem.models.recognizer import Recognizer  # noqa: PLC0415 -- a worker without recognition needs no numpy

    if promoted is None:
        return Recognizer(encoder, routing_files.shipped_calibration(), routing_files.world())
    evidence = calibration.read(msgspec.json.encode(promoted.evidence))
    return Recognizer(encoder, evidence, routing_files.world())
