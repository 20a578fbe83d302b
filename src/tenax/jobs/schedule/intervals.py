"""When a job runs next: intervals, ticks, retries, adaptive intervals. Pure; instants are whole seconds.

The ticks of a job are whole intervals apart. Missed ticks are not made up for: however many passed while no
scheduler was running, the job runs once and keeps its rhythm.
"""

from math import floor
from typing import Final

from tenax.clock import Instant
from tenax.records.jobs import UNITS, IntervalType

LONGEST_BACKOFF_S: Final = 3600.0
LONGEST_ADAPTED_S: Final = 86_400.0
# More doublings than any interval has before it reaches its cap.
_MOST_DOUBLINGS: Final = 32


def measure_interval(number: int, kind: IntervalType) -> float:
    """The interval in seconds. A day always has 24 hours, even when clocks change."""
    return float(number * UNITS[kind])


def find_next_tick(phase_at: Instant, interval_s: float, now: Instant) -> Instant:
    """The first instant after `now` that is whole intervals away from `phase_at`, wherever that is: a clock
    that was wrong for a while, or a month without a scheduler, does not change the rhythm."""
    ahead = floor((now - phase_at) / interval_s) + 1
    return phase_at + ahead * interval_s


def plan_backoff(base_s: float, attempt: int) -> float:
    """Seconds until the retry with this number, from 1."""
    return min(base_s * 2.0 ** min(attempt - 1, _MOST_DOUBLINGS), LONGEST_BACKOFF_S)


def adapt_interval(baseline_s: float, unchanged_count: int) -> float:
    """Double the interval for each run that found the start page unchanged, up to a day; a longer baseline is
    kept."""
    doubled = baseline_s * 2.0 ** min(unchanged_count, _MOST_DOUBLINGS)
    return max(baseline_s, min(doubled, LONGEST_ADAPTED_S))
