from hypothesis import given
from hypothesis import strategies as st

from tenax.policy.overload import STEPS, lower_limit, raise_limit


@given(st.integers(1, 10_000), st.integers(0, 10_000))
def test_a_shortage_at_least_halves_what_there_was_and_leaves_one(limit: int, in_flight: int) -> None:
    lowered = lower_limit(limit, in_flight)
    assert 1 <= lowered <= max(min(limit, in_flight + 1) / 2, 1)


@given(st.integers(1, 10_000))
def test_all_are_back_after_some_steps_and_never_more(full: int) -> None:
    limit = 1
    for _ in range(2 * STEPS):
        limit = raise_limit(limit, full)
    assert limit == full
