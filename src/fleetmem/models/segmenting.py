"""The encoder whose vectors segmentation was calibrated on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fleetmem.memory.segment import Encode
from fleetmem.models.encoder import Encoder


def encode(encoder: Encoder | None) -> Encode | None:
    """Return what segmentation takes its vectors from; None where there is no encoder, or another model's.

    Cosines of two models are not comparable, and the weights of `memory.segment` are for one; without it, terms decide.
    """
    if encoder is None or encoder.identity.sha256 not in _CALIBRATED:
        return None
    vectors = encoder.encode

    def plain(texts: Sequence[str]) -> list[tuple[float, ...]]:
        return [tuple(map(float, each)) for each in vectors(texts)]

    return plain


# all-MiniLM-L6-v2, in whatever arithmetic: bfloat16 changes a cosine in its third digit.
_CALIBRATED: Final = frozenset({"53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"})
