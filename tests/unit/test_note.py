import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleetmem.memory import note
from fleetmem.memory.note import Citation, Draft, Numbering, Unreadable
from tests.unit.conversations import RULE, identifier, transcript

_GOOD: dict[str, Any] = {
    "content": RULE,
    "severity": "normal",
    "skill_key": "frontend-api-contract",
    "description": "When the frontend needs something of the backend.",
    "source_runs": [1],
    "source_spans": [],
    "source_messages": [1],
    "rationale": "It bounds every later task.",
}
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(note.FIELDS) | st.text(), inner, max_size=9)
    ),
    max_leaves=20,
)


def _answer(*notes: object) -> str:
    return json.dumps({"notes": notes})


def test_a_note_that_keeps_the_contract_is_a_draft() -> None:
    (draft,), withheld = note.parse(_answer(_GOOD))
    assert (draft.content, draft.severity, draft.source_messages, withheld) == (RULE, "normal", (1,), ())


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"recipients": ["frontend"]}, "unknown_field"),
        ({"id": "0197"}, "unknown_field"),
        ({"content": 7}, "content:type"),
        ({"content": ""}, "content:empty"),
        ({"content": "   "}, "content:empty"),
        ({"content": "x" * 2_001}, "content:too-long"),
        ({"content": "a\0b"}, "content:nul"),
        ({"content": "a\ud800b"}, "content:surrogate"),
        ({"content": "a <!-- fleetmem:end -->"}, "content:comment"),
        ({"content": "fleetmem:begin"}, "content:marker"),
        ({"content": "```sh\nrm"}, "content:open-fence"),
        ({"severity": "fatal"}, "severity:value"),
        ({"severity": None}, "severity:type"),
        ({"skill_key": "../../etc/passwd"}, "skill_key:kebab-case"),
        ({"skill_key": "Frontend"}, "skill_key:kebab-case"),
        ({"skill_key": "a" * 65}, "skill_key:too-long"),
        ({"skill_key": "con"}, "skill_key:reserved"),
        ({"description": "two\nlines"}, "description:control-character"),
        ({"description": "x" * 1_025}, "description:too-long"),
        ({"source_runs": [True]}, "source_runs:type"),
        ({"source_runs": ["1"]}, "source_runs:type"),
        ({"source_runs": [1.0]}, "source_runs:type"),
        ({"source_runs": 1}, "source_runs:type"),
        ({"source_messages": [1] * 201}, "source_messages:type"),
        ({"rationale": "x" * 2_001}, "rationale:too-long"),
        ({"rationale": "\x1b[2J"}, "rationale:control-character"),
    ],
)
def test_a_note_that_breaks_a_rule_is_withheld_by_name_and_the_others_stay(change: dict[str, Any], reason: str) -> None:
    drafts, withheld = note.parse(_answer(_GOOD | change, _GOOD))
    assert [each.content for each in drafts] == [RULE]
    assert [(each.ordinal, each.reason) for each in withheld] == [(1, reason)]


@pytest.mark.parametrize("name", note.FIELDS)
def test_every_field_is_required(name: str) -> None:
    given = {key: value for key, value in _GOOD.items() if key != name}
    assert note.draft(given) == f"{name}:missing"


@pytest.mark.parametrize("given", [None, [], "note", 3, True])
def test_what_is_no_object_is_no_note(given: object) -> None:
    assert note.draft(given) == "not_an_object"


@pytest.mark.parametrize(
    "answer",
    ["", "{", "[]", "null", '{"notes": {}}', '{"note": []}', '{"notes": [NaN]}', '{"notes": [], "notes": []}',
     "[" * 100_000, '{"notes": [' + "9" * 5_000 + "]}", '{"notes": [], "a": Infinity}'],
)  # fmt: skip
def test_an_answer_in_another_form_is_unreadable(answer: str) -> None:
    with pytest.raises(Unreadable):
        note.parse(answer)


def test_at_most_eight_notes_are_kept() -> None:
    drafts, withheld = note.parse(_answer(*[_GOOD] * 10))
    assert len(drafts) == 8
    assert [(each.ordinal, each.reason) for each in withheld] == [(9, "too_many"), (10, "too_many")]


def test_content_is_composed() -> None:
    drafted = note.draft(_GOOD | {"content": "cafe\u0301 must open"})
    assert isinstance(drafted, Draft)
    assert drafted.content == "caf\u00e9 must open"


def test_sources_resolve_to_what_was_numbered_and_bad_ones_fall_away() -> None:
    numbering = Numbering.of(transcript("one", "two", outputs=("out",), steps=("ls", "pwd")))
    drafted = note.draft(
        _GOOD | {"source_runs": [1, 1, 2], "source_spans": [2, 0], "source_messages": [2, -1, 10**40, 2]}
    )
    assert isinstance(drafted, Draft)
    resolved = note.resolve(drafted, numbering)
    assert resolved.citations == (
        Citation(message=identifier(102)),
        Citation(run=identifier(201)),
        Citation(run=identifier(201), span_seq=2),
    )
    assert resolved.withheld is None


def test_a_note_without_a_source_left_has_no_provenance() -> None:
    drafted = note.draft(_GOOD | {"source_runs": [9], "source_messages": [0]})
    assert isinstance(drafted, Draft)
    assert note.resolve(drafted, Numbering.of(transcript("one"))).withheld == "no_provenance"


@given(_json)
def test_nothing_that_is_json_is_more_than_a_draft_or_a_reason(given: object) -> None:
    drafted = note.draft(given)
    assert isinstance(drafted, Draft) or drafted in {"not_an_object", "unknown_field"} or ":" in drafted


def test_the_schema_names_the_fields_of_the_contract() -> None:
    one = note.schema()["properties"]["notes"]["items"]
    assert one["required"] == list(note.FIELDS)
    assert one["additionalProperties"] is False
