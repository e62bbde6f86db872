"""docs/cli.md and the command are one; every `fleetmem …` line shown anywhere can be typed as it stands."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main

from fleetmem.cli.main import app
from fleetmem.cli.outcome import Exit
from fleetmem.client import AsyncFleetClient, FleetClient
from tests.docs import markdown
from tests.docs.markdown import PAGES, page, relative

_ROOT: Any = typer.main.get_command(app)
_SEPARATORS = frozenset({"|", "||", "&&", ";", "<", ">", ">>", "&"})


def _walk(command: Any, *path: str) -> Iterator[tuple[str, Any]]:
    for name, each in getattr(command, "commands", {}).items():
        yield " ".join(("fleetmem", *path, name)), each
        yield from _walk(each, *path, name)


_COMMANDS = dict(_walk(_ROOT))
_SECTIONS = {
    title.strip("`"): text
    for level in (3, 4)
    for title, text in markdown.sections(page("docs/cli.md"), level=level).items()
}


def test_every_command_and_group_has_its_section_and_no_other_has_one() -> None:
    assert _SECTIONS.keys() == _COMMANDS.keys()


@pytest.mark.parametrize("name", _COMMANDS)
def test_a_section_lists_every_argument_and_option(name: str) -> None:
    own = _SECTIONS[name].partition("\n#### ")[0]
    listed = {row["argument or option"] for row in markdown.rows(own, "argument or option", "meaning")}
    assert listed == set(_parameters(_COMMANDS[name]))


def test_what_is_said_before_the_command_is_listed() -> None:
    before = markdown.sections(page("docs/cli.md"), level=2)["Before the command"]
    listed = {row["argument or option"] for row in markdown.rows(before, "argument or option", "meaning")}
    assert listed == set(_parameters(_ROOT))


def test_every_exit_code_is_listed() -> None:
    listed = markdown.rows(page("docs/cli.md"), "exit code", "means")
    assert [int(row["exit code"]) for row in listed] == sorted(Exit)


@pytest.mark.parametrize("path", PAGES, ids=relative)
def test_every_command_line_that_is_shown_can_be_typed(path: Path) -> None:
    for words in _shown(path.read_text(encoding="utf-8")):
        _parse(words)


@pytest.mark.parametrize("path", PAGES, ids=relative)
def test_every_command_that_is_named_in_running_text_exists(path: Path) -> None:
    for span in markdown.code_spans(path.read_text(encoding="utf-8")):
        if re.fullmatch(r"fleetmem( [a-z][a-z-]*)+( .*)?", span):
            plain = re.match(r"fleetmem( [a-z][a-z-]*)+", span)
            assert plain is not None
            assert _is_a_command(plain[0]), span


def test_the_reader_of_command_lines_refuses_what_cannot_be_typed() -> None:
    for wrong in ("beat list --colour", "beat publish", "nonsense", "handoff answer x maybe y"):
        with pytest.raises(Exception, match=r"(?i)no such|missing|not one of"):
            _parse(wrong.split())


@pytest.mark.parametrize("path", PAGES, ids=relative)
def test_python_that_is_shown_compiles_and_calls_what_there_is(path: Path) -> None:
    for block in markdown.blocks(path.read_text(encoding="utf-8")):
        if block.language == "python":
            compile(block.content, str(path), "exec")
            for client in (FleetClient, AsyncFleetClient):
                assert all(hasattr(client, name) for name in re.findall(r"\bfleet\.([a-z_]+)\(", block.content))


def _parameters(command: Any) -> Iterator[str]:
    for each in command.params:
        if each.param_type_name == "argument":
            yield (each.metavar or each.name).strip("[]{}").upper()
        else:
            yield max(each.opts, key=len)


def _shown(text: str) -> Iterator[list[str]]:
    """Yield the arguments of each `fleetmem` on a line of a shell's block, past assignments and up to a pipe."""
    for block in markdown.blocks(text):
        if block.language not in {"sh", "console"}:
            continue
        for line in block.content.splitlines():
            if block.language == "sh" or line.startswith("$ "):
                yield from _calls(line.removeprefix("$ "))


def _calls(line: str) -> Iterator[list[str]]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split = True
    call: list[str] | None = None
    for word in [*lexer, ";"]:
        if word in _SEPARATORS:
            if call is not None:
                yield call
            call = None
        elif call is not None:
            call.append(word)
        elif word == "fleetmem" or word.endswith("/fleetmem"):
            call = []


def _parse(words: list[str]) -> None:
    """Read a command line as the command itself would, and run nothing."""
    command, arguments, context = _ROOT, words, None
    while hasattr(command, "commands"):
        context = command.make_context(command.name or "fleetmem", list(arguments), parent=context)
        rest = [*context._protected_args, *context.args]  # noqa: SLF001 -- where the parser keeps the command's name
        name, found, arguments = command.resolve_command(context, rest)
        assert found is not None, name
        command = found
    command.make_context(command.name, list(arguments), parent=context)


def _is_a_command(named: str) -> bool:
    """Tell whether the words begin with a command, followed by nothing or by arguments it takes."""
    words = named.split()
    longest = next(
        (" ".join(words[:end]) for end in range(len(words), 1, -1) if " ".join(words[:end]) in _COMMANDS), ""
    )
    if not longest:
        return False
    command = _COMMANDS[longest]
    left = len(words) - len(longest.split())
    return left == 0 or (
        not hasattr(command, "commands") and any(p.param_type_name == "argument" for p in command.params)
    )
