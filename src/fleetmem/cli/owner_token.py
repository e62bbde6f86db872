"""`fleetmem token issue|list|revoke`."""

# ruff: noqa: PLC0415 -- the owner's tools are imported by the command that needs them, so that an agent's start fast

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fleetmem import config
from fleetmem.cli import options, show
from fleetmem.cli.options import Json, examples
from fleetmem.errors import ConfigInvalid

if TYPE_CHECKING:
    from fleetmem.admin.tokens import Token

token = options.group("Bearer tokens: who may speak for whom.")


@token.command(
    epilog=examples(
        "fleetmem token issue health",
        "fleetmem token issue health --label laptop --expires 90d --file ./health.token",
        "fleetmem token issue health --print | ssh agent-host 'cat > .token'",
    )
)
def issue(
    name: Annotated[str, typer.Argument(help="An agent, operator or auditor of the roster.")],
    label: Annotated[str, typer.Option(help="What it is for; shown by `token list`.")] = "",
    expires: Annotated[str | None, typer.Option(metavar="WHEN", help=f"{options.WHEN} Never unless told.")] = None,
    file: Annotated[Path | None, typer.Option(help="Where to write it; it must not exist.")] = None,
    print_: Annotated[bool, typer.Option("--print", help="Print it instead of writing a file.")] = False,
) -> None:
    """Mint a token into a file only you can read; it cannot be shown again."""
    from fleetmem.admin import database, deployment, tokens

    settings, expires_at = config.load(), options.later(expires, field="expires")
    with deployment.reach(settings, show.note) as conninfo, database.owner(conninfo) as connection:
        token_id, secret = tokens.issue(connection, name, label=label, expires_at=expires_at)
        # Written before the commit: a token that could not be kept is not left behind as a live one.
        kept = None if print_ else _keep(secret, file or _default(settings.home, name, token_id))
    show.out(secret if kept is None else f"Wrote token {token_id} of {name} to {kept}.")


@token.command("list", epilog=examples("fleetmem token list", "fleetmem token list health --json"))
def list_(
    name: Annotated[str | None, typer.Argument(help="Only of this principal.")] = None, as_json: Json = False
) -> None:
    """List tokens, never the secrets themselves."""
    from fleetmem.admin import database, deployment, tokens

    with deployment.reach(config.load(), show.note) as conninfo, database.owner(conninfo) as connection:
        found = tokens.listed(connection, name)
    if as_json:
        show.out(show.as_json([asdict(each) for each in found]))
        return
    head = ("ID", "OF", "LABEL", "MADE", "STATE")
    show.out(
        show.table(
            head, [(each.id, each.principal, each.label, show.moment(each.created_at), _state(each)) for each in found]
        )
    )


@token.command(epilog=examples("fleetmem token revoke 3f0c9a52d1e8aa01"))
def revoke(token_id: Annotated[str, typer.Argument(metavar="ID", help="As `token list` shows it.")]) -> None:
    """End a token now, whatever its holder has cached."""
    from fleetmem.admin import database, deployment, tokens

    with deployment.reach(config.load(), show.note) as conninfo, database.owner(conninfo) as connection:
        ended = tokens.revoke(connection, token_id)
    show.out(f"Token {ended.id} of {ended.principal} is revoked since {show.moment(ended.revoked_at)}.")


def _state(each: Token) -> str:
    if each.revoked_at is not None:
        return f"revoked {show.moment(each.revoked_at)}"
    if each.expires_at is None:
        return "live"
    return f"{'live, until' if each.expires_at > options.now() else 'expired'} {show.moment(each.expires_at)}"


def _default(home: Path, name: str, token_id: str) -> Path:
    first = home / "tokens" / f"{name}.token"
    return first.with_name(f"{name}-{token_id}.token") if first.exists() else first


def _keep(secret: str, path: Path) -> Path:
    from fleetmem.admin.postgres.place import own_directory, private_file

    if path.exists():
        raise ConfigInvalid(f"{path} is there already; a token is never written over another file", field="--file")
    if not path.parent.exists():
        own_directory(path.parent)
    private_file(path, secret + "\n")
    return path
