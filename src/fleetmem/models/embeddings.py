"""An embeddings endpoint that speaks OpenAI's protocol, at any address, through the official SDK."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from fleetmem.config import Settings
from fleetmem.errors import ConfigInvalid, Unavailable
from fleetmem.models.encoder import Identity, Vectors

if TYPE_CHECKING:
    from openai import OpenAI


class Endpoint:
    """A model behind an address."""

    __slots__ = ("_client", "identity")

    def __init__(self, client: OpenAI, identity: Identity) -> None:
        """Keep the client; `identity.model` is asked for."""
        self._client = client
        self.identity = identity

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return a vector of length one for each text.

        Raises:
            Unavailable: no answer within the time-out and its retries, a refusal, or one that is no list of vectors.
        """
        found: list[list[float]] = []
        for start in range(0, len(texts), _BATCH):
            found += self._ask(texts[start : start + _BATCH])
        return found

    def _ask(self, texts: Sequence[str]) -> list[list[float]]:
        from openai import OpenAIError  # noqa: PLC0415

        try:
            answer = self._client.embeddings.create(
                model=self.identity.model, input=list(texts), encoding_format="float"
            )
            ordered = sorted(answer.data, key=lambda each: each.index)
            if [each.index for each in ordered] != list(range(len(texts))):
                raise ValueError("another number of vectors than of texts")  # noqa: TRY301 -- judged as any bad answer
            return [_unit(each.embedding) for each in ordered]
        except (OpenAIError, ValueError, TypeError, AttributeError) as error:
            # The SDK's messages repeat what was sent; only the kind of the failure may be told.
            raise Unavailable(
                f"the embeddings endpoint failed: {type(error).__name__}", retry_after_s=_LATER_S
            ) from None


def open_endpoint(settings: Settings) -> Endpoint:
    """Make a client of the endpoint that the settings name; nothing is sent yet.

    Raises:
        ConfigInvalid: the address or the model is not told, the key cannot be read, or the SDK is not installed.
    """
    url, model = settings.recognizer_url, settings.recognizer_model
    if url is None or model is None:
        missing = "FLEETMEM_RECOGNIZER_URL" if url is None else "FLEETMEM_RECOGNIZER_MODEL"
        raise ConfigInvalid(f"FLEETMEM_RECOGNIZER=openai needs {missing}", field=missing, rule="missing")
    try:
        from openai import OpenAI  # noqa: PLC0415
    except ImportError as error:
        raise ConfigInvalid(
            "openai is not installed: install fleetmem[memory]", field="FLEETMEM_RECOGNIZER", rule="package"
        ) from error
    client = OpenAI(base_url=url, api_key=_key(settings), timeout=settings.recognizer_wait_s, max_retries=_RETRIES)
    # There are no weights to look at: the address and the name are all that is known of it.
    return Endpoint(client, Identity(model, hashlib.sha256(f"{url}\n{model}".encode()).hexdigest(), "remote"))


def _key(settings: Settings) -> str:
    """Return the key of the file; a word where none is told, since local servers ask for none and the SDK wants one."""
    path = settings.recognizer_key_file
    if path is None:
        return "none"
    try:
        key = path.read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        raise ConfigInvalid(f"{path} cannot be read", field="FLEETMEM_RECOGNIZER_KEY_FILE", rule="missing") from error
    if not key:
        raise ConfigInvalid(f"{path} is empty", field="FLEETMEM_RECOGNIZER_KEY_FILE", rule="empty")
    return key


def _unit(vector: Sequence[float]) -> list[float]:
    """Scale a vector to length one.

    Raises:
        ValueError: it has no length, or one that is no number.
    """
    length = math.sqrt(math.fsum(each * each for each in vector))
    if not (math.isfinite(length) and length > 0):
        raise ValueError("a vector without length")
    return [each / length for each in vector]


_BATCH: Final = 64
_RETRIES: Final = 2
_LATER_S: Final = 30
