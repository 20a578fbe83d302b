from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenax.jobs.schedule.hours import DAYS
from tenax.jobs.schedule.plans import find_timing, list_next_runs, plan_next
from tenax.jobs.schedule.slots import DAY_S, count_loads, find_slot, list_slots
from tenax.records.jobs import IntervalType, Job, JobState

VIENNA = "Europe/Vienna"
MORNING = '{"from": "08:00", "until": "10:00"}'


def at(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def make_job(begins_at: str, **values: Any) -> Job:
    first = at(begins_at)
    job = Job(
        id=1,
        source_id=1,
        url=None,
        state=JobState.SCHEDULED,
        interval_minutes=6,
        interval_type=IntervalType.HOURS,
        schedule_enabled=True,
        adaptive_scheduling=False,
        timezone=VIENNA,
        active_hours=None,
        next_run_at=first,
        phase_at=first,
        slot_moved_at=None,
        priority=5,
        content_hash=None,
        unchanged_count=0,
        max_retries=3,
        retry_backoff_seconds=60,
        current_retry_count=0,
        lock_token=None,
        lock_acquired_at=None,
        lock_heartbeat_at=None,
        stale_locks=0,
        paused_at=None,
        cancelled_at=None,
        last_error=None,
        metadata={},
        version=1,
        created_at=first,
        updated_at=first,
    )
    return replace(job, **values)


def list_runs(job: Job, count: int = 4, now: str = "2026-01-01T00:00Z") -> list[str]:
    found = list_next_runs(job, at(now), count)
    return [datetime.fromtimestamp(each, UTC).strftime("%m-%d %H:%M") for each in found]


def test_without_hours_next_runs_are_whole_intervals_apart() -> None:
    job = make_job("2026-05-01T12:00Z", adaptive_scheduling=True, unchanged_count=1)
    assert list_runs(job, 3) == ["05-01 12:00", "05-02 00:00", "05-02 12:00"]


def test_ticks_outside_the_hours_begin_when_they_open() -> None:
    # Ticks at 02:30, 08:30, 14:30 and 20:30 in Vienna: two of them wait for the next morning.
    job = make_job("2026-06-01T06:30Z", active_hours=MORNING)
    assert list_runs(job, 5) == ["06-01 06:30", "06-02 06:00", "06-02 06:30", "06-03 06:00", "06-03 06:30"]


def test_hours_that_open_once_a_week_are_one_run_a_week() -> None:
    hours = '{"days": ["mon"], "from": "08:00", "until": "10:00"}'
    job = make_job(
        "2026-06-01T06:00Z", active_hours=hours, interval_minutes=1, interval_type=IntervalType.DAYS
    )
    assert list_runs(job, 3) == ["06-01 06:00", "06-08 06:00", "06-15 06:00"]


@pytest.mark.parametrize(
    ("first", "runs"),
    [
        # Clocks go forward on 29 March, an hour less between two mornings.
        ("2026-03-27T07:00Z", ["03-27 07:00", "03-28 07:00", "03-29 06:00", "03-29 07:00", "03-30 06:00"]),
        # They go back on 25 October, an hour more.
        ("2026-10-23T06:00Z", ["10-23 06:00", "10-24 06:00", "10-25 07:00", "10-26 07:00", "10-27 07:00"]),
    ],
)
def test_hours_keep_to_the_clock_on_the_wall_when_it_is_changed(first: str, runs: list[str]) -> None:
    job = make_job(first, active_hours=MORNING, interval_minutes=12)
    assert list_runs(job, 5) == runs


def test_an_opening_that_clocks_jump_over_comes_an_hour_later_that_day() -> None:
    hours = '{"from": "02:30", "until": "05:00"}'
    job = make_job("2026-03-28T01:30Z", active_hours=hours, interval_minutes=20)
    assert list_runs(job, 3) == ["03-28 01:30", "03-29 01:30", "03-30 00:30"]


def test_an_hour_that_comes_twice_has_runs_both_times() -> None:
    hours = '{"days": ["sun"], "from": "02:00", "until": "03:00"}'
    job = make_job(
        "2026-10-25T00:00Z", active_hours=hours, interval_minutes=30, interval_type=IntervalType.MINUTES
    )
    assert list_runs(job, 5) == ["10-25 00:00", "10-25 00:30", "10-25 01:00", "10-25 01:30", "11-01 01:00"]


def test_a_time_that_has_passed_is_the_first_and_the_others_come() -> None:
    job = make_job("2026-05-01T12:00Z")
    assert list_runs(job, 3, now="2026-05-02T01:00Z") == ["05-01 12:00", "05-02 06:00", "05-02 12:00"]


def test_an_active_run_is_not_among_the_next_ones() -> None:
    job = make_job("2026-05-01T12:00Z", state=JobState.RUNNING)
    assert list_runs(job, 2, now="2026-05-01T12:10Z") == ["05-01 18:00", "05-02 00:00"]


def test_a_retry_comes_between_and_the_rhythm_stays() -> None:
    job = make_job("2026-05-01T12:00Z", state=JobState.PENDING, next_run_at=at("2026-05-01T13:05Z"))
    assert list_runs(job, 3) == ["05-01 13:05", "05-01 18:00", "05-02 00:00"]


def test_a_job_that_does_not_repeat_has_one_next_run_at_most() -> None:
    once = make_job("2026-05-01T12:00Z", interval_minutes=None)
    assert list_runs(once) == ["05-01 12:00"]
    assert list_runs(replace(once, state=JobState.RUNNING)) == []
    assert list_runs(make_job("2026-05-01T12:00Z", schedule_enabled=False)) == ["05-01 12:00"]


@pytest.mark.parametrize("state", [JobState.PAUSED, JobState.FAILED, JobState.CANCELLED, JobState.COMPLETED])
def test_a_job_that_waits_for_a_user_has_no_next_runs(state: JobState) -> None:
    assert list_runs(make_job("2026-05-01T12:00Z", state=state)) == []


# Clocks are changed on 2026-03-29 and 2026-10-25.
@given(
    first=st.sampled_from(["2026-06-01T00:00Z", "2026-03-28T00:00Z", "2026-10-24T00:00Z"]),
    ahead_minutes=st.integers(0, 2 * 24 * 60),
    every_minutes=st.sampled_from([15, 40, 60, 180, 390, 1440]),
    opens=st.integers(0, 23),
    closes=st.integers(0, 23),
    days=st.sets(st.sampled_from(DAYS), min_size=1),
)
def test_the_slots_of_the_coming_day_are_those_of_the_next_runs(
    first: str, ahead_minutes: int, every_minutes: int, opens: int, closes: int, days: set[str]
) -> None:
    hours = orjson.dumps(
        {"days": sorted(days), "from": f"{opens:02}:00", "until": f"{closes:02}:30"}
    ).decode()
    job = make_job(
        first, active_hours=hours, interval_minutes=every_minutes, interval_type=IntervalType.MINUTES
    )
    now = at(first) + 60 * ahead_minutes
    job = replace(job, **plan_next(job, now))
    timing = find_timing(job)
    assert timing is not None
    slots = list_slots(now, DAY_S)
    expected = Counter(map(find_slot, list_next_runs(job, now, 2 * len(slots))))
    assert count_loads([timing], now, DAY_S) == Counter(
        {slot: expected[slot] for slot in expected if slot in slots}
    )
