"""Politeness: the effective delay, the next fetch, backoffs and when they are forgotten."""

import pytest

from tenax.config.crawl import PolitenessSettings
from tenax.policy.politeness import (
    after_answer,
    after_error,
    after_pushback,
    after_start,
    clamp,
    delay_in_force,
    plan_next_fetch,
)
from tenax.records.domains import Pace

T = 1_000_000.0
SETTINGS = PolitenessSettings(
    delay_s=1.0,
    max_crawl_delay_s=60.0,
    jitter=0.1,
    backoff_s=60.0,
    max_backoff_s=86400.0,
    forgive_s=1800.0,
)


def with_settings(**changes: float) -> PolitenessSettings:
    return SETTINGS.model_copy(update=changes)


def push_back(
    pace: Pace,
    at: float = T,
    *,
    status: int = 429,
    retry_after_s: float | None = None,
    settings: PolitenessSettings = SETTINGS,
) -> Pace:
    """One request that starts just before `at` and is turned away then."""
    return after_pushback(
        after_start(pace, at - 0.1),
        status=status,
        answered_at=at,
        retry_after_s=retry_after_s,
        settings=settings,
        roll=0.0,
    )


def rest_of(pace: Pace) -> float:
    assert pace.backoff_until is not None
    assert pace.last_backoff_at is not None
    return pace.backoff_until - pace.last_backoff_at


# --- the delay in force ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pace", "expected"),
    [
        (Pace(), (1.0, "setting")),
        (Pace(robots_delay_s=5.0), (5.0, "robots.txt Crawl-delay")),
        (Pace(robots_delay_s=0.5), (1.0, "setting")),
        (Pace(last_response_s=3.0), (3.0, "response time")),
        (Pace(last_response_s=3.0, robots_delay_s=3.0), (3.0, "robots.txt Crawl-delay")),
        (Pace(last_response_s=90.0), (60.0, "response time")),
        (Pace(robots_delay_s=900.0), (60.0, "robots.txt Crawl-delay")),
    ],
)
def test_the_longest_delay_is_in_force_and_named(pace: Pace, expected: tuple[float, str]) -> None:
    assert delay_in_force(pace, SETTINGS) == expected


def test_without_a_delay_the_response_time_adds_none() -> None:
    settings = with_settings(delay_s=0.0)
    assert delay_in_force(Pace(last_response_s=3.0), settings) == (0.0, "setting")


def test_a_crawl_delay_is_honored_without_a_delay_setting() -> None:
    settings = with_settings(delay_s=0.0)
    pace = Pace(robots_delay_s=2.0, last_response_s=3.0)
    assert delay_in_force(pace, settings) == (2.0, "robots.txt Crawl-delay")


# --- the next fetch --------------------------------------------------------------------------


def test_the_first_request_to_a_domain_may_start_at_once() -> None:
    assert plan_next_fetch(Pace(), SETTINGS, 0.5) == 0.0


def test_the_delay_counts_from_the_start_while_no_answer_is_there() -> None:
    assert plan_next_fetch(after_start(Pace(), T), SETTINGS, 0.0) == T + 1


def test_the_delay_counts_from_the_answer_when_it_came() -> None:
    pace = after_start(Pace(), T)
    pace = after_answer(pace, answered_at=T + 0.4, response_s=0.4, settings=SETTINGS)
    assert plan_next_fetch(pace, SETTINGS, 0.0) == T + 1.4


def test_jitter_only_lengthens() -> None:
    assert plan_next_fetch(Pace(last_start_at=T), SETTINGS, 0.5) == pytest.approx(T + 1.05)


def test_a_rest_is_waited_for() -> None:
    pace = Pace(last_start_at=T, backoff_until=T + 500)
    assert plan_next_fetch(pace, SETTINGS, 0.9) == T + 500


# --- answers ---------------------------------------------------------------------------------


def test_a_good_answer_sets_the_response_time_and_ends_a_row_of_403() -> None:
    pace = Pace(last_response_s=9.0, forbidden_streak=2)
    pace = after_answer(pace, answered_at=T, response_s=0.2, settings=SETTINGS)
    assert (pace.last_response_s, pace.forbidden_streak) == (0.2, 0)


