"""Managed blocks: what is not ours comes back byte for byte, and a document that cannot be understood is refused."""

import re
from uuid import UUID

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fleetmem.errors import RequestInvalid, WorkspaceRefused
from fleetmem.memory import block

NOTE = UUID("0197c0de-0000-7000-8000-000000000001")
OTHER = UUID("0197c0de-0000-7000-8000-000000000002")
NONCE, NONCE_2 = "a" * 32, "b" * 32
BEGIN = f"<!-- fleetmem:begin note={NOTE} nonce={NONCE} seam=1+1 -->".encode()
END = f"<!-- fleetmem:end note={NOTE} nonce={NONCE} -->".encode()
BEGIN_2 = BEGIN.replace(str(NOTE).encode(), str(OTHER).encode()).replace(NONCE.encode(), NONCE_2.encode())
END_2 = END.replace(str(NOTE).encode(), str(OTHER).encode()).replace(NONCE.encode(), NONCE_2.encode())
RULE = "The frontend needs only the public API contract."

# Pieces that a parser of lines could stumble over, and any bytes between them.
PIECES = st.sampled_from(
    [
        *(b"\n", b"\r\n", b"\r", b"\xef\xbb\xbf", b"\xff\xfe\xfa", b"\xc3", b"text", b"# A\n", b"---\n", b" ", b"\t"),
        *(b"```", b"~~~", b"> ", b"- ", b"<!--", b"-->", b"fleetmem", b":", b"begin", BEGIN, END, BEGIN_2, END_2),
    ]
)
DOCUMENTS = st.lists(PIECES | st.binary(max_size=6), max_size=14).map(b"".join)
CONTENTS = st.text(max_size=60) | st.sampled_from([RULE, "a\nb", "```\ncode\n```", "é\n\n日本 😀"])


def insert(document: bytes, content: str = RULE, note: UUID = NOTE, nonce: str = NONCE) -> bytes:
    return block.insert(document, note=note, nonce=nonce, content=content)


@given(document=DOCUMENTS, content=CONTENTS)
@example(document=b"\xef\xbb\xbf", content=RULE)
@example(document=b"abc", content=RULE)
@example(document=b"abc\r", content=RULE)
@example(document=b"a\r\nb\r", content=RULE)
@example(document=b"\n", content=RULE)
@example(document=b"```\nx\n", content=RULE)
def test_a_block_goes_in_and_comes_out_and_leaves_every_byte(document: bytes, content: str) -> None:
    try:
        taken = {each.note for each in block.scan(document)}
        written = insert(document, content, note=UUID(int=7), nonce="7" * 32)
    except (WorkspaceRefused, RequestInvalid):
        return
    assert written.startswith(document)
    assert [each.note for each in block.scan(written)][-1] == UUID(int=7)
    assert {each.note for each in block.scan(written)} == taken | {UUID(int=7)}
    assert block.remove(written, UUID(int=7)) == document


@given(document=DOCUMENTS, first=CONTENTS, second=CONTENTS)
def test_blocks_come_out_in_any_order(document: bytes, first: str, second: str) -> None:
    try:
        one = insert(document, first, note=UUID(int=7), nonce="7" * 32)
        both = insert(one, second, note=UUID(int=8), nonce="8" * 32)
    except (WorkspaceRefused, RequestInvalid):
        return
    assert block.remove(both, UUID(int=8)) == one
    assert block.remove(block.remove(both, UUID(int=7)), UUID(int=8)) == document


@given(before=DOCUMENTS, after=DOCUMENTS)
def test_text_written_around_a_block_stays_when_it_goes(before: bytes, after: bytes) -> None:
    try:
        written = insert(before, note=UUID(int=7), nonce="7" * 32)
        (found,) = [each for each in block.scan(written + b"\n" + after) if each.note == UUID(int=7)]
    except WorkspaceRefused:
        return
    document = written + b"\n" + after
    left = block.remove(document, UUID(int=7))
    seam = found.newline * found.before
    assert document[: found.start].removesuffix(seam) in left
    assert left.endswith(after)
    assert block.scan(left) is not None


@given(document=DOCUMENTS, fresh=DOCUMENTS)
@example(document=insert(insert(b""), note=OTHER, nonce=NONCE_2), fresh=b"new")
@example(document=insert(insert(b"old"), note=OTHER, nonce=NONCE_2), fresh=b"\xef\xbb\xbf")
def test_a_text_that_is_written_anew_carries_every_block_byte_for_byte(document: bytes, fresh: bytes) -> None:
    try:
        carried = block.carry(document, fresh)
    except WorkspaceRefused:
        return
    assert carried.startswith(fresh)
    before, after = block.scan(document), block.scan(carried)
    assert [each.note for each in after] == [each.note for each in before]
    assert [each.sha256(carried) for each in after] == [each.sha256(document) for each in before]
    for each in before:
        carried = block.remove(carried, each.note)
    assert carried.startswith(fresh)
    assert carried[len(fresh) :].strip(b"\r\n") == b""


@given(document=DOCUMENTS)
def test_a_document_is_understood_or_refused(document: bytes) -> None:
    try:
        found = block.scan(document)
    except WorkspaceRefused:
        return
    for each in found:
        assert document[each.start :].startswith(b"<!-- fleetmem:begin ")
        assert document[: each.end].endswith(b" -->")


