"""The safety service: texts in, redacted texts and a verdict out. It fails closed, whatever goes wrong inside.

A text that cannot be judged (an error, a time-out, octets that are no UTF-8) is withheld: its field becomes the marker,
and the verdict is a quarantine under `safety-fault`. No error leaves this module with a text in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from fleetmem.memory import quarantine, redaction
from fleetmem.memory.policy import Claims, Policy, Secrets
from fleetmem.memory.redaction import MARKER, Redacted

FAULT: Final = "safety-fault"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What may be kept of a record's texts, and why they are held back. Rule ids and a version; never a secret."""

    texts: Mapping[str, str] = field(repr=False)
    redacted_by: tuple[str, ...]
    quarantined_by: tuple[str, ...]
    policy_version: str

    @property
    def is_quarantined(self) -> bool:
        """Tell whether a person must look before anything reads these texts."""
        return bool(self.quarantined_by)


def judge(policy: Policy, texts: Mapping[str, str | bytes]) -> Verdict:
    """Redact and examine the texts of one record, by field; what is found in one field is replaced in all of them."""
    try:
        given = {name: text.decode() if isinstance(text, bytes) else text for name, text in texts.items()}
        redacted = redaction.redact(policy.secrets, given)
        broken = {rule: None for text in given.values() for rule in quarantine.examine(policy.steering, text)}
        return Verdict(redacted.texts, redacted.rules, tuple(broken), policy.version)
    except Exception:  # noqa: BLE001 -- fails closed: whatever happened, the texts are withheld and a person looks
        return Verdict(dict.fromkeys(texts, MARKER), (), (FAULT,), policy.version)


def redact(secrets: Secrets, texts: Mapping[str, str]) -> Redacted:
    """Redact the texts of one record, by field; where that fails every text is withheld, by `safety-fault`."""
    try:
        return redaction.redact(secrets, texts)
    except Exception:  # noqa: BLE001 -- fails closed: a text that cannot be judged is not kept
        return Redacted(dict.fromkeys(texts, MARKER), (FAULT,))


def find_secret(secrets: Secrets, text: str) -> str | None:
    """Return the id of the first rule whose secret the text holds, or None; `safety-fault` where that cannot be told."""
    try:
        return redaction.first_rule(secrets, text)
    except Exception:  # noqa: BLE001 -- fails closed: a text that cannot be judged is refused
        return FAULT


def flags(claims: Claims, text: str) -> tuple[str, ...]:
    """Return the flags a handoff's text earns, in a fixed order; every flag where that cannot be told."""
    try:
        return quarantine.flags(claims, text)
    except Exception:  # noqa: BLE001 -- fails closed: a reader is warned once too often
        return tuple(claims.phrases)
