"""Two schedulers through a month: they die between any two transactions, clocks jump, users interfere."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tenax.errors import ActionRefused
from tenax.jobs.commands import list_timings, rebalance
from tenax.jobs.schedule.plans import find_interval
from tenax.jobs.schedule.slots import DAY_S, SLOT_S, count_loads, list_slots, measure_distribution
from tenax.jobs.schedule.states import MOVES, JobAction, explain_refusal
from tenax.jobs.scheduler.scheduler import Scheduler
from tenax.records.jobs import Job, JobState
from tenax.records.runs import RunState
from tenax.stores.jobs.jobs import list_timed_jobs
from tests.support.clock import FakeClock
from tests.support.jobs import JobHarness
from tests.support.stepping import SteppedAccess, Stepper, finish

HOUR = 3600.0
DAY = 86_400.0
# In Vienna clocks go forward on 2026-03-29; a month from the first of March has that night in it.
MARCH = 1_772_323_200.0


class House:
    """A store in memory, two schedulers, and a clock."""

    def __init__(self) -> None:
        self.access = SteppedAccess()
        self.clock = FakeClock(MARCH)
        self.harness = JobHarness(self.access, self.clock)
        self.schedulers: list[Scheduler] = [self._make(), self._make()]
        self.under_way: list[Stepper | None] = [None, None]

    def _make(self) -> Scheduler:
        return self.harness.make_scheduler(max_running=100)

    def step(self, number: int) -> None:
        """One scheduler goes on to its next gap."""
        stepper = self.under_way[number] or Stepper(self.schedulers[number].poll())
        self.under_way[number] = stepper if stepper.step() else None

    def finish(self, number: int) -> None:
        while True:
            self.step(number)
            if self.under_way[number] is None:
                return

    def kill(self, number: int) -> None:
        """Another one takes its place."""
        stepper = self.under_way[number]
        if stepper is not None:
            stepper.die()
        self.under_way[number] = None
        self.schedulers[number] = self._make()

    def send_heartbeat(self) -> None:
        for scheduler in self.schedulers:
            finish(scheduler.send_heartbeat())

    def load_states(self) -> dict[int, JobState]:
        return {row[0]: JobState(row[1]) for row in self.access.query("SELECT id, state FROM jobs")}

    def list_jobs(self) -> list[Job]:
        return self.access.do(list_timed_jobs)


@pytest.fixture
def house() -> Iterator[House]:
    house = House()
    yield house
    house.access.close()


# --- a month, tick by tick -------------------------------------------------------------------------


def test_in_a_month_each_tick_is_executed_once_though_schedulers_die(house: House) -> None:
    chance = random.Random(8)
    source = finish(house.harness.add_source())
    hours = (6, 12, 24, 48)
    jobs = [
        finish(
            house.harness.add_job(
                source,
                interval_minutes=60 * each,
                schedule_enabled=True,
                adaptive_scheduling=False,
                timezone="Europe/Vienna",
            )
        )
        for each in hours
    ]
    while house.clock.now() < MARCH + 31 * DAY:
        _pass_time(house, chance)
    _calm(house)
    for job in jobs:
        interval_s = find_interval(job)
        assert interval_s is not None
        assert job.next_run_at is not None
        found = house.access.query(
            f"SELECT scheduled_at, state, run_id FROM executions WHERE job_id = {job.id} ORDER BY 1"
        )
        count = int((house.clock.now() - job.next_run_at) // interval_s) + 1
        assert [row[0] for row in found] == [job.next_run_at + n * interval_s for n in range(count)]
        assert {row[1] for row in found} == {"completed"}
    ((runs, orders),) = house.access.query("SELECT count(*), count(DISTINCT execution_id) FROM runs")
    assert runs == orders == house.access.query("SELECT count(*) FROM executions")[0][0]


def _pass_time(house: House, chance: random.Random) -> None:
    """To the next tick; some die in the middle of it."""
    ((next_at,),) = house.access.query("SELECT min(next_run_at) FROM jobs")
    house.clock.advance(max(next_at - house.clock.now(), 0.0) + chance.uniform(0, 20))
    for _ in range(chance.randrange(20)):
        house.step(chance.randrange(2))
    if chance.random() < 0.3:
        house.kill(chance.randrange(2))
    _calm(house)


def _calm(house: House) -> None:
    """Until all that was due is done."""
    while house.access.query(
        f"SELECT 1 FROM jobs WHERE state = 'running' OR next_run_at <= {house.clock.now()}"
    ):
        house.finish(0)
        finish(house.harness.end_runs())
        house.finish(1)
        # Something waits until a lock is stale. No interval is that short.
        house.clock.advance(100)


def test_what_was_spread_evenly_stays_so(house: House) -> None:
    source = finish(house.harness.add_source())
    for _ in range(96):
        finish(
            house.harness.add_job(
                source, interval_minutes=1440, schedule_enabled=True, adaptive_scheduling=False
            )
        )
    for _ in range(30):
        house.clock.advance(HOUR)
        house.finish(0)
        finish(house.harness.end_runs())
        house.finish(1)
    now = house.clock.now()
    loads = count_loads(house.access.do(list_timings), now, DAY_S)
    assert measure_distribution(loads, len(list_slots(now, DAY_S))) > 0.95
    assert house.access.do(lambda connection: rebalance(connection, now)) == []


# --- what users and clocks may do -----------------------------------------------------------------


class SchedulerMachine(RuleBasedStateMachine):
    """Jobs come in many kinds; whatever happens to them, what must hold holds after every step."""

    def __init__(self) -> None:
        super().__init__()
        self.house = House()
        self.seen: dict[int, JobState] = {}

    def teardown(self) -> None:
        self.house.access.close()

    @initialize()
    def found(self) -> None:
        self.source = finish(self.house.harness.add_source())

    def do(self, coroutine: Any) -> Any:
        done = finish(coroutine)
        self.look()
        return done

    def look(self) -> None:
        """Every state follows from the one that was seen before."""
        states = self.house.load_states()
        for job_id, state in states.items():
            before = self.seen.get(job_id, JobState.PENDING)
            assert state is before or state in MOVES[before], f"{before} → {state}"
        self.seen = states

    @precondition(lambda self: len(self.seen) < 6)
    @rule(
        minutes=st.sampled_from([None, 5, 60, 360, 1440, 10_080]),
        hours=st.sampled_from([None, '{"from": "01:00", "until": "05:00"}', '{"days": ["sat", "sun"]}']),
        adapts=st.booleans(),
    )
    def add(self, minutes: int | None, hours: str | None, adapts: bool) -> None:
        finish(
            self.house.harness.add_job(
                self.source,
                interval_minutes=minutes,
                schedule_enabled=True,
                adaptive_scheduling=adapts,
                active_hours=hours,
                timezone="Europe/Vienna",
                max_retries=1,
            )
        )
        self.seen = self.house.load_states()

    @precondition(lambda self: bool(self.seen))
    @rule(action=st.sampled_from(JobAction), which=st.integers(0, 5))
    def apply_action(self, action: JobAction, which: int) -> None:
        job_id = sorted(self.seen)[which % len(self.seen)]
        is_refused = explain_refusal(action, job_id, self.seen[job_id]) is not None
        try:
            self.do(self.house.harness.apply_action(action, job_id))
        except ActionRefused:
            assert is_refused
        else:
            assert not is_refused

    @rule(number=st.integers(0, 1), steps=st.integers(1, 12))
    def go_on(self, number: int, steps: int) -> None:
        for _ in range(steps):
            self.house.step(number)
            self.look()

    @rule(number=st.integers(0, 1))
    def die(self, number: int) -> None:
        self.house.kill(number)

    @rule(seconds=st.sampled_from([1.0, 30.0, 301.0, HOUR, 5 * HOUR, DAY, 3 * DAY, -HOUR, -2 * DAY]))
    def move_clock(self, seconds: float) -> None:
        self.house.clock.advance(seconds)

    @rule(state=st.sampled_from([RunState.DONE, RunState.DONE, RunState.FAILED, RunState.STOPPED]))
    def end_runs(self, state: RunState) -> None:
        self.do(self.house.harness.end_runs(state))

    @rule()
    def crowd(self) -> None:
        """Others crawl its domains, or do not any more."""
        self.house.harness.launcher.busy ^= {self.source}

    @rule()
    def spread(self) -> None:
        now = self.house.clock.now()
        self.house.access.do(lambda connection: rebalance(connection, now))

    @rule()
    def calm_down(self) -> None:
        """Once undisturbed, nothing due is left, and nothing is further away than its interval."""
        self.house.harness.launcher.busy.clear()
        for _ in range(2):
            self.house.clock.advance(301)
            for number in (0, 1, 0, 1):
                self.go_on_to_end(number)
            self.do(self.house.harness.end_runs())
        self.go_on_to_end(0)
        self.go_on_to_end(1)
        now = self.house.clock.now()
        for job in self.house.list_jobs():
            assert job.state is not JobState.RUNNING or job.lock_token is not None
            if job.state is JobState.RUNNING:
                continue
            assert job.next_run_at is not None
            assert job.next_run_at > now
            interval_s = find_interval(job)
            if interval_s is not None and job.state is JobState.SCHEDULED:
                # A slot is chosen from those that follow the one that has begun.
                assert job.phase_at is not None
                assert job.phase_at <= now + interval_s + SLOT_S or job.active_hours is not None

    def go_on_to_end(self, number: int) -> None:
        while True:
            self.house.step(number)
            self.look()
            if self.house.under_way[number] is None:
                return

    @invariant()
    def a_job_has_one_execution_at_most_and_it_one_run(self) -> None:
        several = "GROUP BY job_id HAVING count(*) > 1"
        query = self.house.access.query
        assert query(f"SELECT job_id FROM executions WHERE ended_at IS NULL {several}") == []
        assert query("SELECT id FROM runs GROUP BY execution_id HAVING count(*) > 1") == []

    @invariant()
    def a_running_job_has_an_execution_and_one_that_is_over_has_none(self) -> None:
        open_ones = "SELECT job_id FROM executions WHERE ended_at IS NULL"
        query = self.house.access.query
        assert query(f"SELECT id FROM jobs WHERE state = 'running' AND id NOT IN ({open_ones})") == []
        over = "('paused', 'cancelled', 'failed', 'completed', 'pending')"
        assert query(f"SELECT id FROM jobs WHERE state IN {over} AND id IN ({open_ones})") == []

    @invariant()
    def a_job_that_rests_is_locked_by_nobody(self) -> None:
        locked = "SELECT id FROM jobs WHERE state <> 'running' AND lock_token IS NOT NULL"
        assert self.house.access.query(locked) == []


TestSchedulerMachine = SchedulerMachine.TestCase
TestSchedulerMachine.settings = settings(
    max_examples=15, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)
