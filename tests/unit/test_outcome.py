"""Exit codes: every class of the error tree ends in one of the documented ones, with one line on standard error."""

import re

import psycopg
import pytest

from fleetmem import errors
from fleetmem.cli import outcome
from fleetmem.cli.outcome import Exit

EXPECTED = {
    errors.FleetmemError: Exit.FAILED,
    errors.RequestInvalid: Exit.FAILED,
    errors.SecretInBody: Exit.FAILED,
    errors.Unauthenticated: Exit.UNAUTHENTICATED,
    errors.TokenInvalid: Exit.UNAUTHENTICATED,
    errors.Forbidden: Exit.FAILED,
    errors.AudienceNotWritable: Exit.FAILED,
    errors.Absent: Exit.ABSENT,
    errors.RouteAbsent: Exit.ABSENT,
    errors.Conflict: Exit.CONFLICT,
    errors.TransitionRefused: Exit.CONFLICT,
    errors.BeatEnded: Exit.CONFLICT,
    errors.IdempotencyConflict: Exit.CONFLICT,
    errors.Unavailable: Exit.UNAVAILABLE,
    errors.RateLimited: Exit.UNAVAILABLE,
    errors.Internal: Exit.FAILED,
    errors.SetupInvalid: Exit.CONFIGURATION,
    errors.ConfigInvalid: Exit.CONFIGURATION,
    errors.RosterInvalid: Exit.CONFIGURATION,
}


def raising(error: BaseException) -> int:
    def command() -> None:
        raise error

    return outcome.run(command)


@pytest.mark.parametrize(("kind", "code"), EXPECTED.items())
def test_each_error_ends_in_its_exit_code(
    kind: type[errors.FleetmemError], code: Exit, capsys: pytest.CaptureFixture[str]
) -> None:
    assert raising(kind("What was wrong")) == code
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("fleetmem: What was wrong.")
    assert said.err.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (KeyError("secret value"), Exit.FAILED, "KeyError at test_outcome.py"),
        (PermissionError(13, "Permission denied", "/srv/x"), Exit.FAILED, "/srv/x: Permission denied"),
        (psycopg.OperationalError("connection refused"), Exit.UNAVAILABLE, "does not answer"),
        (psycopg.errors.UndefinedTable("no relation"), Exit.CONFIGURATION, "fleetmem db migrate"),
        (psycopg.errors.InsufficientPrivilege("denied"), Exit.CONFIGURATION, "FLEETMEM_DATABASE_URL"),
        (KeyboardInterrupt(), Exit.INTERRUPTED, ""),
        (BrokenPipeError(), Exit.DONE, ""),
    ],
    ids=lambda value: type(value).__name__,
)
def test_no_failure_ends_in_a_traceback(
    error: BaseException, code: Exit, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with capsys.disabled():
        pass
    assert raising(error) == code
    said = capsys.readouterr().err
    assert sentence in said
    assert "Traceback" not in said
    assert "secret value" not in said


def test_an_error_cannot_draw_on_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    raising(errors.FleetmemError("\x1b[2J"))
    assert "\x1b" not in capsys.readouterr().err


def test_every_exit_code_is_documented_where_a_person_looks() -> None:
    listed = {int(number) for number in re.findall(r"^    (\d+) ", outcome.__doc__ or "", flags=re.MULTILINE)}
    assert listed == {code.value for code in Exit}
