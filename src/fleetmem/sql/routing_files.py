"""The shipped data of routing: the occupations, and the calibration that is in force until another is promoted."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import cache
from typing import Final

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from fleetmem.errors import RequestInvalid, SetupInvalid
from fleetmem.memory import calibration, likeness, occupations
from fleetmem.memory.calibration import Calibration
from fleetmem.memory.likeness import World
from fleetmem.sql.fence_files import shipped

CALIBRATION: Final = "calibration.json"


@cache
def world() -> World:
    """Return what every team is seen against; its version is the file's, and twelve digits of its hash.

    Raises:
        SetupInvalid: the file is missing or malformed.
    """
    octets = _octets("occupations.yaml")
    try:
        document = YAML(typ="safe", pure=True).load(octets.decode())
    except (YAMLError, ValueError) as error:
        raise SetupInvalid(f"policies/routing/occupations.yaml cannot be read: {error}") from error
    if not isinstance(document, dict):
        raise SetupInvalid("policies/routing/occupations.yaml holds no mapping")
    told = occupations.parse(document)
    return likeness.world(replace(told, version=f"{told.version}+{hashlib.sha256(octets).hexdigest()[:12]}"))


@cache
def shipped_calibration() -> Calibration:
    """Return the shipped calibration.

    Raises:
        SetupInvalid: the file is missing or malformed.
    """
    try:
        return calibration.read(_octets(CALIBRATION))
    except RequestInvalid as error:
        raise SetupInvalid(f"policies/routing/{CALIBRATION}: {error.detail}") from error


def _octets(name: str) -> bytes:
    try:
        return (shipped("policies") / "routing" / name).read_bytes()
    except OSError as error:
        raise SetupInvalid(f"policies/routing/{name} is missing; reinstall fleetmem") from error
