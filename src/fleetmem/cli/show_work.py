"""How a team's work is written on a terminal: teams, tasks, messages, runs and their steps."""

from __future__ import annotations

from collections.abc import Iterable

from fleetmem import wire
from fleetmem.cli.show import line, moment, quoted


def team(each: wire.Team) -> str:
    """Write one team with its members."""
    return "\n".join(
        (
            f"{line(each.name)}: {line(each.description) or '-'}",
            f"  audiences  {', '.join(map(line, each.audiences))}",
            "  members:",
            *(f"    {line(member.name)}: {line(member.description)}" for member in each.members),
        )
    )


def task(each: wire.Task) -> str:
    """Write one task, with its runs where they are known."""
    settled = f", settled {moment(each.settled_at)}" if each.settled_at else ""
    parts = [
        f"{line(each.team)}: task of {line(each.opened_by)}  [{each.status}]",
        f"  {each.id}  for {line(each.audience)}, opened {moment(each.created_at)}{settled}",
        quoted(each.prompt),
    ]
    if isinstance(each, wire.OpenedTask):
        parts += redactions(each.redacted_by)
    if isinstance(each, wire.TaskDetail):
        parts += ["  runs:", *(f"    {_run_line(run)}" for run in each.runs)] if each.runs else ["  no runs"]
    return "\n".join(parts)


def message(each: wire.Message) -> str:
    """Write one message; a person's words are marked as reported."""
    says = "reports a person's words" if each.speaker == "human" else "says"
    about = "".join(f", {name} {given}" for name, given in (("task", each.task), ("run", each.run)) if given)
    redacted = redactions(each.redacted_by) if isinstance(each, wire.PostedMessage) else []
    return "\n".join(
        (
            f"{line(each.author)} {says}",
            f"  {each.id}  for {line(each.audience)}, {moment(each.created_at)}{about}",
            quoted(each.body),
            *redacted,
        )
    )


def run(each: wire.Run) -> str:
    """Write one run with what it answered."""
    parts = [_run_line(each), f"  task {each.task} of {line(each.team)}, for {line(each.audience)}"]
    if each.settled_at is not None:
        parts.append(
            f"  {each.spans} steps, {each.errors} errors, {each.input_tokens or 0} tokens in,"
            f" {each.output_tokens or 0} out, {(each.duration_ms or 0) / 1000:.1f} s"
        )
    for name, text in (("instruction", each.instruction), ("output", each.output), ("failure", each.failure)):
        if text:
            parts += [f"  {name}:", quoted(text)]
    if isinstance(each, wire.WrittenRun):
        parts += redactions(each.redacted_by)
    if isinstance(each, wire.RunDetail) and each.injection is not None:
        shown = each.injection
        parts.append(
            f"  was shown {len(shown.messages)} messages; {len(shown.withheld)} were already seen or not yet visible"
        )
    return "\n".join(parts)


def redactions(rules: Iterable[str]) -> list[str]:
    """Say by which rules something was rewritten; nothing where nothing was."""
    named = ", ".join(map(line, rules))
    return [f"  REDACTED by {named}: a secret was rewritten before it was kept."] if named else []


def _run_line(each: wire.Run) -> str:
    node = f" at {line(each.node)}" if each.node else ""
    return (
        f"{each.id}  {line(each.agent)}{node}, attempt {each.attempt}  [{each.status}], begun {moment(each.started_at)}"
    )
