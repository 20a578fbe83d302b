"""Schedulers on a store: each tick once, however many of them there are and wherever they die."""

import asyncio
from functools import partial
from typing import Any

import pytest
from sqlalchemy import insert

from tenax.errors import ConfigError, StoreUnreachable
from tenax.jobs.commands import NewJob, change_job
from tenax.jobs.schedule.states import JobAction
from tenax.jobs.scheduler.ticks import note_launch, take_ticks
from tenax.records.jobs import Execution, Job, JobState
from tenax.records.requests import FailureKind
from tenax.records.runs import RunState
from tenax.stores.access import Access
from tenax.stores.commands.stat_rollup import roll_up
from tenax.stores.databases.access import open_access
from tenax.stores.jobs.executions import find_last_execution, list_watched, prune_executions
from tenax.stores.jobs.jobs import update_job
from tenax.stores.schema.jobs import executions
from tests.support.clock import FakeClock
from tests.support.jobs import HOURLY, JobHarness
from tests.support.store import LEASE_S, StoreUnderTest, StoreWorker, make_failed, make_fetched, make_visit

HOUR = 3600.0


@pytest.fixture
def harness(access: Access, clock: FakeClock) -> JobHarness:
    return JobHarness(access, clock)


async def come(harness: JobHarness, job: Job) -> None:
    """Wait until the time of a job has come."""
    clock = harness.clock
    assert isinstance(clock, FakeClock)
    at = (await harness.get_job(job.id)).next_run_at
    assert at is not None
    clock.advance(max(at - clock.now(), 0.0))


async def last(harness: JobHarness, job: Job) -> Execution:
    found = await harness.access.read(lambda connection: find_last_execution(connection, job.id))
    assert found is not None
    return found


def count(store: StoreUnderTest, table: str) -> int:
    return int(store.query(f"SELECT count(*) FROM {table}")[0][0])


# --- from due to done ------------------------------------------------------------------------------


async def test_a_job_that_runs_once_is_launched_and_completed(harness: JobHarness, clock: FakeClock) -> None:
    job, scheduler = await harness.add_job(), harness.make_scheduler()
    await scheduler.poll()
    running = await harness.get_job(job.id)
    assert (running.state, running.lock_heartbeat_at) == (JobState.RUNNING, clock.now())
    clock.advance(5)
    await harness.end_runs(pages=7)
    await scheduler.watch()
    done, execution = await harness.get_job(job.id), await last(harness, job)
    assert (done.state, done.next_run_at, done.lock_token) == (JobState.COMPLETED, None, None)
    assert (execution.state, execution.items_crawled, execution.trigger) == ("completed", 7, "schedule")
    assert execution.ended_at == clock.now()


async def test_nothing_happens_before_its_time(harness: JobHarness, store: StoreUnderTest) -> None:
    await harness.add_job(**HOURLY)
    await harness.make_scheduler().poll()
    assert count(store, "executions") == 0


async def test_a_job_that_repeats_goes_on_in_its_rhythm(harness: JobHarness, clock: FakeClock) -> None:
    job, scheduler = await harness.add_job(**HOURLY), harness.make_scheduler()
    assert job.next_run_at is not None
    clock.advance(job.next_run_at - clock.now() + 7)
    await scheduler.poll()
    clock.advance(100)
    await harness.end_runs()
    await scheduler.watch()
    assert (await harness.get_job(job.id)).next_run_at == job.next_run_at + HOUR


async def test_missed_ticks_collapse_into_one(
    harness: JobHarness, store: StoreUnderTest, clock: FakeClock
) -> None:
    job, scheduler = await harness.add_job(**HOURLY), harness.make_scheduler()
    clock.advance(30 * 24 * HOUR)
    await scheduler.poll()
    await harness.end_runs()
    await scheduler.poll()
    assert count(store, "executions") == 1
    planned = await harness.get_job(job.id)
    assert planned.next_run_at is not None
    assert job.next_run_at is not None
    assert clock.now() < planned.next_run_at <= clock.now() + HOUR
    assert (planned.next_run_at - job.next_run_at) % HOUR == 0


