"""The declared fence: where its files are, in a checkout and in a wheel alike, and the hash a database is held to.

A service compares `version()` with what the database says of itself and refuses to start when they differ; the owner's
commands apply the files and record each one's hash.
"""

import hashlib
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def shipped(name: str) -> Path:
    """The folder `policies` or `migrations`: packed into the wheel, or at the root of the checkout.

    Raises:
        FileNotFoundError: neither exists, so the installation is broken.
    """
    for candidate in (_PACKAGE / f"_{name}", _PACKAGE.parent.parent / name):
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(f"fleetmem is installed without its {name}/ folder; reinstall it")


def fence_files() -> tuple[Path, ...]:
    """The policy files in the order in which they are applied."""
    return tuple(sorted((shipped("policies") / "fence").glob("*.sql")))


@cache
def declared() -> dict[str, str]:
    """File name to SHA-256 (hex) of every policy file."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in fence_files()}


def version() -> str:
    """One hash over the whole declared fence, as `api.fence_version()` computes it over the applied one."""
    return hashlib.sha256("\n".join(f"{name} {sha}" for name, sha in sorted(declared().items())).encode()).hexdigest()
