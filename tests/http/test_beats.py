"""Beats over HTTP: what is published is read by whom it is for, and by nobody else."""

import uuid

import msgspec

from fleetmem import wire
from tests.http.conftest import Voice


async def test_a_beat_is_published_and_read_by_a_colleague(facilities: Voice, finance: Voice) -> None:
    published = await facilities.post("/v1/beats", {"topic": "Boiler", "body": "Serviced.", "audience": "open"})
    assert published.status_code == 201
    beat = msgspec.json.decode(published.content, type=wire.Beat)
    assert (beat.author, beat.status, beat.ended_at) == ("facilities", "live", None)
    read = await finance.get(f"/v1/beats/{beat.id}")
    assert read.status_code == 200
    assert read.json() == published.json()