async def test_the_most_wanted_begin_first_and_no_more_than_there_is_room(harness: JobHarness) -> None:
    source = await harness.add_source()
    jobs = [await harness.add_job(source, priority=priority) for priority in (5, 1, 3)]
    scheduler = harness.make_scheduler(max_running=2)
    await scheduler.poll()
    states = [(await harness.get_job(job.id)).state for job in jobs]
    assert states == [JobState.PENDING, JobState.RUNNING, JobState.RUNNING]
    await harness.end_runs()
    await scheduler.poll()
    assert (await harness.get_job(jobs[0].id)).state is JobState.RUNNING


async def test_a_job_whose_schedule_was_switched_off_meanwhile_ends(harness: JobHarness) -> None:
    job, scheduler = await harness.add_job(**HOURLY), harness.make_scheduler()
    await come(harness, job)
    await scheduler.poll()
    off = NewJob(source_id=job.source_id, interval_minutes=60)
    await harness.write(lambda connection, now: change_job(connection, job.id, off, None, now))
    await harness.end_runs()
    await scheduler.poll()
    assert (await harness.get_job(job.id)).state is JobState.COMPLETED
    on = NewJob(source_id=job.source_id, **HOURLY)
    await harness.write(lambda connection, now: change_job(connection, job.id, on, None, now))
    assert (await harness.get_job(job.id)).state is JobState.SCHEDULED


async def test_a_row_that_others_have_added_gets_its_time(harness: JobHarness) -> None:
    job = await harness.add_job(**HOURLY)
    bare = {"state": JobState.PENDING, "next_run_at": None, "phase_at": None}
    await harness.write(lambda connection, now: update_job(connection, job, bare, now))
    await harness.make_scheduler().poll()
    assert (await harness.get_job(job.id)).next_run_at == job.next_run_at


async def test_a_forced_job_begins_beside_its_rhythm(harness: JobHarness, clock: FakeClock) -> None:
    job, scheduler = await harness.add_job(**HOURLY), harness.make_scheduler()
    await harness.apply_action(JobAction.FORCE_RUN, job.id)
    await scheduler.poll()
    assert (await last(harness, job)).run_id is not None
    await harness.end_runs()
    await scheduler.watch()
    planned = await harness.get_job(job.id)
    assert (planned.state, planned.next_run_at) == (JobState.SCHEDULED, job.next_run_at)


# --- what goes wrong -------------------------------------------------------------------------------


async def test_failures_are_retried_with_longer_and_longer_pauses_and_then_given_up(
    harness: JobHarness, clock: FakeClock
) -> None:
    job, scheduler = await harness.add_job(max_retries=2), harness.make_scheduler()
    waits = []
    for number in range(3):
        await scheduler.poll()
        assert (await last(harness, job)).retry_number == number
        await harness.end_runs(RunState.FAILED)
        await scheduler.watch()
        failed = await harness.get_job(job.id)
        waits.append(failed.next_run_at and failed.next_run_at - clock.now())
        if failed.next_run_at is not None:
            assert failed.state is JobState.PENDING
            await come(harness, job)
    assert waits == [60, 120, None]
    assert failed.state is JobState.FAILED
    assert failed.last_error == "The run failed; see its log for the reason."
    assert (await last(harness, job)).trigger == "retry"


async def test_a_successful_retry_keeps_the_rhythm_and_resets_the_count(harness: JobHarness) -> None:
    job, scheduler = await harness.add_job(**HOURLY), harness.make_scheduler()
    await come(harness, job)
    for state in (RunState.FAILED, RunState.DONE):
        await scheduler.poll()
        await harness.end_runs(state)
        await scheduler.watch()
        await come(harness, job)
    planned = await harness.get_job(job.id)
    assert job.next_run_at is not None
    assert (planned.next_run_at, planned.current_retry_count) == (job.next_run_at + HOUR, 0)
    assert planned.last_error is None


async def test_a_failed_job_runs_again_when_a_user_retries_it(harness: JobHarness, clock: FakeClock) -> None:
    job, scheduler = await harness.add_job(max_retries=0), harness.make_scheduler()
    await scheduler.poll()
    await harness.end_runs(RunState.FAILED)
    await scheduler.watch()
    clock.advance(5)
    await harness.apply_action(JobAction.RETRY, job.id)
    await scheduler.poll()
    execution = await last(harness, job)
    assert (execution.number, execution.trigger, execution.retry_number) == (2, "retry", 0)


