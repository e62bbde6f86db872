"""The one error tree: what can go wrong, as a caller tells it apart.

::

    FleetmemError
    ├── RequestInvalid          request.invalid        a field broke a rule: `field` and `rule` say which
    │   ├── BodyTooLarge        body.too_large         more bytes than the gateway takes
    │   ├── MediaUnsupported    media.unsupported      a body that is not application/json
    │   ├── MethodNotAllowed    method.not_allowed     the address exists, the verb does not
    │   ├── SecretInBody        body.secret            a text holds a credential; `rule` names it, never the text
    │   └── RecipientUnknown    handoff.recipient      no active agent of that name, or oneself
    ├── Unauthenticated         auth.required          no bearer token
    │   └── TokenInvalid        auth.invalid           a token that is unknown, revoked, expired or malformed
    ├── Forbidden               action.forbidden       known, and may not do this
    │   └── AudienceNotWritable audience.not_writable  the audience is not in the agent's write set
    ├── Absent                  record.absent          no such record, or none that may be seen: alike on purpose
    │   └── RouteAbsent         route.absent           no such address
    ├── Conflict                conflict               true of the world now: fetch again, then decide
    │   ├── IdempotencyConflict idempotency.conflict   the key was used for another request
    │   ├── TransitionRefused   handoff.transition     the handoff's status does not allow this move
    │   ├── BeatEnded           beat.ended             the beat is superseded, retracted or expired
    │   ├── NoteDecided         note.transition        the note cannot be decided so from where it stands
    │   ├── NoteEdited          note.revision          the note was edited since it was seen
    │   ├── NoteUnfit           note.preview           what would be written is not known yet, or would be refused
    │   ├── NoteQuarantined     note.quarantine        the note's quarantine has not been dismissed
    │   ├── NoteRecipients      note.recipients        an agent may not receive the note
    │   ├── TaskSettled         task.settled           the task is settled: it takes no run, message or second end
    │   └── RunSettled          run.settled            the run is settled: it takes no span and no second end
    ├── Unavailable             unavailable            the database cannot answer now: `retry_after_s`
    │   └── RateLimited         rate.limited           too many requests: `retry_after_s`
    ├── Internal                internal               a fault of ours, told without detail
    └── SetupInvalid            setup.invalid          what the owner must repair before a process may start
        ├── ConfigInvalid       config.invalid         a setting: `field` is the variable's name
        ├── RosterInvalid       roster.invalid         a line of roster.yaml: `field` is "line N"
        └── WorkspaceRefused    workspace.refused      a file or folder no memory may land in: `field` is its path

A class exists only where a caller acts differently. `code` is public and never changes its meaning; docs/errors.md
lists each. HTTP status is the gateway's business (`problems.py`), SQLSTATE is `store/pgerrors.py`'s.
"""

# ruff: noqa: N818 -- a name says what is so, as the codes do; `except Absent` needs no suffix

from __future__ import annotations

from typing import ClassVar


class FleetmemError(Exception):
    """The root; its own instances mean an answer whose code this version does not know.

    `detail` is one sentence for a person. `field` and `rule` say what to change, `retry_after_s` when to come back
    (seconds), `request_id` which log line belongs to it; each is None where it does not apply.
    """

    code: ClassVar[str] = "unknown"
    title: ClassVar[str] = "The request failed"

    def __init__(
        self,
        detail: str | None = None,
        *,
        field: str | None = None,
        rule: str | None = None,
        retry_after_s: int | None = None,
        request_id: str | None = None,
    ) -> None:
        """Keep the detail, or the class's title where there is none to give."""
        self.detail = detail or self.title
        self.field = field
        self.rule = rule
        self.retry_after_s = retry_after_s
        self.request_id = request_id
        super().__init__(self.detail)


class RequestInvalid(FleetmemError):
    """The caller must change the request; sending it again cannot help."""

    code = "request.invalid"
    title = "The request breaks a rule"


class BodyTooLarge(RequestInvalid):
    """The body is longer than the gateway takes."""

    code = "body.too_large"
    title = "The body is too large"


class MediaUnsupported(RequestInvalid):
    """The body is not declared as application/json."""

    code = "media.unsupported"
    title = "The body must be application/json"


class MethodNotAllowed(RequestInvalid):
    """The address exists and does not take this verb."""

    code = "method.not_allowed"
    title = "The address does not take this method"


class SecretInBody(RequestInvalid):
    """A text holds something shaped like a credential: `rule` names the shape, and nothing repeats the text."""

    code = "body.secret"
    title = "The text holds a secret"


class RecipientUnknown(RequestInvalid):
    """A handoff names someone who is no active agent, or its own sender."""

    code = "handoff.recipient"
    title = "No active colleague has that name"


