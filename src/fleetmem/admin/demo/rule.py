"""The second act: how a rule that one agent gave its team reaches the one who may have it, and never the other."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from fleetmem import wire
from fleetmem.admin.demo.account import Account
from fleetmem.admin.runtimes import commands, loopback
from fleetmem.admin.runtimes.commands import Runtime
from fleetmem.admin.runtimes.loopback import Model
from fleetmem.admin.up import Fleet
from fleetmem.client import ConsoleClient, FleetClient
from fleetmem.errors import SetupInvalid
from fleetmem.memory import ledger
from fleetmem.memory.target import Target

T = TypeVar("T")

RULE: Final = "The frontend needs only the public API contract and must never see backend env values."
_PATIENCE_S: Final = 90.0  # the worker loads its model while the first scene is played
_POLL_S: Final = 0.1


@dataclass(frozen=True, slots=True)
class Codex:
    """The real command line, and the model on loopback that keeps what it sends."""

    runtime: Runtime
    model: Model

    def asks(self, workspace: Path, prompt: str) -> str:
        """Run one turn in a workspace and return the request that left it."""
        self.model.asked.clear()
        self.runtime.turn(workspace, self.model.url, prompt)
        return "\n".join(self.model.asked)


@dataclass(frozen=True, slots=True)
class Team:
    """The cast: three agents, the person who reviews, and the agents' runtime where there is one."""

    fleet: Fleet
    security: FleetClient
    backend: FleetClient
    frontend: FleetClient
    lead: ConsoleClient
    codex: Codex | None

    def workspace(self, agent: str) -> Path:
        """Where an agent works."""
        return self.fleet.settings.workspaces / agent

    def holds_rule(self, agent: str) -> bool:
        """Whether any file that the agent's runtime would load holds the rule."""
        found = self.workspace(agent).rglob("*.md")
        return any(RULE in path.read_text(encoding="utf-8") for path in found)


def play(fleet: Fleet, account: Account) -> None:
    """Play the whole act.

    Raises:
        FleetmemError: a step failed that the rest stands on.
    """
    with ExitStack() as doors:
        team = _team(fleet, doors, account)
        _rule_is_given(team, account)
        _other_work_begins(team, account)
        note = _review(team, account)
        _memory_applies(team, account, note)
        _ledger_answers(team, account, note)
        _taken_back(team, account, note)


def _team(fleet: Fleet, doors: ExitStack, account: Account) -> Team:
    names = ("security", "backend", "frontend")
    agents = {name: doors.enter_context(FleetClient(fleet.agents.url, token=fleet.token(name))) for name in names}
    lead = doors.enter_context(ConsoleClient(fleet.console.url, token=fleet.token("lead")))
    return Team(fleet=fleet, lead=lead, codex=doors.enter_context(_codex(account)), **agents)


@contextmanager
def _codex(account: Account) -> Iterator[Codex | None]:
    with tempfile.TemporaryDirectory() as home, loopback.serving() as model:
        try:
            runtime = commands.fetch(Target.CODEX, Path(home).resolve())
        except commands.Unavailable as reason:
            account.left_out(f"what the real Codex sends its model: {reason}")
            yield None
        else:
            yield Codex(runtime, model)


def _rule_is_given(team: Team, account: Account) -> None:
    account.scene("09:14: security gives its team a rule")
    task = account.done(
        "security",
        "opens a task: what does the checkout tell a browser?",
        lambda: team.security.open_task(
            "checkout",
            "Review the checkout service: which environment values and secrets of the configuration reach the browser?",
            audience="product",
        ),
    )
    run = account.done(
        "backend",
        "works on it",
        lambda: team.backend.open_run(task.id, instruction="List what the service's configuration exposes."),
    )
    team.backend.add_spans(run.id, [wire.SpanDraft(seq=1, kind="tool", name="shell", body="grep -rn environ src/")])
    team.backend.settle_run(
        run.id, "succeeded", output="The payment address and the queue's name are environment values of the service."
    )
    account.done(
        "security",
        "says, for `backend`, what holds from now on",
        lambda: team.security.post_message("checkout", RULE, audience="backend", task=task.id),
        publishes="the rule (backend)",
    )
    account.done(
        "frontend",
        "says, for `product`, what it works on",
        lambda: team.frontend.post_message(
            "checkout", "I am on the summary page this week.", audience="product", task=task.id
        ),
        publishes="a message (product)",
    )
    seen = [message.body for message in team.frontend.messages("checkout")]
    account.sees("frontend", "reads what its team said", seen, ["I am on the summary page this week."])
    account.done("security", "settles the task", lambda: team.security.settle_task(task.id, "done"))


def _other_work_begins(team: Team, account: Account) -> None:
    account.scene("09:41: another task, another session; what was said at 09:14 is distilled")
    account.done(
        "frontend",
        "opens a task about the cart page's layout",
        lambda: team.frontend.open_task(
            "checkout",
            "The coupon field on the cart page overlaps the total on narrow phones; fix the CSS grid and its spacing.",
            audience="product",
        ),
    )


