"""O. Memories: no agent reads one here, operators decide within what the note was made of, and whoever lost the right loses the file."""

from collections.abc import Iterator
from typing import Final

from fleetmem.admin.prove.case import Case, Control, Group, Refused, Rows, Value, Who, answers, blind, refused
from fleetmem.admin.prove.catalogue.people import (
    BARE,
    BARE_CONSOLE,
    CHIEF,
    HERE,
    KIT,
    OWNER,
    READER,
    SAGE,
    UNCLAIMED,
    WORKS,
)

TABLES: Final = (
    "note", "note_citation", "note_recipient", "note_denial", "note_review", "landing_preview", "landing", "incident", "ledger",
    "memory_rule", "calibration", "segment", "segment_task", "segment_run",
)  # fmt: skip
_ON_CONSOLE: Final = TABLES[:9]
AGENT_ON_CONSOLE: Final = Who("fleetmem_console", "fleetmem_operator", "kit")
CLAIMLESS: Final = Who("fleetmem_console", "fleetmem_operator")
_COUNTED: Final = "select " + " + ".join(f"(select count(*) from fleet.{table})" for table in _ON_CONSOLE)


def _no_agents() -> Iterator[Case]:
    for table in TABLES:
        for short, who in (("b", BARE), ("k", KIT), ("u", UNCLAIMED), ("c", BARE_CONSOLE)):
            yield refused(
                f"OR{short}:{table}",
                who,
                f"select 1 from fleet.{table}",
                "42501",
                "a memory reaches an agent as a file or not at all",
            )
        yield refused(
            f"OI:{table}", KIT, f"insert into fleet.{table} default values", "42501", "and no agent writes one"
        )
        yield refused(
            f"OD:{table}", HERE, f"delete from fleet.{table}", "42501", "nothing of it is deleted, whoever asks"
        )
        yield refused(f"OT:{table}", HERE, f"truncate fleet.{table} cascade", "42501", "nor emptied")


READING: Final = Group(
    "O",
    "Reading and writing memories as an agent",
    in_scene=True,
    controls=(
        answers("OM00", CHIEF, "select count(*) from fleet.note where team in (<crew>, <pair>)", 11, "an operator reads notes"),
        answers("OM01", SAGE, "select count(*) from fleet.note where team in (<crew>, <pair>)", 11, "and an auditor"),
        answers("OM02", READER, "select count(*) from fleet.note where team in (<crew>, <pair>)", 11, "also with psql"),
    ),
    cases=(
        *_no_agents(),
        answers("OM10", AGENT_ON_CONSOLE, _COUNTED, 0, "an agent's claim in the operators' role", Control(CHIEF, Value(True), f"select ({_COUNTED}) > 9")),
        answers("OM11", CLAIMLESS, _COUNTED, 0, "the console without a claim: nothing, and no error", Control(SAGE, Value(True), f"select ({_COUNTED}) > 9")),
        *(
            refused(f"OS:{table}", CHIEF, f"select 1 from fleet.{table}", "42501", "a segment is no operator's to read")
            for table in ("segment", "segment_task", "segment_run")
        ),
    ),
)  # fmt: skip

SIGN: Final = "insert into fleet.note_review (note, revision, decision) values (<{note}>, {revision}, 'approve')"
APPROVE: Final = "update fleet.note set status = 'approved' where id = <{note}>"
_RECEIVE: Final = "insert into fleet.note_recipient (note, agent, match, skill, new_skill, nonce) values (<{note}>, <{agent}>, '{match}', 'a-key', true, md5('x'))"


def signed_and_approved(note: str) -> str:
    """What an operator does to approve a note at its first revision."""
    return f"{SIGN.format(note=note, revision=1)}; {APPROVE.format(note=note)}"


def _receive(note: str, agent: str, match: str = "reviewer") -> str:
    return _RECEIVE.format(note=note, agent=agent, match=match)