class Unauthenticated(FleetmemError):
    """No bearer token came with the request."""

    code = "auth.required"
    title = "A bearer token is required"


class TokenInvalid(Unauthenticated):
    """A bearer token came and names nobody: one answer for unknown, revoked, expired and malformed."""

    code = "auth.invalid"
    title = "The bearer token is not valid"


class Forbidden(FleetmemError):
    """The caller is known and may not do this."""

    code = "action.forbidden"
    title = "This is not allowed"


class AudienceNotWritable(Forbidden):
    """The audience is not in the agent's write set; whether it exists is not said."""

    code = "audience.not_writable"
    title = "The audience is not one this agent writes for"


class Absent(FleetmemError):
    """There is no such record, or none that this agent may see: the two answer alike."""

    code = "record.absent"
    title = "There is no such record"


class RouteAbsent(Absent):
    """The address leads nowhere."""

    code = "route.absent"
    title = "There is no such address"


class Conflict(FleetmemError):
    """The request is well formed and the world has moved on: read again, then decide."""

    code = "conflict"
    title = "The record is in another state"


class IdempotencyConflict(Conflict):
    """The idempotency key was used before, for a different request."""

    code = "idempotency.conflict"
    title = "The idempotency key was used for another request"


class TransitionRefused(Conflict):
    """The handoff cannot make this move from where it stands, or not by this agent."""

    code = "handoff.transition"
    title = "The handoff cannot make this move"


class BeatEnded(Conflict):
    """The beat is no longer live, so it cannot be retracted."""

    code = "beat.ended"
    title = "The beat is no longer live"


class TaskSettled(Conflict):
    """The task is settled: it takes no more messages and runs, and is not settled again."""

    code = "task.settled"
    title = "The task is settled"


class RunSettled(Conflict):
    """The run is settled: it takes no more spans, and is not settled again."""

    code = "run.settled"
    title = "The run is settled"


class NoteDecided(Conflict):
    """The note does not stand where this decision starts from."""

    code = "note.transition"
    title = "The note cannot be decided so from where it stands"


class NoteEdited(Conflict):
    """The note has another revision than the one that was seen; what was seen is what is approved."""

    code = "note.revision"
    title = "The note was edited since it was seen"


class NoteUnfit(Conflict):
    """What would be written for a recipient is not known yet, or would be refused; `field` is the agent, `rule` which."""

    code = "note.preview"
    title = "What would be written is not known yet, or would be refused"


class NoteQuarantined(Conflict):
    """The note was quarantined, and nobody has dismissed the incident."""

    code = "note.quarantine"
    title = "The note's quarantine has not been dismissed"


class NoteRecipients(Conflict):
    """An agent may not receive the note; `field` is the agent, `rule` is `audience` or `left_team`."""

    code = "note.recipients"
    title = "An agent may not receive the note"


class Unavailable(FleetmemError):
    """The service cannot answer now; the same request may succeed after `retry_after_s` seconds."""

    code = "unavailable"
    title = "The service cannot answer right now"


class RateLimited(Unavailable):
    """The caller sends faster than it may; wait `retry_after_s` seconds."""

    code = "rate.limited"
    title = "Too many requests"


class Internal(FleetmemError):
    """A fault of the service, told without detail; the request id finds it in the log."""

    code = "internal"
    title = "The service failed"


class SetupInvalid(FleetmemError):
    """The owner must repair something before the process may start; exit code 78."""

    code = "setup.invalid"
    title = "The installation is not fit to start"


class ConfigInvalid(SetupInvalid):
    """A setting is missing or unusable; `field` is the variable."""

    code = "config.invalid"
    title = "A setting is not usable"


class RosterInvalid(SetupInvalid):
    """The roster breaks a rule; `field` names the line."""

    code = "roster.invalid"
    title = "The roster breaks a rule"


class WorkspaceRefused(SetupInvalid):
    """Memory cannot land in a workspace as it stands, and nothing in it was changed; `field` is the path, `rule` why."""

    code = "workspace.refused"
    title = "The workspace is not fit for memory"


def tree() -> tuple[type[FleetmemError], ...]:
    """Return every class of the tree, root first, in the order of the drawing above."""

    def below(root: type[FleetmemError]) -> list[type[FleetmemError]]:
        return [root, *(leaf for child in root.__subclasses__() for leaf in below(child))]

    return tuple(below(FleetmemError))


def by_code(code: str) -> type[FleetmemError]:
    """Return the class a public code stands for; the root for a code of a later version."""
    return _BY_CODE.get(code, FleetmemError)


_BY_CODE = {member.code: member for member in tree()}