def _review(team: Team, account: Account) -> wire.NoteDetail:
    line = _awaited("a note to review", lambda: next(iter(team.lead.notes(status="candidate")), None))
    note = _awaited("its preview", lambda: _previewed(team.lead.note(line.id)))
    account.holds(f"the worker proposes a note: “{note.content}”", held=RULE in note.content)
    account.holds(
        f"it carries the audiences of all it came from: {', '.join(note.audiences)}",
        held=note.audiences == ["backend", "product"],
    )
    account.holds(
        "it cites who said it: " + ", ".join(source.agent for source in note.sources),
        held="security" in [source.agent for source in note.sources],
    )
    account.tells("lead", "sees who would receive it", note.recipients, _eligible(note))
    account.holds(
        "and that frontend would not, because of the note's audiences",
        held=("frontend", "audience") in [(denial.agent, denial.reason) for denial in note.denied],
    )
    preview = next(each for each in note.previews if each.agent == "backend")
    account.holds(
        f"and the file that would be written, to the byte: backend's {preview.path}",
        held=preview.after is not None and RULE in preview.after,
    )
    account.holds("nobody has it before the click", held=not any(map(team.holds_rule, ("backend", "frontend"))))
    account.done("lead", "approves it", lambda: team.lead.approve(note.id, note.revision))
    return _awaited("the landing", lambda: _landed(team.lead.note(note.id)))


def _memory_applies(team: Team, account: Account, note: wire.NoteDetail) -> None:
    account.scene("Then: backend helps frontend")
    account.holds("backend's workspace holds the rule, in a file", held=team.holds_rule("backend"))
    account.holds("frontend's workspace has no such file", held=not team.holds_rule("frontend"))
    if team.codex is not None:
        prompt = "Help the frontend with the configuration of its page."
        account.holds(
            "what the real Codex sends its model from backend's workspace names the skill",
            held=note.skill_key in team.codex.asks(team.workspace("backend"), prompt),
        )
        sent = team.codex.asks(team.workspace("frontend"), prompt)
        account.holds("and from frontend's it does not", held=bool(sent) and note.skill_key not in sent)


def _ledger_answers(team: Team, account: Account, note: wire.NoteDetail) -> None:
    account.scene("Later: the question")
    backend, frontend = team.lead.explain("backend"), team.lead.explain("frontend")
    account.tells(
        "the ledger", "is asked what backend knew", (str(each.note) for each in backend.known), [str(note.id)]
    )
    account.tells("the ledger", "is asked what frontend knew", (str(each.note) for each in frontend.known), [])
    account.tells(
        "the ledger",
        "is asked what frontend was denied, and why",
        (f"{each.note} because of its {each.reason}" for each in frontend.denied),
        [f"{note.id} because of its audience"],
    )


def _taken_back(team: Team, account: Account, note: wire.NoteDetail) -> None:
    account.scene("And back: the rule is revoked")
    account.done("lead", "revokes it", lambda: team.lead.revoke(note.id, remark="The contract changed."))
    _awaited("the removal", lambda: _gone(team.lead.note(note.id)))
    account.holds("backend's file is gone", held=not team.holds_rule("backend"))
    if team.codex is not None:
        sent = team.codex.asks(team.workspace("backend"), "Go on.")
        account.holds(
            "and from the next request on, the real Codex is silent about it", held=note.skill_key not in sent
        )
    account.tells(
        "the ledger",
        "is asked what backend knows now",
        (str(each.note) for each in team.lead.explain("backend").known),
        [],
    )
    rows = [_entry(row) for row in team.lead.ledger()]
    account.holds(
        f"the ledger's {len(rows)} rows are one unbroken chain", held=not ledger.verify(rows).findings and bool(rows)
    )


def _entry(row: wire.LedgerRow) -> ledger.Entry:
    told = {name: getattr(row, name) for name in row.__struct_fields__}
    return ledger.Entry(**(told | {"prev": bytes.fromhex(row.prev), "hash": bytes.fromhex(row.hash)}))


def _eligible(note: wire.NoteDetail) -> list[str]:
    """Who the audiences let through and recognition chose; the demo stands or falls with backend being one of them."""
    return sorted({*note.recipients, "backend"} - {"frontend"})


def _previewed(note: wire.NoteDetail) -> wire.NoteDetail | None:
    return note if {preview.agent for preview in note.previews} >= set(note.recipients) else None


def _landed(note: wire.NoteDetail) -> wire.NoteDetail | None:
    return note if note.landings and all(landing.status == "landed" for landing in note.landings) else None


def _gone(note: wire.NoteDetail) -> wire.NoteDetail | None:
    return note if all(landing.status == "removed" for landing in note.landings) else None


def _awaited(what: str, look: Callable[[], T | None]) -> T:
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline:
        found = look()
        if found is not None:
            return found
        time.sleep(_POLL_S)
    raise SetupInvalid(f"{what} did not come within {_PATIENCE_S:g} s; the worker's log may say why")