def test_a_fast_error_does_not_shorten_the_delay() -> None:
    pace = Pace(last_response_s=3.0)
    pace = after_error(pace, status=404, answered_at=T, response_s=0.01)
    assert delay_in_force(pace, SETTINGS)[0] == 3.0


def test_a_slow_error_lengthens_the_delay() -> None:
    pace = after_error(Pace(), status=None, answered_at=T, response_s=30.0)
    assert delay_in_force(pace, SETTINGS) == (30.0, "response time")


def test_a_push_back_does_not_shorten_the_delay() -> None:
    assert push_back(Pace(last_response_s=3.0)).last_response_s == 3.0


@pytest.mark.parametrize(("status", "streak"), [(404, 0), (500, 0), (None, 2)])
def test_an_error_ends_a_row_of_403_when_it_is_an_answer(status: int | None, streak: int) -> None:
    pace = Pace(forbidden_streak=2)
    assert after_error(pace, status=status, answered_at=T, response_s=0).forbidden_streak == streak


def test_an_answer_that_is_reported_late_does_not_move_the_last_one_back() -> None:
    pace = Pace(last_answer_at=T)
    pace = after_answer(pace, answered_at=T - 5, response_s=1.0, settings=SETTINGS)
    assert pace.last_answer_at == T


# --- push-back -------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [429, 503])
def test_a_push_back_rests_for_the_first_time(status: int) -> None:
    pace = push_back(Pace(), status=status)
    assert (pace.backoff_level, rest_of(pace)) == (1, 60.0)


def test_rests_double_up_to_a_day() -> None:
    pace, at, rests = Pace(), T, []
    for _ in range(13):
        pace = push_back(pace, at)
        rests.append(rest_of(pace))
        at += rests[-1] + 1
    assert rests[:4] == [60, 120, 240, 480]
    assert rests[-2:] == [86400, 86400]


def test_a_huge_level_does_not_overflow() -> None:
    assert rest_of(push_back(Pace(backoff_level=10**6))) == 86400


def test_a_named_time_is_taken_at_its_word_the_first_time() -> None:
    assert rest_of(push_back(Pace(), retry_after_s=7.0)) == 7.0


def test_a_named_time_is_never_shorter_than_the_delay() -> None:
    assert rest_of(push_back(Pace(), retry_after_s=0.0)) == 1.0


def test_a_second_push_back_doubles_even_when_a_short_time_is_named() -> None:
    pace = push_back(push_back(Pace()), T + 61, retry_after_s=7.0)
    assert rest_of(pace) == 120.0


def test_a_second_push_back_honours_a_longer_named_time() -> None:
    pace = push_back(push_back(Pace()), T + 61, retry_after_s=900.0)
    assert rest_of(pace) == 900.0


@pytest.mark.parametrize("year", [365 * 86400.0, float("inf")])
def test_a_named_time_is_capped(year: float) -> None:
    assert rest_of(push_back(Pace(), retry_after_s=year)) == 86400.0


@pytest.mark.parametrize("garbage", [-5.0, float("nan")])
def test_a_senseless_named_time_leaves_the_delay(garbage: float) -> None:
    assert rest_of(push_back(Pace(), retry_after_s=garbage)) == 1.0


def test_answers_that_were_under_way_do_not_double_the_rest() -> None:
    pace = push_back(Pace())
    for late in (T + 0.1, T + 0.2):
        pace = after_pushback(
            pace, status=429, answered_at=late, retry_after_s=None, settings=SETTINGS, roll=0.0
        )
    assert (pace.backoff_level, pace.backoff_until) == (1, T + 60.2)


def test_an_answer_that_was_under_way_does_not_shorten_the_rest() -> None:
    pace = after_pushback(
        push_back(Pace()),
        status=429,
        answered_at=T + 1,
        retry_after_s=2.0,
        settings=SETTINGS,
        roll=0.0,
    )
    assert pace.backoff_until == T + 60


@pytest.mark.parametrize("status", [401, 403])
def test_single_forbidden_pages_are_no_push_back(status: int) -> None:
    pace = push_back(push_back(Pace(), status=status), T + 2, status=status)
    assert (pace.forbidden_streak, pace.backoff_level, pace.backoff_until) == (2, 0, None)
    assert plan_next_fetch(pace, SETTINGS, 0.0) == T + 3


