"""Credentials that are replaced, ended and given back under a gateway that is asked all the while.

What is promised: no request with a good credential fails, and none with an ended one succeeds that was sent after the
command returned. The second is measured against the moment the database itself recorded.
"""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from fleetmem.admin import up
from fleetmem.admin.up import Fleet
from fleetmem.client import AsyncFleetClient
from fleetmem.config import Settings
from tests.measured import Measured
from tests.process.hammer import Hammer, now_s, swinging, until

PROGRAM = Path(sys.executable).parent / "fleetmem"
ROSTER = Path(__file__).parents[2] / "roster.yaml"


@pytest.fixture(scope="module")
def fleet() -> Iterator[Fleet]:
    with up.throw_away(Settings(roster=ROSTER, rate_per_s=0, gateway_workers=2)) as running:
        yield running


async def command(fleet: Fleet, *words: str) -> str:
    """Run one of the owner's commands, as an owner would, and return what it said."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("FLEETMEM_")}  # noqa: TID251 -- a child's
    told = {"FLEETMEM_HOME": str(fleet.settings.home), "FLEETMEM_ROSTER": str(ROSTER)}
    process = await asyncio.create_subprocess_exec(PROGRAM, *words, env=inherited | told, stdout=PIPE, stderr=PIPE)
    said, complaint = await process.communicate()
    assert process.returncode == 0, complaint
    return said.decode()


def one(fleet: Fleet, statement: str, *values: object) -> float:
    with psycopg.connect(**fleet.owner) as connection:
        row = connection.execute(statement, values).fetchone()
    assert row is not None
    return float(row[0])


def holding(fleet: Fleet, name: str) -> Hammer:
    """Somebody who read the token once and keeps it."""
    token = fleet.token(name)
    return Hammer(name, lambda: token)


def rereading(fleet: Fleet, name: str) -> Hammer:
    """Somebody who reads the token's file for each request."""
    return Hammer(name, lambda: fleet.token(name))


def ended(hammer: Hammer, *, since_s: float, returned_s: float) -> str:
    """See that nothing sent after the command returned was answered, and say how long after the decision anything was."""
    late = [each for each in hammer.sent_after(returned_s) if each.is_good]
    assert late == []
    assert {(each.status, each.code) for each in hammer.bad()} == {(401, "auth.invalid")}
    assert len(hammer.sent_after(returned_s)) > 3
    sent_last = max((each.sent_s for each in hammer.good()), default=since_s)
    refused_first = min(each.answered_s for each in hammer.bad())
    return (
        f"{len(hammer.good())} answered before, {len(hammer.bad())} refused after;"
        f" the last good one left {1000 * (sent_last - since_s):+.0f} ms from the recorded moment,"
        f" the first refusal came {1000 * (refused_first - since_s):+.0f} ms from it"
    )


def test_a_key_rotation_fails_no_request(fleet: Fleet, measured: Measured) -> None:
    async def rotate() -> list[Hammer]:
        hammers = [holding(fleet, name) for name in ("facilities", "health", "finance")]
        async with swinging(fleet.agents.url, *hammers):
            said = await command(fleet, "key", "rotate", "agent")
            assert "the old key ends" in said
            await asyncio.sleep(0.5)
            # As when one leaked: its successor is signed with before it ends.
            assert "ends in two seconds" in await command(fleet, "key", "rotate", "agent", "--now")
            await asyncio.sleep(2.1)
            rotated_s = now_s()
            await until(lambda: all(len(each.sent_after(rotated_s)) > 10 for each in hammers))
        return hammers

    hammers = asyncio.run(rotate())
    assert [each.bad() for each in hammers] == [[], [], []]
    live = "select count(*) from vault.signing_key where rol = 'agent' and not_after > clock_timestamp()"
    assert one(fleet, live) == 1
    measured(f"key rotate, twice: {sum(len(each.answers) for each in hammers)} requests, none failed")


def test_a_token_rotates_with_an_overlap_in_which_both_are_valid(fleet: Fleet, measured: Measured) -> None:
    async def rotate() -> tuple[Hammer, Hammer, Hammer, float]:
        old, new, other = holding(fleet, "health"), rereading(fleet, "health"), holding(fleet, "finance")
        async with swinging(fleet.agents.url, old, new, other):
            assert "ends" in await command(fleet, "token", "rotate", "health", "--overlap", "2s")
            await until(lambda: len(old.bad()) > 5)
        ends_s = one(
            fleet,
            "select extract(epoch from expires_at) from vault.bearer where principal = 'health' and isfinite(expires_at)",
        )
        return old, new, other, ends_s

    old, new, other, ends_s = asyncio.run(rotate())
    measured(f"token rotate --overlap 2s: {ended(old, since_s=ends_s, returned_s=ends_s)}")
    assert min(each.answered_s for each in old.bad()) >= ends_s
    assert new.bad() == other.bad() == []
    since_s = one(fleet, "select extract(epoch from max(created_at)) from vault.bearer where principal = 'health'")
    for hammer in (old, new):
        assert any(since_s < each.sent_s < ends_s for each in hammer.good())


