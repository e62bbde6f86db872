"""Redaction: every occurrence goes, nothing else does, twice is once, and no secret leaves by another door.

No sample is a real credential; those of a vendor's shape are put together at run time.
"""

import base64
import itertools
import time
import traceback
from dataclasses import replace
from typing import Any

import pytest
import re2
from hypothesis import given, settings
from hypothesis import strategies as st

from fleetmem.errors import SetupInvalid
from fleetmem.memory import policy, redaction, safety, values, views
from fleetmem.memory.policy import Patience
from fleetmem.memory.redaction import MARKER
from fleetmem.sql import safety_files

POLICY = safety_files.shipped_policy()
SECRETS = POLICY.secrets
RANDOM = "q7Zt0mXw4Kd9Rb2Lh8Vn5Cj1Ys6Pf3GxaT4u"
TOKEN = "ghp_" + RANDOM
LINES = st.text(st.characters(exclude_categories=["Cs"]), max_size=80)


def redacted(text: str) -> str:
    return redaction.redact(SECRETS, {"content": text}).texts["content"]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (f"key: {TOKEN}.", f"key: {MARKER}."),
        (f"{TOKEN} and again {TOKEN}", f"{MARKER} and again {MARKER}"),
        ("postgres" + "://app:hunter22@db.example/app", f"postgres://app:{MARKER}@db.example/app"),
        ("-----BEGIN RSA PRIVATE" + " KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----\nrest", f"{MARKER}\nrest"),
        ("PGPASSWORD=hunter2x psql", f"PGPASSWORD={MARKER} psql"),
        ("The PIN is 8841, ask me.", f"The PIN is {MARKER}, ask me."),
        ("Use hunter22 as the password.", f"Use {MARKER} as the password."),
        ("wrapped ghp_" + RANDOM[:12] + "\n" + RANDOM[12:] + " here", f"wrapped {MARKER} here"),
        ("cut AKIA NHVR JUEW VPIT Q57W here", f"cut {MARKER} here"),
    ],
)
def test_what_is_secret_goes_and_what_is_around_it_stays(text: str, kept: str) -> None:
    assert redacted(text) == kept


@pytest.mark.parametrize(
    "disguised",
    [
        "\u200b".join(TOKEN),
        "".join(chr(ord(each) + 0xFEE0) for each in TOKEN),
        "".join(f"&#x{ord(each):x};" for each in TOKEN),
        "".join(f"%{ord(each):02x}" for each in TOKEN),
        base64.b64encode(f"token={TOKEN}".encode()).decode(),
        f"token={TOKEN}".encode().hex(),
        TOKEN.replace("p", "\u0440"),
    ],
    ids=["zero-width", "full-width", "entities", "percent", "base64", "hexadecimal", "cyrillic"],
)
def test_a_disguised_secret_is_covered_from_end_to_end(disguised: str) -> None:
    assert redacted(f"before \u00e9 {disguised} after") == f"before \u00e9 {MARKER} after"


@pytest.mark.parametrize(
    "before",
    [
        "some_long_snake_case_name_here",
        "3f2a9d0c-7b11-4c7e-9a54-0d1f2e3a4b5c",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    ],
)
@pytest.mark.parametrize("start", ["", "see "])
def test_a_token_that_nothing_introduces_is_found_right_behind_one_that_is_public(start: str, before: str) -> None:
    assert redacted(f"{start}{before} {RANDOM}") == f"{start}{before} {MARKER}"


@pytest.mark.parametrize("text", ["93% & counting", "a\\b at 12 %", "Tom & Jerry \\o/"])
def test_a_sign_that_escapes_nothing_makes_no_view(text: str) -> None:
    assert list(views.unescaped(views.folded(text))) == []


@given(st.text("abgwzAEGIZ019+/_-=. ", max_size=90))
@settings(max_examples=300)
def test_what_is_never_decoded_hides_nothing(text: str) -> None:
    runs = re2.finditer(r"[A-Za-z0-9+/_-]{16,}={0,2}", text)
    hiding = {found[0] for found in runs if views.decoded(found[0]) is not None}
    assert hiding <= {found[0].decode() for found in redaction.encoded_runs(text.encode())}


