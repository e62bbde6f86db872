"""The client: one request a call, one key a write, every failure a class of the tree, and no token anywhere it is not due."""

import inspect
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleetmem import errors
from fleetmem.client import AsyncFleetClient, FleetClient, Patience
from tests.unit.loopback import problem, served

TOKEN = "fm_" + "a" * 43
BEAT: dict[str, object] = {
    "id": "01981c6e-7b2f-7c11-9d6e-3f0c9a52d1e8",
    "author": "facilities",
    "topic": "Boiler",
    "body": "Cold.",
    "audience": "open",
    "status": "live",
    "created_at": "2026-07-20T08:15:30.123456+00:00",
    "expires_at": "2026-07-27T08:15:30.123456+00:00",
    "ended_at": None,
}
SENT = (201, BEAT, dict[str, str]())
HURRIED = Patience(first_pause_s=0.001, longest_pause_s=2)


def client(url: str, **options: Any) -> FleetClient:
    return FleetClient(url, token=TOKEN, **{"patience": HURRIED, **options})


def publish(fleet: FleetClient) -> object:
    return fleet.publish("Boiler", "Cold.", audience="open")


def test_a_write_carries_the_token_and_a_key_of_its_own() -> None:
    with served(SENT) as server, client(server.url) as fleet:
        publish(fleet)
        publish(fleet)
    first, second = server.seen
    assert first.headers["authorization"] == f"Bearer {TOKEN}"
    assert len(first.headers["idempotency-key"]) >= 32
    assert first.headers["idempotency-key"] != second.headers["idempotency-key"]
    assert first.body == {"topic": "Boiler", "body": "Cold.", "audience": "open", "expires_at": None}


def test_results_are_typed() -> None:
    with served(SENT) as server, client(server.url) as fleet:
        beat = fleet.publish("Boiler", "Cold.", audience="open")
    assert beat.created_at == datetime(2026, 7, 20, 8, 15, 30, 123456, tzinfo=UTC)
    assert beat.status == "live"


@pytest.mark.parametrize(
    "hiccup",
    [None, problem(503, "unavailable"), problem(429, "rate.limited"), (502, "<html>Bad gateway</html>", {})],
    ids=["lost connection", "unavailable", "rate limited", "proxy"],
)
def test_a_write_is_sent_again_under_the_same_key(hiccup: Any) -> None:
    with served(hiccup, hiccup, SENT) as server, client(server.url) as fleet:
        publish(fleet)
    assert len(server.seen) == 3
    assert len({seen.headers["idempotency-key"] for seen in server.seen}) == 1


def test_the_services_own_wish_is_honoured() -> None:
    with served(problem(429, "rate.limited", {"Retry-After": "1"}), SENT) as server, client(server.url) as fleet:
        before = datetime.now(UTC)  # noqa: TID251 -- measures a wait
        publish(fleet)
        assert (datetime.now(UTC) - before).total_seconds() >= 1  # noqa: TID251 -- measures a wait


def test_a_wish_longer_than_ones_patience_ends_it_at_once() -> None:
    with served(problem(503, "unavailable", {"Retry-After": "3600"})) as server, client(server.url) as fleet:
        with pytest.raises(errors.Unavailable) as caught:
            publish(fleet)
        assert caught.value.retry_after_s == 3600
    assert len(server.seen) == 1


def test_patience_ends() -> None:
    with served(problem(503, "unavailable")) as server, client(server.url) as fleet, pytest.raises(errors.Unavailable):
        publish(fleet)
    assert len(server.seen) == 1 + HURRIED.retries


def test_a_service_that_is_not_there_is_unavailable() -> None:
    with served(SENT) as server:
        url = server.url
    with client(url) as fleet, pytest.raises(errors.Unavailable, match="does not answer"):
        fleet.me()


@pytest.mark.parametrize("kind", [kind for kind in errors.tree() if not issubclass(kind, errors.SetupInvalid)])
def test_a_problem_comes_back_as_its_class(kind: type[errors.FleetmemError]) -> None:
    answer = problem(400, kind.code, field="topic", rule="empty")
    hasty = Patience(retries=0)
    with served(answer) as server, client(server.url, patience=hasty) as fleet, pytest.raises(kind) as caught:
        publish(fleet)
    assert type(caught.value) is kind
    assert (caught.value.detail, caught.value.field, caught.value.rule) == ("A detail.", "topic", "empty")
    assert caught.value.request_id == "request-1"


@pytest.mark.parametrize(
    "answer",
    [
        (200, "<html>", {}),
        (200, {"id": 1}, {}),
        (418, "teapot", {}),
        (302, "", {"Location": "http://elsewhere.example"}),
    ],
)
def test_an_answer_that_is_not_a_gateways_is_an_error_and_is_not_followed(answer: Any) -> None:
    with served(answer) as server, client(server.url) as fleet, pytest.raises(errors.FleetmemError):
        fleet.me()
    assert len(server.seen) == 1


def page(ids: list[int], following: str | None) -> tuple[int, object, dict[str, str]]:
    items = [BEAT | {"id": f"00000000-0000-7000-8000-{number:012}"} for number in ids]
    return 200, {"items": items, "next": following}, {}


def test_pages_are_fetched_as_they_are_needed() -> None:
    with served(page([3, 2], "cursor-1"), page([1], None)) as server, client(server.url) as fleet:
        beats = fleet.beats(author="facilities", page_size=2)
        assert [next(beats).id.int & 0xF, next(beats).id.int & 0xF] == [3, 2]
        assert len(server.seen) == 1
        assert [beat.id.int & 0xF for beat in beats] == [1]
    assert server.seen[0].path == "/v1/beats?author=facilities&limit=2"
    assert server.seen[1].path == "/v1/beats?author=facilities&limit=2&cursor=cursor-1"


