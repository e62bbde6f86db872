"""Which extractor the settings name."""

# ruff: noqa: PLC0415 -- the SDK is loaded by those who chose it

from __future__ import annotations

from pathlib import Path
from typing import cast

from fleetmem.config import Settings
from fleetmem.errors import ConfigInvalid
from fleetmem.memory.policy import Secrets
from fleetmem.models.extractor import Extractor, Off
from fleetmem.models.rules import Rules


def extractor(settings: Settings, secrets: Secrets) -> Extractor:
    """Build the extractor of the settings; `secrets` are what is taken out of everything before a model sees it.

    Raises:
        ConfigInvalid: `openai` lacks a model, its key cannot be read, or its SDK is not installed.
    """
    if settings.extractor == "off":
        return Off()
    if settings.extractor == "rules":
        return Rules()
    return _openai(settings, secrets)


def _openai(settings: Settings, secrets: Secrets) -> Extractor:
    if settings.extractor_model is None:
        raise ConfigInvalid(
            "FLEETMEM_EXTRACTOR_MODEL must name a model of the endpoint",
            field="FLEETMEM_EXTRACTOR_MODEL",
            rule="required",
        )
    try:
        from fleetmem.models.openai_notes import Endpoint, Form, OpenAiNotes
    except ImportError as error:
        raise ConfigInvalid(
            "FLEETMEM_EXTRACTOR is openai, and its SDK is not installed: install fleetmem[memory]",
            field="FLEETMEM_EXTRACTOR",
            rule="required",
        ) from error
    endpoint = Endpoint(
        url=settings.extractor_url,
        model=settings.extractor_model,
        key=None if settings.extractor_key_file is None else _key(settings.extractor_key_file),
        timeout_s=settings.extractor_timeout_s,
        most_tokens=settings.extractor_max_tokens,
        form=cast("Form", settings.extractor_format),
    )
    return OpenAiNotes(endpoint, secrets)


def _key(path: Path) -> str:
    variable = "FLEETMEM_EXTRACTOR_KEY_FILE"
    try:
        key = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigInvalid(f"{variable} cannot be read: {path}", field=variable, rule="unreadable") from error
    if not key.isascii() or not key.isprintable() or not key or " " in key:
        raise ConfigInvalid(f"{variable} must hold one key and nothing else: {path}", field=variable, rule="value")
    return key