@given(content=st.text(max_size=200), cut=st.integers(min_value=0, max_value=200))
@example(content="\N{FULLWIDTH LATIN SMALL LETTER F}leetmem\u200b:\u2009BEGIN", cut=0)
@example(content="x\n" + END.decode(), cut=0)
def test_no_content_closes_its_own_block(content: str, cut: int) -> None:
    for text in (content, content[:cut] + END.decode() + content[cut:], content[:cut] + "\n```\n" + content[cut:]):
        try:
            written = insert(b"above\n", text)
        except RequestInvalid:
            continue
        (found,) = block.scan(written + b"below\n")
        assert written[found.end :] == b"\n"


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("x" * 2_001, "too-long"),
        ("a\rb", "control-character"),
        ("a\0b", "nul"),
        ("a\u202eb", "invisible-character"),
        ("a\u2028b", "line-separator"),
        ("a <!-- hidden", "comment"),
        ("fleetmem:end", "marker"),
        ("Fleetmem : BEGIN", "marker"),
        ("fleet\u200bmem:e\u0301nd", "marker"),
        ("\N{CYRILLIC SMALL LETTER IE}", None),
        ("fl\N{CYRILLIC SMALL LETTER IE}etmem:end", "marker"),
        ("```\nopen", "open-fence"),
        ("- ~~~\nopen", "open-fence"),
        ("```\n~~~\n```", None),
        ("a ``` b", None),
        ("```a`b```", None),
        ("---\nname: x\n---", None),
        ("a --> b", None),
        ("</system> ignore", None),
    ],
)
def test_a_content_that_could_close_a_block_is_refused(content: str, rule: str | None) -> None:
    if rule is None:
        assert block.remove(insert(b"", content), NOTE) == b""
        return
    with pytest.raises(RequestInvalid) as refused:
        insert(b"", content)
    assert (refused.value.field, refused.value.rule) == ("content", rule)


@pytest.mark.parametrize(
    ("lines", "rule"),
    [
        ([BEGIN, b"x"], "orphaned"),
        ([b"x", END], "orphaned"),
        ([END, b"x", BEGIN], "orphaned"),
        ([BEGIN, b"x", BEGIN_2, b"y", END_2, END], "nested"),
        ([BEGIN, b"x", END_2], "mismatched"),
        ([BEGIN, b"x", END, BEGIN, b"x", END], "doubled"),
        (
            [
                BEGIN,
                b"x",
                END,
                BEGIN.replace(NONCE.encode(), NONCE_2.encode()),
                END.replace(NONCE.encode(), NONCE_2.encode()),
            ],
            "doubled",
        ),
        ([b"```", BEGIN, b"x", END, b"```"], "in-fence"),
        ([b"~~~~ md", BEGIN, b"x", END, b"~~~~"], "in-fence"),
        ([b"> - ```", BEGIN, b"x", END], "in-fence"),
        ([b" " + BEGIN, b"x", END], "malformed"),
        ([BEGIN + b" ", b"x", END], "malformed"),
        ([b"old mac\r" + BEGIN, b"x", END], "malformed"),
        ([BEGIN.upper(), b"x", END], "malformed"),
        ([b"see fleetmem:begin in the docs"], "malformed"),
        ([BEGIN.replace(b"seam=1+1", b"seam=9+1"), b"x", END], "malformed"),
        ([b"\xff\xfea\0"], "not-text"),
        ([b"a\0b"], "not-text"),
    ],
)
@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
def test_markers_out_of_order_are_refused(lines: list[bytes], rule: str, newline: bytes) -> None:
    document = newline.join(lines) + newline
    with pytest.raises(WorkspaceRefused) as refused:
        block.scan(document)
    assert refused.value.rule == rule
    with pytest.raises(WorkspaceRefused):
        insert(document)
    with pytest.raises(WorkspaceRefused):
        block.remove(document, NOTE)


def test_a_block_takes_the_line_ends_of_its_document() -> None:
    assert b"\n" not in insert(b"a\r\nb\r\n", "one\ntwo").replace(b"\r\n", b"")
    assert b"\r" not in insert(b"a\nb\n", "one\ntwo")
    assert insert(b"no final break")[-1:] == b">"


def test_a_note_that_lands_again_takes_the_place_of_its_block() -> None:
    first = insert(insert(b"above\n"), note=OTHER, nonce=NONCE_2)
    again = insert(first, "Never ask for more.", nonce="c" * 32)
    assert [each.note for each in block.scan(again)] == [NOTE, OTHER]
    assert again == first.replace(RULE.encode(), b"Never ask for more.", 1).replace(NONCE.encode(), b"c" * 32)
    assert insert(first) == first


def test_a_document_that_ends_in_an_open_fence_takes_no_block() -> None:
    with pytest.raises(WorkspaceRefused) as refused:
        insert(b"```python\nunfinished\n")
    assert refused.value.rule == "open-fence"


def test_an_editor_that_took_the_blank_line_keeps_its_line_break() -> None:
    squeezed = insert(b"user").replace(b"user\n\n", b"user\nmore\n")
    assert block.remove(squeezed, NOTE) == b"user\nmore\n"
    between = insert(b"user\n").replace(b"\n\n<", b"\n<") + b"next\n"
    assert block.remove(between, NOTE) == b"user\nnext\n"


def test_a_block_of_no_note_cannot_be_removed() -> None:
    with pytest.raises(WorkspaceRefused) as refused:
        block.remove(b"a\n", NOTE)
    assert refused.value.rule == "no-block"
    with pytest.raises(ValueError, match=re.escape("32 hexadecimal digits")):
        insert(b"", nonce="A" * 32)
