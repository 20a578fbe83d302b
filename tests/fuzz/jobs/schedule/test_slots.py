from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tenax.jobs.schedule.slots import DAY_S, SLOT_S, JobTiming, count_loads, plan_rebalance

NOW = 1_750_000_500.0


def make(job_id: int, next_run_at: float, interval_s: float | None = DAY_S) -> JobTiming:
    return JobTiming(job_id=job_id, next_run_at=next_run_at, interval_s=interval_s)


@given(
    st.lists(
        st.tuples(
            st.integers(1, 2 * DAY_S), st.sampled_from([900, 1800, 3600, 21_600, 43_200, 86_400, 604_800])
        ),
        max_size=40,
    )
)
def test_a_rebalance_never_raises_the_peak_and_keeps_the_intervals(jobs: list[tuple[int, int]]) -> None:
    before = [make(number, NOW + ahead, float(every)) for number, (ahead, every) in enumerate(jobs)]
    moves = {move.job_id: move for move in plan_rebalance(before, NOW)}
    after = [
        replace(each, next_run_at=moves[each.job_id].to_at) if each.job_id in moves else each
        for each in before
    ]
    peaks = [max(count_loads(each, NOW, DAY_S).values(), default=0) for each in (before, after)]
    assert peaks[1] <= peaks[0]
    for each in after:
        if each.job_id in moves:
            assert NOW < each.next_run_at <= NOW + (each.interval_s or 0) + SLOT_S