DECIDING: Final = Group(
    "O",
    "Deciding more than an operator may",
    in_scene=True,
    controls=(
        answers("OM20", CHIEF, SIGN.format(note="n_wait", revision=1) + " returning reviewer", "<chief>", "a signature is the verified name's"),
        blind("OM21", CHIEF, signed_and_approved("n_wait"), "an operator approves", rows=1),
        answers("OM22", CHIEF, signed_and_approved("n_wait") + " returning decided_by", "<chief>", "in its own name"),
    ),
    cases=(
        refused("OM30", CHIEF, APPROVE.format(note="n_wait"), "23514", "no approval without a signature",
                Control(CHIEF, Rows(1), signed_and_approved("n_wait"))),
        refused("OM31", CHIEF, signed_and_approved("n_pair"), "23514", "a whole two-person team takes two reviewers",
                Control(CHIEF, Rows(1), signed_and_approved("n_signed"))),
        refused("OM32", CHIEF, f"{SIGN.format(note='n_pair', revision=1)}; {signed_and_approved('n_pair')}", "23514",
                "and one who signs twice is one", Control(CHIEF, Rows(1), signed_and_approved("n_signed"))),
        refused("OM33", CHIEF, "insert into fleet.note_review (note, revision, reviewer, decision) values (<n_pair>, 1, <deputy>, 'approve')",
                "42501", "nobody signs for another", Control(CHIEF, Rows(1), SIGN.format(note="n_pair", revision=1))),
        refused("OM34", CHIEF, SIGN.format(note="n_pair", revision=2), "23514", "nor what is still to be written",
                Control(CHIEF, Rows(1), SIGN.format(note="n_pair", revision=1))),
        refused("OM35", SAGE, SIGN.format(note="n_wait", revision=1), "28000 42501", "an auditor signs nothing", Control(CHIEF, Rows(1))),
        blind("OM36", SAGE, "update fleet.note set status = 'rejected' where id = <n_wait>", "and decides nothing", Control(CHIEF, Rows(1))),
        blind("OM37", AGENT_ON_CONSOLE, "update fleet.note set status = 'rejected' where id = <n_wait>", "an agent's claim decides nothing",
              Control(CHIEF, Rows(1))),
        refused("OM38", CHIEF, _receive("n_sealed", "max"), "23514", "no recipient is added below a signature",
                Control(CHIEF, Rows(1), _receive("n_wait", "max"))),
        refused("OM39", CHIEF, _receive("n_wait", "cal"), "23514", "nor from outside the team", Control(CHIEF, Rows(1), _receive("n_wait", "max"))),
        refused("OM40", CHIEF, _receive("n_deep", "kit"), "23514", "nor past the audiences", Control(CHIEF, Rows(1), _receive("n_deep", "zoe"))),
        refused("OM41", CHIEF, _receive("n_plain", "chief"), "23514", "nor who is no agent", Control(CHIEF, Rows(1), _receive("n_plain", "max"))),
        refused("OM42", CHIEF, _receive("n_landed", "zoe"), "23514", "nor to a note that is decided",
                Control(CHIEF, Rows(1), _receive("n_plain", "zoe"))),
        refused("OM43", CHIEF, _receive("n_wait", "max", "match"), "42501", "a reviewer's choice is told as no recognizer's",
                Control(CHIEF, Rows(1), _receive("n_wait", "max"))),
        refused("OM44", CHIEF, "insert into fleet.note_recipient (note, agent, match, score, nonce) values (<n_wait>, <max>, 'reviewer', 0.99, md5('x'))",
                "42501", "nor is its score made up"),
        refused("OM45", CHIEF, "update fleet.note_recipient set agent = <max> where note = <n_wait>", "42501", "no recipient becomes another"),
        refused("OM46", CHIEF, APPROVE.format(note="n_gone"), "23514", "what was rejected stays so"),
        refused("OM47", CHIEF, "update fleet.note set status = 'candidate' where id = <n_landed>", "23514", "nor is an approval taken for none",
                Control(CHIEF, Rows(1), "update fleet.note set status = 'revoked' where id = <n_landed>")),
        refused("OM48", CHIEF, f"{SIGN.format(note='n_wait', revision=1)}; update fleet.note set status = 'approved', content = 'other' where id = <n_wait>",
                "23514", "what is approved is what was seen", Control(CHIEF, Rows(1), signed_and_approved("n_wait"))),
        refused("OM49", CHIEF, f"{SIGN.format(note='n_wait', revision=1)}; update fleet.note set content = 'other' where id = <n_wait>; "
                + APPROVE.format(note="n_wait"), "23514", "an edit takes its signatures away"),
        refused("OM50", CHIEF, "update fleet.note set content = 'other' where id = <n_landed>", "23514", "an approved text never changes",
                Control(CHIEF, Rows(1), "update fleet.note set content = 'other' where id = <n_wait>")),
        *(
            refused(f"OM51{number}", CHIEF, f"update fleet.note set {column} = {value} where id = <n_wait>", "42501", "the column is not in the grant")
            for number, (column, value) in enumerate((("audiences", "array[<hall>]"), ("team", "<pair>"), ("segment", "<s_two>"), ("revision", "9"),
                ("decided_by", "<deputy>"), ("decided_at", "now()"), ("created_at", "now()"), ("supersedes", "null"), ("withheld_because", "'x'")))
        ),
        refused("OM52", CHIEF, "update fleet.note_denial set reason = 'audience' where note = <n_wait>", "42501", "why somebody was denied stays"),
        refused("OM53", CHIEF, "insert into fleet.note_denial (note, agent, reason) values (<n_wait>, <zoe>, 'audience')", "42501", "and is told by the database"),
        refused("OM54", CHIEF, "update fleet.landing set status = 'removed' where id = <l_kit>", "42501", "where a file is, is no operator's word"),
        refused("OM55", CHIEF, "insert into fleet.incident (id, kind, status, detail, opened_at) values (<absent>, 'drift', 'open', 'x', now())", "42501",
                "nor is what happened"),
        refused("OM56", CHIEF, "update fleet.incident set closed_by = <deputy>, status = 'confirmed' where id = <i_open>", "42501",
                "an incident is closed in one's own name", Control(CHIEF, Value("<chief>"),
                "update fleet.incident set status = 'confirmed' where id = <i_open> returning closed_by")),
        blind("OM57", SAGE, "update fleet.incident set status = 'dismissed' where id = <i_open>", "an auditor closes none", Control(CHIEF, Rows(1))),
        blind("OM58", CHIEF, "update fleet.incident set status = 'confirmed' where id = <i_open>; update fleet.incident set status = 'open' where id = <i_open>",
              "nor is one opened again"),
        refused("OM59", SAGE, "select fence.review_withdraw(<n_landed>, <kit>)", "28000", "an auditor takes nothing back",
                Control(CHIEF, Rows(1))),
        refused("OM60", AGENT_ON_CONSOLE, "select fence.review_reset(<s_hall>)", "28000", "an agent's claim resets nothing",
                Control(CHIEF, Refused(("23514",)))),
        answers("OM61", AGENT_ON_CONSOLE, "select count(*) from fence.review_sources(<n_wait>)", 0, "nor reads what a note cites",
                Control(CHIEF, Value(1))),
        answers("OM62", CLAIMLESS, "select count(*) from fence.review_members(<n_wait>)", 0, "nor whom it could go to", Control(CHIEF, Value(3))),
        refused("OM63", CHIEF, "update fleet.memory_rule set auto_grant = true", "42501", "the rules are the owner's"),
        refused("OM64", CHIEF, "insert into fleet.calibration default values", "42501", "so is the evidence"),
        refused("OM65", CHIEF, "select fence.note_revoke(<n_landed>, 'superseded')", "42501", "what the database does by itself is nobody's to call"),
        refused("OM66", CHIEF, "select fence.reset_automatic_notes(<s_hall>)", "42501", "nor this"),
        refused("OM67", OWNER, "update fleet.memory_rule set auto_grant = true", "23514", "no grant without a person and without evidence",
                Control(OWNER, Rows(1), "update fleet.memory_rule set review_all = true")),
        refused("OM68", HERE, "update fleet.note set audiences = '{}' where id = <n_wait>", "42501", "what a note was made of never changes, whoever asks"),
        refused("OM69", HERE, "set local session_replication_role = replica; update fleet.note_recipient set agent = <max> where note = <n_wait>",
                "42501", "and no setting lets it be"),
        refused("OM70", HERE, "set local session_replication_role = replica; " + _receive("n_deep", "kit"), "23514",
                "nor does any let a note past its audiences"),
    ),
)  # fmt: skip

