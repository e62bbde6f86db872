"""How a value is judged that stands where a secret would: generated, chosen by a person, or only a mention of one.

A value is opaque by its characters alone (length, entropy, mixture); a placeholder, a variable, a path or a name of
something in a vault is none, because telling where a secret is kept is what agents are asked to do instead.
"""

# ruff: noqa: PLR2004 -- lengths and entropies were measured together; each is read where it decides

from __future__ import annotations

import math
from collections import Counter
from typing import Final

import re2


def is_password(value: str) -> bool:
    """Tell whether a value could be a password: letters with digits or signs, no placeholder and no reference."""
    if _is_reference(value) or len(value) > 200:
        return False
    letters, digits = sum(map(str.isalpha, value)), sum(map(str.isdigit, value))
    signs = len(value) - letters - digits
    mixed = letters >= 2 and (digits >= 1 or signs >= 2) and len(set(value)) >= 5
    return mixed and not _NUMBERED_WORD.fullmatch(value)


def is_random(value: str) -> bool:
    """Tell whether a value looks generated: 16 characters or more of high entropy, with digits or both cases."""
    core = value.rstrip(".,;:!?)]}=")
    if len(core) < 16 or _is_reference(value) or not _TOKEN.fullmatch(core):
        return False
    if not any(map(str.isdigit, core)) and (core.islower() or core.isupper() or _WORDS.fullmatch(core)):
        return False
    return _entropy(core) >= _LEAST_ENTROPY and not _is_made_of_words(core)


def is_secret(value: str) -> bool:
    """Judge a value whose name says secret: a shorter one counts when it could be a password."""
    return is_random(value) or (
        len(value) >= 8 and any(map(str.isdigit, value)) and is_password(value) and _entropy(value) >= 3
    )


def is_no_reference(value: str) -> bool:
    """Judge the password of a URL: anything but a placeholder or a variable."""
    return not _is_reference(value)


def is_spoken_password(value: str) -> bool:
    """Judge a word of prose that follows "the password is": it needs a digit, and more variety than a word has."""
    core = value.rstrip(".,;!?)")
    return (
        len(core) >= 8 and any(map(str.isdigit, core)) and is_password(core) and _entropy(core) > _LEAST_ENTROPY_SPOKEN
    )


def _entropy(value: str) -> float:
    """Return Shannon's entropy of a text's characters in bits each, from 0."""
    return -sum(n / len(value) * math.log2(n / len(value)) for n in Counter(value).values())


def _is_reference(value: str) -> bool:
    return bool(_PLACEHOLDER.search(value) or _REFERENCE.search(value)) or len(set(value)) <= 3


def _is_made_of_words(value: str) -> bool:
    parts = [part for part in _SEPARATOR.split(value) if part]
    wordy = sum(len(part) for part in parts if part.isdigit() or _WORD.fullmatch(part))
    return len(parts) > 1 and wordy >= 0.8 * sum(map(len, parts))


# Bits a character, measured on labelled texts: generated tokens lie above, words and identifiers below.
_LEAST_ENTROPY: Final = 2.9
_LEAST_ENTROPY_SPOKEN: Final = 2.7
_TOKEN: Final = re2.compile(r"[A-Za-z0-9+/_.=~:%@!*^$#-]+")
_WORD: Final = re2.compile(r"[A-Za-z]?[a-z]{1,14}|[A-Z]{1,14}|v?[0-9]{1,4}")
_WORDS: Final = re2.compile(r"(?:[A-Za-z]?[a-z]+)+")
_SEPARATOR: Final = re2.compile(r"[^A-Za-z0-9]+")
_NUMBERED_WORD: Final = re2.compile(
    r"(?i)(?:[a-z]+[-_./:]){1,}[a-z0-9]+|[a-z]+\(.*|[0-9]+[a-z]{1,3}|[a-z]{1,12}s?\.?|v?[0-9.]+"
)
_PLACEHOLDER: Final = re2.compile(
    r"(?i)x{4,}|\*{3,}|\.{3,}|…|•{2,}|redacted|removed|masked|hidden|your[-_ ]?|(?:insert|put|enter|paste)[-_ ]|[-_ ]here|example"
    r"|placeholder|change[-_ ]?me|changeit|dummy|todo|fixme|not[-_ ]?set|foobar|sample|^(?:password|secret|token|key|user|pass|none|null|true|false)$"
)
_REFERENCE: Final = re2.compile(
    r"(?i)^[$%{<\[(~]|^\.{0,2}/[a-z0-9_.-]+/[a-z0-9_./-]*$|\$\{|\$\(|\{\{|%\(|^@|^&|://|^(?:vault|op|arn|env|sm|keychain|secretsmanager|file|ref|ssm|kms|kv|keyvault|sops):"
    r"|(?:process|os|self|settings|config|env|args|request|this|secrets|var|local|module|data|opts|options|params|ctx|body|form)\.[a-z_]"
    r"|getenv|environ|getpass|\(|\[|optional|->|_file$|\.(?:ya?ml|json|pem|key|txt|env|conf|py|md)$"
)
