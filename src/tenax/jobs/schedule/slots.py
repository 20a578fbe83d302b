"""Spreads jobs over time, in slots of 15 minutes, by the number of runs that will start in each. Pure.

A new or resumed job goes into the least busy slot within one of its intervals, and keeps it. If jobs still
gather in one slot, rebalancing moves some of them, but never those that start soon or were moved recently.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from tenax.clock import Instant
from tenax.jobs.schedule.hours import WeeklyHours, find_open, keep_hours
from tenax.jobs.schedule.intervals import find_next_tick
from tenax.record import record, replace

SLOT_S: Final = 900
DAY_S: Final = 86_400
LONGEST_SPREAD_S: Final = 7 * DAY_S
SOON_S: Final = 1800
RECENTLY_S: Final = 3600
# Jobs in one slot start a minute apart.
_STEP_S: Final = 60
_STEPS: Final = SLOT_S // _STEP_S

Loads = Counter[int]  # slot → runs that start in it


@record
class JobTiming:
    """The timing of a job that has a next run time."""

    job_id: int
    next_run_at: Instant
    interval_s: float | None  # None: once
    phase_at: Instant | None = None  # what its ticks are counted from; None: its next run time
    slot_moved_at: Instant | None = None
    hours: WeeklyHours | None = None
    is_movable: bool = True


@record
class SlotMove:
    job_id: int
    from_at: Instant
    to_at: Instant


def find_slot(at: Instant) -> int:
    return int(at // SLOT_S)


def list_slots(now: Instant, ahead_s: float) -> range:
    """The current slot and those within so many seconds after it."""
    first = find_slot(now)
    return range(first, first + 1 + int(ahead_s // SLOT_S))


def count_loads(timings: Iterable[JobTiming], now: Instant, ahead_s: float) -> Loads:
    """Count the runs that start from now on, by slot."""
    loads: Loads = Counter()
    for timing in timings:
        loads.update(_find_slots(timing, now, ahead_s))
    return loads


def choose_time(
    timings: Sequence[JobTiming], interval_s: float, hours: WeeklyHours | None, now: Instant
) -> Instant:
    """The first tick of a new job: in the least busy slot, the earliest of several."""
    ahead_s = min(interval_s, LONGEST_SPREAD_S)
    loads = count_loads(timings, now, ahead_s)
    candidates = _list_candidates(loads, hours, now, ahead_s)
    if not candidates:
        return find_open(hours, float(int(now) + 1))
    return min(candidates, key=lambda at: (loads[find_slot(at)], at))


def measure_distribution(loads: Loads, slots: int) -> float:
    """From 0, everything starts in one slot, to 1, no slot has more than its share."""
    total = loads.total()
    part = -(-total // slots)
    worst = total - part
    if worst <= 0:
        return 1.0
    return 1.0 - sum(max(load - part, 0) for load in loads.values()) / worst


def plan_rebalance(timings: Sequence[JobTiming], now: Instant) -> list[SlotMove]:
    """The moves that spread the next day more evenly. Each move is an improvement by itself."""
    loads = count_loads(timings, now, DAY_S)
    moves: list[SlotMove] = []
    busiest = sorted(timings, key=lambda each: (-loads[find_slot(each.next_run_at)], each.job_id))
    for timing in busiest:
        to_at = _find_better(timing, loads, now)
        if to_at is not None:
            loads.subtract(_find_slots(timing, now, DAY_S))
            loads.update(_find_slots(move_timing(timing, to_at), now, DAY_S))
            moves.append(SlotMove(job_id=timing.job_id, from_at=timing.next_run_at, to_at=to_at))
    return moves


def move_timing(timing: JobTiming, to_at: Instant) -> JobTiming:
    return replace(timing, next_run_at=to_at, phase_at=None)


def may_move(timing: JobTiming, now: Instant) -> bool:
    if timing.interval_s is None or not timing.is_movable or timing.next_run_at - now < SOON_S:
        return False
    return timing.slot_moved_at is None or not 0 <= now - timing.slot_moved_at < RECENTLY_S


def _find_better(timing: JobTiming, loads: Loads, now: Instant) -> Instant | None:
    if not may_move(timing, now) or timing.interval_s is None or not loads[find_slot(timing.next_run_at)]:
        return None
    others = loads.copy()
    others.subtract(_find_slots(timing, now, DAY_S))

    def find_peak(at: Instant) -> int:
        """The highest load from other jobs in the slots that this job would use."""
        return max(others[slot] for slot in _find_slots(move_timing(timing, at), now, DAY_S))

    candidates = _list_candidates(others, timing.hours, now, min(timing.interval_s, DAY_S))
    best = min(candidates, key=lambda at: (find_peak(at), at), default=None)
    is_better = best is not None and find_peak(best) < find_peak(timing.next_run_at)
    return best if is_better else None


def _list_candidates(loads: Loads, hours: WeeklyHours | None, now: Instant, ahead_s: float) -> list[Instant]:
    """One possible start time for each slot within an interval, in the job's active hours."""
    slots = list_slots(now, ahead_s)[1:]
    times = [float(slot * SLOT_S + _STEP_S * (loads[slot] % _STEPS)) for slot in slots]
    return [at for at in times if find_open(hours, at) == at]


def _find_slots(timing: JobTiming, now: Instant, ahead_s: float) -> list[int]:
    until = float(list_slots(now, ahead_s).stop * SLOT_S)
    begins = keep_hours(timing.hours, _iter_ticks(timing, now, until))
    return [find_slot(at) for at in begins if at < until]


def _iter_ticks(timing: JobTiming, now: Instant, until: Instant) -> Iterator[Instant]:
    at, interval_s = timing.next_run_at, timing.interval_s
    if interval_s is None:
        if now <= at < until:
            yield at
        return
    phase_at = at if timing.phase_at is None else timing.phase_at
    if now <= at < until:
        yield at
    tick = find_next_tick(phase_at, interval_s, max(at, now))
    while tick < until:
        yield tick
        tick += interval_s
