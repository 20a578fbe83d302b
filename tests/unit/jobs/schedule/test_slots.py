from collections import Counter
from dataclasses import replace

import pytest

from tenax.jobs.schedule.hours import parse_hours
from tenax.jobs.schedule.slots import (
    DAY_S,
    SLOT_S,
    JobTiming,
    choose_time,
    count_loads,
    find_slot,
    may_move,
    measure_distribution,
    plan_rebalance,
)

NOW = 1_750_000_500.0
HOUR = 3600.0
DAY_SLOTS = DAY_S // SLOT_S


def make(job_id: int, next_run_at: float, interval_s: float | None = DAY_S) -> JobTiming:
    return JobTiming(job_id=job_id, next_run_at=next_run_at, interval_s=interval_s)


def place(count: int, interval_s: float) -> list[JobTiming]:
    placed: list[JobTiming] = []
    for number in range(count):
        placed.append(make(number, choose_time(placed, interval_s, None, NOW), interval_s))
    return placed


def test_new_jobs_fill_the_slots_evenly() -> None:
    loads = count_loads(place(2 * DAY_SLOTS, DAY_S), NOW, DAY_S)
    assert set(loads.values()) == {2}


def test_jobs_of_one_slot_begin_a_minute_apart() -> None:
    times = sorted(each.next_run_at for each in place(8, HOUR) if each.next_run_at % HOUR < SLOT_S)
    assert [at - times[0] for at in times] == [0, 60]


def test_a_job_is_placed_within_one_interval() -> None:
    for timing in place(20, 2 * HOUR):
        assert NOW < timing.next_run_at <= NOW + 2 * HOUR + SLOT_S


def test_a_job_with_less_than_a_slot_between_its_runs_begins_at_once() -> None:
    assert choose_time([], 60.0, None, NOW + 0.5) == NOW + 1


def test_the_ticks_of_all_jobs_count_however_often_they_come() -> None:
    hourly = make(1, NOW + 60, HOUR)
    loads = count_loads([hourly, make(2, NOW + 60, None)], NOW, DAY_S)
    assert loads[find_slot(NOW + 60)] == 2
    assert loads.total() == 26


def test_ticks_outside_the_active_hours_wait_for_the_next_window() -> None:
    """Those of a job that repeats every three hours, from 00:30, and may begin from 08:00 until 15:00."""
    midnight = NOW - NOW % DAY_S
    job = JobTiming(
        job_id=1,
        next_run_at=midnight + 8 * HOUR,
        interval_s=3 * HOUR,
        phase_at=midnight + 6.5 * HOUR,
        hours=parse_hours('{"from": "08:00", "until": "15:00"}', "UTC"),
    )
    loads = count_loads([job], midnight + 7 * HOUR, DAY_S)
    hours = [(slot * SLOT_S - midnight) / HOUR for slot in sorted(loads)]
    assert hours == [8.0, 9.5, 12.5]
    assert set(loads.values()) == {1}
    loads = count_loads([job], midnight + 7 * HOUR, 2 * DAY_S)
    assert [(slot * SLOT_S - midnight) / HOUR for slot in sorted(loads)][3:] == [32.0, 33.5, 36.5]


def test_slots_outside_the_active_hours_are_not_chosen() -> None:
    hours = parse_hours('{"from": "20:00", "until": "21:00"}', "UTC")
    times = [choose_time([], interval_s, hours, NOW) for interval_s in (60.0, HOUR, 6 * HOUR, DAY_S)]
    assert {int(at % DAY_S // HOUR) for at in times} == {20}


@pytest.mark.parametrize(
    ("loads", "score"),
    [
        ({}, 1.0),
        ({1: 1}, 1.0),
        ({1: 1, 2: 1, 3: 1, 4: 1}, 1.0),
        ({1: 8}, 0.0),
        ({1: 4, 2: 4}, pytest.approx(1 - 4 / 6)),
        ({1: 3, 2: 2, 3: 2, 4: 1}, pytest.approx(1 - 1 / 6)),
    ],
)
def test_the_score_says_how_even_it_is(loads: dict[int, int], score: float) -> None:
    assert measure_distribution(Counter(loads), 4) == score


def test_what_gathers_in_one_slot_is_spread() -> None:
    crowd = [make(number, NOW + 2 * HOUR) for number in range(DAY_SLOTS)]
    moves = {move.job_id: move for move in plan_rebalance(crowd, NOW)}
    after = [
        replace(each, next_run_at=moves[each.job_id].to_at) if each.job_id in moves else each
        for each in crowd
    ]
    assert measure_distribution(count_loads(crowd, NOW, DAY_S), DAY_SLOTS) == 0.0
    assert measure_distribution(count_loads(after, NOW, DAY_S), DAY_SLOTS) > 0.98
    assert plan_rebalance(after, NOW) == []


@pytest.mark.parametrize(
    "held",
    [
        make(1, NOW + 1799),
        replace(make(1, NOW + 2 * HOUR), slot_moved_at=NOW - 3599),
        make(1, NOW + 2 * HOUR, None),
        replace(make(1, NOW + 2 * HOUR), is_movable=False),
    ],
    ids=["begins soon", "was moved lately", "runs once", "is not scheduled"],
)
def test_some_jobs_are_not_moved(held: JobTiming) -> None:
    crowd = [replace(held, job_id=number) for number in range(5)]
    assert not may_move(held, NOW)
    assert plan_rebalance(crowd, NOW) == []


def test_half_an_hour_and_an_hour_are_enough() -> None:
    assert may_move(replace(make(1, NOW + 1800), slot_moved_at=NOW - 3600), NOW)
