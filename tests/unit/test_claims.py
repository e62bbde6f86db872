"""Signed claims: what a verifier that knows only RFC 7519 and RFC 2104 makes of them."""

import base64
import hashlib
import hmac
import json

import jwt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleetmem.errors import ConfigInvalid
from fleetmem.fleet import claims
from fleetmem.fleet.agent import Rol

KEY = claims.SigningKey(kid="agent-1", key=bytes(range(32)), aud="fleetmem:here", rol=Rol.AGENT)
NOW = 1_800_000_000.75


def test_a_claim_carries_who_what_and_for_how_long() -> None:
    claim = claims.mint(KEY, "health", "bearer-1", NOW)
    payload = jwt.decode(
        claim,
        KEY.key,
        algorithms=["HS256"],
        audience="fleetmem:here",
        options={"verify_exp": False, "verify_iat": False},
    )
    assert payload == {
        "iss": "fleetmem",
        "aud": "fleetmem:here",
        "rol": "agent",
        "sub": "health",
        "jti": "bearer-1",
        "iat": 1_800_000_000.75,
        "exp": 1_800_000_060.75,
    }


def test_a_claim_holds_everything_the_key_demands() -> None:
    payload = json.loads(base64.urlsafe_b64decode(claims.mint(KEY, "health", "b", NOW).split(".")[1] + "=="))
    assert KEY.must().items() <= payload.items()


def test_the_header_is_known_before_the_first_claim() -> None:
    assert claims.mint(KEY, "health", "bearer-1", NOW).split(".")[0] == claims.header(KEY.kid)
    assert claims.header("agent-1") != claims.header("agent-2")


@pytest.mark.parametrize("lifetime_s", [0, -1, 121])
def test_a_lifetime_no_database_accepts_is_not_minted(lifetime_s: int) -> None:
    with pytest.raises(ValueError, match="120"):
        claims.mint(KEY, "health", "bearer-1", NOW, lifetime_s)


def test_a_key_survives_its_file() -> None:
    assert claims.read_key(claims.write_key(KEY)) == KEY


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[]",
        b'{"kid": "a", "aud": "b", "rol": "agent", "key": "AAAA"}',
        b'{"kid": "a", "aud": "b", "rol": "owner", "key": "' + b"A" * 43 + b'"}',
        b'{"kid": "", "aud": "b", "rol": "agent", "key": "' + b"A" * 43 + b'"}',
        b'{"kid": 1, "aud": "b", "rol": "agent", "key": "' + b"A" * 43 + b'"}',
        b'{"kid": "a", "aud": "b", "rol": "agent", "key": "sekret sekret"}',
    ],
)
def test_a_damaged_key_file_is_refused_without_repeating_it(content: bytes) -> None:
    with pytest.raises(ConfigInvalid) as caught:
        claims.read_key(content)
    assert "sekret" not in caught.value.detail


def test_a_key_is_not_shown_by_its_repr() -> None:
    assert repr(KEY.key) not in repr(KEY)


@given(key=st.binary(min_size=1, max_size=200), message=st.binary(max_size=200))
def test_the_pads_and_sha256_alone_make_the_standard_mac(key: bytes, message: bytes) -> None:
    ipad, opad = claims.pads(key)
    mac = hashlib.sha256(opad + hashlib.sha256(ipad + message).digest()).digest()
    assert mac == hmac.digest(key, message, "sha256")