@given(st.text("abeiorstAXZ01239+/_.~=- ", min_size=20, max_size=120))
@settings(max_examples=500)
def test_where_nothing_is_asked_no_token_is_opaque(text: str) -> None:
    runs = redaction.Runs(text.encode())
    for found in re2.finditer(r"[A-Za-z0-9][A-Za-z0-9+/_.~-]{19,}={0,2}", text):
        if values.is_opaque(found[0]):
            following = runs.following(found.start())
            assert following is not None
            assert following <= found.start()


def test_what_is_found_in_one_field_goes_from_all_of_them() -> None:
    told = redaction.redact(SECRETS, {"content": "the password is Tulip7-Boiler", "description": "see Tulip7-Boiler"})
    assert told.texts == {"content": f"the password is {MARKER}", "description": f"see {MARKER}"}
    assert told.rules == ("spoken-password",)


def test_a_scanner_cannot_be_told_to_look_away() -> None:
    assert MARKER in redacted(f"{TOKEN}  # gitleaks:allow")
    assert MARKER in redacted(f"a\0b {TOKEN}")


@pytest.mark.parametrize("text", ["", "  ", MARKER, f"password: {MARKER}", "caf\u00e9 \U0001f680", "\ud800"])
def test_a_text_without_a_secret_stays_as_it_is(text: str) -> None:
    assert redacted(text) == text


@given(
    LINES, LINES, st.sampled_from([TOKEN, f"DB_PASSWORD={RANDOM[:12]}", f"Bearer {RANDOM}", "http" + "://a:b9Xk2@c.d/"])
)
def test_redaction_does_nothing_the_second_time(before: str, after: str, secret: str) -> None:
    once = safety.judge(POLICY, {"content": f"{before}\n{secret}\n{after}"}).texts["content"]
    assert safety.judge(POLICY, {"content": once}).texts["content"] == once
    assert RANDOM[:12] not in once


@given(LINES, LINES)
def test_findings_are_ordered_disjoint_and_within_the_text(before: str, after: str) -> None:
    text = f"{before} {TOKEN} {after}"
    found = redaction.find(SECRETS, text)
    assert any(each.start <= len(before) + 1 and each.end >= len(before) + 1 + len(TOKEN) for each in found)
    assert all(0 <= each.start < each.end <= len(text) for each in found)
    assert all(a.end <= b.start for a, b in itertools.pairwise(found))


@given(st.text(max_size=60))
def test_each_character_of_a_view_comes_from_where_it_says(text: str) -> None:
    view = views.folded(text)
    for at, character in enumerate(view.text):
        start, end = view.origin(at, at + 1)
        assert 0 <= start < end <= len(text)
        assert character in views.folded(text[start:end]).text


