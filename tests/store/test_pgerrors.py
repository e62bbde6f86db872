"""What the database refuses reaches a caller as the right error, and what nobody foresaw as no detail at all."""

import asyncpg
import psycopg
import pytest

from fleetmem import errors
from fleetmem.store import pgerrors
from tests.store.door import Door


def refusal(state: str, message: str = "", constraint: str | None = None) -> asyncpg.PostgresError:
    fields = {"C": state, "M": message, "S": "ERROR"} | ({"n": constraint} if constraint else {})
    error: asyncpg.PostgresError = asyncpg.PostgresError.new(fields)
    return error


@pytest.mark.parametrize(
    ("state", "message", "expected"),
    [
        ("28000", "fence: no valid claim", errors.TokenInvalid),
        ("42501", 'new row violates row-level security policy for table "beat"', errors.AudienceNotWritable),
        ("42501", "permission denied for table beat", errors.Forbidden),
        ("42501", "record.not_yours", errors.Forbidden),
        ("P0002", "record.absent", errors.Absent),
        ("FM409", "idempotency.conflict", errors.IdempotencyConflict),
        ("23514", "handoff.transition", errors.TransitionRefused),
        ("23514", "handoff.recipient", errors.RecipientUnknown),
        ("23514", "beat.ended", errors.BeatEnded),
        ("40001", "could not serialize access", errors.Unavailable),
        ("40P01", "deadlock detected", errors.Unavailable),
        ("53300", "too many connections", errors.Unavailable),
        ("57014", "canceling statement due to statement timeout", errors.Unavailable),
        ("57P01", "terminating connection due to administrator command", errors.Unavailable),
        ("57P03", "the database system is starting up", errors.Unavailable),
        ("08006", "connection failure", errors.Unavailable),
        ("25006", "cannot execute INSERT in a read-only transaction", errors.Unavailable),
        ("55P03", "canceling statement due to lock timeout", errors.Unavailable),
        ("42P01", 'relation "fleet.beat" does not exist', errors.Internal),
        ("23503", 'Key (audience)=(x) is not present in table "audience".', errors.Internal),
        ("XX000", "cache lookup failed", errors.Internal),
    ],
)
def test_a_state_becomes_an_error_of_the_tree(state: str, message: str, expected: type[errors.FleetmemError]) -> None:
    translated = pgerrors.translate(refusal(state, message))
    assert type(translated) is expected
    assert message not in translated.detail


@pytest.mark.parametrize("failure", [OSError(), ConnectionRefusedError(), TimeoutError(), asyncpg.InterfaceError("x")])
def test_a_lost_connection_means_try_again(failure: BaseException) -> None:
    translated = pgerrors.translate(failure)
    assert type(translated) is errors.Unavailable
    assert translated.retry_after_s == 1


def test_a_broken_check_names_its_field() -> None:
    translated = pgerrors.translate(refusal("23514", "violates check", "beat_expires_range"))
    assert (type(translated), translated.field, translated.rule) == (errors.RequestInvalid, "expires_at", "range")


def test_only_a_race_for_a_key_is_sent_again() -> None:
    assert pgerrors.is_contention(refusal("23505", "duplicate key", "idempotency_pkey"))
    assert not pgerrors.is_contention(refusal("23505", "duplicate key", "principal_pkey"))
    assert not pgerrors.is_contention(refusal("42501"))


def test_every_constraint_named_here_exists_in_the_database(door: Door) -> None:
    with psycopg.connect(**door.database.psycopg()) as owner:
        made = {name for (name,) in owner.execute("select conname from pg_constraint").fetchall()}
        raised = "\n".join(body for (body,) in owner.execute("select prosrc from pg_proc").fetchall() if body)
        indexes = {name for (name,) in owner.execute("select indexname from pg_indexes").fetchall()}
    unknown = {name for name in pgerrors.FIELD_RULES if name not in made and f"constraint = '{name}'" not in raised}
    assert unknown == set()
    assert indexes >= pgerrors.RACES
