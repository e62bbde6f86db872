"""Identifiers are read in their one written form, and what is written is read back."""

from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleetmem import ids


@given(st.uuids())
def test_a_cursor_is_read_back_as_the_id_it_was_made_of(last: UUID) -> None:
    cursor = ids.encode_cursor(last)
    assert ids.decode_cursor(cursor) == last
    assert len(cursor) == 22


@given(st.text())
def test_any_other_text_is_no_cursor_or_the_one_spelling_of_an_id(text: str) -> None:
    try:
        last = ids.decode_cursor(text)
    except ValueError:
        return
    assert ids.encode_cursor(last) == text


def test_a_cursor_with_spare_bits_set_is_no_second_spelling() -> None:
    cursor = ids.encode_cursor(UUID(int=0))
    assert cursor.endswith("A")
    for last in "BCDEFGHIJKLMNOP":
        with pytest.raises(ValueError, match="cursor"):
            ids.decode_cursor(cursor[:-1] + last)


@pytest.mark.parametrize("form", ["{{{}}}", "urn:uuid:{}", " {}", "{}\n", "{}x"])
def test_only_the_plain_form_of_a_uuid_is_read(form: str) -> None:
    record_id = uuid4()
    assert ids.parse_uuid(str(record_id)) == record_id
    with pytest.raises(ValueError, match="UUID"):
        ids.parse_uuid(form.format(record_id))
    with pytest.raises(ValueError, match="UUID"):
        ids.parse_uuid(record_id.hex)


@given(st.binary(min_size=32, max_size=32))
def test_a_bearer_has_the_shape_of_one(random_bytes: bytes) -> None:
    token = ids.make_bearer(random_bytes)
    assert ids.is_bearer(token)
    assert not ids.is_bearer(token + "\n")
    assert not ids.is_bearer(token.upper())
    assert len(ids.bearer_sha256(token)) == 32


def test_a_bearer_is_made_of_32_bytes() -> None:
    with pytest.raises(ValueError, match="32"):
        ids.make_bearer(b"short")
