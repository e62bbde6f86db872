"""Settings: the only module that reads the environment.

Each field of `Settings` carries its variable, its default and what it means; docs/configuration.md is held to them by
a test. An unusable value is a `ConfigInvalid` that names the variable; a `FLEETMEM_` variable that nothing reads is one
too, because a misspelt setting would otherwise fall back to its default in silence.
"""

# ruff: noqa: RUF009 -- `_setting` returns a dataclass field

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final

from fleetmem.errors import ConfigInvalid

PREFIX: Final = "FLEETMEM_"
# Read by the tests and the benchmark alone; known here so that they are not taken for misspellings.
_ELSEWHERE: Final = ("FLEETMEM_TEST_", "FLEETMEM_BENCH_")


def _text(raw: str) -> str:
    return raw


def _path(raw: str) -> Path:
    return Path(raw).expanduser().absolute()


def _integer(*, low: int, high: int) -> Callable[[str], int]:
    def read(raw: str) -> int:
        if not (raw.isascii() and raw.isdigit() and low <= int(raw) <= high):
            raise ValueError(f"must be a whole number from {low} to {high}")
        return int(raw)

    return read


def _seconds(*, high: float) -> Callable[[str], float]:
    def read(raw: str) -> float:
        message = f"must be a number of seconds above 0, at most {high:g}"
        try:
            value = float(raw)
        except ValueError as error:
            raise ValueError(message) from error
        if not 0 < value <= high:
            raise ValueError(message)
        return value

    return read


def _one_of(*choices: str) -> Callable[[str], str]:
    def read(raw: str) -> str:
        if raw not in choices:
            raise ValueError("must be one of " + ", ".join(choices))
        return raw

    return read


def _url(*schemes: str) -> Callable[[str], str]:
    def read(raw: str) -> str:
        if not raw.startswith(tuple(f"{scheme}://" for scheme in schemes)):
            # The value itself is never repeated: it may hold a password.
            raise ValueError("must be a URL that starts with " + " or ".join(f"{scheme}://" for scheme in schemes))
        return raw.rstrip("/")

    return read


_port = _integer(low=1, high=65_535)
_postgres = _url("postgresql", "postgres")