async def test_what_cannot_be_crawled_fails_with_its_sentence(
    harness: JobHarness, store: StoreUnderTest
) -> None:
    job = await harness.add_job(max_retries=0)
    harness.launcher.error = ConfigError("The source news is disabled.")
    await harness.make_scheduler().poll()
    failed = await harness.get_job(job.id)
    assert (failed.state, failed.last_error) == (JobState.FAILED, "The source news is disabled.")
    assert (await last(harness, job)).traceback is None
    assert count(store, "runs") == 0


async def test_a_launch_that_crashes_leaves_its_traceback_and_others_in_peace(harness: JobHarness) -> None:
    job = await harness.add_job()
    harness.launcher.error = ZeroDivisionError("by zero")
    await harness.make_scheduler().poll()
    execution = await last(harness, job)
    assert (execution.state, execution.error) == ("failed", "ZeroDivisionError: by zero")
    assert "in launch" in (execution.traceback or "")


async def test_trouble_with_the_store_is_waited_out(harness: JobHarness) -> None:
    job, scheduler = await harness.add_job(), harness.make_scheduler()
    harness.launcher.error = StoreUnreachable()
    await scheduler.poll()
    assert (await last(harness, job)).state == "running"
    harness.launcher.error = None
    await scheduler.watch()
    assert (await last(harness, job)).run_id is not None


async def test_a_tick_waits_while_others_crawl_its_domains(
    harness: JobHarness, store: StoreUnderTest, clock: FakeClock
) -> None:
    job, scheduler = await harness.add_job(**HOURLY), harness.make_scheduler()
    harness.launcher.busy.add(job.source_id)
    await come(harness, job)
    for _ in range(3):
        await scheduler.poll()
        clock.advance(10)
        waiting = await harness.get_job(job.id)
        assert (waiting.state, waiting.next_run_at) == (JobState.SCHEDULED, job.next_run_at)
        assert waiting.last_error is not None
    harness.launcher.busy.clear()
    await scheduler.poll()
    assert (await harness.get_job(job.id)).state is JobState.RUNNING
    assert count(store, "executions") == count(store, "runs") == 1
    assert (await last(harness, job)).scheduled_at == job.next_run_at


async def test_a_forced_run_that_has_to_wait_keeps_the_rhythm(harness: JobHarness, clock: FakeClock) -> None:
    job, scheduler = await harness.add_job(**HOURLY), harness.make_scheduler()
    harness.launcher.busy.add(job.source_id)
    await harness.apply_action(JobAction.FORCE_RUN, job.id)
    await scheduler.poll()
    harness.launcher.busy.clear()
    clock.advance(10)
    await scheduler.poll()
    assert (await last(harness, job)).trigger == "force"
    await harness.end_runs()
    await scheduler.watch()
    assert (await harness.get_job(job.id)).next_run_at == job.next_run_at


@pytest.mark.parametrize("action", [JobAction.PAUSE, JobAction.CANCEL])
async def test_a_tick_that_waits_ends_with_a_pause_or_a_cancellation(
    harness: JobHarness, store: StoreUnderTest, action: JobAction
) -> None:
    job, scheduler = await harness.add_job(**HOURLY), harness.make_scheduler()
    harness.launcher.busy.add(job.source_id)
    await come(harness, job)
    await scheduler.poll()
    await harness.apply_action(action, job.id)
    assert store.query("SELECT state FROM executions") == [("cancelled",)]


async def test_a_run_stopped_by_a_user_is_not_a_failure(harness: JobHarness) -> None:
    source, scheduler = await harness.add_source(), harness.make_scheduler()
    once, often = await harness.add_job(source), await harness.add_job(source, **HOURLY)
    await come(harness, often)
    await scheduler.poll()
    await harness.end_runs(RunState.STOPPED, cancelled_at=harness.clock.now())
    await scheduler.watch()
    assert (await last(harness, once)).state == (await last(harness, often)).state == "cancelled"
    assert (await harness.get_job(once.id)).state is JobState.CANCELLED
    assert (await harness.get_job(often.id)).state is JobState.SCHEDULED


# --- several schedulers, and dead ones -------------------------------------------------------------