_HELD: Final = "select count(*) from fleet.landing where agent = <kit> and status in ('pending', 'landed', 'drifted')"
_NARROW: Final = "update fleet.principal set reads = '{}' where name = <kit>"
_SUSPEND: Final = "update fleet.principal set suspended_at = now() where name = <kit>"
_LEAVE: Final = "update fleet.team_member set active = false where team = <crew> and agent = <kit>"
_WHY: Final = "select reason from fleet.ledger where agent = <kit> and event = 'denied' order by seq desc limit 1"
_LAND: Final = "update fleet.landing set status = 'landed', path = 'p', sha256 = 'x' where id = <l_asked>"
_AS_WORKER: Final = "set local session authorization fleetmem_worker; "

NARROWING: Final = Group(
    "O",
    "Whoever may no longer hold a memory loses it",
    in_scene=True,
    controls=(
        answers("OM80", HERE, _HELD, 2, "kit holds one, and one is on its way"),
        blind("OM81", WORKS, _LAND, "which the worker lands", rows=1),
    ),
    cases=(
        answers("OM82", HERE, f"{_NARROW}; {_HELD}", 0, "a narrower read set takes both back", Control(HERE, Value(2), _HELD)),
        answers("OM83", HERE, f"{_LEAVE}; {_HELD}", 0, "so does leaving the team", Control(HERE, Value(2), _HELD)),
        answers("OM84", HERE, f"update fleet.team set active = false where name = <crew>; {_HELD}", 0, "and the team's end"),
        answers("OM85", HERE, f"update fleet.principal set active = false where name = <kit>; {_HELD}", 0, "and one's own"),
        answers("OM86", HERE, f"{_NARROW}; {_WHY}", "narrowed", "and the ledger says why"),
        answers("OM87", HERE, f"{_LEAVE}; {_WHY}", "left_team", "in each case"),
        answers("OM88", HERE, f"{_NARROW}; select count(*) from fleet.note_recipient where agent = <kit> and active and note <> <n_gone>", 0,
                "what waits for review is narrowed too"),
        refused("OM89", HERE, f"{_NARROW}; {_AS_WORKER}{_LAND}", "23514", "what was on its way does not land any more",
                Control(HERE, Rows(1), f"{_AS_WORKER}{_LAND}")),
        refused("OM90", HERE, "update fleet.memory_rule set on_narrowing = 'propose'; " + f"{_NARROW}; {_AS_WORKER}{_LAND}", "23514",
                "not even where a person decides about what is there", Control(HERE, Rows(1), f"{_AS_WORKER}{_LAND}")),
        refused("OM91", HERE, f"{_NARROW}; update fleet.note_recipient set active = true where note = <n_wait>", "23514",
                "nobody puts it back by hand"),
        refused("OM92", HERE, f"{_SUSPEND}; {_AS_WORKER}{_LAND}", "23514", "nothing new lands with whom an operator has suspended",
                Control(HERE, Rows(1), f"{_AS_WORKER}{_LAND}")),
    ),
)  # fmt: skip

GROUPS: Final = (READING, DECIDING, NARROWING)