HOSTILE = {
    "one-letter": "a" * 65_536,
    "names": "key=aB3" * 9_362,
    "tokens": (RANDOM + " ") * 1_772,
    "entities": "&#65;" * 13_107,
    "percent": "%41x" * 16_384,
    "openings": "-----BEGIN PRIVATE KEY-----" * 2_427,
    "urls": "http://a:" * 7_281,
    "base64": "QUJDREVGR0hJSktMTU5P " * 3_120,
    "groups": "a1B2 " * 13_107,
    "breaks": "aB3dE5\n" * 9_362,
    "joiners": "-." * 32_768,
    "scripts": "".join(map(chr, range(0x3400, 0x3400 + 20_000))) * 3,
    "directions": "\u202e" * 65_536,
    "surrogates": "\ud800" * 65_536,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_costs_little_and_never_passes_for_an_error(name: str) -> None:
    before = time.process_time()
    verdict = safety.judge(POLICY, {"content": HOSTILE[name]})
    # A quarter of a second on an idle machine, for the worst; four times that leaves room for a busy one.
    assert time.process_time() - before < 1.5
    assert verdict.policy_version == safety_files.version()


def test_a_text_that_takes_too_long_is_withheld_and_quarantined() -> None:
    ticks = iter(range(10_000))
    slow = replace(SECRETS, patience=Patience(longest_s=1, clock=lambda: float(next(ticks))))
    verdict = safety.judge(replace(POLICY, secrets=slow), {"content": "password: hunter22x"})
    assert verdict.texts == {"content": MARKER}
    assert verdict.quarantined_by == (safety.FAULT,)
    assert safety.find_secret(slow, "harmless") == safety.FAULT


def test_octets_that_are_no_text_are_withheld_and_quarantined() -> None:
    verdict = safety.judge(POLICY, {"content": b"\xff\xfe", "description": "harmless"})
    assert verdict.texts == {"content": MARKER, "description": MARKER}
    assert verdict.is_quarantined


def test_any_error_inside_withholds_the_text_and_tells_nothing_of_it() -> None:
    def fails(value: str) -> bool:
        raise RuntimeError(value)

    broken = replace(SECRETS, rules=tuple(replace(rule, judge=fails) for rule in SECRETS.rules))
    verdict = safety.judge(replace(POLICY, secrets=broken), {"content": f"api key: {RANDOM}"})
    assert verdict.texts == {"content": MARKER}
    assert verdict.quarantined_by == (safety.FAULT,)
    assert RANDOM not in repr(verdict)


def test_nothing_that_is_printed_holds_the_secret() -> None:
    text = f"api key: {RANDOM}"
    held = [redaction.find(SECRETS, text), safety.judge(POLICY, {"content": text}), views.folded(text), POLICY]
    assert all(RANDOM not in repr(each) for each in held)
    with pytest.raises(views.Overload) as raised:
        redaction.find(SECRETS, (RANDOM + " ") * 8_000)
    assert RANDOM not in "".join(traceback.format_exception_only(raised.value))


@pytest.mark.parametrize(
    "document",
    [None, {}, {"parts": {}, "rules": [{"id": "x", "pattern": "("}], "public": ["a"]},
     {"parts": {}, "rules": [{"id": "x", "pattern": "a", "judge": "nobody"}], "public": ["a"]}],
)  # fmt: skip
def test_a_malformed_policy_is_refused_when_it_is_loaded(document: object) -> None:
    with pytest.raises(SetupInvalid, match="policies/safety"):
        policy.secrets(document)


@settings(max_examples=50)
@given(st.binary(max_size=200))
def test_any_octets_are_judged(octets: bytes) -> None:
    assert safety.judge(POLICY, {"content": octets}).policy_version == POLICY.version


def walked(text: str) -> tuple[int, str | None]:
    """Count the octets that rules match in a text, as often as they do, and say what is found."""
    counted = [_Counted(rule.pattern) for rule in SECRETS.rules]
    rules = tuple(replace(rule, pattern=each) for rule, each in zip(SECRETS.rules, counted, strict=True))
    found = safety.find_secret(replace(SECRETS, rules=rules), text)
    return sum(each.octets for each in counted), found


class _Counted:
    """A pattern that counts the octets of what it matches: each is walked state by state."""

    def __init__(self, pattern: Any) -> None:
        self.pattern, self.octets = pattern, 0

    def search(self, octets: bytes, at: int) -> Any:
        found = self.pattern.search(octets, at)
        self.octets += 0 if found is None else found.end() - found.start()
        return found


@pytest.mark.parametrize(
    "unit", ["key=", "key=aB3", "token: a1 ", "auth=(", "basic:aGVsbG8gd29ybGQ ", "bearer a1 ", "x "]
)
def test_what_a_hostile_text_makes_the_rules_match_grows_with_its_length_alone(unit: str) -> None:
    for length in (8_000, 64_000):
        matched, _ = walked(unit * (length // len(unit)))
        assert matched <= 6 * length + 10_000


def test_names_that_introduce_each_other_are_given_up_on() -> None:
    assert walked("key=" * 2_000)[1] == safety.FAULT


@pytest.mark.parametrize(
    "line",
    [
        "The key under the mat opens the shed; ask the night desk for the token of gate 4.\n",
        "API_TOKEN=${VAULT_TOKEN} and db.password: <from-vault>, see docs/secrets.md\n",
        "2026-11-30T08:15:02Z auth token refreshed for svc-backup after 3 attempts, order 4471\n",
        "src/fleetmem/memory/redaction.py: key = settings.signing_key\n",
        "x" + " " * 7_999,
    ],
)
def test_an_ordinary_long_note_is_not_refused(line: str) -> None:
    assert walked((line * 8_000)[:8_000])[1] is None
