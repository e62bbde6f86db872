"""compose.yaml cannot be run where these tests run, so what can be read from it is held to the code."""

import re
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from fleetmem import config
from fleetmem.config import Settings

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    read: dict[str, Any] = YAML(typ="safe").load((ROOT / "compose.yaml").read_text())
    return read


def test_every_service_that_stays_has_a_health_check(compose: dict[str, Any]) -> None:
    for name, service in compose["services"].items():
        assert ("healthcheck" in service) == (name != "prepare"), name


def test_no_secret_is_in_the_file(compose: dict[str, Any]) -> None:
    for service in compose["services"].values():
        for variable, value in service.get("environment", {}).items():
            assert "PASSWORD" not in variable or variable.endswith("_FILE")
            assert re.search(r"//[^/@]*:[^/@]*@", str(value)) is None
    assert all("file" in secret for secret in compose["secrets"].values())


def test_each_service_sees_its_own_secrets_alone(compose: dict[str, Any]) -> None:
    seen = {
        name: {volume.partition(":")[2] for volume in compose["services"][name]["volumes"]}
        for name in ("gateway", "console", "worker")
    }
    assert seen == {
        "gateway": {"/data/secrets/gateway:ro", "/data/secrets/fleetmem_gateway:ro"},
        "console": {"/data/secrets/console:ro", "/data/secrets/fleetmem_console:ro"},
        "worker": {"/data/secrets/fleetmem_worker:ro", "/workspaces"},
    }
    for name in ("gateway", "console", "worker"):
        assert "secrets" not in compose["services"][name]


def test_every_setting_it_names_is_one_of_ours(compose: dict[str, Any]) -> None:
    declared = {variable for variable, _, _ in config.declared()}
    dockerfile = (ROOT / "gateway" / "Dockerfile").read_text()
    named = set(re.findall(r"FLEETMEM_[A-Z_]+", dockerfile))
    for service in compose["services"].values():
        named |= {name for name in service.get("environment", {}) if name.startswith("FLEETMEM_")}
    assert named <= declared


def test_the_ports_are_the_defaults_and_only_of_this_machine(compose: dict[str, Any]) -> None:
    defaults = Settings()
    assert compose["services"]["gateway"]["ports"] == [f"127.0.0.1:{defaults.gateway_port}:{defaults.gateway_port}"]
    assert compose["services"]["console"]["ports"] == [f"127.0.0.1:{defaults.console_port}:{defaults.console_port}"]
    assert "ports" not in compose["services"]["db"]
