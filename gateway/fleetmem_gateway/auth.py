"""Who is asking: one bearer token in, a signed claim out.

The token's hash is looked up in the database and the answer kept for a few seconds; a claim is minted for it and used
for at most half a minute. Neither cache can keep anybody in: the database checks the bearer behind a claim at every
statement, and when it refuses one, both are dropped and the token is looked up once more.

Nothing else identifies a caller. `X-Agent`, cookies, query parameters and certificates are not read.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Concatenate, Final, ParamSpec, TypeVar

from litestar.types import HTTPScope

from fleetmem.errors import RequestInvalid, TokenInvalid, Unauthenticated, Unavailable
from fleetmem.fleet.claims import SigningKey
from fleetmem.ids import bearer_sha256, is_bearer
from fleetmem.store import agents
from fleetmem.store.agents import Bearer
from fleetmem.store.session import Session
from fleetmem_gateway import clock, trace
from fleetmem_gateway.keys import Keyring
from fleetmem_gateway.limits import Buckets

LOOKUP_KEPT_S: Final = 5.0
REFUSAL_KEPT_S: Final = 2.0
CLAIM_USED_S: Final = 30.0
MOST_KEPT: Final = 10_000
# Tokens nobody has seen before, a peer: enough for a fleet that starts at once, too few to guess or to load a database.
UNSEEN_PER_S: Final = 20.0
UNSEEN_BURST: Final = 400

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(slots=True)
class _Known:
    """A bearer that was looked up at `looked_s`, and the claim minted for it at `minted_s`, under the key then known."""

    bearer: Bearer
    looked_s: float
    claim: str = ""
    minted_s: float = float("-inf")
    key: SigningKey | None = None


class Door:
    """Lets callers in, for one process."""

    __slots__ = ("_keys", "_known", "_rates", "_refused", "_session", "_unseen")

    def __init__(self, session: Session, keys: Keyring, rates: Buckets) -> None:
        """Look tokens up over `session`, sign with `keys`, and hold each bearer to `rates`."""
        self._session = session
        self._keys = keys
        self._rates = rates
        self._unseen = Buckets(per_s=UNSEEN_PER_S, burst=UNSEEN_BURST)
        self._known: OrderedDict[bytes, _Known] = OrderedDict()
        self._refused: OrderedDict[bytes, float] = OrderedDict()

    async def admit(self, scope: HTTPScope) -> Caller:
        """Find out whose request this is.

        Raises:
            Unauthenticated: it carries no bearer token.
            TokenInvalid: the token is nobody's.
            RateLimited: the bearer, or a peer with tokens never seen before, sends too fast.
        """
        digest = bearer_sha256(bearer_token(scope))
        known = await self._find(digest, scope)
        trace.of(scope).bearer = known.bearer.name
        self._rates.take(known.bearer.name, now_s=clock.monotonic_s())
        return Caller(known.bearer, digest, self, self._session)

    async def claim(self, digest: bytes) -> str:
        """Return a claim for an admitted bearer, minted now or up to half a minute ago."""
        known = self._known.get(digest) or await self._look_up(digest)
        now_s, bearer = clock.monotonic_s(), known.bearer
        key = self._keys.lately(bearer.rol, now_s=now_s)
        if now_s - known.minted_s > CLAIM_USED_S or key is not known.key:
            known.claim = self._keys.mint(bearer.rol, subject=bearer.name, bearer_id=bearer.id, unix_s=clock.unix_s())
            known.minted_s, known.key = now_s, self._keys.lately(bearer.rol, now_s=now_s)
        return known.claim

    def forget(self, digest: bytes, claim: str) -> None:
        """Drop what is kept of a bearer, unless somebody already replaced the claim that was refused."""
        known = self._known.get(digest)
        if known is not None and known.claim == claim:
            del self._known[digest]

    async def _find(self, digest: bytes, scope: HTTPScope) -> _Known:
        now_s = clock.monotonic_s()
        known = self._known.get(digest)
        if known is not None:
            return known if now_s - known.looked_s <= LOOKUP_KEPT_S else await self._look_up(digest)
        if self._refused.get(digest, float("-inf")) > now_s:
            raise TokenInvalid
        from_peer = peer(scope)
        self._unseen.take(from_peer, now_s=now_s)
        try:
            found = await self._look_up(digest)
        except Unavailable:
            self._unseen.put_back(from_peer)
            raise
        self._unseen.put_back(from_peer)
        return found

    async def _look_up(self, digest: bytes) -> _Known:
        for rol in self._keys.rols:
            bearer = await agents.resolve(self._session, digest, rol)
            if bearer is not None:
                return self._keep(digest, bearer)
        self._known.pop(digest, None)
        _put(self._refused, digest, clock.monotonic_s() + REFUSAL_KEPT_S)
        raise TokenInvalid

    def _keep(self, digest: bytes, bearer: Bearer) -> _Known:
        known = self._known.get(digest)
        if known is None or known.bearer != bearer:
            known = _Known(bearer, 0.0)
            _put(self._known, digest, known)
        known.looked_s = clock.monotonic_s()
        return known


@dataclass(frozen=True, slots=True)
class Caller:
    """Somebody who was let in, for one request."""

    bearer: Bearer
    _digest: bytes
    _door: Door
    _session: Session

    async def ask(
        self, act: Callable[Concatenate[Session, str, P], Awaitable[T]], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Do one thing in the store under this caller's claim.

        A claim that the database refuses is replaced once: its key may have been rotated, its bearer re-issued.

        Raises:
            TokenInvalid: the token no longer lets anybody in.
        """
        claim = await self._door.claim(self._digest)
        try:
            return await act(self._session, claim, *args, **kwargs)
        except TokenInvalid:
            self._door.forget(self._digest, claim)
        return await act(self._session, await self._door.claim(self._digest), *args, **kwargs)


def bearer_token(scope: HTTPScope) -> str:
    """Read the token of a request's one Authorization header.

    Raises:
        Unauthenticated: there is no such header.
        RequestInvalid: there are two.
        TokenInvalid: it is not the bearer scheme, or not a token's shape.
    """
    given = [value for name, value in scope["headers"] if name == b"authorization"]
    if not given:
        raise Unauthenticated
    if len(given) > 1:
        raise RequestInvalid("Send one Authorization header", field="Authorization", rule="duplicate")
    scheme, _, token = given[0].decode("latin-1").partition(" ")
    if scheme.lower() != "bearer" or not is_bearer(token):
        raise TokenInvalid
    return token


def peer(scope: HTTPScope) -> str:
    """Name the other end of the connection: its address, or the /64 network of an IPv6 one."""
    client = scope.get("client")
    try:
        address = ip_address(client[0] if client else "")
    except ValueError:
        return "unknown"
    return str(ip_network((address, 64), strict=False) if isinstance(address, IPv6Address) else address)


def _put(kept: OrderedDict[bytes, T], digest: bytes, value: T) -> None:
    kept[digest] = value
    kept.move_to_end(digest)
    if len(kept) > MOST_KEPT:
        kept.popitem(last=False)