def test_the_third_forbidden_page_in_a_row_is_a_push_back() -> None:
    pace = push_back(Pace(forbidden_streak=2), status=403)
    assert (pace.forbidden_streak, pace.backoff_level, rest_of(pace)) == (3, 1, 60.0)


def test_a_forbidden_page_that_names_a_time_is_a_push_back() -> None:
    assert rest_of(push_back(Pace(), status=403, retry_after_s=30.0)) == 30.0


def test_a_rate_limit_ends_a_row_of_403() -> None:
    assert push_back(Pace(forbidden_streak=2), status=429).forbidden_streak == 0


@pytest.mark.parametrize(
    ("status", "retry_after_s", "rest_s"),
    [(503, None, 60.0), (503, 7.0, 7.0), (429, 7.0, 7.0), (429, None, 120.0)],
)
def test_after_a_good_answer_only_a_rate_limit_without_a_time_doubles(
    status: int, retry_after_s: float | None, rest_s: float
) -> None:
    pace = after_answer(push_back(Pace()), answered_at=T + 61, response_s=0.1, settings=SETTINGS)
    assert rest_of(push_back(pace, T + 62, status=status, retry_after_s=retry_after_s)) == rest_s


def test_a_row_of_rests_is_counted() -> None:
    pace = push_back(push_back(Pace()), T + 61)
    assert pace.pushback_streak == 2


def test_a_good_answer_ends_a_row_of_rests() -> None:
    pace = after_answer(push_back(Pace()), answered_at=T + 61, response_s=0.1, settings=SETTINGS)
    assert pace.pushback_streak == 0


@pytest.mark.parametrize(("status", "streak"), [(404, 0), (500, 1), (None, 1)])
def test_an_error_ends_a_row_of_rests_when_the_server_serves(status: int | None, streak: int) -> None:
    pace = after_error(push_back(Pace()), status=status, answered_at=T + 61, response_s=0.1)
    assert pace.pushback_streak == streak


@pytest.mark.parametrize("status", [503, 403])
def test_a_retry_that_fails_again_costs_one_rest_and_starts_no_row(status: int) -> None:
    before = Pace(pushback_streak=1, forbidden_streak=3, backoff_level=1)
    pace = after_pushback(
        before,
        status=status,
        answered_at=T,
        retry_after_s=None,
        settings=SETTINGS,
        roll=0.0,
        is_retry=True,
    )
    assert (pace.pushback_streak, pace.backoff_level, rest_of(pace)) == (1, 1, 60.0)
    assert pace.forbidden_streak <= 3


# --- forgiveness -----------------------------------------------------------------------------


def test_a_good_answer_after_the_quiet_time_forgives() -> None:
    pace = push_back(Pace(backoff_level=3))
    answered_at = (pace.backoff_until or 0.0) + 1800
    pace = after_answer(pace, answered_at=answered_at, response_s=0.1, settings=SETTINGS)
    assert (pace.backoff_level, pace.backoff_until) == (0, None)


def test_a_good_answer_before_the_quiet_time_forgives_nothing() -> None:
    pace = push_back(Pace(backoff_level=3))
    answered_at = (pace.backoff_until or 0.0) + 1799
    pace = after_answer(pace, answered_at=answered_at, response_s=0.1, settings=SETTINGS)
    assert pace.backoff_level == 4


def test_a_push_back_after_the_quiet_time_starts_from_the_first_rest() -> None:
    pace = push_back(Pace(backoff_level=3))
    pace = push_back(pace, (pace.backoff_until or 0.0) + 1800)
    assert (pace.backoff_level, rest_of(pace)) == (1, 60.0)


# --- take-over and clocks --------------------------------------------------------------------


def test_a_pace_of_the_past_is_not_clamped() -> None:
    pace = push_back(Pace())
    assert clamp(pace, T) is pace


def test_a_clock_set_back_leaves_one_delay_to_wait() -> None:
    pace = clamp(Pace(last_start_at=T + 9000, last_answer_at=T + 9001), T)
    assert plan_next_fetch(pace, SETTINGS, 0.0) == T + 1


def test_a_clock_set_back_leaves_a_rest_its_length() -> None:
    pace = clamp(push_back(Pace(), T + 9000), T)
    assert plan_next_fetch(pace, SETTINGS, 0.0) == T + 60


# --- properties ------------------------------------------------------------------------------
