"""A sentence-transformers checkpoint on this machine, in bfloat16 where the processor computes with it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from fleetmem import config
from fleetmem.errors import ConfigInvalid
from fleetmem.models import checkpoint
from fleetmem.models.encoder import Identity, Vectors


class Checkpoint:
    """A loaded model."""

    __slots__ = ("_model", "identity")

    def __init__(self, model: Any, identity: Identity) -> None:
        """Keep what `open_checkpoint` loaded."""
        self._model = model
        self.identity = identity

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return a vector of length one for each text; texts longer than the model reads count by their beginning."""
        found: Vectors = self._model.encode(
            list(texts), batch_size=_BATCH, normalize_embeddings=True, show_progress_bar=False, convert_to_numpy=True
        )
        return found


def open_checkpoint(path: Path | None, *, threads: int = 1) -> Checkpoint:
    """Load the model in a folder, or the packaged one where none is told. It takes some seconds.

    `threads` is of the whole process. Two that share their processors with others wait for one another busily: measured on two
    busy ones, a note took 58 ms with one thread and 740 ms with two.

    Raises:
        ConfigInvalid: something is missing, or the files are no model.
    """
    folder = checkpoint.locate(path)
    config.stay_offline()
    try:
        import torch  # noqa: PLC0415 -- seconds and hundreds of megabytes, for those who need it
        from safetensors import SafetensorError  # noqa: PLC0415
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415
        from transformers.utils import logging  # noqa: PLC0415
    except ImportError as error:
        raise ConfigInvalid(
            f"{error.name} is not installed: install fleetmem[memory], or set FLEETMEM_RECOGNIZER=off",
            field="FLEETMEM_RECOGNIZER",
            rule="package",
        ) from error
    torch.set_num_threads(threads)
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # it has no annotations
    arithmetic = "bfloat16" if _computes_in_bfloat16() else "float32"
    try:
        model = SentenceTransformer(
            str(folder), device="cpu", local_files_only=True, model_kwargs={"dtype": getattr(torch, arithmetic)}
        )
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise ConfigInvalid(
            f"{folder} is no sentence-transformers model: {error}", field="FLEETMEM_RECOGNIZER_PATH", rule="model"
        ) from error
    name = checkpoint.PACKAGE.replace("_", "-") if path is None else folder.name
    return Checkpoint(model, Identity(name, checkpoint.sha256(folder), arithmetic))


def _computes_in_bfloat16() -> bool:
    """Tell whether the processor has instructions for it; elsewhere it would be emulated, at a fraction of the speed."""
    import torch  # noqa: PLC0415

    able = torch.cpu.get_capabilities()
    return bool(able.get("avx512_bf16") or able.get("amx_bf16"))


_BATCH: Final = 64
