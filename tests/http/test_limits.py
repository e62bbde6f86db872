"""A token bucket never gives more than its burst and its rate allow, and never forgets what it owes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleetmem.errors import RateLimited
from fleetmem_gateway.limits import Buckets, Places


def taken(buckets: Buckets, name: str, now_s: float) -> bool:
    try:
        buckets.take(name, now_s=now_s)
    except RateLimited:
        return False
    return True


@given(
    per_s=st.integers(1, 50),
    burst=st.integers(1, 50),
    pauses_s=st.lists(st.floats(0, 3, allow_nan=False), min_size=1, max_size=200),
)
def test_no_more_passes_than_burst_and_rate_allow(per_s: int, burst: int, pauses_s: list[float]) -> None:
    buckets, now_s, passed = Buckets(per_s=per_s, burst=burst), 0.0, 0
    for pause_s in pauses_s:
        now_s += pause_s
        passed += taken(buckets, "health", now_s)
    assert passed <= burst + per_s * now_s + 1e-6


@given(per_s=st.integers(1, 50), burst=st.integers(1, 50))
def test_who_waits_as_told_may_go_on(per_s: int, burst: int) -> None:
    buckets, now_s = Buckets(per_s=per_s, burst=burst), 5.0
    for _ in range(burst):
        buckets.take("health", now_s=now_s)
    with pytest.raises(RateLimited) as refused:
        buckets.take("health", now_s=now_s)
    assert refused.value.retry_after_s is not None
    buckets.take("health", now_s=now_s + refused.value.retry_after_s)


def test_one_name_does_not_spend_anothers() -> None:
    buckets = Buckets(per_s=1, burst=1)
    assert taken(buckets, "health", 0)
    assert not taken(buckets, "health", 0)
    assert taken(buckets, "finance", 0)


def test_what_is_put_back_can_be_taken_again() -> None:
    buckets = Buckets(per_s=1, burst=1)
    assert taken(buckets, "peer", 0)
    buckets.put_back("peer")
    assert taken(buckets, "peer", 0)
    assert not taken(buckets, "peer", 0)


def test_a_rate_of_nothing_is_no_limit() -> None:
    buckets = Buckets(per_s=0, burst=1)
    assert all(taken(buckets, "health", 0) for _ in range(100))


def test_names_beyond_the_most_are_forgotten_oldest_first() -> None:
    buckets = Buckets(per_s=1, burst=1, most_names=2)
    assert [taken(buckets, name, 0) for name in ("a", "b", "c")] == [True, True, True]
    assert not taken(buckets, "c", 0)
    assert taken(buckets, "a", 0)


def test_a_name_holds_no_more_places_than_it_has_and_gets_them_back() -> None:
    places = Places(each=2)
    with places.held("health"), places.held("health"):
        with pytest.raises(RateLimited), places.held("health"):
            pytest.fail("a third place was given")
        with places.held("finance"):
            pass
    with places.held("health"), places.held("health"):
        pass
