"""The breaker: every state under every event, and what holds for any history."""

from hypothesis import given
from hypothesis import strategies as st

from tenax.config.crawl import BreakerSettings
from tenax.policy.breaker import (
    on_failure,
    on_success,
    on_time,
)
from tenax.records.domains import Breaker, BreakerState

T = 1_000_000.0


SETTINGS = BreakerSettings(failures=5, open_s=60.0, successes=2, trips=3)


CLOSED = Breaker()


def succeed(breaker: Breaker) -> Breaker:
    return on_success(breaker, SETTINGS)


histories = st.lists(st.tuples(st.floats(min_value=0, max_value=100), st.booleans()), min_size=1, max_size=60)


@given(histories)
def test_no_history_ends_a_rest_before_its_time(history: list[tuple[float, bool]]) -> None:
    breaker, now, opened_at = CLOSED, T, None
    for pause_s, is_success in history:
        now += pause_s
        breaker = on_time(breaker, now)
        if opened_at is not None and now < opened_at + SETTINGS.open_s:
            assert breaker.state is BreakerState.OPEN
        breaker = succeed(breaker) if is_success else on_failure(breaker, now, SETTINGS)
        if breaker.state is not BreakerState.OPEN:
            opened_at = None
        elif opened_at is None or now >= opened_at + SETTINGS.open_s:
            opened_at = now


@given(histories)
def test_a_closed_breaker_has_no_trips(history: list[tuple[float, bool]]) -> None:
    breaker, now = CLOSED, T
    for pause_s, is_success in history:
        now += pause_s
        breaker = on_time(breaker, now)
        breaker = succeed(breaker) if is_success else on_failure(breaker, now, SETTINGS)
        assert (breaker.trips == 0) is (breaker.state is BreakerState.CLOSED)
