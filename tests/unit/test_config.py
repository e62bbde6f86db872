"""Settings come from the environment alone; what is wrong with one is said by its name and never by its value."""

from dataclasses import fields
from pathlib import Path

import pytest

from fleetmem import config
from fleetmem.errors import ConfigInvalid

PASSWORD = "correct-horse"


def test_without_an_environment_every_setting_has_its_default(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    settings = config.load({})
    assert settings.home == tmp_path / ".fleetmem"
    assert (settings.gateway_host, settings.gateway_port, settings.console_port) == ("127.0.0.1", 8420, 8421)
    assert settings.database_url is None


def test_an_empty_value_counts_as_unset() -> None:
    assert config.load({"FLEETMEM_POOL_SIZE": ""}) == config.load({})


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("FLEETMEM_GATEWAY_PORT", "0"),
        ("FLEETMEM_GATEWAY_PORT", "65536"),
        ("FLEETMEM_GATEWAY_PORT", "eighty"),
        ("FLEETMEM_GATEWAY_PORT", "\uff18\uff10"),
        ("FLEETMEM_POOL_SIZE", "0"),
        ("FLEETMEM_POOL_WAIT_S", "0"),
        ("FLEETMEM_POOL_WAIT_S", "nan"),
        ("FLEETMEM_POOL_WAIT_S", "inf"),
        ("FLEETMEM_POOL_WAIT_S", "soon"),
        ("FLEETMEM_BODY_LIMIT_BYTES", "-1"),
        ("FLEETMEM_LOG_FORMAT", "xml"),
        ("FLEETMEM_LOG_LEVEL", "DEBUG"),
        ("FLEETMEM_DATABASE_URL", f"mysql://root:{PASSWORD}@db/x"),
        ("FLEETMEM_SERVICE_DATABASE_URL", f"user:{PASSWORD}@db"),
        ("FLEETMEM_URL", "ftp://example.test"),
    ],
)
def test_an_unusable_value_is_refused_by_its_variable(variable: str, value: str) -> None:
    with pytest.raises(ConfigInvalid) as refused:
        config.load({variable: value})
    assert refused.value.field == variable
    assert refused.value.detail.startswith(variable)
    assert PASSWORD not in refused.value.detail


def test_a_misspelt_variable_is_refused() -> None:
    with pytest.raises(ConfigInvalid, match="FLEETMEM_POOLSIZE is not a setting"):
        config.load({"FLEETMEM_POOLSIZE": "3"})
    config.load({"FLEETMEM_TEST_DATABASE_URL": "x", "FLEETMEM_BENCH_ROUNDS": "5", "PATH": "/bin"})


def test_secrets_are_not_in_the_text_of_the_settings() -> None:
    settings = config.load(
        {
            "FLEETMEM_DATABASE_URL": f"postgresql://owner:{PASSWORD}@db/fleet",
            "FLEETMEM_SERVICE_DATABASE_URL": f"postgresql://x:{PASSWORD}@db/fleet",
            "FLEETMEM_TOKEN": PASSWORD,
        }
    )
    assert PASSWORD not in repr(settings)


def test_every_setting_says_what_it_means() -> None:
    declared = config.declared()
    assert len(declared) == len(fields(config.Settings))
    for variable, default, meaning in declared:
        assert variable.startswith("FLEETMEM_")
        assert meaning.endswith(".")
        if default is not None:
            config.load({variable: default})


def test_a_service_is_told_its_settings_and_nothing_of_the_owners() -> None:
    owners = {
        "FLEETMEM_DATABASE_URL": f"postgresql://owner:{PASSWORD}@db/fleet",
        "FLEETMEM_TOKEN": PASSWORD,
        "FLEETMEM_POOL_SIZE": "7",
    }
    told = config.child_environment(config.load(owners))
    assert PASSWORD not in str({name: value for name, value in told.items() if name.startswith("FLEETMEM_")})
    assert told["FLEETMEM_POOL_SIZE"] == "7"
    inherited = {name: value for name, value in told.items() if name.startswith("FLEETMEM_")}
    assert config.load(inherited).pool_size == 7