def test_a_value_cannot_change_the_address() -> None:
    with served(page([], None)) as server, client(server.url) as fleet:
        list(fleet.beats(topic="a&live=false#x", author="../me?"))
        with pytest.raises(errors.RequestInvalid):
            fleet.beat("../me")
    assert server.seen[0].path == "/v1/beats?topic=a%26live%3Dfalse%23x&author=..%2Fme%3F&limit=20"


def test_a_moment_without_a_zone_is_refused_before_it_is_sent() -> None:
    with served(SENT) as server, client(server.url) as fleet, pytest.raises(errors.RequestInvalid):
        fleet.publish("a", "b", audience="open", expires_at=datetime(2027, 1, 1))  # noqa: DTZ001 -- what is refused
    assert server.seen == []


@pytest.mark.parametrize(
    "url",
    [
        "http://fleet.example",
        "http://192.168.1.5:8420",
        "http://127.0.0.1.evil.example",
        "http://localhost.evil.example",
    ],
)
def test_a_token_is_not_sent_in_the_clear_to_another_machine(url: str) -> None:
    with pytest.raises(errors.ConfigInvalid, match="in the clear"):
        client(url)
    client(url, insecure=True).close()


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:1", "http://[::1]:1", "http://localhost:1", "https://fleet.example/fm"]
)
def test_this_machine_and_tls_are_fine(url: str) -> None:
    client(url).close()


@pytest.mark.parametrize(
    "url", ["ftp://localhost", "localhost:8420", "http://", "http://u:p@localhost", "http://localhost/?a=b"]
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(errors.ConfigInvalid):
        client(url)


def test_the_token_is_in_no_repr_and_no_refusal() -> None:
    with client("http://127.0.0.1:1") as fleet:
        assert TOKEN not in repr(fleet)
        assert TOKEN not in repr(fleet._http.headers)  # noqa: SLF001 -- where it would leak from
    secret = "hunter2-not-a-token"
    with pytest.raises(errors.ConfigInvalid) as caught:
        FleetClient("http://127.0.0.1:1", token=secret)
    assert secret not in str(caught.value)


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("FLEETMEM_URL", "FLEETMEM_TOKEN", "FLEETMEM_TOKEN_FILE"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def test_the_environment_says_where_and_who(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "me.token").write_text(TOKEN + "\n")
    with served(SENT) as server:
        bare.setenv("FLEETMEM_URL", server.url)
        bare.setenv("FLEETMEM_TOKEN_FILE", str(tmp_path / "me.token"))
        with FleetClient() as fleet:
            publish(fleet)
    assert server.seen[0].headers["authorization"] == f"Bearer {TOKEN}"


def test_no_token_at_all_is_said_before_anything_is_sent(bare: pytest.MonkeyPatch) -> None:
    with pytest.raises(errors.Unauthenticated, match="FLEETMEM_TOKEN_FILE"):
        FleetClient("http://127.0.0.1:1")
    bare.setenv("FLEETMEM_TOKEN_FILE", "/nowhere/me.token")
    with pytest.raises(errors.ConfigInvalid, match="cannot be read"):
        FleetClient("http://127.0.0.1:1")


async def test_the_asyncio_client_reads_pages_and_tries_again() -> None:
    with served(None, page([2], "c"), problem(503, "unavailable"), page([1], None)) as server:
        async with AsyncFleetClient(server.url, token=TOKEN, patience=HURRIED) as fleet:
            assert [beat.id.int & 0xF async for beat in fleet.beats()] == [2, 1]
    assert len(server.seen) == 4


def test_both_clients_offer_the_same() -> None:
    def surface(kind: type) -> dict[str, str]:
        members = inspect.getmembers(kind, inspect.isfunction)
        signatures = {name: str(inspect.signature(member)) for name, member in members if not name.startswith("_")}
        return {
            name.removeprefix("a") if name == "aclose" else name: text.replace("Async", "")
            for name, text in signatures.items()
        }

    assert surface(FleetClient) == surface(AsyncFleetClient)


@given(
    tried=st.integers(min_value=1, max_value=50),
    retry_after_s=st.none() | st.floats(min_value=0, max_value=1e6),
    jitter=st.floats(min_value=0, max_value=1),
)
def test_no_pause_is_longer_than_promised_nor_shorter_than_asked(
    tried: int, retry_after_s: float | None, jitter: float
) -> None:
    patience = Patience()
    pause_s = patience.pause_s(tried, retry_after_s=retry_after_s, jitter=jitter)
    if pause_s is None:
        assert tried > patience.retries or (retry_after_s or 0) > patience.longest_pause_s
    else:
        assert (retry_after_s or 0) <= pause_s <= patience.longest_pause_s


def test_a_token_replaced_in_its_file_is_taken_up_when_the_old_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text(TOKEN)
    with served(problem(401, "auth.invalid"), SENT, SENT) as server, FleetClient(server.url, token_file=path) as fleet:
        path.write_text("fm_" + "b" * 43)
        publish(fleet)
        publish(fleet)
    assert [seen.headers["authorization"][-1] for seen in server.seen] == ["a", "b", "b"]
    assert server.seen[0].headers["idempotency-key"] == server.seen[1].headers["idempotency-key"]


def test_a_refused_token_that_was_not_replaced_is_not_tried_again(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text(TOKEN)
    with served(problem(401, "auth.invalid")) as server, FleetClient(server.url, token_file=path) as fleet:
        for gone in (False, True):
            if gone:
                path.unlink()
            with pytest.raises(errors.TokenInvalid):
                publish(fleet)
    assert len(server.seen) == 2