def test_a_token_that_is_revoked_ends_at_the_next_statement(fleet: Fleet, measured: Measured) -> None:
    async def revoke() -> tuple[Hammer, Hammer, float]:
        hit, other = holding(fleet, "security"), holding(fleet, "finance")
        async with swinging(fleet.agents.url, hit, other):
            said = await command(fleet, "token", "rotate", "security")
            returned_s = now_s()
            assert "has ended" in said
            await until(lambda: len(hit.sent_after(returned_s)) > 20)
        return hit, other, returned_s

    hit, other, returned_s = asyncio.run(revoke())
    since_s = one(fleet, "select extract(epoch from max(revoked_at)) from vault.bearer where principal = 'security'")
    measured(f"token rotate, at once: {ended(hit, since_s=since_s, returned_s=returned_s)}")
    assert other.bad() == []


def test_a_client_with_a_token_file_goes_on_through_every_rotation(fleet: Fleet, measured: Measured) -> None:
    async def rotate() -> int:
        path, asked = fleet.settings.home / "tokens" / "finance.token", 0
        async with AsyncFleetClient(fleet.agents.url, token_file=path) as client:
            rotating = asyncio.create_task(command(fleet, "token", "rotate", "finance"))
            while not rotating.done() or asked < 10:
                await client.publish("rotation", f"{asked}", audience="finance")
                asked += 1
            await client.publish("rotation", "afterwards", audience="finance")
            assert "has ended" in await rotating
        return asked

    measured(f"token rotate, at once: {asyncio.run(rotate())} writes of a client that reads its file, none failed")


def test_all_tokens_of_an_agent_end_together_and_the_next_one_is_valid(fleet: Fleet, measured: Measured) -> None:
    async def revoke() -> tuple[list[Hammer], Hammer, float]:
        first = fleet.token("administration")
        second = (await command(fleet, "token", "issue", "administration", "--print")).strip()
        hit = [Hammer("administration", lambda: first), Hammer("administration", lambda: second)]
        other = holding(fleet, "facilities")
        async with swinging(fleet.agents.url, *hit, other):
            assert "2 were live" in await command(fleet, "token", "revoke-all", "administration")
            returned_s = now_s()
            await until(lambda: all(len(each.sent_after(returned_s)) > 10 for each in hit))
        return hit, other, returned_s

    hit, other, returned_s = asyncio.run(revoke())
    since_s = one(fleet, "select extract(epoch from tokens_from) from fleet.principal where name = 'administration'")
    for each in hit:
        measured(f"token revoke-all: {ended(each, since_s=since_s, returned_s=returned_s)}")
    assert other.bad() == []

    async def begin_anew() -> Hammer:
        await command(fleet, "token", "rotate", "administration")
        back = holding(fleet, "administration")
        async with swinging(fleet.agents.url, back):
            pass
        return back

    assert asyncio.run(begin_anew()).bad() == []


def test_an_agent_is_deactivated_at_the_next_statement_and_back_within_two_seconds(
    fleet: Fleet, measured: Measured
) -> None:
    async def suspend() -> Hammer:
        hit, other = holding(fleet, "maintenance"), holding(fleet, "facilities")
        async with swinging(fleet.agents.url, hit, other):
            assert "is refused from now on" in await command(fleet, "agent", "deactivate", "maintenance")
            returned_s = now_s()
            since_s = one(
                fleet, "select extract(epoch from suspended_at) from fleet.principal where name = 'maintenance'"
            )
            assert "was refused already" in await command(fleet, "agent", "deactivate", "maintenance")
            await until(lambda: len(hit.sent_after(returned_s)) > 20)
            out = Hammer("maintenance", hit.token, list(hit.answers))
            assert "is let in again, with one token" in await command(fleet, "agent", "reactivate", "maintenance")
            back_s = now_s()
            await until(lambda: any(each.is_good for each in hit.sent_after(back_s)))
            served_s = min(each.answered_s for each in hit.sent_after(back_s) if each.is_good)
            assert "was not deactivated" in await command(fleet, "agent", "reactivate", "maintenance")
            # With both workers' memory of the refusal gone, nothing fails any more.
            await asyncio.sleep(max(0, back_s + 2.2 - now_s()))
            settled_s = now_s()
            await until(lambda: len(hit.sent_after(settled_s)) > 10)
            assert all(each.is_good for each in hit.sent_after(settled_s))
        measured(f"agent deactivate: {ended(out, since_s=since_s, returned_s=returned_s)}")
        measured(f"agent reactivate: served {1000 * (served_s - back_s):.0f} ms after the command returned")
        return other

    assert asyncio.run(suspend()).bad() == []