async def test_schedulers_that_race_execute_each_tick_once(
    harness: JobHarness, store: StoreUnderTest, clock: FakeClock
) -> None:
    source = await harness.add_source()
    for _ in range(12):
        await harness.add_job(source)
    async with open_access(store.place) as other_access:
        other = JobHarness(other_access, clock)
        schedulers = [each.make_scheduler(max_running=20) for each in (harness, other, harness, other)]
        await asyncio.gather(*(each.poll() for each in schedulers))
        assert count(store, "executions") == count(store, "runs") == 12
        await harness.end_runs()
        await asyncio.gather(*(each.poll() for each in (*schedulers, *schedulers)))
    assert store.query("SELECT DISTINCT state FROM jobs") == [("completed",)]
    assert count(store, "executions") == 12


async def test_the_job_of_a_dead_scheduler_is_adopted_and_launched_once(
    harness: JobHarness, store: StoreUnderTest, clock: FakeClock
) -> None:
    job = await harness.add_job()
    # It died before it launched.
    await harness.write(lambda connection, now: take_ticks(connection, "dead", now, 9))
    clock.advance(299)
    heir = harness.make_scheduler()
    await heir.poll()
    assert (await harness.get_job(job.id)).lock_token == "dead"
    clock.advance(2)
    await harness.make_scheduler().poll()
    adopted = await harness.get_job(job.id)
    assert adopted.stale_locks == 1
    assert adopted.lock_token not in (None, "dead")
    assert count(store, "executions") == count(store, "runs") == 1


async def test_a_run_whose_scheduler_died_before_it_noted_it_is_found_again(
    harness: JobHarness, store: StoreUnderTest, clock: FakeClock
) -> None:
    job = await harness.add_job()
    (execution,) = await harness.write(lambda connection, now: take_ticks(connection, "dead", now, 9))
    await harness.launcher.launch(job, execution)
    clock.advance(301)
    heir = harness.make_scheduler()
    await heir.poll()
    await harness.end_runs()
    await heir.watch()
    assert (await harness.get_job(job.id)).state is JobState.COMPLETED
    assert count(store, "runs") == 1


async def test_a_scheduler_that_lives_keeps_its_jobs(harness: JobHarness, clock: FakeClock) -> None:
    job, scheduler = await harness.add_job(), harness.make_scheduler()
    await scheduler.poll()
    for _ in range(10):
        clock.advance(200)
        await scheduler.send_heartbeat()
        await harness.make_scheduler().poll()
    assert (await harness.get_job(job.id)).stale_locks == 0


async def test_a_scheduler_that_leaves_gives_its_jobs_to_the_others_at_once(harness: JobHarness) -> None:
    job, scheduler = await harness.add_job(), harness.make_scheduler()
    await scheduler.poll()
    await scheduler.release_jobs()
    await harness.make_scheduler().poll()
    adopted = await harness.get_job(job.id)
    assert (adopted.lock_token is None, adopted.stale_locks) == (False, 0)


async def test_a_scheduler_that_was_thought_dead_does_no_harm(
    harness: JobHarness, store: StoreUnderTest, clock: FakeClock
) -> None:
    job, slow = await harness.add_job(**HOURLY), harness.make_scheduler()
    await come(harness, job)
    await slow.poll()
    clock.advance(301)
    heir = harness.make_scheduler()
    await heir.poll()
    await harness.end_runs()
    await asyncio.gather(slow.watch(), heir.watch(), slow.poll(), heir.poll())
    assert store.query("SELECT state, number FROM executions") == [("completed", 1)]
    assert (await harness.get_job(job.id)).state is JobState.SCHEDULED


async def test_a_run_that_was_opened_after_a_cancellation_is_stopped(
    harness: JobHarness, store: StoreUnderTest
) -> None:
    job = await harness.add_job()
    (execution,) = await harness.write(lambda connection, now: take_ticks(connection, "slow", now, 9))
    await harness.apply_action(JobAction.CANCEL, job.id)
    run = await harness.launcher.launch(job, execution)
    noted = await harness.write(lambda connection, now: note_launch(connection, execution.id, run.id, now))
    assert not noted
    assert store.query("SELECT state FROM runs") == [("stopped",)]


