"""The catalogue as data: everything in it is well formed, and nothing in it could pass because everything is broken."""

import re
from collections import Counter
from collections.abc import Iterator

import psycopg
import pytest

from fleetmem.admin.prove import cast, wire
from fleetmem.admin.prove.case import Allowed, Case, Group
from fleetmem.admin.prove.catalogue import GROUPS, disarming
from fleetmem.admin.prove.client import acts, tables
from fleetmem.admin.prove.forgery import FORGERIES
from fleetmem.admin.prove.purse import _FORGED
from fleetmem.admin.prove.records import BEATS, HANDOFFS, MESSAGES
from fleetmem.admin.prove.report.totals import SECTIONS
from fleetmem.admin.prove.scenarios import SCENARIOS
from fleetmem.admin.prove.scene import DAY
from fleetmem.admin.prove.shapes import Reach, household, recast
from tests.clusters import Cluster
from tests.databases import Databases

PLACE = re.compile(r"<([a-z][a-z0-9_]*)>")
KNOWN = (
    {player.name for player in cast.PLAYERS}
    | set(cast.AUDIENCES)
    | {beat.id for beat in BEATS}
    | {handoff.id for handoff in HANDOFFS}
    | {message.id for message in MESSAGES}
    | set(cast.TEAMS)
    | {"absent", "agent"}
)
SCENE = {step.makes for step in DAY if step.makes} | {"crew", "pair", "closed"}
# A syntax error, and a table, column, function or object that is not there.
MALFORMED = frozenset({"42601", "42P01", "42703", "42883", "42704"})
# How many there were of each letter when it was written: none may shrink.
AT_LEAST = {
    "A": 66,
    "B": 8,
    "C": 54,
    "D": 23,
    "E": 24,
    "F": 32,
    "G": 18,
    "H": 14,
    "I": 8,
    "J": 3,
    "L": 60,
    "N": 80,
    "O": 130,
    "Q": 110,
}


def every() -> Iterator[tuple[Group, Case]]:
    for group in GROUPS:
        for case in (*group.controls, *group.cases):
            yield group, case


def test_every_case_has_an_id_of_its_own() -> None:
    ids = [case.id for _, case in every()] + [scenario.id for scenario in SCENARIOS]
    ids += [act.id for act in acts.ACTS] + [forged.id for forged in (*wire.AT_THE_GATEWAY, *wire.AT_THE_CONSOLE)]
    assert [each for each, count in Counter(ids).items() if count > 1] == []


def test_every_refusal_has_a_control_beside_it_or_in_its_group() -> None:
    lone = [case.id for group, case in every() if not group.controls and case.control is None and not case.limit]
    assert [each for each in lone if not each.startswith("B6")] == []
    for group in GROUPS:
        assert group.controls or any(case.control for case in group.cases), group.title


def test_every_placeholder_is_something_on_the_stage() -> None:
    for group, case in every():
        known = KNOWN | SCENE if group.in_scene else KNOWN
        statements = (case.statement, (case.control.statement or "") if case.control else "")
        for place in PLACE.findall(" ".join(statements)):
            assert place in known or place.partition("_")[0] in {"digest", "head", "token"}, (case.id, place)


def test_every_claim_is_somebodys_or_a_forgery() -> None:
    people = {player.name for player in cast.PLAYERS}
    for _, case in every():
        assert case.who.claim is None or case.who.claim in people | set(_FORGED), case.id


def test_every_limit_says_what_bounds_it() -> None:
    for _, case in every():
        assert isinstance(case.expects, Allowed) == bool(case.limit), case.id


def test_every_section_is_named_in_the_report() -> None:
    assert {group.letter for group in GROUPS} <= set(SECTIONS)


@pytest.mark.parametrize(("letter", "count"), AT_LEAST.items())
def test_no_section_is_smaller_than_the_catalogue_that_it_grew_from(letter: str, count: int) -> None:
    assert sum(len(group.cases) for group in GROUPS if group.letter == letter) >= count


def test_forgeries_differ_in_name_and_in_reason() -> None:
    assert len({forgery.name for forgery in FORGERIES}) == len({forgery.why for forgery in FORGERIES}) == len(FORGERIES)


def test_what_agents_are_refused_the_owner_could_do(pg_server: Cluster, databases: Databases) -> None:
    """Every statement that would disarm the fence is one that works: it is refused for who sends it."""
    place = databases.fresh(pg_server)
    group = next(group for group in disarming.GROUPS if group.title == "Disarming, as an agent")
    with psycopg.connect(**place.psycopg(), autocommit=True) as owner:
        refused = [case.statement for case in group.cases if not _is_within_the_owners_reach(owner, case)]
    assert refused == []


def _is_within_the_owners_reach(owner: psycopg.Connection[tuple[object, ...]], case: Case) -> bool:
    """Send it as the owner and undo it: done, or stopped further on than by permission, or by a trigger that stops all."""
    try:
        with owner.transaction(force_rollback=True):
            owner.execute(case.statement.replace("<zoe>", "'zoe'").encode())
    except psycopg.errors.InsufficientPrivilege as error:
        return "is never allowed" in str(error)
    except psycopg.Error as error:
        return error.sqlstate not in MALFORMED
    return True


def test_the_shape_of_a_roster_keeps_every_kind_of_reach() -> None:
    shape = recast(household())
    assert len(shape.readers) == len({(agent.reads, agent.writes) for agent in household()})
    for like in shape.readers:
        agent = next(agent for agent in household() if agent.name == like.of)
        called = {audience.name: audience.of for audience in shape.audiences}
        assert {called[name] for name in shape.player(like.name).reads} == agent.reads
        assert {called[name] for name in shape.player(like.name).writes} == agent.writes


def test_six_hundred_agents_of_two_kinds_are_proved_by_two() -> None:
    wide, none = frozenset({"open"}), frozenset[str]()
    shape = recast(Reach(f"agent-{number}", wide if number % 2 else none, wide) for number in range(600))
    assert len(shape.readers) == 2


def test_the_tables_of_the_household_hold_more_than_sixty_refusals() -> None:
    shape = recast(household())
    cells = [
        verb.denied
        for verb in tables.VERBS
        for reader in shape.readers
        for audience in shape.audiences
        if audience.name not in getattr(shape.player(reader.name), verb.needs)
    ]
    assert len(cells) > 60
