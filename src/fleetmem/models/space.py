"""Texts as places in an encoder's space, remembered: a team's phrases and the occupations are encoded once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from fleetmem.models.encoder import Encoder, Identity


class Space:
    """Cosines of texts by one encoder. Not for several threads at once."""

    __slots__ = ("_encoder", "_known", "_lists")

    def __init__(self, encoder: Encoder) -> None:
        """Remember nothing yet."""
        self._encoder = encoder
        self._known: OrderedDict[str, Any] = OrderedDict()
        self._lists: OrderedDict[tuple[str, ...], Any] = OrderedDict()

    @property
    def identity(self) -> Identity:
        """Say which model it is."""
        return self._encoder.identity

    def learn(self, texts: Sequence[str]) -> None:
        """Encode what is not known yet, in one go: many texts together take a third of the time.

        Raises:
            Unavailable: the model is elsewhere and does not answer.
        """
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            vectors = np.asarray(self._encoder.encode(new), dtype=np.float32)
            self._known.update(zip(new, vectors, strict=True))
        for text in texts:
            self._known.move_to_end(text)
        while len(self._known) > max(_MOST, len(texts)):
            self._known.popitem(last=False)

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors themselves.

        Raises:
            Unavailable: the model is elsewhere and does not answer.
        """
        return self._matrix(texts).tolist() if texts else []

    def similar(self, left: Sequence[str], right: Sequence[str]) -> list[list[float]]:
        """Return the cosines of each of `left` (rows) with each of `right` (columns).

        Raises:
            Unavailable: the model is elsewhere and does not answer.
        """
        if not left or not right:
            return [[] for _ in left]
        # Not `@`: its threads wait for one another busily, which costs ten times as much where others use the processors.
        found: list[list[float]] = np.einsum("ik,jk->ij", self._matrix(left), self._remembered(tuple(right))).tolist()
        return found

    def _remembered(self, texts: tuple[str, ...]) -> Any:
        """Return the vectors; long lists are asked for again and again, and are kept whole."""
        if texts not in self._lists:
            self._lists[texts] = self._matrix(texts)
        self._lists.move_to_end(texts)
        while len(self._lists) > _LISTS:
            self._lists.popitem(last=False)
        return self._lists[texts]

    def _matrix(self, texts: Sequence[str]) -> Any:
        self.learn(texts)
        return np.stack([self._known[text] for text in texts])


_MOST: Final = 20_000
_LISTS: Final = 64
