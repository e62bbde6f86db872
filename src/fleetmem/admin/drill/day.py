"""A day's data for a throw-away fleet, written through its own gateway: what `make drill` has to bring back."""

from fleetmem.admin import database, tokens
from fleetmem.admin.drill import memories
from fleetmem.admin.up import Fleet
from fleetmem.client import FleetClient
from fleetmem.fleet import roster
from fleetmem.fleet.agent import Agent

_BEATS_EACH = 12


def live_through(fleet: Fleet) -> None:
    """Let every agent publish and hand over, a team work and remember; revoke a token and suspend an agent."""
    declared = roster.parse(fleet.settings.roster.read_bytes())
    agents = declared.agents
    for number, each in enumerate(agents):
        with FleetClient(fleet.agents.url, token=fleet.token(each.name)) as client:
            _publish(client, each)
            _hand_over(client, each, fleet, agents[(number + 1) % len(agents)])
    memories.remember(fleet, declared)
    with database.owner(fleet.owner) as connection:
        token_id, _ = tokens.issue(connection, agents[0].name, label="lost on a train")
        tokens.revoke(connection, token_id)
        connection.execute(
            "update fleet.principal set suspended_at = clock_timestamp() where name = %s", [agents[-1].name]
        )


def _publish(client: FleetClient, agent: Agent) -> None:
    for audience in sorted(agent.writes):
        for hour in range(_BEATS_EACH):
            body = f"{agent.name} at {hour}: nothing to \\. worry about\n🏠"
            beat = client.publish(f"hour {hour % 8}", body, audience=audience)
            if hour == 0:
                client.retract(beat.id)


def _hand_over(client: FleetClient, agent: Agent, fleet: Fleet, to: Agent) -> None:
    for audience in sorted(agent.writes):
        with FleetClient(fleet.agents.url, token=fleet.token(to.name)) as other:
            asked = client.send(to.name, f"please look at {audience}", audience=audience)
            other.accept(asked.id)
            other.answer(asked.id, "done", "looked")
            client.send(to.name, "and once more", audience=audience)
