"""Functions: who owns each, whether it runs with its owner's rights, and who may call it. Everyone else may not."""

from typing import Final

from fleetmem.admin.prove.rights.memory_routines import (
    CAPTURE_ROUTINES,
    MEMORY_ROUTINES,
    QUEUE_ROUTINES,
    REVIEW_ROUTINES,
)
from fleetmem.admin.prove.rights.relations import AGENT, CONSOLE, GATEWAY, OPERATOR, SCRIBE
from fleetmem.admin.prove.rights.routine import door, stamp, verdict

_T: Final = "timestamp with time zone"

ROUTINES: Final = (
    # who is asking
    verdict("fence._who(text)"),
    verdict("fence.current_agent()", AGENT, SCRIBE),
    verdict("fence.read_set()", AGENT, SCRIBE),
    verdict("fence.write_set()", AGENT, SCRIBE),
    verdict("fence.current_operator()", OPERATOR, SCRIBE),
    verdict("fence.on_console()", OPERATOR, SCRIBE),
    verdict("fence.require(text)", AGENT, OPERATOR, SCRIBE),
    verdict("fence.tokens()", OPERATOR),
    verdict("fence.token_revoke(text)", OPERATOR),
    verdict("api.resolve_bearer(bytea,text)", GATEWAY, CONSOLE),
    verdict("api.key_known(text)", GATEWAY, CONSOLE),
    # triggers
    stamp("fence.beat_stamp()"),
    stamp("fence.handoff_stamp()"),
    stamp("fence.handoff_move()"),
    stamp("fence.handoff_record()"),
    door("fence.beat_end()"),
    door("fence.idempotency_stamp()"),
    door("fence.principal_sets()"),
    door("fence.principal_suspended()"),
    door("fence.never()"),
    # what requests are made of
    door("fence.enter(text,text,boolean)", GATEWAY, CONSOLE),
    door("fence.replay(text,bytea)", AGENT, OPERATOR),
    door("fence.remember(text,bytea,integer,text)", AGENT, OPERATOR),
    door(f"fence.first_id({_T})", AGENT, OPERATOR, SCRIBE),
    door(f"fence.new_id({_T})", SCRIBE),
    door("fence.topic_key(text)", AGENT, SCRIBE),
    door("fence.cursor(uuid)", AGENT, OPERATOR, SCRIBE),
    door("fence.page(json[],uuid,integer)", AGENT, OPERATOR, SCRIBE),
    door("api.beat_doc(fleet.beat)", AGENT),
    door("api.handoff_doc(fleet.handoff)", AGENT),
    # requests of the agents' gateway
    door("api.me(text)", GATEWAY),
    door(f"api.beat_publish(text,text,bytea,text,text,text,{_T})", GATEWAY),
    door("api.beat_retract(text,text,bytea,uuid)", GATEWAY),
    door("api.beat_get(text,uuid)", GATEWAY),
    door("api.beat_history(text,uuid,uuid,integer)", GATEWAY),
    door(f"api.beat_list(text,text,text,text,{_T},boolean,uuid,integer)", GATEWAY),
    door(f"api.handoff_send(text,text,bytea,text,text,text,{_T},text[])", GATEWAY),
    door("api.handoff_move(text,text,bytea,uuid,text,text)", GATEWAY),
    door("api.handoff_get(text,uuid)", GATEWAY),
    door("api.handoff_list(text,text,text,boolean,uuid,integer)", GATEWAY),
    # requests of the operators' console
    door("api.console_me(text,text)", CONSOLE),
    door("api.console_agents(text,text)", CONSOLE),
    door("api.console_tokens(text,text)", CONSOLE),
    door("api.console_overdue(text,text,uuid,integer)", CONSOLE),
    door("api.console_token_revoke(text,text,bytea,text)", CONSOLE),
    door("api.console_suspend(text,text,bytea,text,boolean)", CONSOLE),
    # what a service asks before it starts
    door("api.fence_version()", GATEWAY, CONSOLE),
    door("api.ready()", GATEWAY, CONSOLE),
    *CAPTURE_ROUTINES,
    *MEMORY_ROUTINES,
    *REVIEW_ROUTINES,
    *QUEUE_ROUTINES,
)
