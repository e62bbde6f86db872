"""Show with a real agent's command line what landing promises: `python -m scripts.verify_skills codex claude-code`.

No key and no network are needed once the command lines are installed. Each line is something that was seen in the request
that the runtime sent to a model on loopback; the first that does not hold ends the run with 1. Exit code 69: there is
no command line to try, and none can be installed.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from fleetmem import landing
from fleetmem.admin.runtimes import commands, loopback
from fleetmem.admin.runtimes.commands import Runtime
from fleetmem.admin.runtimes.loopback import Model
from fleetmem.landing import Landed, Memory, Workspace
from fleetmem.memory.target import Target

_NOT_AVAILABLE = 69
KEY = "public-contract"
DESCRIPTION = 'Load this when the frontend asks: configuration, "values" # or env.'
NORMAL = "CANARY-NORMAL: the frontend needs only the public API contract."
SEVERE = "CANARY-SEVERE: backend env values never leave the backend."
STRANGER = "CANARY-STRANGER"


@dataclass(frozen=True, slots=True)
class Seen:
    """One promise, and whether what was seen keeps it."""

    promise: str
    held: bool


def look(runtime: Runtime, base: Path, model: Model) -> Iterator[Seen]:
    """Land, ask, revoke and ask again; then put the whole tree into a repository that has skills of its own."""

    def asked(folder: Path) -> str:
        model.asked.clear()
        runtime.turn(folder, model.url)
        return "\n".join(model.asked)

    tree = base / "tree"
    backend = _workspace(tree, "backend", runtime.target)
    frontend = _workspace(tree, "frontend", runtime.target)
    skill, severe = _land(backend)
    request = asked(backend.path)
    yield Seen("a landed skill is named in the request, with its description", f"{KEY}: " in request)
    yield Seen("its description arrives as it was written", _as_json(DESCRIPTION) in request)
    yield Seen("a severe memory is in the request whole", SEVERE in request)
    if runtime.target is Target.CODEX:
        yield Seen("Codex itself lists the skill at scope repo", runtime.skills(backend.path).get(KEY) == "repo")
    yield Seen("a workspace without it sees neither", _is_clean(asked(frontend.path)))

    _become_repository(tree, runtime.target)
    outsider = tree / "workspaces" / "outsider"
    outsider.mkdir()
    yield Seen(
        "(control) a folder that is no git root sees the skills of the repository above", STRANGER in asked(outsider)
    )
    yield Seen("inside that repository, a workspace sees its own skill", KEY in (request := asked(backend.path)))
    yield Seen("and none of the repository's", f"{STRANGER}-SKILL" not in request)
    yield Seen("nor does one without any skill", f"{STRANGER}-SKILL" not in asked(frontend.path))
    faults = [fault.rule for fault in landing.faults(frontend)]
    yield Seen("`fleetmem workspace verify` refuses it all the same", set(faults) == {"carrier-above"})
    yield from _instructions_above(runtime.target, asked(frontend.path))

    landing.remove(backend, skill)
    landing.remove(backend, severe)
    request = asked(backend.path)
    yield Seen("after revocation the next request has neither", _is_clean(request) and KEY not in request)


def _instructions_above(target: Target, request: str) -> Iterator[Seen]:
    crossed = f"{STRANGER}-INSTRUCTIONS" in request
    if target is Target.CODEX:
        yield Seen("the repository's AGENTS.md does not reach it", not crossed)
    else:
        yield Seen("(why it refuses) the CLAUDE.md above is read across the git root", crossed)


def _workspace(tree: Path, name: str, target: Target) -> Workspace:
    place = Workspace(root=tree / "workspaces", name=name, target=target)
    landing.prepare(place)
    return place


def _land(place: Workspace) -> tuple[Landed, Landed]:
    skill = Memory(note=UUID(int=1), nonce="1" * 32, content=NORMAL, skill=KEY, description=DESCRIPTION)
    severe = Memory(note=UUID(int=2), nonce="2" * 32, content=SEVERE)
    landed = landing.land(place, skill), landing.land(place, severe)
    if not all(landing.available(place, each) for each in landed):
        raise RuntimeError("what was landed is not there")
    return landed


def _become_repository(tree: Path, target: Target) -> None:
    """Put a repository around the workspaces, as somebody might who knows nothing of them."""
    layout = Workspace(root=tree, name="x", target=target).layout
    (tree / ".git" / "objects").mkdir(parents=True)
    (tree / ".git" / "refs").mkdir()
    (tree / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (tree / layout.instructions).write_text(f"{STRANGER}-INSTRUCTIONS\n", encoding="utf-8")
    folder = tree.joinpath(*layout.skills, "stranger")
    folder.mkdir(parents=True)
    text = f"---\nname: stranger\ndescription: {STRANGER}-SKILL\n---\n\nbody\n"
    (folder / "SKILL.md").write_text(text, encoding="utf-8")


def _is_clean(request: str) -> bool:
    return bool(request) and not any(each in request for each in (KEY, "CANARY-NORMAL", "CANARY-SEVERE"))


def _as_json(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def check(target: Target, tell: Callable[[str], None]) -> bool:
    """Try one runtime, tell each promise as it is seen, and return whether all held.

    Raises:
        commands.Unavailable: there is no such command line.
    """
    with tempfile.TemporaryDirectory() as folder, loopback.serving() as model:
        base = Path(folder).resolve()
        runtime = commands.fetch(target, base / "home")
        tell(f"{target}: {runtime.version}")
        for seen in look(runtime, base, model):
            tell(f"  {'held  ' if seen.held else 'BROKEN'} {seen.promise}")
            if not seen.held:
                return False
    return True


def main(names: list[str]) -> int:
    """Try the runtimes that are named, or all; return the exit code."""
    try:
        kept = [check(Target(name), lambda line: print(line, flush=True)) for name in names or list(Target)]
    except commands.Unavailable as reason:
        print(f"not tried: {reason}", file=sys.stderr)
        return _NOT_AVAILABLE
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
