"""Transcripts: what real ones say, what a hostile file comes to, and that no file at all makes a reader fail."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fleetmem.board import capture
from fleetmem.memory.rollout import lines
from fleetmem.memory.rollout.read import Format, transcript
from fleetmem.memory.rollout.turns import Fault, Said, Transcript, kept

SAMPLES = Path(__file__).parent / "transcripts"
NATIVE: list[dict[str, object]] = [
    {"type": "session", "id": "nightly-42"},
    {"type": "task", "prompt": "Add a health check."},
    {"type": "step", "kind": "tool", "name": "shell", "body": "pytest -q", "input_tokens": 7},
    {"type": "message", "body": "Shall I tell the load balancer?"},
    {"type": "message", "speaker": "human", "body": "Yes."},
    {"type": "end", "outcome": "succeeded", "output": "Added."},
]


def read(content: bytes, form: Format | None = None) -> tuple[Transcript, Format | None]:
    return transcript(enumerate(content.splitlines(keepends=True), start=1), form)


def written(*objects: object) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in objects)


def test_a_real_codex_rollout_is_its_prompts_tools_and_answers() -> None:
    found, form = read((SAMPLES / "codex-0.111.0.jsonl").read_bytes())
    assert (form, found.faults) == (Format.CODEX, ())
    assert found.session == "01a22dd4-1474-76a1-823f-ae2ae47040ab"
    first, second = found.turns
    assert (first.line, first.prompt) == (7, "Read the README and tell me what it says.")
    assert [said.body for said in first.said] == ["Let me look at the file."]
    assert (first.outcome, first.output) == ("succeeded", "The file says hello world (3).")
    tools = [(step.name, step.is_error) for step in first.steps if step.kind == "tool"]
    assert tools == [("shell_command", False), ("exec_command", True)]
    assert "hello world\n2" in first.steps[0].body
    assert sum(step.input_tokens or 0 for step in first.steps) == 360
    assert sum(step.output_tokens or 0 for step in first.steps) == 45
    assert (second.prompt, second.output) == ("And once more, please.", "The file says hello world (4).")
    assert sum(step.input_tokens or 0 for step in second.steps) == 120


def test_a_real_claude_code_session_is_its_prompts_tools_and_answers() -> None:
    found, form = read((SAMPLES / "claude-code-2.1.197.jsonl").read_bytes())
    assert (form, found.faults) == (Format.CLAUDE_CODE, ())
    assert found.session == "6786407f-0d40-4a1c-a421-1708cc2ac6cb"
    first, second = found.turns
    assert first.prompt == "Read the README and tell me what it says."
    assert [said.body for said in first.said] == ["Let me look."]
    assert (first.outcome, first.output) == ("succeeded", "The file says hello world (3).")
    tools = [(step.name, step.is_error, step.ended_at is not None) for step in first.steps if step.kind == "tool"]
    assert tools == [("Bash", False, True), ("Read", True, True)]
    assert sum(step.input_tokens or 0 for step in first.steps) == 300
    assert (second.prompt, second.output) == ("And once more, please.", "The file says hello world (4).")


def test_our_own_form_is_read_as_it_is_written() -> None:
    found, form = read(written(*NATIVE))
    assert (form, found.session, found.faults) == (Format.FLEETMEM, "nightly-42", ())
    (turn,) = found.turns
    assert turn.said == [Said(4, "Shall I tell the load balancer?"), Said(5, "Yes.", "human")]
    assert (turn.outcome, turn.output, turn.steps[0].input_tokens) == ("succeeded", "Added.", 7)


@pytest.mark.parametrize(
    ("change", "line", "why"),
    [
        ({1: {"type": "task"}}, 2, "Object missing required field `prompt`"),
        ({2: {"type": "step", "kind": "thought", "name": "x"}}, 3, "Invalid enum value 'thought' - at `$.kind`"),
        ({3: {"type": "message", "body": "b", "author": "me"}}, 4, "Object contains unknown field `author`"),
        ({4: {"type": "session", "id": "again"}}, 5, "a second `session`; put one session into one file"),
        ({4: {"type": "task", "prompt": "p"}}, 5, "a `task` before the `end` of the one before"),
        ({1: {"type": "session", "id": "again"}}, 2, "a second `session`; put one session into one file"),
        (
            {2: {"type": "step", "kind": "tool", "name": "x", "ended_at": "now"}},
            3,
            "`ended_at` must be written as 2027-03-01T12:00:00Z",
        ),
    ],
)
def test_a_line_of_our_own_form_that_breaks_a_rule_is_named_with_the_rule(
    change: dict[int, object], line: int, why: str
) -> None:
    given: list[object] = list(NATIVE)
    for at, instead in change.items():
        given[at] = instead
    assert read(written(*given))[0].faults[0] == Fault(line, why)


@pytest.mark.parametrize(
    ("octets", "why"),
    [
        (b'{"type": "task"\0}', "holds NUL"),
        (b'{"type": "\xff"}', "not UTF-8"),
        (b'{"type": "\\ud800"}', "holds half a surrogate pair"),
        (b"[" * 100_000, "nested too deep"),
        (b'{"a":' * 100_000, "nested too deep"),
        (b"{", "not JSON"),
        (b'"text"', "not a JSON object"),
        (b"[]", "not a JSON object"),
        (b"{}", "`type` is missing or of another type"),
        (b'{"type": "event_msg", "payload": 7}', "`payload` is missing or of another type"),
        (
            b'{"type": "event_msg", "payload": {"type": "user_message", "message": 7}}',
            "`message` is missing or of another type",
        ),
    ],
)
def test_a_hostile_line_is_a_fault_with_its_number_and_the_rest_is_read(octets: bytes, why: str) -> None:
    good = (SAMPLES / "codex-0.111.0.jsonl").read_bytes()
    found, _ = read(octets + b"\n" + good, Format.CODEX)
    assert found.faults == (Fault(1, why),)
    assert len(found.turns) == 2


def test_a_line_that_is_too_long_is_a_fault() -> None:
    given = [(1, b" " * (lines.LONGEST_LINE + 1)), (2, b'{"type": "task", "prompt": "p"}')]
    found, form = transcript(given, None)
    assert (found.faults, form) == ((Fault(1, f"longer than {lines.LONGEST_LINE} bytes"),), Format.FLEETMEM)


def test_a_file_of_no_known_form_is_none() -> None:
    found, form = read(b'{"hello": "world"}\n\n{"hello": "again"}\n')
    assert form is None
    assert found.faults == (Fault(1, "of no known form"), Fault(3, "of no known form"))


def test_a_turn_that_has_no_end_yet_says_so() -> None:
    whole = (SAMPLES / "codex-0.111.0.jsonl").read_bytes().splitlines(keepends=True)
    found, _ = read(b"".join(whole[:-1]))
    assert [turn.outcome for turn in found.turns] == ["succeeded", None]


def test_an_interrupted_turn_is_cancelled_in_either_runtime() -> None:
    codex = written(
        {"type": "event_msg", "payload": {"type": "user_message", "message": "Do it."}},
        {"type": "event_msg", "payload": {"type": "turn_aborted", "reason": "interrupted"}},
    )
    claude = written(
        {"type": "user", "sessionId": "s", "message": {"role": "user", "content": "Do it."}},
        {
            "type": "user",
            "sessionId": "s",
            "message": {"content": [{"type": "text", "text": "[Request interrupted by user]"}]},
        },
    )
    for content in (codex, claude):
        (turn,) = read(content)[0].turns
        assert turn.outcome == "cancelled"
        assert turn.failure is not None
        assert "interrupted" in turn.failure


def test_what_claude_code_says_to_itself_is_no_prompt() -> None:
    found, _ = read(
        written(
            {"type": "user", "sessionId": "s", "isMeta": True, "message": {"content": "Caveat: …"}},
            {"type": "user", "sessionId": "s", "isSidechain": True, "message": {"content": "sub-agent"}},
            {"type": "user", "sessionId": "s", "message": {"content": "<command-name>/clear</command-name>"}},
            {"type": "user", "sessionId": "s", "message": {"content": "Begin."}},
        )
    )
    assert [turn.prompt for turn in found.turns] == ["Begin."]


@given(st.text(max_size=50), st.integers(70, 200))
def test_a_text_that_is_kept_fits_and_says_when_it_was_cut(text: str, longest: int) -> None:
    long = text + "x" * 300
    assert len(kept(long, longest)) <= longest
    assert kept(long, longest).endswith(" characters cut]")
    assert kept(text, 200) == capture.tidy(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "payload",
                    "message",
                    "content",
                    "text",
                    "name",
                    "input",
                    "call_id",
                    "output",
                    "id",
                    "info",
                    "total_token_usage",
                    "usage",
                    "sessionId",
                    "tool_use_id",
                    "stop_reason",
                    "kind",
                    "prompt",
                    "body",
                    "seq",
                    "outcome",
                ]
            ),
            inner
            | st.sampled_from(
                [
                    "user",
                    "assistant",
                    "event_msg",
                    "response_item",
                    "user_message",
                    "agent_message",
                    "token_count",
                    "function_call",
                    "tool_use",
                    "text",
                    "function_call_output",
                    "tool_result",
                    "session",
                    "task",
                    "step",
                    "end",
                    "message",
                    "task_complete",
                    "end_turn",
                ]
            ),
            max_size=6,
        )
    ),
    max_leaves=14,
)


@settings(max_examples=400)
@given(
    st.lists(JSON.map(lambda each: json.dumps(each).encode()) | st.binary(max_size=20), max_size=8),
    st.sampled_from([None, *Format]),
)
def test_no_file_makes_a_reader_fail_and_every_fault_names_a_line(contents: list[bytes], form: Format | None) -> None:
    found, _ = transcript(enumerate(contents, start=1), form)
    assert {fault.line for fault in found.faults} <= set(range(1, len(contents) + 1))
    for turn in found.turns:
        assert turn.prompt
        assert 1 <= turn.line <= len(contents)
        assert all(step.name for step in turn.steps)
