import pytest

from tenax.jobs.schedule.intervals import adapt_interval, find_next_tick, measure_interval, plan_backoff
from tenax.records.jobs import IntervalType

HOUR = 3600.0


@pytest.mark.parametrize(
    ("number", "kind", "seconds"),
    [
        (30, IntervalType.MINUTES, 1800),
        (6, IntervalType.HOURS, 21_600),
        (1, IntervalType.DAYS, 86_400),
        (365, IntervalType.DAYS, 31_536_000),
    ],
)
def test_an_interval_has_its_seconds(number: int, kind: IntervalType, seconds: int) -> None:
    assert measure_interval(number, kind) == seconds


def test_the_next_tick_comes_after_now() -> None:
    assert find_next_tick(1000.0, HOUR, 1000.0) == 4600.0
    assert find_next_tick(1000.0, HOUR, 999.0) == 1000.0


def test_missed_ticks_collapse_into_one_that_keeps_the_rhythm() -> None:
    assert find_next_tick(1000.0, HOUR, 1000.0 + 1000.5 * HOUR) == 1000.0 + 1001 * HOUR


def test_a_phase_that_lies_far_ahead_is_brought_back() -> None:
    assert find_next_tick(1000.0 + 9000 * HOUR, HOUR, 500.0) == 1000.0


@pytest.mark.parametrize(
    ("attempt", "seconds"),
    [(1, 60), (2, 120), (3, 240), (4, 480), (5, 960), (6, 1920), (7, 3600), (999, 3600)],
)
def test_retries_wait_twice_as_long_each_time_up_to_an_hour(attempt: int, seconds: int) -> None:
    assert plan_backoff(60.0, attempt) == seconds


@pytest.mark.parametrize(
    ("hours", "unchanged", "adapted"),
    [(6, 0, 6), (6, 1, 12), (6, 2, 24), (6, 3, 24), (6, 99_999, 24), (48, 0, 48), (48, 5, 48), (20, 1, 24)],
)
def test_an_interval_doubles_up_to_a_day_and_is_never_below_its_baseline(
    hours: int, unchanged: int, adapted: int
) -> None:
    assert adapt_interval(hours * HOUR, unchanged) == adapted * HOUR
