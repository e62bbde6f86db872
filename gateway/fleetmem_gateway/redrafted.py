"""A reviewer's edit of a note, judged as the note itself was: what it may say, and who may receive it.

The whole record is judged again, changed words and unchanged, so that nothing can be split between two fields. A secret is
rewritten, a text that tries to steer its reader is marked and opens an incident, and what could break out of its place in
a file is refused.
"""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import Mapping
from typing import Final

import msgspec

from fleetmem.board import limits
from fleetmem.errors import NoteRecipients, RequestInvalid, SecretInBody
from fleetmem.fleet.text import tidy_line
from fleetmem.memory import block, review, safety, skill
from fleetmem.memory.reasons import Reason
from fleetmem.memory.review import Member
from fleetmem.memory.safety import Verdict
from fleetmem.sql import safety_files
from fleetmem.store.notes import Edit, Judged
from fleetmem.wire import NewRecipient, NoteDetail, NoteEdit
from fleetmem_gateway import screened

LONGEST_REMARK: Final = 1_000


async def edit(asked: NoteEdit, note: NoteDetail) -> Edit:
    """Return an edit as it may be stored.

    Raises:
        RequestInvalid: a text breaks a rule, nothing changes, or somebody is named twice.
        SecretInBody: safety cannot judge the text, or a skill's key or the remark holds a secret.
        NoteRecipients: somebody may not receive the note.
    """
    _refuse_nothing(asked)
    await _check_recipients(asked, note)
    given = {
        "content": None if asked.content is None else unicodedata.normalize("NFC", asked.content),
        "description": None if asked.description is None else tidy_line(asked.description),
        "skill_key": asked.skill_key,
    }
    changed = {name: text for name, text in given.items() if text is not None}
    verdict = await _judge(changed, note) if changed else None
    kept = {name: verdict.texts[name] for name in changed} if verdict is not None else {}
    if verdict is not None:
        _check_texts(kept, changed, rules=verdict.redacted_by)
    return Edit(
        revision=asked.revision,
        content=kept.get("content"),
        description=kept.get("description"),
        skill_key=kept.get("skill_key"),
        severity=asked.severity,
        recipients=None if asked.recipients is None else msgspec.json.encode(asked.recipients).decode(),
        reasons=_reasons(asked, verdict),
        judged=None
        if verdict is None
        else Judged(
            redacted_by=verdict.redacted_by,
            quarantined_by=verdict.quarantined_by,
            policy_version=verdict.policy_version,
        ),
        remark=await remark(asked.remark),
    )


async def remark(given: str | None) -> str | None:
    """Return a remark that is fit to be kept.

    Raises:
        RequestInvalid: it is not plain text.
        SecretInBody: it holds a secret.
    """
    if given is None:
        return None
    return await screened.text(limits.prose(given, field="remark", longest=LONGEST_REMARK), field="remark")


async def _judge(changed: Mapping[str, str], note: NoteDetail) -> Verdict:
    whole = {
        "content": note.content,
        "description": note.description,
        "rationale": note.rationale,
        "skill_key": note.skill_key,
        **changed,
    }
    verdict = await asyncio.to_thread(_judged, whole)
    if safety.FAULT in verdict.quarantined_by:
        raise SecretInBody("The text cannot be judged, and so it is refused", field="content", rule=safety.FAULT)
    return verdict


def _judged(whole: Mapping[str, str]) -> Verdict:
    return safety.judge(safety_files.shipped_policy(), whole)  # compiled once, and not while others wait


def _check_texts(kept: Mapping[str, str], changed: Mapping[str, str], *, rules: tuple[str, ...]) -> None:
    if "content" in kept:
        block.check_content(kept["content"])
    if "description" in kept:
        skill.check_description(kept["description"])
    if "skill_key" in kept:
        if kept["skill_key"] != changed["skill_key"]:
            raise SecretInBody("`skill_key` holds a secret; leave it out", field="skill_key", rule=rules[0])
        skill.check_key(kept["skill_key"])


async def _check_recipients(asked: NoteEdit, note: NoteDetail) -> None:
    if asked.recipients is None:
        return
    names = [each.agent for each in asked.recipients]
    if len(set(names)) < len(names):
        raise RequestInvalid("`recipients` names somebody twice", field="recipients", rule="duplicate")
    for each in asked.recipients:
        await _check_skill(each)
    # An edit that was stored before has raised the revision: then the database answers, perhaps with its first answer.
    if note.status == "candidate" and note.revision == asked.revision:
        members = [Member(each.agent, frozenset(each.reads), each.active) for each in note.members]
        found = review.faults(names, members=members, audiences=frozenset(note.audiences))
        for agent, why in found.items():
            raise NoteRecipients(f"{agent} may not receive the note ({why})", field=agent, rule=why)


async def _check_skill(recipient: NewRecipient) -> None:
    if recipient.skill is not None:
        skill.check_key(recipient.skill)
        await screened.text(recipient.skill, field="skill")


def _refuse_nothing(asked: NoteEdit) -> None:
    if (asked.content, asked.description, asked.severity, asked.skill_key, asked.recipients) == (None,) * 5:
        raise RequestInvalid("The edit changes nothing", field="body", rule="empty")


def _reasons(asked: NoteEdit, verdict: Verdict | None) -> tuple[str, ...]:
    held = {
        Reason.SEVERE: asked.severity == "severe",
        Reason.REDACTED: verdict is not None and bool(verdict.redacted_by),
        Reason.QUARANTINED: verdict is not None and verdict.is_quarantined,
    }
    return tuple(reason.value for reason, holds in held.items() if holds)
