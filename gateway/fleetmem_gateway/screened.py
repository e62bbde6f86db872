"""Texts on their way in, looked through for secrets: what is found is refused by the name of its rule, never repeated."""

from __future__ import annotations

from fleetmem.board import screening
from fleetmem.errors import SecretInBody


def text(given: str, *, field: str) -> str:
    """Return a text that holds no secret.

    Raises:
        SecretInBody: it holds one; `rule` names its shape.
    """
    rule = screening.find_secret(given)
    if rule is not None:
        raise SecretInBody(f"`{field}` holds a secret ({rule}); leave it out", field=field, rule=rule)
    return given
