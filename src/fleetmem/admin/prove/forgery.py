"""Claims that stand for nobody: each differs from a good one of kit's in one way that must matter.

A forger here knows everything but the keys' bytes, and in the cases that say so even those: then what must hold is what
the database asks of a claim beyond its signature.
"""

import base64
import hashlib
import hmac
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from fleetmem.admin.prove.stage import Stage
from fleetmem.fleet.claims import header

Fields = dict[str, Any]
_LONG_BYTES: Final = 1_000_000
_NO_MAC: Final = "A" * 43


@dataclass(frozen=True, slots=True)
class Forgery:
    """A forged claim: its name in cases, what is wrong with it, and how it is made; None makes no claim at all."""

    name: str
    why: str
    make: Callable[[Stage], str | None]


def encoded(content: bytes) -> str:
    """Write bytes as base64url without padding."""
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def fields(stage: Stage, **changed: object) -> Fields:
    """Return the members of kit's good claim, with some changed; one changed to `...` is left out."""
    now = int(stage.unix_s())
    good: Fields = {**stage.keys["agent"].must(), "sub": stage.name("kit"), "jti": stage.bearers["kit"].id}
    good |= {"iat": now, "exp": now + 60} | changed
    return {name: value for name, value in good.items() if value is not ...}


def signed(head: str, claims: Fields | bytes, key: bytes) -> str:
    """Sign by hand: HMAC-SHA-256 over `head.body`, RFC 7515 section 5.1."""
    content = claims if isinstance(claims, bytes) else json.dumps(claims).encode()
    message = f"{head}.{encoded(content)}"
    return f"{message}.{encoded(hmac.digest(key, message.encode(), hashlib.sha256))}"


def head(stage: Stage, key: str = "agent") -> str:
    """Return the exact header that the database knows a key by."""
    return header(stage.keys[key].kid)


def altered(**changed: object) -> Callable[[Stage], str]:
    """Make a claim under the right key whose members are not those of a good one."""

    def make(stage: Stage) -> str:
        values = {name: value(stage) if callable(value) else value for name, value in changed.items()}
        return signed(head(stage), fields(stage, **values), stage.keys["agent"].key)

    return make


def headed(**changed: object) -> Callable[[Stage], str]:
    """Make a claim under the right key whose header is not the pinned one."""

    def make(stage: Stage) -> str:
        shown = {name: value for name, value in (_pinned(stage) | changed).items() if value is not ...}
        return signed(_compact(shown), fields(stage), stage.keys["agent"].key)

    return make


def _pinned(stage: Stage) -> Fields:
    members: Fields = json.loads(base64.urlsafe_b64decode(head(stage) + "=="))
    return members


def _compact(members: Fields) -> str:
    return encoded(json.dumps(members, separators=(",", ":")).encode())


def _reordered(stage: Stage) -> str:
    backwards = dict(reversed(_pinned(stage).items()))
    return signed(_compact(backwards), fields(stage), stage.keys["agent"].key)


def under(key: str) -> Callable[[Stage], str]:
    """Make a claim that another key of the stage signs, under that key's own header."""
    return lambda stage: signed(head(stage, key), fields(stage), stage.keys[key].key)


def bent(bend: Callable[[str], str]) -> Callable[[Stage], str]:
    """Change the text of a good claim after it was signed."""
    return lambda stage: bend(stage.claim("kit"))


def _later(seconds: float) -> Callable[[Stage], int]:
    return lambda stage: int(stage.unix_s() + seconds)


def _bearer(name: str) -> Callable[[Stage], str]:
    return lambda stage: stage.bearers[name].id


def _person(name: str) -> Callable[[Stage], str]:
    return lambda stage: stage.name(name)


def _unsigned(mac: str, head_fields: Mapping[str, str]) -> Callable[[Stage], str]:
    def make(stage: Stage) -> str:
        body = json.dumps(fields(stage)).encode()
        return f"{encoded(json.dumps(head_fields).encode())}.{encoded(body)}.{mac}"

    return make


def _as_zoe(stage: Stage) -> str:
    start, _, mac = stage.claim("kit").split(".")
    return f"{start}.{encoded(json.dumps(fields(stage, sub=stage.name('zoe'))).encode())}.{mac}"