async def test_a_run_whose_opener_died_after_a_cancellation_is_swept_up(
    harness: JobHarness, store: StoreUnderTest
) -> None:
    job = await harness.add_job()
    (execution,) = await harness.write(lambda connection, now: take_ticks(connection, "slow", now, 9))
    await harness.apply_action(JobAction.CANCEL, job.id)
    await harness.launcher.launch(job, execution)
    await harness.make_scheduler().poll()
    assert store.query("SELECT state FROM runs") == [("stopped",)]


# --- clocks ----------------------------------------------------------------------------------------


async def test_a_tick_that_a_wrong_clock_has_executed_is_not_executed_again(
    harness: JobHarness, store: StoreUnderTest, clock: FakeClock
) -> None:
    job, scheduler = await harness.add_job(**HOURLY), harness.make_scheduler()
    await come(harness, job)
    await scheduler.poll()
    await harness.end_runs()
    await scheduler.watch()
    again = {"next_run_at": job.next_run_at, "phase_at": job.phase_at}
    planned = await harness.get_job(job.id)
    await harness.write(lambda connection, now: update_job(connection, planned, again, now))
    await scheduler.poll()
    assert count(store, "executions") == 1
    assert job.next_run_at is not None
    assert (await harness.get_job(job.id)).next_run_at == job.next_run_at + HOUR


async def test_a_job_that_a_wrong_clock_has_planned_far_ahead_comes_back(
    harness: JobHarness, clock: FakeClock
) -> None:
    job, scheduler = await harness.add_job(**HOURLY), harness.make_scheduler()
    clock.advance(400 * 24 * HOUR)
    await scheduler.poll()
    await harness.end_runs()
    await scheduler.watch()
    clock.advance(-400 * 24 * HOUR)
    await harness.make_scheduler().poll()
    back = await harness.get_job(job.id)
    assert back.next_run_at is not None
    assert clock.now() < back.next_run_at <= clock.now() + HOUR
    assert (back.next_run_at - (job.next_run_at or 0)) % HOUR == 0


async def test_a_lock_from_the_future_is_stale(harness: JobHarness, clock: FakeClock) -> None:
    job = await harness.add_job()
    await harness.write(lambda connection, now: take_ticks(connection, "dead", now, 9))
    clock.advance(-10_000)
    await harness.make_scheduler().poll()
    assert (await harness.get_job(job.id)).lock_token != "dead"


# --- what a run has brought ------------------------------------------------------------------------


class Crawler:
    """Crawls the start page of a job's run."""

    def __init__(self, harness: JobHarness, store: StoreUnderTest, clock: FakeClock) -> None:
        self._office = harness
        self._store = store
        self._clock = clock

    async def crawl(self, outcome: Any, url: str = "https://news1.example/") -> None:
        worker = StoreWorker(self._store.frontier, self._store.runs, self._clock)
        run_id = self._store.query("SELECT max(id) FROM runs")[0][0]
        worker.run_id = run_id
        uuid = f"worker of {run_id} at {self._clock.now()}"
        worker.id = await worker.runs.add_worker(run_id, uuid, "localhost", 1, LEASE_S) or 0
        await self._office.write(partial(_want, url))
        await worker.add(url)
        lease = await worker.claim_one()
        (target,) = (await worker.head(lease)).targets
        visit = make_visit(target, outcome, at=self._clock.now())
        await worker.settle_visits(lease, [visit])
        await worker.release(lease)


def _want(url: str, connection: Any, now: float) -> None:
    connection.exec_driver_sql(f"UPDATE urls SET due_at = {now} WHERE url = '{url}'")
    connection.exec_driver_sql(f"UPDATE domains SET avail_at = {now}, status = 'active'")


@pytest.fixture
def crawler(harness: JobHarness, store: StoreUnderTest, clock: FakeClock) -> Crawler:
    return Crawler(harness, store, clock)


