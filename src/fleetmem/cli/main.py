"""The `fleetmem` command: what agents and operators do, with a bearer token and nothing else, and the owner's half."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from fleetmem.cli import outcome, owner_backup, owner_drill, owner_fleet, owner_worker
from fleetmem.cli.agent_access import Access
from fleetmem.cli.agent_beat import beat
from fleetmem.cli.agent_handoff import handoff
from fleetmem.cli.agent_import import EXAMPLES as IMPORT_EXAMPLES
from fleetmem.cli.agent_import import import_
from fleetmem.cli.agent_me import me
from fleetmem.cli.agent_message import message
from fleetmem.cli.agent_run import run
from fleetmem.cli.agent_task import task
from fleetmem.cli.agent_team import team
from fleetmem.cli.operator_incident import incident
from fleetmem.cli.operator_ledger import ledger
from fleetmem.cli.operator_review import review
from fleetmem.cli.options import examples
from fleetmem.cli.owner_agent import agent
from fleetmem.cli.owner_database import db, policies
from fleetmem.cli.owner_fence import fence
from fleetmem.cli.owner_key import key
from fleetmem.cli.owner_roster import roster
from fleetmem.cli.owner_token import token
from fleetmem.cli.owner_workspace import workspace
from fleetmem.cli.routing import routing
from fleetmem.cli.safety import safety
from fleetmem.cli.segments import segments

_EXIT_CODES = """\b
Exit codes:
  0 done   1 refused or failed   2 called wrongly   3 no valid token   4 absent or hidden
  5 in another state   69 not available now   78 something must be repaired first
"""

app = typer.Typer(
    help="fleetmem: a governed memory for fleets of agents.",
    epilog=_EXIT_CODES,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from fleetmem import __version__  # noqa: PLC0415

        typer.echo(f"fleetmem {__version__}")
        raise typer.Exit


@app.callback()
def root(
    context: typer.Context,
    url: Annotated[
        str | None, typer.Option(help="The gateway (FLEETMEM_URL unless told) or the console (FLEETMEM_CONSOLE_URL).")
    ] = None,
    token_file: Annotated[
        Path | None, typer.Option(help="The file with your token; FLEETMEM_TOKEN_FILE unless told.")
    ] = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Allow http:// to another machine, which shows it your token.")
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Say which version this is.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Take what is said before the command: an agent's address and token."""
    del version
    context.obj = Access(url=url, token_file=token_file, insecure=insecure)


app.command(epilog=examples("fleetmem me", "fleetmem --token-file health.token me --json"))(me)
for name, group in {
    "beat": beat,
    "handoff": handoff,
    "team": team,
    "task": task,
    "message": message,
    "run": run,
}.items():
    app.add_typer(group, name=name)
app.command("import", epilog=IMPORT_EXAMPLES)(import_)
for name, group in {"review": review, "incident": incident, "ledger": ledger}.items():
    app.add_typer(group, name=name)
owner_fleet.register(app)
owner_backup.register(app)
owner_drill.register(app)
owner_worker.register(app)
for name, group in {
    "db": db,
    "policies": policies,
    "fence": fence,
    "roster": roster,
    "agent": agent,
    "token": token,
    "key": key,
    "routing": routing,
    "safety": safety,
    "segments": segments,
    "workspace": workspace,
}.items():
    app.add_typer(group, name=name)


def main() -> None:
    """Run the command line and end the process with its exit code."""
    sys.exit(outcome.run(app))
