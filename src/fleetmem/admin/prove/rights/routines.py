"""Functions: who owns each, whether it runs with its owner's rights, and who may call it. Everyone else may not."""

from dataclasses import dataclass
from typing import Final

from fleetmem.admin.prove.rights.relations import AGENT, CONSOLE, GATEWAY, OPERATOR, OWNER, SCRIBE, VERIFIER


@dataclass(frozen=True, slots=True)
class Routine:
    """One function; `is_definer`: it runs as its owner, and then on a search path of its own."""

    signature: str
    owner: str
    is_definer: bool
    callers: tuple[str, ...] = ()


_T: Final = "timestamp with time zone"


def _door(signature: str, *callers: str) -> Routine:
    """Write down a function that runs as whoever calls it: row security decides."""
    return Routine(signature, OWNER, is_definer=False, callers=callers)


def _verdict(signature: str, *callers: str) -> Routine:
    """Write down one that reads the vault, which no caller can."""
    return Routine(signature, VERIFIER, is_definer=True, callers=callers)


def _stamp(signature: str) -> Routine:
    """Write down a trigger's function that writes what no caller may; the owner hangs it on a table."""
    return Routine(signature, SCRIBE, is_definer=True, callers=(OWNER,))


ROUTINES: Final = (
    # who is asking
    _verdict("fence._who(text)"),
    _verdict("fence.current_agent()", AGENT, SCRIBE),
    _verdict("fence.read_set()", AGENT, SCRIBE),
    _verdict("fence.write_set()", AGENT, SCRIBE),
    _verdict("fence.current_operator()", OPERATOR, SCRIBE),
    _verdict("fence.on_console()", OPERATOR, SCRIBE),
    _verdict("fence.require(text)", AGENT, OPERATOR, SCRIBE),
    _verdict("fence.tokens()", OPERATOR),
    _verdict("fence.token_revoke(text)", OPERATOR),
    _verdict("api.resolve_bearer(bytea,text)", GATEWAY, CONSOLE),
    _verdict("api.key_known(text)", GATEWAY, CONSOLE),
    # triggers
    _stamp("fence.beat_stamp()"),
    _stamp("fence.handoff_stamp()"),
    _stamp("fence.handoff_move()"),
    _stamp("fence.handoff_record()"),
    _door("fence.beat_end()"),
    _door("fence.idempotency_stamp()"),
    _door("fence.principal_sets()"),
    _door("fence.principal_suspended()"),
    _door("fence.never()"),
    # what requests are made of
    _door("fence.enter(text,text,boolean)", GATEWAY, CONSOLE),
    _door("fence.replay(text,bytea)", AGENT, OPERATOR),
    _door("fence.remember(text,bytea,integer,text)", AGENT, OPERATOR),
    _door(f"fence.first_id({_T})", AGENT, OPERATOR, SCRIBE),
    _door(f"fence.new_id({_T})", SCRIBE),
    _door("fence.topic_key(text)", AGENT, SCRIBE),
    _door("fence.cursor(uuid)", AGENT, OPERATOR, SCRIBE),
    _door("fence.page(json[],uuid,integer)", AGENT, OPERATOR, SCRIBE),
    _door("api.beat_doc(fleet.beat)", AGENT),
    _door("api.handoff_doc(fleet.handoff)", AGENT),
    # requests of the agents' gateway
    _door("api.me(text)", GATEWAY),
    _door(f"api.beat_publish(text,text,bytea,text,text,text,{_T})", GATEWAY),
    _door("api.beat_retract(text,text,bytea,uuid)", GATEWAY),
    _door("api.beat_get(text,uuid)", GATEWAY),
    _door("api.beat_history(text,uuid,uuid,integer)", GATEWAY),
    _door(f"api.beat_list(text,text,text,text,{_T},boolean,uuid,integer)", GATEWAY),
    _door(f"api.handoff_send(text,text,bytea,text,text,text,{_T},text[])", GATEWAY),
    _door("api.handoff_move(text,text,bytea,uuid,text,text)", GATEWAY),
    _door("api.handoff_get(text,uuid)", GATEWAY),
    _door("api.handoff_list(text,text,text,boolean,uuid,integer)", GATEWAY),
    # requests of the operators' console
    _door("api.console_me(text,text)", CONSOLE),
    _door("api.console_agents(text,text)", CONSOLE),
    _door("api.console_tokens(text,text)", CONSOLE),
    _door("api.console_overdue(text,text,uuid,integer)", CONSOLE),
    _door("api.console_token_revoke(text,text,bytea,text)", CONSOLE),
    _door("api.console_suspend(text,text,bytea,text,boolean)", CONSOLE),
    # what a service asks before it starts
    _door("api.fence_version()", GATEWAY, CONSOLE),
    _door("api.ready()", GATEWAY, CONSOLE),
)
