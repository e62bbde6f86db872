"""The shapes of credentials, as a table: an id that may be told to anyone, a pattern, and how to judge what it found.

All patterns run on RE2, whose time grows with the text and not with its malice; Python's `re` hangs on 10 kB of `a`
under rules like these. A rule with a group `value` matches a shape that prose and code also have (`password = …`), so
what it found must also look random, or at least chosen, and be no placeholder and no reference to where a secret is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import re2

from fleetmem.board.secret_values import is_no_reference, is_password, is_random, is_secret, is_spoken_password

# What a name ends with when its value is a secret, however it is joined: DB_PASSWORD, client-secret, apiKey.
_CHOSEN_NAME: Final = r"(?:password|passwort|passwd|passphrase|pass|pwd)"
_OPAQUE_NAME: Final = (
    r"(?:secret(?:[ _.-]?(?:access|signing|api))?(?:[ _.-]?key)?(?:[ _.-]?base)?|token|credentials?|bearer|cookie|sessionid"
    r"|(?:api|access|auth|account|app|application|private|signing|encryption|shared[ _.-]?access|maps|license|service|master|activation)"
    r"[ _.-]?key|auth)"
)
_JOIN: Final = r"""["'`]?\s{0,3}(?::=|=>|[:=])\s{0,3}(?:b|r|f)?["'`]?"""
_VALUE: Final = r"""(?P<value>[^\s"'`<>,;&|]{6,400})"""
_LEFT: Final = r"(?:^|[^A-Za-z0-9])"
_END: Final = r"(?:$|[^A-Za-z0-9_])"


@dataclass(frozen=True, slots=True)
class Shape:
    """One rule. `judge` is None where the pattern alone is proof; otherwise it is asked about the group `value`."""

    rule: str
    pattern: str
    judge: Callable[[str], bool] | None = None


SHAPES: Final = (
    Shape("private-key", r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"),
    Shape("private-key", r"AGE-SECRET-KEY-1[A-Z0-9]{20,}|PuTTY-User-Key-File-[23]:"),
    Shape(
        "url-credentials",
        r"(?i)\b[a-z][a-z0-9+.-]{1,30}://[^\s/:@\"'<>]{0,100}:(?P<value>[^\s/\"'<>]{3,200})@[a-z0-9\[]",
        is_no_reference,
    ),
    Shape(
        "url-credentials",
        r"(?i)https?://(?:hooks\.slack\.com/(?:services|workflows|triggers)/|(?:\w+\.)?discord(?:app)?\.com/api/webhooks/\d+/)[A-Za-z0-9/_-]{16,}",
    ),
    Shape(
        "url-credentials",
        r"(?i)[?&](?:access_token|api_?key|key|token|auth|secret|password|sig|signature|client_secret|code)=(?P<value>[^\s&\"'<>`]{6,500})",
        is_random,
    ),
    Shape(
        "authorization-header",
        r"(?i)authorization[\"'`]?\s{0,3}[:= ]\s{0,3}[\"'`]?(?:bearer|basic|token|digest|negotiate|apikey)\s+[\"'`]?(?P<value>[A-Za-z0-9._~+/=:-]{8,})",
        is_secret,
    ),
    Shape("authorization-header", r"(?i)\b(?:bearer|basic)\s+(?P<value>[A-Za-z0-9._~+/=-]{16,})", is_random),
    Shape("fleetmem-token", _LEFT + r"fm_[A-Za-z0-9_-]{43}"),
    Shape("jwt", r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{10,}"),
    Shape("aws-key", _LEFT + r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}" + _END),
    Shape("github-token", _LEFT + r"(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})"),
    Shape("gitlab-token", _LEFT + r"(?:gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|ffct)|GR1348941)-[A-Za-z0-9_.-]{16,}"),
    Shape("slack-token", _LEFT + r"(?:xox[abeoprs]-[A-Za-z0-9-]{16,}|xapp-[0-9]-[A-Za-z0-9-]{16,})"),
    Shape("stripe-key", _LEFT + r"(?:[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/]{24,})"),
    Shape(
        "model-provider-key",
        _LEFT
        + r"(?:sk-(?:ant-|proj-|or-|svcacct-|admin-)[A-Za-z0-9_-]{20,}|sk-[A-Za-z0-9]{32,}|(?:gsk|pplx|hf|r8|xai)[_-][A-Za-z0-9]{30,})",
    ),
    Shape("google-key", _LEFT + r"(?:AIza[A-Za-z0-9_-]{30,}|GOCSPX-[A-Za-z0-9_-]{20,}|ya29\.[A-Za-z0-9_-]{20,})"),
    Shape(
        "vendor-token",
        _LEFT
        + r"(?:npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{40,}|rubygems_[a-f0-9]{40,}|do[opr]_v1_[a-f0-9]{40,}|hv[sbr]\.[A-Za-z0-9_-]{20,}"
        r"|dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}|sbp_[a-f0-9]{32,}|nfp_[A-Za-z0-9]{30,}|dapi[a-f0-9]{32}|pul-[a-f0-9]{40}|ATATT3[A-Za-z0-9_=-]{30,}"
        r"|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|SK[a-f0-9]{32}|key-[a-f0-9]{32}|[a-f0-9]{32}-us[0-9]{1,2}|ntn_[A-Za-z0-9]{30,}|secret_[A-Za-z0-9]{40,}"
        r"|lin_(?:api|oauth)_[A-Za-z0-9]{30,}|PMAK-[a-f0-9]{24}-[a-f0-9]{30,}|pat-[a-z]{2}[0-9]-[a-f0-9-]{36}|[st]k\.eyJ[A-Za-z0-9_.-]{30,}"
        r"|sntr(?:ys|yu)_[A-Za-z0-9_=+/-]{30,}|gl(?:c|sa)_[A-Za-z0-9_=+/-]{28,}|NRAK-[A-Z0-9]{27}|shp(?:at|ca|pa|ss)_[a-f0-9]{32}|EAAA[A-Za-z0-9_-]{56,}"
        r"|access_token\$production\$[a-z0-9]{10,}\$[a-f0-9]{32}|[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}|[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,}"
        r"|fo1_[A-Za-z0-9_-]{40,}|FlyV1 fm[0-9]_[A-Za-z0-9+/=,_-]{40,}|[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}"
        r"|[A-Za-z0-9_]{3}[0-9]Q~[A-Za-z0-9_.~-]{31,}|oauth:[a-z0-9]{30})",
    ),
    Shape(
        "assigned-password",
        r"(?i)" + _CHOSEN_NAME + r"(?:[_-]?[a-z0-9]{1,10})?" + _JOIN + r"""(?P<value>[^\s"'`<>,;]{6,200})""",
        is_password,
    ),
    Shape("assigned-password", r"(?i)<(?:\w+:)?" + _CHOSEN_NAME + r">(?P<value>[^<\s]{6,200})<", is_password),
    Shape(
        "assigned-password",
        r"(?i)\b(?:curl\b.{0,80}\s(?:-u|--user)[ =]|sshpass -p ?|--password[= ]|mysql .{0,60}-p)[\"']?(?:[a-z0-9_.-]+:)?(?P<value>[^\s\"']{6,200})",
        is_password,
    ),
    Shape(
        "assigned-secret",
        r"(?i)" + _OPAQUE_NAME + r"(?:[_-]?(?:value|prod|production|dev|test|staging|[0-9]{1,2}))?" + _JOIN + _VALUE,
        is_secret,
    ),
    Shape(
        "assigned-secret",
        r"(?i)(?:client|app|api|webhook|db|session|signing)[_-]?(?:key|token|secret|pass)[a-z0-9_]{0,10}"
        + _JOIN
        + _VALUE,
        is_random,
    ),
    Shape(
        "spoken-password",
        r"(?i)\b(?:password|passwort|passphrase|login)\b[^\n.]{0,60}?(?:\s(?:is|to|was|ist|lautet)|:|\s/|\s=)\s{1,3}[\"'`]?(?P<value>[^\s\"'`]{8,80})",
        is_spoken_password,
    ),
    Shape(
        "spoken-secret",
        r"(?i)(?:^|[^a-z])(?:key|token|secret|credentials?|bearer|schl(?:ü|ue)ssel|zugangsschlüssel|cl(?:é|ave)|api)\b[^\n]{0,40}?[\s\"'`(:=*\[|](?P<value>[A-Za-z0-9+/_=.~-]{20,200})",
        is_random,
    ),
)


@dataclass(frozen=True, slots=True)
class Compiled:
    """The table, ready to search: one automaton says which shapes occur at all, then only those are looked at."""

    any_of: Any
    each: tuple[tuple[Shape, Any], ...]


def compile_shapes(shapes: tuple[Shape, ...]) -> Compiled:
    """Compile a table of shapes; about 20 ms, once a process."""
    any_of = re2.Set.SearchSet()
    for shape in shapes:
        any_of.Add(shape.pattern)
    any_of.Compile()
    return Compiled(any_of, tuple((shape, re2.compile(shape.pattern)) for shape in shapes))