async def test_an_interval_doubles_while_the_start_page_stays_the_same(
    harness: JobHarness, crawler: Crawler, clock: FakeClock
) -> None:
    job, scheduler = await harness.add_job(**HOURLY), harness.make_scheduler()
    gaps = []
    for text in ("one", "one", "one", "two"):
        await come(harness, job)
        at = clock.now()
        await scheduler.poll()
        await crawler.crawl(make_fetched(text))
        await harness.end_runs()
        await scheduler.watch()
        planned = await harness.get_job(job.id)
        assert planned.next_run_at is not None
        gaps.append((planned.next_run_at - at) / HOUR)
    assert gaps == [1, 2, 4, 1]


async def test_a_run_that_did_not_see_the_start_page_says_nothing_of_it(
    harness: JobHarness, crawler: Crawler
) -> None:
    job, scheduler = await harness.add_job(**HOURLY), harness.make_scheduler()
    for is_seen in (True, True, False):
        await come(harness, job)
        await scheduler.poll()
        if is_seen:
            await crawler.crawl(make_fetched("one"))
        await harness.end_runs()
        await scheduler.watch()
    assert (await harness.get_job(job.id)).unchanged_count == 1


async def test_a_run_that_only_failed_is_a_failed_execution(harness: JobHarness, crawler: Crawler) -> None:
    job, scheduler = await harness.add_job(), harness.make_scheduler()
    await scheduler.poll()
    await crawler.crawl(make_failed(kind=FailureKind.CONNECT))
    await harness.end_runs()
    await scheduler.watch()
    execution = await last(harness, job)
    assert (execution.state, execution.items_failed, execution.items_crawled) == ("failed", 1, 0)
    assert execution.error is not None
    assert execution.error.startswith(
        "No page could be fetched; the last failure was at news1.example: connect"
    )


async def test_an_execution_counts_what_its_run_and_its_workers_did(
    harness: JobHarness, crawler: Crawler, store: StoreUnderTest
) -> None:
    job, scheduler = await harness.add_job(), harness.make_scheduler()
    await scheduler.poll()
    await crawler.crawl(make_fetched("one"))
    await harness.write(
        lambda connection, now: connection.exec_driver_sql(
            "UPDATE workers SET cpu_ms = 40, peak_rss_bytes = 5"
        )
    )
    await harness.end_runs()
    await scheduler.watch()
    execution = await last(harness, job)
    assert (execution.items_crawled, execution.cpu_ms, execution.peak_rss_bytes) == (1, 40, 5)


async def test_what_failed_is_counted_over_all_days_of_a_run(
    harness: JobHarness, crawler: Crawler, clock: FakeClock
) -> None:
    job, scheduler = await harness.add_job(), harness.make_scheduler()
    await scheduler.poll()
    for _ in range(4):
        await crawler.crawl(make_failed(kind=FailureKind.CONNECT))
        clock.advance(24 * HOUR)
        await harness.write(roll_up)
    await crawler.crawl(make_fetched("one"))
    await harness.end_runs()
    await scheduler.watch()
    execution = await last(harness, job)
    assert (execution.items_failed, execution.items_crawled) == (4, 1)


# --- pruning ---------------------------------------------------------------------------------------


async def test_old_and_many_executions_are_pruned_and_the_last_one_never(
    harness: JobHarness, store: StoreUnderTest, clock: FakeClock
) -> None:
    source = await harness.add_source()
    many, old = await harness.add_job(source), await harness.add_job(source)

    def fill(connection: Any, now: float) -> None:
        for job, number, age in [(many, n, 0) for n in range(1, 8)] + [(old, n, 40) for n in (1, 2)]:
            at = now - 86_400 * age
            connection.execute(
                insert(executions).values(
                    job_id=job.id,
                    number=number,
                    scheduled_at=at + number,
                    trigger="schedule",
                    state="completed",
                    started_at=at,
                    ended_at=at,
                )
            )

    await harness.write(fill)
    prune = partial(prune_executions, keep=5, keep_s=30 * 86_400.0)
    assert not await harness.write(prune)
    left = store.query(f"SELECT number FROM executions WHERE job_id = {many.id} ORDER BY number")
    assert [row[0] for row in left] == [3, 4, 5, 6, 7]
    assert store.query(f"SELECT number FROM executions WHERE job_id = {old.id}") == [(2,)]


async def test_what_is_watched_is_ones_own(harness: JobHarness) -> None:
    await harness.add_job()
    await harness.make_scheduler().poll()
    assert await harness.access.read(partial(list_watched, token="another")) == []
