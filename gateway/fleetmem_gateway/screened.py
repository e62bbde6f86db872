"""Texts on their way in, judged by the safety policy.

In what is composed for others (a beat, a handoff) a secret is refused by the name of its rule, never repeated. In what is
captured (a prompt, a message, a tool's output) it is rewritten before anything keeps it: a machine that printed one cannot be
asked to say it better.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

from fleetmem.errors import SecretInBody
from fleetmem.memory import safety
from fleetmem.memory.policy import Secrets
from fleetmem.memory.redaction import Redacted
from fleetmem.sql import safety_files


async def text(given: str, *, field: str) -> str:
    """Return a text that holds no secret. A long one is judged in a thread: RE2 lets other requests run meanwhile.

    Raises:
        SecretInBody: it holds one, or nobody can tell; `rule` names its shape.
    """
    secrets = safety_files.secrets()
    if len(given) > _LONGEST_IN_LOOP:
        rule = await asyncio.to_thread(safety.find_secret, secrets, given)
    else:
        rule = safety.find_secret(secrets, given)
    if rule is not None:
        raise SecretInBody(f"`{field}` holds a secret ({rule}); leave it out", field=field, rule=rule)
    return given


async def redacted(texts: Mapping[str, str]) -> Redacted:
    """Return the texts of one record without their secrets, and the rules that found some; judged as `text` does."""
    secrets = safety_files.secrets()
    if sum(map(len, texts.values())) > _LONGEST_IN_LOOP:
        return await asyncio.to_thread(safety.redact, secrets, texts)
    return safety.redact(secrets, texts)


async def all_redacted(records: Sequence[Mapping[str, str]]) -> list[Redacted]:
    """Return many records as `redacted` does each, all in one thread."""
    return await asyncio.to_thread(_all_redacted, safety_files.secrets(), records)


def _all_redacted(secrets: Secrets, records: Sequence[Mapping[str, str]]) -> list[Redacted]:
    """Judge each text once: the steps of a run are of a few tools, and many have no more to say."""
    clean: set[str] = {""}
    kept: list[Redacted] = []
    for texts in records:
        unknown = {field: text for field, text in texts.items() if text not in clean}
        found = safety.redact(secrets, unknown) if unknown else Redacted({}, ())
        if found.rules:
            found = safety.redact(secrets, texts)  # what is found in one field is rewritten in all of them
        else:
            clean.update(text for text in unknown.values() if len(text) <= _LONGEST_REPEATED)
        kept.append(Redacted({**texts, **found.texts}, found.rules))
    return kept


def flags(given: str) -> tuple[str, ...]:
    """Return what a handoff's text claims for itself: `claims-approval`, `skips-checks`."""
    return safety.flags(safety_files.claims(), given)


def ready() -> None:
    """Read and compile the rules now, so that the first request does not wait for them.

    Raises:
        SetupInvalid: the shipped policy is missing or malformed.
    """
    safety_files.secrets()
    safety_files.claims()


_LONGEST_IN_LOOP: Final = 2_000  # Characters: about 1 ms, what a thread would cost by itself.
_LONGEST_REPEATED: Final = 200
