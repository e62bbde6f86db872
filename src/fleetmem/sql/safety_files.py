"""The shipped safety policy: its files read once, compiled once, under a version that names their content.

`version()` is the newest `version` of the files and a hash over all of them, so that a record says which rules judged it.
"""

from __future__ import annotations

import hashlib
from functools import cache
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from fleetmem.errors import SetupInvalid
from fleetmem.memory import policy
from fleetmem.memory.policy import Claims, Policy, Secrets, Steering
from fleetmem.sql.fence_files import shipped

_FILES: Final = ("secrets", "quarantine", "claims")


@cache
def secrets() -> Secrets:
    """Return the rules for secrets.

    Raises:
        SetupInvalid: the file is missing or malformed.
    """
    return policy.secrets(_document("secrets"))


@cache
def claims() -> Claims:
    """Return the phrases that flag a handoff.

    Raises:
        SetupInvalid: the file is missing or malformed.
    """
    return policy.claims(_document("claims"))


@cache
def steering() -> Steering:
    """Return the rules for texts that want to steer their reader.

    Raises:
        SetupInvalid: the file is missing or malformed.
    """
    return policy.steering(_document("quarantine"))


@cache
def shipped_policy() -> Policy:
    """Return the whole policy under its version.

    Raises:
        SetupInvalid: a file is missing or malformed.
    """
    return Policy(version(), secrets(), steering())


@cache
def version() -> str:
    """Name the policy: the newest date of its files, and twelve digits of the hash over them.

    Raises:
        SetupInvalid: a file is missing or says no version.
    """
    read = {name: _octets(name) for name in _FILES}
    dates = [line.split(b":", 1)[1].strip().decode() for octets in read.values() for line in _version_lines(octets)]
    if len(dates) != len(_FILES):
        raise SetupInvalid("every file of policies/safety/ says its `version:`, once")
    digest = hashlib.sha256(b"".join(hashlib.sha256(octets).digest() for octets in read.values()))
    return f"{max(dates)}+{digest.hexdigest()[:12]}"


def _version_lines(octets: bytes) -> list[bytes]:
    return [line for line in octets.splitlines() if line.startswith(b"version:")]


def _document(name: str) -> Any:
    try:
        return YAML(typ="safe", pure=True).load(_octets(name).decode())
    except (YAMLError, ValueError) as error:
        raise SetupInvalid(f"policies/safety/{name}.yaml cannot be read: {error}") from error


def _octets(name: str) -> bytes:
    try:
        return (shipped("policies") / "safety" / f"{name}.yaml").read_bytes()
    except OSError as error:
        raise SetupInvalid(f"policies/safety/{name}.yaml is missing; reinstall fleetmem") from error
