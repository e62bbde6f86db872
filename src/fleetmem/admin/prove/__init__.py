"""`fleetmem prove`: attack a running fleet in every way it should refuse, and say what held.

Three ways: statements forged straight at the database as each login, calls through the client library, and requests
forged over the wire. `catalogue` and `wire` hold the attempts as data, `rights` the whole table of who may do what,
`scenarios` what takes several sessions; `setting` makes throw-away agents for them, `removal` takes them away again.
"""

import time
from contextlib import ExitStack

import httpx

from fleetmem.admin import database, deployment, services, up
from fleetmem.admin.database import Conninfo
from fleetmem.admin.deployment import Say
from fleetmem.admin.prove import report
from fleetmem.admin.prove.proof import Deployment, Proof, prove
from fleetmem.config import Settings
from fleetmem.errors import Unavailable

__all__ = ["Deployment", "Proof", "prove", "run"]


def run(settings: Settings, *, throw_away: bool = False, as_json: bool = False, say: Say = print) -> bool:
    """Prove the running fleet, or one made for it; print what came of it, write the report, tell whether all held.

    Raises:
        Unavailable: the gateway or the console does not answer.
    """
    quiet = deployment.silent if as_json else say
    with ExitStack() as stack:
        if throw_away:
            fleet = stack.enter_context(up.throw_away(settings, quiet))
            target, owner = fleet.settings, fleet.owner
        else:
            target = services.as_running(settings)
            _must_answer(target)
            owner = stack.enter_context(deployment.reach(settings, quiet))
        proof = prove(deployed(target, owner), time.time)  # noqa: TID251 -- claims need the wall clock, here and nowhere else
    path = report.write(proof, settings.home / "reports")
    say(report.as_json(proof) if as_json else f"{report.terminal(proof)}\nreport: {path}")
    return proof.holds


def deployed(settings: Settings, owner: Conninfo) -> Deployment:
    """Find out what a data directory deploys."""
    logins = {login: deployment.as_login(settings.home, owner, login) for login in database.LOGINS}
    return Deployment(
        admin=owner,
        logins=logins,
        gateway_url=_url(settings.gateway_host, settings.gateway_port),
        console_url=_url(settings.console_host, settings.console_port),
        cache=settings.home / "run",
    )


def _url(host: str, port: int) -> str:
    """Where a service is reached from this machine, also one that listens on every address."""
    reached = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 -- read, not bound
    return f"http://[{reached}]:{port}" if ":" in reached else f"http://{reached}:{port}"


def _must_answer(settings: Settings) -> None:
    for url in (_url(settings.gateway_host, settings.gateway_port), _url(settings.console_host, settings.console_port)):
        try:
            ready = httpx.get(f"{url}/readyz", timeout=5, trust_env=False).is_success
        except httpx.TransportError:
            ready = False
        if not ready:
            raise Unavailable(
                f"{url} does not answer: start the fleet with `fleetmem up`, or prove one made for it: --throw-away"
            )
