"""How both clients speak HTTP: what an httpx client of either kind is made with."""

from __future__ import annotations

import ssl
from typing import TypedDict

import httpx

from fleetmem.client.access import Access


class Transport(TypedDict):
    """Arguments of `httpx.Client` and `httpx.AsyncClient`."""

    base_url: httpx.URL
    headers: dict[str, str]
    timeout: httpx.Timeout
    verify: ssl.SSLContext | bool
    trust_env: bool
    follow_redirects: bool


def transport(access: Access, *, timeout_s: float) -> Transport:
    """Return what to make an httpx client with.

    A redirect is never followed, since it would carry the token elsewhere. A proxy of the environment is used over TLS
    alone, where it sees no token. A plain connection gets a TLS context that trusts nobody, because loading the system's
    certificates would cost a short command more than everything else it does.
    """
    return {
        "base_url": access.url,
        "headers": access.headers(),
        "timeout": httpx.Timeout(timeout_s),
        "verify": True if access.is_encrypted else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
        "trust_env": access.is_encrypted,
        "follow_redirects": False,
    }