def _setting(name: str, read: Callable[[str], object], doc: str, default: str | None = None, **extra: Any) -> Any:
    """Declare one setting: `default` is written as the environment would write it; None means unset."""
    metadata = {"variable": PREFIX + name, "read": read, "doc": doc, "default": default}
    return field(default=None if default is None else read(default), metadata=metadata, **extra)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What one process was told. Fields that may hold a secret are left out of its `repr`."""

    home: Path = _setting("HOME", _path, "The data directory, mode 0700.", ".fleetmem")
    roster: Path = _setting(
        "ROSTER", _path, "The roster that `fleetmem roster sync` and `fleetmem up` read.", "roster.yaml"
    )
    workspaces: Path = _setting(
        "WORKSPACES", _path, "The folder that holds one workspace per agent, by the roster's `workspace`.", "workspaces"
    )
    database_url: str | None = _setting(
        "DATABASE_URL",
        _postgres,
        "The owner's connection to a Postgres server of your own; unset, an embedded one is started.",
        repr=False,
    )
    pg_bin: Path | None = _setting(
        "PG_BIN", _path, "A folder with `pg_ctl` and `postgres` to run instead of the embedded ones."
    )
    gateway_host: str = _setting("GATEWAY_HOST", _text, "The address the agents' gateway listens on.", "127.0.0.1")
    gateway_port: int = _setting("GATEWAY_PORT", _port, "The port of the agents' gateway.", "8420")
    gateway_workers: int = _setting(
        "GATEWAY_WORKERS", _integer(low=1, high=64), "Processes of the agents' gateway.", "1"
    )
    console_host: str = _setting("CONSOLE_HOST", _text, "The address the operators' console listens on.", "127.0.0.1")
    console_port: int = _setting("CONSOLE_PORT", _port, "The port of the operators' console.", "8421")
    service_database_url: str | None = _setting(
        "SERVICE_DATABASE_URL",
        _postgres,
        "The database of a gateway or console process; its user and password are ignored, since a process may use only"
        " its own login. Unset: `run/database.json` of the data directory.",
        repr=False,
    )
    service_password_file: Path | None = _setting(
        "SERVICE_PASSWORD_FILE",
        _path,
        "The file with the password of the process's login. Unset: `secrets/<login>/password` of the data directory.",
    )
    service_key_file: Path | None = _setting(
        "SERVICE_KEY_FILE",
        _path,
        "The signing key of the gateway, or the folder with the console's `operator.json` and `auditor.json`. Unset:"
        " `secrets/gateway/key.json` and `secrets/console` of the data directory.",
    )
    pool_size: int = _setting("POOL_SIZE", _integer(low=1, high=500), "Database connections of one process.", "10")
    pool_wait_s: float = _setting(
        "POOL_WAIT_S", _seconds(high=60), "How long a request waits for a database connection before it is a 503.", "2"
    )
    pooler: str = _setting(
        "POOLER",
        _one_of("none", "transaction", "prepared"),
        "What FLEETMEM_SERVICE_DATABASE_URL leads to: `none`, a server itself; `transaction`, a pooler in transaction mode;"
        " `prepared`, one that also follows prepared statements (PgBouncer from 1.21 with `max_prepared_statements`).",
        "none",
    )
    read_url: str | None = _setting(
        "READ_URL",
        _postgres,
        "A hot standby of the database, which then answers the gateway's reads; its user and password are ignored.",
        repr=False,
    )
    read_lag_s: float = _setting(
        "READ_LAG_S",
        _seconds(high=300),
        "How old what the standby holds may be, in seconds; where that is not certain the primary is read.",
        "5",
    )
    body_limit_bytes: int = _setting(
        "BODY_LIMIT_BYTES",
        _integer(low=1_024, high=10_485_760),
        "The longest request body; above it, 413. A team's texts may be four times as long, a batch of spans sixteen.",
        "65536",
    )
    body_wait_s: float = _setting(
        "BODY_WAIT_S", _seconds(high=600), "How long a request's body may take to arrive before it is a 400.", "10"
    )
    segment_idle_s: float = _setting(
        "SEGMENT_IDLE_S",
        _seconds(high=604_800),
        "A team's thread of work ends when nothing happened in it for so many seconds.",
        "1800",
    )
    worker_jobs: int = _setting("WORKER_JOBS", _integer(low=1, high=64), "Jobs that one worker does at a time.", "4")
    worker_stalled_s: float = _setting(
        "WORKER_STALLED_S",
        _seconds(high=3600),
        "Without a sign of life for so long a worker counts as dead, and its jobs are done by another.",
        "30",
    )
    worker_metrics_port: int = _setting(
        "WORKER_METRICS_PORT",
        _integer(low=0, high=65_535),
        "The port of 127.0.0.1 on which a worker answers Prometheus; 0 answers nobody.",
        "0",
    )
    extractor: str = _setting(
        "EXTRACTOR",
        _one_of("openai", "rules", "off"),
        "What distils notes: `openai`, a model at an endpoint; `rules`, sentences that lay something down; `off`, nothing: segments wait until it is on.",
        "rules",
    )
    extractor_url: str = _setting(
        "EXTRACTOR_URL",
        _url("https", "http"),
        "The endpoint of `openai`: any that speaks OpenAI's chat completions, up to and with its `/v1`.",
        "https://api.openai.com/v1",
    )
    extractor_model: str | None = _setting("EXTRACTOR_MODEL", _text, "The model that `openai` asks for.")
    extractor_key_file: Path | None = _setting(
        "EXTRACTOR_KEY_FILE", _path, "A file that holds the endpoint's key. Unset: none is sent."
    )
    extractor_timeout_s: float = _setting(
        "EXTRACTOR_TIMEOUT_S", _seconds(high=3_600), "How long one segment may take, all attempts together.", "120"
    )
    extractor_max_tokens: int = _setting(
        "EXTRACTOR_MAX_TOKENS", _integer(low=256, high=131_072), "How many tokens one answer may have.", "4096"
    )
    extractor_format: str = _setting(
        "EXTRACTOR_FORMAT",
        _one_of("json_schema", "json_object", "text"),
        "How the endpoint is told to answer in JSON: by a schema, or what it knows where it knows no schema.",
        "json_schema",
    )
    rate_per_s: int = _setting(
        "RATE_PER_S",
        _integer(low=0, high=100_000),
        "Requests a second one agent may send in the long run; 0 turns it off.",
        "100",
    )
    rate_burst: int = _setting(
        "RATE_BURST", _integer(low=1, high=100_000), "Requests one agent may send at once after a pause.", "200"
    )
    log_format: str = _setting(
        "LOG_FORMAT", _one_of("json", "text"), "How log lines are written: json or text.", "json"
    )
    log_level: str = _setting(
        "LOG_LEVEL", _one_of("debug", "info", "warning", "error"), "The least severe log line that is written.", "info"
    )
    recognizer: str = _setting(
        "RECOGNIZER",
        _one_of("sbert", "openai", "fake", "off"),
        "What tells whom a memory is for: `sbert`, a model on this machine; `openai`, an embeddings endpoint; `off`. It is"
        " never replaced by another in silence; `fake` is for tests.",
        "sbert",
    )
    recognizer_path: Path | None = _setting(
        "RECOGNIZER_PATH",
        _path,
        "A folder with a sentence-transformers model, for `sbert`. Unset: that of the installed package.",
    )
    recognizer_threads: int = _setting(
        "RECOGNIZER_THREADS",
        _integer(low=1, high=256),
        "Processors that `sbert` computes on. More than one pays only where they are idle.",
        "1",
    )
    recognizer_url: str | None = _setting(
        "RECOGNIZER_URL", _url("http", "https"), "The base address of the embeddings endpoint, for `openai`."
    )
    recognizer_model: str | None = _setting(
        "RECOGNIZER_MODEL", _text, "The model that the endpoint is asked for, for `openai`."
    )
    recognizer_key_file: Path | None = _setting(
        "RECOGNIZER_KEY_FILE", _path, "A file with the endpoint's key. Unset: none is sent that means anything."
    )
    recognizer_wait_s: float = _setting(
        "RECOGNIZER_WAIT_S", _seconds(high=600), "How long one answer of the endpoint may take.", "30"
    )
    url: str = _setting("URL", _url("http", "https"), "The gateway a client speaks to.", "http://127.0.0.1:8420")
    console_url: str = _setting(
        "CONSOLE_URL",
        _url("http", "https"),
        "The console that the commands of operators and auditors speak to.",
        "http://127.0.0.1:8421",
    )
    token: str | None = _setting("TOKEN", _text, "A client's bearer token; prefer the file.", repr=False)
    token_file: Path | None = _setting("TOKEN_FILE", _path, "A file that holds a client's bearer token.")


def load(environ: Mapping[str, str] | None = None) -> Settings:
    """Read the settings from `environ`, or from the process's own environment where it is None.

    An empty value counts as unset, as compose files write it. Relative paths are taken from the current folder.

    Raises:
        ConfigInvalid: a value is unusable, or a `FLEETMEM_` variable is none of ours.
    """
    source = os.environ if environ is None else environ
    known = {each.metadata["variable"]: each for each in fields(Settings)}
    for variable in source:
        if variable.startswith(PREFIX) and variable not in known and not variable.startswith(_ELSEWHERE):
            raise ConfigInvalid(f"{variable} is not a setting of fleetmem", field=variable, rule="unknown")
    written = {variable: source.get(variable) or each.metadata["default"] for variable, each in known.items()}
    return Settings(
        **{
            each.name: _value(each.metadata["read"], variable, written[variable])
            for variable, each in known.items()
            if written[variable] is not None
        }
    )


# Not a service's: our own settings are told one by one, and libpq's variables are the owner's way to the server. Those of
# TLS (PGSSLROOTCERT and its like) hold no secret and stay.
_OWNERS: Final = (PREFIX, "PGHOST", "PGPORT", "PGUSER", "PGPASS", "PGDATABASE", "PGSERVICE", "PGOPTIONS", "PGAPPNAME")


def child_environment(settings: Settings) -> dict[str, str]:
    """Return the environment of a service that runs under `settings`: ours, without what only the owner may hold."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(_OWNERS)}
    withheld = ("database_url", "token", "token_file")
    told = {
        each.metadata["variable"]: getattr(settings, each.name)
        for each in fields(Settings)
        if each.name not in withheld
    }
    return inherited | {variable: str(value) for variable, value in told.items() if value is not None}


def stay_offline() -> None:
    """Tell the libraries that load models, before they are imported, that nothing is ever downloaded.

    Torch makes the folder of its compiler's cache when it is imported; in the user's own, not where every user writes.
    """
    os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1")
    os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(cache_folder() / "torch"))


def is_a_test() -> bool:
    """Tell whether pytest runs this process, or one above it."""
    return "PYTEST_VERSION" in os.environ


def program_path() -> str:
    """Where programs are looked for: PATH, or the system's own default."""
    return os.environ.get("PATH") or os.defpath


def cache_folder() -> Path:
    """The user's folder for what can be fetched again."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fleetmem"


def _value(read: Callable[[str], object], variable: str, raw: str) -> Any:
    try:
        return read(raw)
    except ValueError as error:
        raise ConfigInvalid(f"{variable} {error}", field=variable, rule="value") from error


def declared() -> tuple[tuple[str, str | None, str], ...]:
    """Return (variable, default as written, meaning) of every setting, for the documentation and its test."""
    return tuple(
        (each.metadata["variable"], each.metadata["default"], each.metadata["doc"]) for each in fields(Settings)
    )
