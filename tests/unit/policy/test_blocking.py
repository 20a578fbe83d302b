"""When a domain is blocked, for how long, and how it is unblocked."""

from dataclasses import replace
from typing import Any

import pytest

from tenax.config.crawl import DAY_S
from tenax.config.settings import Settings
from tenax.policy.blocking import block, plan_block, plan_login_block, plan_unblock
from tenax.records.domains import Breaker, BreakerState, Cause, DomainState, DomainStatus, Pace
from tenax.records.requests import Failure, FailureKind, Response
from tests.support.crawling import make_failure, make_response

T = 1_000_000.0
SETTINGS = Settings()
OK, ERROR = make_response(), make_response(500)
SILENCE = make_failure(FailureKind.CONNECT)

ACTIVE = DomainState(status=DomainStatus.ACTIVE)
DEAD = replace(ACTIVE, breaker=Breaker(state=BreakerState.OPEN, trips=3, reopen_at=T + 60))
LIMITED = replace(ACTIVE, pace=Pace(backoff_level=5, backoff_until=T + 960, pushback_streak=5))
FORBIDDEN = replace(ACTIVE, pace=Pace(forbidden_streak=10))
LOGIN = replace(ACTIVE, login_streak=10)


@pytest.mark.parametrize(
    ("state", "answer", "status", "code"),
    [
        (DEAD, SILENCE, DomainStatus.UNREACHABLE, "connection_failed"),
        (DEAD, make_failure(FailureKind.TIMEOUT), DomainStatus.UNREACHABLE, "connection_failed"),
        (DEAD, make_failure(FailureKind.DNS), DomainStatus.UNREACHABLE, "dns_failure"),
        (DEAD, make_failure(FailureKind.NO_SUCH_HOST), DomainStatus.UNREACHABLE, "dns_failure"),
        (DEAD, ERROR, DomainStatus.UNREACHABLE, "server_error"),
        (LIMITED, make_response(429), DomainStatus.BLOCKED, "rate_limited"),
        (FORBIDDEN, make_response(403), DomainStatus.BLOCKED, "forbidden"),
    ],
)
def test_a_domain_that_earned_it_is_left_alone(
    state: DomainState, answer: Response | Failure, status: DomainStatus, code: str
) -> None:
    blocked = plan_block(state, answer, T, SETTINGS)
    assert (blocked.status, blocked.block_code) == (status, code)


@pytest.mark.parametrize(
    ("cause", "days"),
    [
        (Cause.LOGIN_REQUIRED, 30),
        (Cause.RATE_LIMITED, 7),
        (Cause.FORBIDDEN, 14),
        (Cause.ROBOTS_DENIED, 90),
        (Cause.DNS_FAILURE, 7),
        (Cause.CONNECTION_FAILED, 7),
        (Cause.SERVER_ERROR, 7),
        (Cause.ROBOTS_UNREACHABLE, 1 / 24),
    ],
)
def test_every_cause_has_its_cooldown(cause: Cause, days: float) -> None:
    assert block(ACTIVE, cause, "why", T, SETTINGS).next_crawl_after == T + days * DAY_S


@pytest.mark.parametrize(
    ("setting", "cause"),
    [
        ("login_s", Cause.LOGIN_REQUIRED),
        ("rate_limited_s", Cause.RATE_LIMITED),
        ("forbidden_s", Cause.FORBIDDEN),
        ("robots_denied_s", Cause.ROBOTS_DENIED),
        ("unreachable_s", Cause.DNS_FAILURE),
    ],
)
def test_a_cooldown_is_a_setting(setting: str, cause: Cause) -> None:
    settings = Settings.model_validate({"domains": {setting: 5.0}})
    assert block(ACTIVE, cause, "why", T, settings).next_crawl_after == T + 5


def test_rests_that_came_from_403_are_not_called_rate_limits() -> None:
    state = replace(ACTIVE, pace=Pace(pushback_streak=5, forbidden_streak=7))
    assert plan_block(state, make_response(403), T, SETTINGS).block_code == "forbidden"


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
    assert plan_block(state, OK, T, SETTINGS) is state


@pytest.mark.parametrize(
    ("limits", "state"),
    [
        ({"rests_before_block": 2}, replace(ACTIVE, pace=Pace(pushback_streak=2))),
        ({"forbidden_before_block": 2}, replace(ACTIVE, pace=Pace(forbidden_streak=2))),
    ],
)
def test_how_long_a_row_has_to_be_is_a_setting(limits: dict[str, Any], state: DomainState) -> None:
    settings = Settings.model_validate({"domains": limits})
    assert plan_block(state, OK, T, settings).status is DomainStatus.BLOCKED