def _last_letter(claim: str) -> str:
    """Change only bits of the last letter that a lenient decoder drops: 43 letters hold 258 bits, and a MAC has 256."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    return claim[:-1] + alphabet[alphabet.index(claim[-1]) ^ 1]


def _ours(name: str, role: str) -> Callable[[Stage], str]:
    return lambda stage: signed(head(stage, role), fields(stage, sub=stage.name(name)), stage.keys["agent"].key)


FORGERIES: Final = (
    Forgery("no claim", "the login alone reads nothing", lambda _: None),
    Forgery("an empty claim", "what a setting reverts to after a transaction", lambda _: ""),
    Forgery("a blank claim", "white space is no claim", lambda _: "  "),
    Forgery("a wrong key", "right members, wrong key", lambda s: signed(head(s), fields(s), bytes(32))),
    Forgery("zoe, a wrong key", "zoe's name and bearer, wrong key", lambda s: signed(
        head(s), fields(s, sub=s.name("zoe"), jti=s.bearers["zoe"].id), bytes(32))),
    Forgery("alg none", "alg=none with an empty signature", _unsigned("", {"alg": "none", "typ": "JWT"})),
    Forgery("alg none, filled", "alg=none with a signature of 43 letters", _unsigned(_NO_MAC, {"alg": "none"})),
    Forgery("no signature", "right header, empty signature", bent(lambda c: c.rpartition(".")[0] + ".")),
    Forgery("HS512", "right key, other algorithm: the header is pinned", headed(alg="HS512")),
    Forgery("RS256", "algorithm confusion: RS256 in the header, HMAC with the key", headed(alg="RS256")),
    Forgery("foreign kid", "a key id that nobody registered", headed(kid="agent-00000000")),
    Forgery("operator's kid", "the agents' key under the operators' key id", _ours("kit", "operator")),
    Forgery("SQL in kid", "a key id is compared, never executed", headed(kid="x' or '1'='1")),
    Forgery("no kid", "a header without a key id", headed(kid=...)),
    Forgery("crit", "a critical extension nobody understands", headed(crit=["x"])),
    Forgery("jwk", "a header that brings its own key", headed(jwk={"kty": "oct", "k": "AAAA"})),
    Forgery("jku", "a header that says where to fetch a key", headed(jku="http://127.0.0.1/")),
    Forgery("header order", "validly signed, but not the pinned header's bytes", _reordered),
    Forgery("another's body", "body changed to another agent, signature kept", _as_zoe),
    Forgery("cut signature", "signature one letter short", bent(lambda c: c[:-1])),
    Forgery("two parts", "no third part", bent(lambda c: c.rpartition(".")[0])),
    Forgery("four parts", "a fourth part after a good claim", bent(lambda c: c + ".x")),
    Forgery("leading dot", "an empty part before a good claim", bent(lambda c: "." + c)),
    Forgery("trailing newline", "a newline after a good claim", bent(lambda c: c + "\n")),
    Forgery("trailing space", "a space after a good claim", bent(lambda c: c + " ")),
    Forgery("padded", "base64 padding after the signature", bent(lambda c: c + "=")),
    Forgery("last letter", "other last letter, same bytes for a lenient decoder", bent(_last_letter)),
    Forgery("newline inside", "Postgres' decode() skips white space", bent(lambda c: c[:-20] + "\n" + c[-20:])),
    Forgery("case flipped", "base64url tells cases apart", bent(str.swapcase)),
    Forgery("1 MB", "length is checked before anything is hashed", lambda _: "A" * _LONG_BYTES),
    Forgery("expired", "expired an hour ago", altered(iat=_later(-3660), exp=_later(-3600))),
    Forgery("just expired", "expired ten seconds ago; the leeway is five", altered(iat=_later(-70), exp=_later(-10))),
    Forgery("no exp", "a claim ends", altered(exp=...)),
    Forgery("exp never", "exp as a text", altered(exp="never")),
    Forgery("exp null", "exp is null", altered(exp=None)),
    Forgery("too long a life", "a claim lives 120 seconds at most", altered(exp=_later(180))),
    Forgery("no iat", "a claim says when it was made", altered(iat=...)),
    Forgery("iat as text", "iat is a number", altered(iat="0")),
    Forgery("from the future", "issued in a minute", altered(iat=_later(60), exp=_later(90))),
    Forgery("not yet", "nbf in the future", altered(nbf=_later(60))),
    Forgery("nbf null", "nbf is null", altered(nbf=None)),
    Forgery("wrong iss", "another issuer", altered(iss="somebody")),
    Forgery("no iss", "no issuer", altered(iss=...)),
    Forgery("wrong aud", "a claim of another deployment", altered(aud="fleetmem:elsewhere")),
    Forgery("aud list", "aud as a list that holds the right one", altered(aud=lambda s: [s.keys["agent"].aud])),
    Forgery("aud object", "aud as an object", altered(aud={"x": 1})),
    Forgery("no aud", "no audience", altered(aud=...)),
    Forgery("no jti", "no bearer behind the claim", altered(jti=...)),
    Forgery("jti number", "jti is a text", altered(jti=1)),
    Forgery("jti of nobody", "a bearer that was never issued", altered(jti="0000000000000000")),
    Forgery("jti of another", "zoe's bearer under kit's name", altered(jti=_bearer("zoe"))),
    Forgery("sub of another", "kit's bearer under zoe's name", altered(sub=_person("zoe"))),
    Forgery("jti revoked", "the bearer was revoked", altered(jti=_bearer("revoked"))),
    Forgery("jti expired", "the bearer's own time is over", altered(jti=_bearer("expired"))),
    Forgery("no sub", "nobody in particular", altered(sub=...)),
    Forgery("sub array", "sub as an array", altered(sub=lambda s: [s.name("kit")])),
    Forgery("sub null", "sub is null", altered(sub=None)),
    Forgery("sub empty", "an empty name", altered(sub="")),
    Forgery("sub in capitals", "names are compared exactly", altered(sub=lambda s: s.name("kit").upper())),
    Forgery("sub with a space", "a space after the name", altered(sub=lambda s: s.name("kit") + " ")),
    Forgery("sub look-alike", "a Cyrillic letter in the name", altered(sub=lambda s: s.name("kit").replace("k", "к"))),
    Forgery("sub wildcard", "names are no patterns", altered(sub="%")),
    Forgery("SQL in sub", "a name is bound, never executed", altered(sub="x' or '1'='1")),
    Forgery("rol operator", "the agents' key vouching for an operator", altered(rol="operator")),
    Forgery("rol array", "rol as an array", altered(rol=["agent"])),
    Forgery("operator as agent", "an operator's name and bearer in an agent's claim",
            altered(sub=_person("chief"), jti=_bearer("chief"))),
    Forgery("auditor as agent", "an auditor's name and bearer in an agent's claim",
            altered(sub=_person("sage"), jti=_bearer("sage"))),
    Forgery("deactivated", "an agent that was deactivated", altered(sub=_person("gone"), jti=_bearer("gone"))),
    Forgery("suspended", "an agent that was suspended", altered(sub=_person("held"), jti=_bearer("held"))),
    Forgery("all ended", "a new claim from a bearer older than the agent's `tokens_from`",
            altered(sub=_person("stale"), jti=_bearer("stale"))),
    Forgery("negative exp", "before the epoch", altered(iat=-60, exp=-1)),
    Forgery("exp before iat", "ends before it begins", altered(iat=_later(2), exp=_later(1))),
    Forgery("bp of another", "bound to another connection", altered(bp=1)),
    Forgery("bp text", "bound to a connection in the wrong type", altered(bp="1")),
    Forgery("revoked key", "a revoked key takes all its claims with it", under("revoked")),
    Forgery("ended key", "a key past its end", under("ended")),
    Forgery("early key", "a key before its time", under("early")),
    Forgery("body is a list", "signed, and no object", lambda s: signed(head(s), b"[]", s.keys["agent"].key)),
)  # fmt: skip

# Next to them, the same by hand and unchanged: good, so what is wrong with the others is what each says of itself.
BY_HAND: Final = Forgery("by hand", "right members under the pinned header", altered())
