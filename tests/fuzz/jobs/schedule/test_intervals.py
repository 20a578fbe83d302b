import math

from hypothesis import given
from hypothesis import strategies as st

from tenax.jobs.schedule.intervals import find_next_tick

instants = st.integers(0, 4_000_000_000).map(float)


intervals = st.integers(1, 400 * 1440).map(lambda minutes: 60.0 * minutes)


@given(phase=instants, interval_s=intervals, now=instants)
def test_a_tick_is_whole_intervals_away_and_within_one_of_now(
    phase: float, interval_s: float, now: float
) -> None:
    tick = find_next_tick(phase, interval_s, now)
    assert now < tick <= now + interval_s
    assert math.fmod(tick - phase, interval_s) == 0