def test_the_reason_is_said() -> None:
    cases: list[tuple[DomainState, Response | Failure]] = [
        (DEAD, SILENCE),
        (DEAD, ERROR),
        (LIMITED, OK),
        (FORBIDDEN, OK),
    ]
    reasons = [plan_block(state, answer, T, SETTINGS).block_reason for state, answer in cases]
    assert reasons == [
        "the connect of a test; its breaker opened 3 times in a row",
        "the server answered 500; its breaker opened 3 times in a row",
        "429 or 503 again after each of 5 rests",
        "401, 403 or a rejected page 10 times in a row",
    ]


def test_a_block_is_not_prolonged_by_answers_that_come_late() -> None:
    blocked = plan_block(LIMITED, OK, T, SETTINGS)
    assert plan_block(blocked, OK, T + 5, SETTINGS) is blocked


# --- logins --------------------------------------------------------------------------------------


def test_a_row_of_logins_blocks() -> None:
    blocked = plan_login_block(LOGIN, 0, T, SETTINGS)
    assert (blocked.status, blocked.block_code) == (DomainStatus.BLOCKED, "login_required")
    assert blocked.block_reason == "10 responses in a row asked to log in"


def test_a_shorter_row_of_logins_does_not() -> None:
    state = replace(ACTIVE, login_streak=9)
    assert plan_login_block(state, 0, T, SETTINGS) is state


@pytest.mark.parametrize(("pages", "row"), [(0, 10), (15, 10), (40, 20), (300, 100), (10**6, 100)])
def test_a_domain_that_has_given_pages_needs_a_longer_row(pages: int, row: int) -> None:
    shorter = replace(ACTIVE, login_streak=row - 1)
    assert plan_login_block(shorter, pages, T, SETTINGS) is shorter
    blocked = plan_login_block(replace(ACTIVE, login_streak=row), pages, T, SETTINGS)
    assert blocked.status is DomainStatus.BLOCKED


def test_walls_that_are_stored_as_pages_do_not_make_the_row_longer() -> None:
    # The home page, and ten times the same form.
    assert plan_login_block(LOGIN, 12, T, SETTINGS).status is DomainStatus.BLOCKED


def test_a_row_of_401_is_a_login() -> None:
    state = replace(ACTIVE, login_streak=6, pace=Pace(pushback_streak=5, forbidden_streak=7))
    assert plan_block(state, make_response(401), T, SETTINGS).block_code == "login_required"


# --- cooldowns -----------------------------------------------------------------------------------


@pytest.mark.parametrize("state", [DEAD, LIMITED, FORBIDDEN])
def test_a_domain_comes_back_with_a_clean_record(state: DomainState) -> None:
    blocked = replace(plan_block(state, SILENCE, T, SETTINGS), transitions=())
    back = plan_unblock(blocked, T + 30 * DAY_S)
    (transition,) = back.transitions
    assert transition.cause is Cause.COOLDOWN_OVER
    assert replace(back, transitions=()) == DomainState(status=DomainStatus.PENDING, retries=1)
    assert plan_block(back, OK, T + 30 * DAY_S, SETTINGS) is back


def test_a_domain_comes_back_with_no_logins_counted() -> None:
    blocked = plan_login_block(LOGIN, 0, T, SETTINGS)
    assert plan_unblock(blocked, T + 30 * DAY_S).login_streak == 0


def test_a_domain_does_not_come_back_early() -> None:
    blocked = plan_block(LIMITED, OK, T, SETTINGS)
    assert plan_unblock(blocked, T + 7 * DAY_S - 1) is blocked


def test_a_domain_that_is_not_blocked_needs_no_return() -> None:
    assert plan_unblock(ACTIVE, T) is ACTIVE


def test_after_three_retries_a_block_is_for_good() -> None:
    state, now, untils = FORBIDDEN, T, []
    for _ in range(4):
        blocked = plan_block(state, make_response(403), now, SETTINGS)
        untils.append(blocked.next_crawl_after)
        now += 14 * DAY_S
        state = replace(plan_unblock(blocked, now), pace=FORBIDDEN.pace)
    assert untils == [T + 14 * DAY_S, T + 28 * DAY_S, T + 42 * DAY_S, None]
    assert "after each of 3 cooldowns" in (blocked.block_reason or "")
    assert plan_unblock(blocked, T + 1000 * DAY_S) is blocked


def test_retries_can_be_disabled() -> None:
    settings = Settings.model_validate({"domains": {"retries": 0}})
    assert plan_block(FORBIDDEN, OK, T, settings).next_crawl_after is None


def test_the_short_rest_for_a_robots_txt_is_no_retry() -> None:
    state, now = ACTIVE, T
    for _ in range(10):
        blocked = block(state, Cause.ROBOTS_UNREACHABLE, "why", now, SETTINGS)
        assert blocked.next_crawl_after == now + 3600
        now += 3600
        state = plan_unblock(blocked, now)
    assert state.retries == 0
