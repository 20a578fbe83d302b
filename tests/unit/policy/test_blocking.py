"""When a domain is blocked for days, and how it comes back."""

from dataclasses import replace

import pytest

from tenax.config import BreakerSettings
from tenax.policy.blocking import plan_block, plan_unblock
from tenax.records import Breaker, BreakerState, DomainState, DomainStatus, Pace

T = 1_000_000.0
SETTINGS = BreakerSettings(trips=3, unreachable_s=700.0, blocked_s=900.0)

ACTIVE = DomainState(status=DomainStatus.ACTIVE)
DEAD = replace(ACTIVE, breaker=Breaker(state=BreakerState.OPEN, trips=3, reopen_at=T + 60))
LIMITED = replace(ACTIVE, pace=Pace(backoff_level=5, backoff_until=T + 960, pushback_streak=5))
FORBIDDEN = replace(ACTIVE, pace=Pace(forbidden_streak=10))


@pytest.mark.parametrize(
    ("state", "status", "code", "rest_s"),
    [
        (DEAD, DomainStatus.UNREACHABLE, "connection_failed", 700.0),
        (LIMITED, DomainStatus.BLOCKED, "rate_limited", 900.0),
        (FORBIDDEN, DomainStatus.BLOCKED, "forbidden", 900.0),
    ],
)
def test_a_domain_that_earned_it_is_blocked(
    state: DomainState, status: DomainStatus, code: str, rest_s: float
) -> None:
    blocked = plan_block(state, T, SETTINGS)
    assert (blocked.status, blocked.block_code) == (status, code)
    assert blocked.next_crawl_after == T + rest_s


def test_rests_that_came_from_403_are_not_called_rate_limits() -> None:
    state = replace(ACTIVE, pace=Pace(pushback_streak=5, forbidden_streak=7))
    assert plan_block(state, T, SETTINGS).block_code == "forbidden"


@pytest.mark.parametrize(
    "state",
    [
        ACTIVE,
        replace(ACTIVE, breaker=Breaker(trips=2)),
        replace(ACTIVE, pace=Pace(pushback_streak=4)),
        replace(ACTIVE, pace=Pace(backoff_level=12)),  # with good answers between its rests
        replace(ACTIVE, pace=Pace(forbidden_streak=9)),
    ],
)
def test_a_domain_short_of_it_stays_the_same_object(state: DomainState) -> None:
    assert plan_block(state, T, SETTINGS) is state


def test_the_reason_is_said() -> None:
    reasons = [plan_block(state, T, SETTINGS).block_reason for state in (DEAD, LIMITED, FORBIDDEN)]
    assert reasons == [
        "no usable answer: its breaker opened 3 times in a row",
        "429 or 503 again after each of 5 rests",
        "401 or 403 10 times in a row",
    ]


def test_a_block_is_not_prolonged_by_answers_that_come_late() -> None:
    blocked = plan_block(LIMITED, T, SETTINGS)
    assert plan_block(blocked, T + 5, SETTINGS) is blocked


@pytest.mark.parametrize("state", [DEAD, LIMITED, FORBIDDEN])
def test_a_domain_comes_back_with_a_clean_record(state: DomainState) -> None:
    blocked = plan_block(state, T, SETTINGS)
    back = plan_unblock(blocked, T + 900)
    assert back == replace(ACTIVE, pace=Pace(), breaker=Breaker())
    assert plan_block(back, T + 900, SETTINGS) is back


def test_a_domain_does_not_come_back_early() -> None:
    blocked = plan_block(LIMITED, T, SETTINGS)
    assert plan_unblock(blocked, T + 899) is blocked


def test_a_domain_that_is_not_blocked_needs_no_return() -> None:
    assert plan_unblock(ACTIVE, T) is ACTIVE
