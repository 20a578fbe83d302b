"""Jobs in the store: user actions, and their effect on active executions."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest
from sqlalchemy import Connection

from tenax.clock import Instant
from tenax.errors import ActionRefused, ConfigError, JobChanged, NoSuchJob
from tenax.jobs.commands import NewJob, change_job, delete_job, rebalance
from tenax.jobs.schedule.states import VALID_FROM, JobAction
from tenax.records.jobs import IntervalType, Job, JobState
from tenax.records.runs import RunState
from tenax.stores.access import Access
from tenax.stores.databases.access import open_access
from tenax.stores.jobs.executions import find_open_execution
from tenax.stores.jobs.jobs import JobFilter, count_states, slice_jobs, update_job
from tenax.stores.paging import SliceRequest
from tests.support.clock import FakeClock
from tests.support.jobs import HOURLY, JobHarness
from tests.support.store import StoreUnderTest

HOUR = 3600.0


@pytest.fixture
def harness(access: Access, clock: FakeClock) -> JobHarness:
    return JobHarness(access, clock)


async def make_in(harness: JobHarness, state: JobState) -> Job:
    """A job that repeats, in some state."""
    job = await harness.add_job(**HOURLY)
    if state is JobState.SCHEDULED:
        return job
    values = {"state": state, "next_run_at": None if state is not JobState.RUNNING else job.next_run_at}
    moved = await harness.write(lambda connection, now: update_job(connection, job, values, now))
    assert moved is not None
    return moved


# --- new jobs --------------------------------------------------------------------------------------


async def test_a_job_that_repeats_is_scheduled_within_its_interval(
    harness: JobHarness, clock: FakeClock
) -> None:
    job = await harness.add_job(**HOURLY)
    assert job.state is JobState.SCHEDULED
    assert job.next_run_at is not None
    assert clock.now() < job.next_run_at <= clock.now() + HOUR + 900
    assert job.phase_at == job.next_run_at


async def test_a_job_that_runs_once_is_due_at_once(harness: JobHarness, clock: FakeClock) -> None:
    job = await harness.add_job()
    assert (job.state, job.next_run_at) == (JobState.PENDING, clock.now())


async def test_a_job_may_be_given_its_first_time(harness: JobHarness, clock: FakeClock) -> None:
    for values in ({}, HOURLY):
        job = await harness.add_job(next_run_at=clock.now() + 1e6, **values)
        assert (job.state, job.next_run_at) == (JobState.SCHEDULED, clock.now() + 1e6)


async def test_a_job_without_a_schedule_waits_for_one(harness: JobHarness) -> None:
    job = await harness.add_job(interval_minutes=5)
    assert (job.state, job.next_run_at) == (JobState.PENDING, None)


async def test_new_jobs_are_spread_over_the_slots(harness: JobHarness) -> None:
    source = await harness.add_source()
    jobs = [await harness.add_job(source, **HOURLY) for _ in range(8)]
    slots = [int((job.next_run_at or 0) // 900) for job in jobs]
    assert sorted(slots.count(slot) for slot in set(slots)) == [2, 2, 2, 2]


async def test_jobs_that_many_servers_make_at_once_are_spread_over_the_slots(
    store: StoreUnderTest, harness: JobHarness, clock: FakeClock
) -> None:
    source = await harness.add_source()
    async with AsyncExitStack() as stack:
        servers = [
            JobHarness(await stack.enter_async_context(open_access(store.place)), clock) for _ in range(4)
        ]
        jobs = await asyncio.gather(*(server.add_job(source, **HOURLY) for server in servers * 4))
        slots = [int((job.next_run_at or 0) // 900) for job in jobs]
        assert sorted(slots.count(slot) for slot in set(slots)) == [4, 4, 4, 4]
        for job in jobs:
            await harness.apply_action(JobAction.PAUSE, job.id)
        pairs = zip(jobs, servers * 4, strict=True)
        resumed = await asyncio.gather(
            *(server.apply_action(JobAction.RESUME, job.id) for job, server in pairs)
        )
        slots = [int((job.next_run_at or 0) // 900) for job in resumed]
        assert sorted(slots.count(slot) for slot in set(slots)) == [4, 4, 4, 4]


async def test_all_that_was_said_of_a_job_is_kept(harness: JobHarness) -> None:
    said: dict[str, Any] = {
        "url": "https://news.example/front",
        "interval_minutes": 2,
        "interval_type": IntervalType.DAYS,
        "adaptive_scheduling": False,
        "timezone": "Europe/Vienna",
        "active_hours": '{"days": ["mon"]}',
        "priority": 1,
        "max_retries": 0,
        "retry_backoff_seconds": 5,
        "metadata": {"team": "küche", "n": [1, None]},
    }
    job = await harness.get_job((await harness.add_job(**said)).id)
    assert {name: getattr(job, name) for name in said} == said


@pytest.mark.parametrize(
    "wrong",
    [{"source_id": 99}, {"timezone": "Mars/Olympus"}, {"active_hours": "[]"}],
    ids=["source", "timezone", "hours"],
)
async def test_what_cannot_be_is_refused(harness: JobHarness, wrong: dict[str, object]) -> None:
    source = await harness.add_source()
    with pytest.raises(ConfigError):
        await harness.add_job(**{"source_id": source, **wrong})  # type: ignore[arg-type]


# --- orders ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("action", JobAction)
async def test_an_action_is_applied_from_its_states_and_refused_from_all_others(
    harness: JobHarness, action: JobAction
) -> None:
    for state in JobState:
        job = await make_in(harness, state)
        if state in VALID_FROM[action]:
            await harness.apply_action(action, job.id)
        else:
            with pytest.raises(ActionRefused, match=f"Job {job.id} is {state}: only"):
                await harness.apply_action(action, job.id)
            assert (await harness.get_job(job.id)) == job
        # Repeated, it is refused: the job is in another state by now, or was before.
        with pytest.raises(ActionRefused):
            await harness.apply_action(action, job.id)


async def test_an_action_on_an_unknown_job_is_refused(harness: JobHarness) -> None:
    with pytest.raises(NoSuchJob):
        await harness.apply_action(JobAction.PAUSE, 99)


async def test_of_concurrent_identical_actions_one_is_applied(harness: JobHarness) -> None:
    job = await harness.add_job(**HOURLY)
    actions = [harness.apply_action(JobAction.FORCE_RUN, job.id) for _ in range(4)]
    answers = await asyncio.gather(*actions, return_exceptions=True)
    assert sum(isinstance(each, Job) for each in answers) == 1
    assert sum(isinstance(each, ActionRefused) for each in answers) == 3


async def test_a_paused_job_has_no_time_and_a_resumed_one_a_new_slot(harness: JobHarness) -> None:
    job = await harness.add_job(**HOURLY)
    paused = await harness.apply_action(JobAction.PAUSE, job.id)
    assert (paused.next_run_at, paused.paused_at) == (None, harness.clock.now())
    await harness.add_job(job.source_id, **HOURLY)
    resumed = await harness.apply_action(JobAction.RESUME, job.id)
    assert resumed.paused_at is None
    assert resumed.next_run_at != job.next_run_at  # another job has that slot now


async def test_a_job_that_runs_once_keeps_its_time_while_it_is_paused(
    harness: JobHarness, clock: FakeClock
) -> None:
    job = await harness.add_job(next_run_at=clock.now() + HOUR)
    await harness.apply_action(JobAction.PAUSE, job.id)
    assert (await harness.apply_action(JobAction.RESUME, job.id)).next_run_at == job.next_run_at


async def test_cancelling_ends_the_execution_and_its_run_with_the_job(
    harness: JobHarness, store: StoreUnderTest, clock: FakeClock
) -> None:
    job = await harness.add_job()
    await harness.make_scheduler().poll()
    assert (await harness.get_job(job.id)).state is JobState.RUNNING
    cancelled = await harness.apply_action(JobAction.CANCEL, job.id)
    now = clock.now()
    assert (cancelled.cancelled_at, cancelled.next_run_at, cancelled.lock_token) == (now, None, None)
    assert store.query("SELECT state, ended_at FROM executions") == [("cancelled", now)]
    assert store.query("SELECT state, cancelled_at, ended_at FROM runs") == [("stopped", now, now)]


async def test_a_cancellation_that_fails_in_the_middle_has_changed_nothing(
    harness: JobHarness, store: StoreUnderTest
) -> None:
    job = await harness.add_job()
    await harness.make_scheduler().poll()
    with store.broken("UPDATE", "runs"), pytest.raises(Exception, match="fault"):
        await harness.apply_action(JobAction.CANCEL, job.id)
    assert (await harness.get_job(job.id)).state is JobState.RUNNING
    assert store.query("SELECT state FROM executions") == [("running",)]


async def test_a_forced_job_has_its_execution_at_once_and_keeps_its_rhythm(harness: JobHarness) -> None:
    job = await harness.add_job(**HOURLY)
    forced = await harness.apply_action(JobAction.FORCE_RUN, job.id)
    execution = await harness.access.read(lambda connection: find_open_execution(connection, job.id))
    assert execution is not None
    assert (execution.trigger, execution.run_id, execution.number) == ("force", None, 1)
    assert (forced.next_run_at, forced.phase_at) == (job.next_run_at, job.phase_at)


async def test_a_retry_resets_the_count(harness: JobHarness, clock: FakeClock) -> None:
    job = await make_in(harness, JobState.FAILED)
    await harness.write(lambda connection, now: update_job(connection, job, {"current_retry_count": 3}, now))
    retried = await harness.apply_action(JobAction.RETRY, job.id)
    assert (retried.next_run_at, retried.current_retry_count) == (clock.now(), 0)


# --- changes ---------------------------------------------------------------------------------------


async def change(harness: JobHarness, job: Job, version: int | None = None, **values: object) -> Job:
    new = NewJob(source_id=job.source_id, **values)  # type: ignore[arg-type]
    return await harness.write(lambda connection, now: change_job(connection, job.id, new, version, now))


async def test_a_change_names_the_version_that_was_seen(harness: JobHarness) -> None:
    job = await harness.add_job(**HOURLY)
    changed = await change(harness, job, version=job.version, priority=2, **HOURLY)
    assert (changed.priority, changed.version) == (2, job.version + 1)
    with pytest.raises(JobChanged):
        await change(harness, job, version=job.version, priority=3, **HOURLY)


async def test_a_change_that_leaves_the_interval_leaves_the_rhythm(harness: JobHarness) -> None:
    job = await harness.add_job(**HOURLY)
    changed = await change(harness, job, priority=2, **HOURLY)
    assert (changed.next_run_at, changed.phase_at) == (job.next_run_at, job.phase_at)


async def test_another_interval_is_another_rhythm(harness: JobHarness, clock: FakeClock) -> None:
    job = await harness.add_job(interval_minutes=7, interval_type=IntervalType.DAYS, schedule_enabled=True)
    clock.advance(2 * HOUR)
    changed = await change(harness, job, **HOURLY)
    assert changed.next_run_at is not None
    assert clock.now() < changed.next_run_at <= clock.now() + HOUR + 900


async def test_a_schedule_that_is_switched_on_gives_a_time_and_switched_off_pauses(
    harness: JobHarness,
) -> None:
    job = await harness.add_job(interval_minutes=60)
    on = await change(harness, job, **HOURLY)
    assert (on.state, on.next_run_at is None) == (JobState.SCHEDULED, False)
    off = await change(harness, on, interval_minutes=60)
    assert (off.state, off.next_run_at) == (JobState.PAUSED, None)


async def test_a_running_job_is_not_deleted_and_any_other_is_with_its_executions(
    harness: JobHarness, store: StoreUnderTest
) -> None:
    job = await harness.add_job()
    scheduler = harness.make_scheduler()
    await scheduler.poll()
    with pytest.raises(ActionRefused, match="cancel it before deleting it"):
        await harness.write(lambda connection, now: delete_job(connection, job.id))
    await harness.end_runs()
    await scheduler.watch()
    await harness.write(lambda connection, now: delete_job(connection, job.id))
    assert (
        store.query("SELECT count(*) FROM jobs") == store.query("SELECT count(*) FROM executions") == [(0,)]
    )
    assert store.query("SELECT state FROM runs") == [(RunState.DONE,)]


# --- lists and slots -------------------------------------------------------------------------------


async def test_jobs_are_listed_by_state_and_source(harness: JobHarness) -> None:
    job = await harness.add_job(**HOURLY)
    other = await harness.add_job(await harness.add_source())

    async def find(**only: object) -> list[int]:
        wanted = SliceRequest(key="id", is_descending=False, after=None, limit=10)
        part = await harness.access.read(
            lambda connection: slice_jobs(connection, wanted, JobFilter(**only))  # type: ignore[arg-type]
        )
        return [each.id for each in part.items]

    assert await find() == [job.id, other.id]
    assert await find(state=JobState.PENDING) == await find(source_id=other.source_id) == [other.id]
    counts = await harness.access.read(count_states)
    assert {state: number for state, number in counts.items() if number} == {
        JobState.SCHEDULED: 1,
        JobState.PENDING: 1,
    }


async def test_a_time_given_by_a_user_is_not_moved(harness: JobHarness, clock: FakeClock) -> None:
    source = await harness.add_source()
    for _ in range(3):
        await harness.add_job(source, next_run_at=clock.now() + 2 * HOUR, **HOURLY)
    assert await harness.write(rebalance) == []


def move_to(job: Job, at: Instant) -> Callable[[Connection, Instant], Job | None]:
    values = {"next_run_at": at, "phase_at": at}
    return lambda connection, now: update_job(connection, job, values, now)


async def test_a_crowd_is_spread_and_not_moved_again_within_an_hour(
    harness: JobHarness, clock: FakeClock
) -> None:
    source = await harness.add_source()
    at = (clock.now() // 900 + 8) * 900
    jobs = [await harness.add_job(source, **HOURLY | {"interval_minutes": 720}) for _ in range(6)]
    for job in jobs:
        await harness.write(move_to(job, at))
    assert len(await harness.write(rebalance)) == 5
    moved = [await harness.get_job(job.id) for job in jobs]
    assert len({(job.next_run_at or 0) // 900 for job in moved}) == 6
    assert sum(job.slot_moved_at == clock.now() for job in moved) == 5
    assert await harness.write(rebalance) == []
