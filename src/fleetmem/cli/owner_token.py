"""`fleetmem token issue|list|rotate|revoke|revoke-all`."""

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


@token.command(
    epilog=examples(
        "fleetmem token rotate health                    # the old one ends at once",
        "fleetmem token rotate health --overlap 10min    # time to hand the new one out",
        "fleetmem token rotate health --only 3f0c9a52d1e8aa01 --file ./laptop.token",
    )
)
def rotate(
    name: Annotated[str, typer.Argument(help="An agent, operator or auditor of the roster.")],
    overlap: Annotated[
        str | None, typer.Option(metavar="SPAN", help="How long the old one is still valid: 30s, 10min, 12h, 3d.")
    ] = None,
    only: Annotated[
        str | None, typer.Option(metavar="ID", help="Replace this token; all of NAME's unless told.")
    ] = None,
    file: Annotated[Path | None, typer.Option(help="The file to replace; tokens/NAME.token unless told.")] = None,
) -> None:
    """Replace a token: the new one stands in its file before the old one ends, which is at once unless you say when."""
    from fleetmem.admin import deployment, rotation

    settings, lasting = config.load(), options.span(overlap, field="overlap") or rotation.AT_ONCE
    path = file or settings.home / "tokens" / f"{name}.token"
    with deployment.reach(settings, show.note) as conninfo:
        done = rotation.rotate_token(path, conninfo, name, overlap=lasting, only=only)
    show.out(f"Wrote token {done.id} of {name} to {done.path}.")
    for each in done.ended:
        end = "has ended" if each.revoked_at else f"ends {show.moment(each.expires_at)}"
        show.out(f"The old token {each.id}{f' ({show.line(each.label)})' if each.label else ''} {end}.")
    if not done.ended:
        show.out("There was no other live token.")


@token.command(epilog=examples("fleetmem token revoke 3f0c9a52d1e8aa01"))
def revoke(token_id: Annotated[str, typer.Argument(metavar="ID", help="As `token list` shows it.")]) -> None:
    """End a token now, whatever its holder has cached."""
    from fleetmem.admin import database, deployment, tokens

    with deployment.reach(config.load(), show.note) as conninfo, database.owner(conninfo) as connection:
        ended = tokens.revoke(connection, token_id)
    show.out(f"Token {ended.id} of {ended.principal} is revoked since {show.moment(ended.revoked_at)}.")


@token.command(epilog=examples("fleetmem token revoke-all health"))
def revoke_all(name: Annotated[str, typer.Argument(help="An agent, operator or auditor of the roster.")]) -> None:
    """End every token somebody ever got, now; one issued afterwards is valid."""
    from fleetmem.admin import database, deployment, tokens

    with deployment.reach(config.load(), show.note) as conninfo, database.owner(conninfo) as connection:
        ended = tokens.revoke_all(connection, name)
    show.out(f"{name} has no valid token any more; {len(ended)} {'was' if len(ended) == 1 else 'were'} live until now.")


def _state(each: Token) -> str:
    if each.revoked_at is not None:
        return f"revoked {show.moment(each.revoked_at)}"
    if not each.is_accepted:
        return "not accepted: its holder left, is suspended, or came back since"
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
