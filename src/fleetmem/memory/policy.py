"""The safety policy: rules as data, compiled once, immutable, with one version that every decision records.

The functions here take the documents of `policies/safety/*.yaml` as plain values; reading the files is not done here. A
rule that cannot be compiled, names no known judge or has no id is refused when the policy is loaded, never when a text
is judged.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import re2

from fleetmem.errors import SetupInvalid
from fleetmem.memory.gates import Sieve
from fleetmem.memory.values import JUDGES
from fleetmem.memory.views import fold_letters


@dataclass(frozen=True, slots=True)
class Patience:
    """How long one text may take: `longest_s` seconds on `clock`, after which it counts as hostile."""

    longest_s: float = 2.0
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)


@dataclass(frozen=True, slots=True)
class SecretRule:
    """One shape of a secret: `group` of `pattern` is what is redacted. Without a `judge` the pattern alone is proof.

    Nothing introduces the value where it `is_bare`: a match begins at most one octet before it.
    """

    id: str
    pattern: Any = field(repr=False)
    group: int
    judge: Callable[[str], bool] | None = field(repr=False)
    needs: tuple[bytes, ...]
    unless: Any = field(repr=False)
    is_bare: bool = False


@dataclass(frozen=True, slots=True)
class Secrets:
    """What counts as a secret, and what is `public` however random it looks.

    `sieve` tells which rules' patterns match a text at all, each by its place, and behind the last whether `public` does.
    """

    rules: tuple[SecretRule, ...] = field(repr=False)
    public: Any = field(repr=False)
    sieve: Sieve = field(repr=False)
    patience: Patience = Patience()


@dataclass(frozen=True, slots=True)
class SteeringRule:
    """One thing a text must not say. `guarded` lets a warning against it through; `original` reads the raw text alone.

    Every pattern of `also` must be in the same sentence, in any order, and `without` must not.
    """

    id: str
    pattern: Any = field(repr=False)
    guarded: bool
    original: bool
    also: tuple[Any, ...] = field(repr=False)
    without: Any = field(repr=False)


@dataclass(frozen=True, slots=True)
class Steering:
    """What a text says when it wants to steer its reader, and what marks a warning against it or a mention of it."""

    sentences: tuple[SteeringRule, ...] = field(repr=False)
    shapes: tuple[SteeringRule, ...] = field(repr=False)
    guard: Any = field(repr=False)
    mention: Any = field(repr=False)
    vocabulary: Mapping[str, str] = field(repr=False)
    patience: Patience = Patience()


@dataclass(frozen=True, slots=True)
class Claims:
    """What a handoff says when it wants to be believed instead of checked: phrases by flag."""

    phrases: Mapping[str, tuple[Any, ...]] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Policy:
    """Secrets and steering under one version, which names the files' content."""

    version: str
    secrets: Secrets
    steering: Steering


def secrets(document: Any) -> Secrets:
    """Compile `secrets.yaml`.

    Raises:
        SetupInvalid: it is incomplete or a rule is malformed; the message names the rule.
    """
    try:
        parts = document["parts"]
        rules = tuple(_secret_rule(rule, parts) for rule in document["rules"])
        public = _compile("public", "|".join(document["public"]), parts)
        return Secrets(
            rules=rules, public=public, sieve=Sieve([*(rule.pattern.pattern for rule in rules), public.pattern])
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise _incomplete("secrets", error) from error


def steering(document: Any) -> Steering:
    """Compile `quarantine.yaml`.

    Raises:
        SetupInvalid: it is incomplete or a rule is malformed; the message names the rule.
    """
    try:
        parts = document["parts"]
        return Steering(
            sentences=tuple(_steering_rule(rule, parts) for rule in document["rules"]),
            shapes=tuple(_steering_rule(rule, parts) for rule in document["raw"]),
            guard=_compile("guard", document["guard"], parts),
            mention=_compile("mention", document["mention"], parts),
            vocabulary={_shuffled(word): word for word in document["vocabulary"].split()},
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise _incomplete("quarantine", error) from error


def claims(document: Any) -> Claims:
    """Compile `claims.yaml`.

    Raises:
        SetupInvalid: it is incomplete or a phrase is malformed; the message names the flag.
    """
    try:
        guard, parts = document["guard"], document["parts"]
        return Claims(
            {
                flag: tuple(_compile(flag, f"{guard}(?:{phrase})", parts) for phrase in phrases)
                for flag, phrases in document["flags"].items()
            }
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise _incomplete("claims", error) from error


def _secret_rule(rule: Mapping[str, Any], parts: Mapping[str, str]) -> SecretRule:
    judge, unless = rule.get("judge"), rule.get("unless")
    if judge is not None and judge not in JUDGES:
        raise SetupInvalid(f"policies/safety: the rule {rule['id']} names no judge of fleetmem.memory.values: {judge}")
    pattern = _compile(rule["id"], rule["pattern"], parts)
    return SecretRule(
        id=rule["id"],
        pattern=pattern,
        group=pattern.groupindex.get("value", 0),
        judge=JUDGES[judge] if judge else None,
        needs=tuple(each.encode() for each in rule.get("needs", ())),
        unless=_compile(rule["id"], unless, parts) if unless else None,
        is_bare=_BARE.match(rule["pattern"]) is not None,
    )


def _steering_rule(rule: Mapping[str, Any], parts: Mapping[str, str]) -> SteeringRule:
    return SteeringRule(
        id=rule["id"],
        pattern=_compile(rule["id"], rule["pattern"], parts),
        guarded=bool(rule.get("guarded", True)),
        original=bool(rule.get("original", False)),
        also=tuple(_compile(rule["id"], pattern, parts) for pattern in rule.get("also", ())),
        without=_compile(rule["id"], rule["without"], parts) if "without" in rule else None,
    )


def _compile(rule: str, pattern: str, parts: Mapping[str, str]) -> Any:
    for _ in range(_DEEPEST):
        for name, part in parts.items():
            pattern = pattern.replace("%{" + name + "}", part)
    options = re2.Options()
    options.max_mem = _MOST_MEMORY
    options.log_errors = False
    try:
        return re2.compile(fold_letters(pattern), options)
    except re2.error as error:
        raise SetupInvalid(f"policies/safety: the rule {rule} is no RE2 pattern: {error}") from error


def _shuffled(word: str) -> str:
    """Key a word by its first letter, its last, and the letters between in any order."""
    return word[0] + "".join(sorted(word[1:-1])) + word[-1]


def _incomplete(document: str, error: Exception) -> SetupInvalid:
    return SetupInvalid(f"policies/safety/{document}.yaml is incomplete: {type(error).__name__} {error}")


_DEEPEST: Final = 4
_BARE: Final = re2.compile(r"\(\?:\^\|\[(?:[ -Z^-~]|\\[\[\]s])*\]\)\(\?P<value>")
_MOST_MEMORY: Final = 16 << 20
