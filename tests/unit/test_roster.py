"""The roster file: what it declares, and how each mistake is told with its place."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleetmem.errors import RosterInvalid
from fleetmem.fleet import roster
from fleetmem.fleet.agent import Rol, Target
from fleetmem.fleet.document import LARGEST_BYTES
from fleetmem.fleet.team import CAREFUL, MemoryRule, OnNarrowing, Team

SHIPPED = Path(__file__).parents[2] / "roster.yaml"
AGENT = """
  - name: {name}
    description: Does something.
    reads: [open]
    writes: [open]"""


CREW = """audiences: [open, finance, client]
agents:
  - {name: scout, description: Looks., reads: [open], writes: [open]}
  - {name: guide, description: Leads., reads: [], writes: [finance]}
"""


def with_team(**fields: str) -> str:
    """Return a roster with one team on line 6, whose fields are replaced by the given ones and left out where empty."""
    team = {"name": "crew", "description": "Walks.", "members": "[scout, guide]", "audiences": "[open]"} | fields
    return CREW + "teams:\n  - {" + ", ".join(f"{key}: {value}" for key, value in team.items() if value) + "}\n"


def refusal(source: str | bytes) -> RosterInvalid:
    with pytest.raises(RosterInvalid) as caught:
        roster.parse(source.encode() if isinstance(source, str) else source)
    return caught.value


def with_agents(*names: str, audiences: str = "[open]") -> str:
    return f"audiences: {audiences}\nagents:" + "".join(AGENT.format(name=name) for name in names) + "\n"


def test_the_shipped_roster_is_the_household_of_six() -> None:
    shipped = roster.parse(SHIPPED.read_bytes())
    reads = {agent.name: set(agent.reads) for agent in shipped.agents}
    writes = {agent.name: set(agent.writes) for agent in shipped.agents}
    assert reads == {
        "administration": {"open", "personal"},
        "facilities": {"open", "personal"},
        "finance": {"open", "finance"},
        "health": {"open", "health"},
        "maintenance": set(),
        "security": {"open", "client"},
    }
    assert writes == {
        "administration": {"open", "personal"},
        "facilities": {"open"},
        "finance": {"open", "finance"},
        "health": {"open", "health"},
        "maintenance": {"open"},
        "security": {"open", "client"},
    }
    assert [person.name for person in shipped.operators] == ["hearth-keeper"]
    assert [person.name for person in shipped.auditors] == ["yearly-review"]
    assert all(agent.instructions and agent.description for agent in shipped.agents)
    assert [(team.name, team.members, team.audiences) for team in shipped.teams] == [
        ("household", ("administration", "facilities", "health"), frozenset({"open", "personal"}))
    ]
    assert shipped.memory == CAREFUL


def test_nothing_but_finance_reads_finance() -> None:
    shipped = roster.parse(SHIPPED.read_bytes())
    assert [agent.name for agent in shipped.agents if "finance" in agent.reads] == ["finance"]


def test_every_name_has_one_role() -> None:
    roles = roster.parse(SHIPPED.read_bytes()).roles()
    assert roles["health"] is Rol.AGENT
    assert roles["hearth-keeper"] is Rol.OPERATOR
    assert roles["yearly-review"] is Rol.AUDITOR


def test_a_workspace_is_named_after_its_agent_unless_said_otherwise() -> None:
    declared = with_agents("scout") + "    workspace: den" + AGENT.format(name="guide")
    assert {agent.name: agent.workspace for agent in roster.parse(declared.encode()).agents} == {
        "scout": "den",
        "guide": "guide",
    }


def test_an_agent_runs_in_codex_unless_said_otherwise() -> None:
    declared = with_agents("scout") + "    target: claude-code" + AGENT.format(name="guide")
    assert {agent.name: agent.target for agent in roster.parse(declared.encode()).agents} == {
        "scout": Target.CLAUDE_CODE,
        "guide": Target.CODEX,
    }


def test_a_team_keeps_the_order_of_its_members_and_takes_one_reviewer_unless_said_otherwise() -> None:
    assert roster.parse(with_team(audiences="[open, finance]").encode()).teams == (
        Team(name="crew", description="Walks.", members=("scout", "guide"), audiences=frozenset({"open", "finance"})),
    )
    assert roster.parse(with_team(two_person="true").encode()).teams[0].two_person


def test_a_team_may_be_called_like_an_agent_and_not_like_another_team() -> None:
    assert roster.parse(with_team(name="scout").encode()).teams[0].name == "scout"
    two = with_team(name="crew") + with_team(name="c-rew").partition("teams:\n")[2]
    assert "line 7, column 12: `c-rew` is too easily read as `crew`, line 6" in refusal(two).detail


def test_only_members_of_a_team_are_members() -> None:
    lonely = with_team().replace("teams:", "  - {name: hermit, description: Stays., reads: [], writes: []}\nteams:")
    assert [agent.name for agent in roster.parse(lonely.encode()).members()] == ["guide", "scout"]


def test_the_rules_of_memory_are_the_careful_ones_unless_said_otherwise() -> None:
    assert roster.parse(CREW.encode()).memory == CAREFUL == MemoryRule()
    told = "memory: {review_all: true, auto_grant: true, least_precision: 0.9, on_narrowing: propose}"
    assert roster.parse((CREW + told).encode()).memory == MemoryRule(
        review_all=True, auto_grant=True, least_precision=0.9, on_narrowing=OnNarrowing.PROPOSE
    )


@pytest.mark.parametrize(
    ("source", "place", "sentence"),
    [
        (with_agents("scout") + "    target: codx\n", "line 7, column 13", "did you mean `codex`?"),
        (with_agents("scout") + "    target: [codex]\n", "line 7, column 13", "must be text, not a list"),
        (with_team(members="[scout]"), "line 6, column 48", "must list 2 to 8 agents, not 1"),
        (with_team(members="scout"), "line 6, column 48", "must be a list"),
        (
            with_team(members="[scout, giude]"),
            "line 6, column 56",
            "is not an agent of this roster; did you mean `guide`?",
        ),
        (with_team(members="[scout, scout]"), "line 6, column 56", "`scout` is listed twice"),
        (with_team(members=""), "line 6, column 5", "`members` is missing"),
        (with_team(name="Crew"), "line 6, column 12", "try `crew`"),
        (with_team(name="everyone"), "line 6, column 12", "is reserved"),
        (with_team(description='""'), "line 6, column 31", "must be one line"),
        (with_team(audiences="[]"), "line 6, column 75", "must list 1 to 16 audiences, not 0"),
        (with_team(audiences="[open, opem]"), "line 6, column 82", "`opem` is not an audience of this roster"),
        (with_team(audiences="[open, client]"), "line 6, column 82", "no member of the team reads or writes `client`"),
        (with_team(audiences="[[open], client]"), "line 6, column 76", "must be text, not a list"),
        (with_team(two_person="yes"), "line 6, column 95", "must be true or false"),
        (with_team(colour="red"), "line 6, column 83", "unknown field `colour`"),
        (CREW + "teams: crew", "line 5, column 8", "must be a list"),
        (CREW + "memory:", "line 5, column 8", "must be a mapping with `review_all`, `auto_grant`"),
        (CREW + "memory: {auto_grants: true}", "line 5, column 10", "did you mean `auto_grant`?"),
        (CREW + "memory: {review_all: 1}", "line 5, column 22", "must be true or false"),
        (CREW + "memory: {on_narrowing: later}", "line 5, column 24", "known: `at_once`, `propose`"),
        (CREW + "memory: {least_precision: 0.49}", "line 5, column 27", "must be a number from 0.5 to 1"),
        (CREW + "memory: {least_precision: 1.1}", "line 5, column 27", "must be a number from 0.5 to 1"),
        (CREW + "memory: {least_precision: .nan}", "line 5, column 27", "must be a number from 0.5 to 1"),
        (CREW + "memory: {least_precision: '0.98'}", "line 5, column 27", "must be a number from 0.5 to 1"),
        (CREW + "memory: {least_precision: 0.98001}", "line 5, column 27", "at most 4 decimals"),
    ],
)
def test_a_mistake_in_a_team_or_a_rule_is_told_with_its_line_and_column(source: str, place: str, sentence: str) -> None:
    told = refusal(source)
    assert any(place in line and sentence in line for line in told.detail.splitlines()), told.detail


def test_a_team_has_at_most_eight_members() -> None:
    names = [f"scout{number}" for number in range(2, 11)]
    team = "teams:\n  - {{name: crew, description: Walks., members: [{}], audiences: [open]}}\n"
    assert len(roster.parse((with_agents(*names) + team.format(", ".join(names[:8]))).encode()).teams[0].members) == 8
    assert "must list 2 to 8 agents, not 9" in refusal(with_agents(*names) + team.format(", ".join(names))).detail


@pytest.mark.parametrize(
    ("source", "place", "sentence"),
    [
        ("", "line 1, column 1", "is empty"),
        ("[]", "line 1, column 1", "must be a mapping"),
        ("audiences: [open]", "line 1, column 1", "`agents` is missing"),
        ("audiences: [open]\nagents: []\ncolour: red", "line 3, column 1", "unknown field `colour`"),
        ("audiences: [open]\nagents: []\naudience: []", "line 3, column 1", "did you mean `audiences`?"),
        ("audiences: [open, open]\nagents: []", "line 1, column 19", "is declared already, line 1"),
        ("audiences: [open, Open]\nagents: []", "line 1, column 19", "too easily read as `open`"),
        ("audiences: open\nagents: []", "line 1, column 12", "must be a list, not a single value"),
        ("audiences: [open, 12]\nagents: []", "line 1, column 19", "put it into quotes"),
        ("audiences: [{name: open, colour: red}]\nagents: []", "line 1, column 26", "unknown field `colour`"),
        ("audiences: []\nagents: [scout]", "line 2, column 10", "must be a mapping with `name`"),
        (with_agents("scout", "scout"), "line 7, column 11", "`scout` is declared already, line 3"),
        (with_agents("john_doe", "john-doe"), "line 7, column 11", "too easily read as `john_doe`, line 3"),
        (with_agents("owner"), "line 3, column 11", "is reserved"),
        (
            with_agents("scout", audiences="[opem]"),
            "line 5, column 13",
            "`open` is not an audience of this roster; did you",
        ),
        (with_agents("scout") + "    reads: [open]\n", "line 7, column 5", "`reads` is given twice"),
        (with_agents("scout") + "    workspace: ../../etc\n", "line 7, column 16", "must be lower-case letters"),
        (with_agents("scout") + "operators: [scout]\n", "line 7, column 13", "is declared already, line 3"),
        (
            "audiences: [open]\nagents:\n  - {name: scout, description: x, writes: []}",
            "line 3, column 5",
            "`reads` is missing",
        ),
        (
            "audiences: [open]\nagents:\n  - {name: scout, description: x, reads: , writes: []}",
            "line 3, column 41",
            "must be a list",
        ),
        (
            "audiences: [open]\nagents:\n  - {name: scout, description: x, reads: [open, open], writes: []}",
            "line 3, column 49",
            "listed twice",
        ),
        (
            'audiences: [open]\nagents:\n  - {name: scout, description: "a\\nb", reads: [], writes: []}',
            "line 3",
            "one line",
        ),
        ("audiences: [open]\nagents: [", "line 2", "cannot be read"),
        ("a: b: c", "line 1, column 5", "cannot be read"),
        ("audiences: &a [open]\nagents: *a", "line 1, column 12", "anchors and aliases"),
        ("audiences: !!python/object:os.system [open]", "line 1, column 12", "tags are not used"),
        ("%YAML 1.1\n---\naudiences: []", "line 2", "directives are not used"),
        ("audiences: []\n---\nagents: []", "line 2", "cannot be read"),
        ("<<: {audiences: []}", "line 1, column 1", "unknown field `<<`"),
        (b"audiences: [open]\nagents: \xff", "line 2", "is not UTF-8"),
        ("audiences: [open]\nagents: \x07", "line 2, column 9", "U+0007"),
    ],
)
def test_a_mistake_is_told_with_its_line_and_column(source: str | bytes, place: str, sentence: str) -> None:
    told = refusal(source)
    assert any(place in line and sentence in line for line in told.detail.splitlines()), told.detail


def test_every_mistake_is_told_at_once_and_in_order() -> None:
    told = refusal(with_agents("owner", "Bad_Name") + "    colour: red\n")
    lines = [line.split(",")[1].strip() for line in told.detail.splitlines()]
    assert lines == ["line 3", "line 7", "line 11"]
    assert told.field == "line 3"
    assert told.code == "roster.invalid"


def test_an_expanding_document_is_refused_before_it_expands() -> None:
    layers = "\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9) if n else 'lol'}]" for n in range(9))
    assert "anchors and aliases" in refusal(layers).detail


@pytest.mark.parametrize("source", ["[" * 100_000, "{" * 100_000, "- " * 50_000, "? " * 50_000])
def test_deep_nesting_is_refused_and_does_not_crash(source: str) -> None:
    assert "cannot be read" in refusal(source).detail


def test_an_oversized_file_is_refused_unread() -> None:
    assert "at most" in refusal(b"#" * (LARGEST_BYTES + 1)).detail


def test_a_refusal_does_not_draw_on_the_terminal() -> None:
    told = refusal('audiences: ["\\e[2Jopen"]\nagents: []')
    assert "\x1b" not in told.detail


def test_a_byte_order_mark_is_no_mistake() -> None:
    assert roster.parse(b"\xef\xbb\xbf" + with_agents("scout").encode()).agents[0].name == "scout"


@given(st.binary(max_size=200))
def test_any_bytes_give_a_roster_or_a_refusal_that_names_a_line(source: bytes) -> None:
    refused = None
    try:
        roster.parse(source)
    except RosterInvalid as error:
        refused = error
    assert refused is None or (refused.field or "").startswith("line ")


FIELDS = st.sampled_from(
    [
        "name",
        "description",
        "reads",
        "writes",
        "audiences",
        "agents",
        "workspace",
        "operators",
        "teams",
        "members",
        "memory",
    ]
)
TREES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["open", "scout", "x y", "\u0435"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS, inner, max_size=5),
    max_leaves=12,
)


@given(TREES)
def test_any_tree_of_known_fields_gives_a_roster_or_a_refusal(tree: object) -> None:
    source = repr(tree).replace("None", "null").replace("True", "true").replace("False", "false")
    try:
        parsed = roster.parse(source.encode())
    except RosterInvalid:
        return
    known = {audience.name for audience in parsed.audiences}
    assert all(agent.reads | agent.writes <= known for agent in parsed.agents)
    assert all(team.audiences <= known and len(team.members) > 1 for team in parsed.teams)
