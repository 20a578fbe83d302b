"""The breaker: every state under every event, and what holds for any history."""

from collections.abc import Callable

import pytest

from tenax.config.crawl import BreakerSettings
from tenax.policy.breaker import (
    clamp,
    is_unreachable,
    on_failure,
    on_success,
    on_time,
)
from tenax.records.domains import Breaker, BreakerState

T = 1_000_000.0
SETTINGS = BreakerSettings(failures=5, open_s=60.0, successes=2, trips=3)

CLOSED = Breaker()
SHAKY = Breaker(failures=2)
LAST_CHANCE = Breaker(failures=4)
OPEN = Breaker(state=BreakerState.OPEN, failures=5, trips=1, reopen_at=T + 60)
RESTED = Breaker(state=BreakerState.OPEN, failures=5, trips=1, reopen_at=T)
TRYING = Breaker(state=BreakerState.HALF_OPEN, failures=5, trips=1)
CONVINCED = Breaker(state=BreakerState.HALF_OPEN, successes=1, trips=1)
OPEN_AGAIN = Breaker(state=BreakerState.OPEN, failures=6, trips=2, reopen_at=T + 60)
OPEN_AFTER_A_SUCCESS = Breaker(state=BreakerState.OPEN, failures=1, trips=2, reopen_at=T + 60)


def succeed(breaker: Breaker) -> Breaker:
    return on_success(breaker, SETTINGS)


def fail(breaker: Breaker) -> Breaker:
    return on_failure(breaker, T, SETTINGS)


def wait(breaker: Breaker) -> Breaker:
    return on_time(breaker, T)


@pytest.mark.parametrize(
    ("before", "event", "after"),
    [
        (CLOSED, succeed, CLOSED),
        (CLOSED, fail, Breaker(failures=1)),
        (CLOSED, wait, CLOSED),
        (SHAKY, succeed, CLOSED),
        (SHAKY, fail, Breaker(failures=3)),
        (SHAKY, wait, SHAKY),
        (LAST_CHANCE, succeed, CLOSED),
        (LAST_CHANCE, fail, OPEN),
        (OPEN, succeed, OPEN),
        (OPEN, fail, OPEN),
        (OPEN, wait, OPEN),
        (RESTED, succeed, RESTED),
        (RESTED, fail, RESTED),
        (RESTED, wait, TRYING),
        (TRYING, succeed, CONVINCED),
        (TRYING, fail, OPEN_AGAIN),
        (TRYING, wait, TRYING),
        (CONVINCED, succeed, CLOSED),
        (CONVINCED, fail, OPEN_AFTER_A_SUCCESS),
        (CONVINCED, wait, CONVINCED),
    ],
)
def test_an_event_moves_a_state(before: Breaker, event: Callable[[Breaker], Breaker], after: Breaker) -> None:
    assert event(before) == after


def test_a_healthy_breaker_is_not_copied() -> None:
    assert succeed(CLOSED) is CLOSED


def test_a_domain_is_unreachable_after_the_last_trip() -> None:
    assert not is_unreachable(Breaker(trips=2), SETTINGS)
    assert is_unreachable(Breaker(trips=3), SETTINGS)


def test_a_clock_set_back_prolongs_no_rest() -> None:
    breaker = Breaker(state=BreakerState.OPEN, reopen_at=T + 9000)
    assert clamp(breaker, T, SETTINGS).reopen_at == T + 60


def test_a_rest_of_ordinary_length_is_not_clamped() -> None:
    assert clamp(OPEN, T, SETTINGS) is OPEN
