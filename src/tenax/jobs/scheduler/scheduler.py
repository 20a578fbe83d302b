"""Starts jobs when they are due, and concludes them when their runs have ended.

Any number of schedulers share a store. A job belongs to the scheduler that locked it; if that one is silent
for too long, another adopts the job and continues from the state in the store. A step that is repeated this
way finds itself already done.
"""

import asyncio
import contextlib
import time
import traceback
import uuid
from collections.abc import Callable
from functools import partial
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from tenax.clock import Instant
from tenax.config.service import JobSettings
from tenax.errors import DomainsBusy, JobChanged, StoreError, TenaxError
from tenax.failpoints import reach
from tenax.jobs.schedule.plans import ExecutionEnd
from tenax.jobs.scheduler.launcher import Launch
from tenax.jobs.scheduler.ticks import (
    clean_up,
    conclude,
    evaluate_result,
    note_launch,
    note_parsing,
    plan_unplanned,
    postpone,
    take_ticks,
)
from tenax.records.jobs import Execution, ExecutionState, Job
from tenax.stores.access import Access
from tenax.stores.connection import Connection
from tenax.stores.hot.run_states import GOES_ON
from tenax.stores.jobs.executions import WatchedExecution, list_watched
from tenax.stores.jobs.jobs import adopt_jobs, find_job, free_jobs, note_heartbeat
from tenax.stores.queries.run_results import RunResult, find_start_page, measure_run
from tenax.stores.reading import Work
from tenax.telemetry import log

T = TypeVar("T")

WATCH_EVERY_S: Final = 1.0  # between two checks of active runs
HEARTBEATS_PER_LOCK: Final = 5  # sent before a lock goes stale; also how often stale locks are searched for
MOST_TRACEBACK_CHARS: Final = 20_000


class Scheduler:
    """Works while it is entered. `launch`: see Launcher.launch. `read_clock`: the store's clock."""

    def __init__(
        self, access: Access, launch: Launch, settings: JobSettings, read_clock: Work[Instant]
    ) -> None:
        self._access = access
        self._open_run = launch
        self._settings = settings
        self._read_clock = read_clock
        self._token = str(uuid.uuid4())
        self._woken = asyncio.Event()
        self._cleaned_at: Instant | None = None
        self._is_busy = False

    async def __aenter__(self) -> Self:
        self._tasks = [asyncio.create_task(self._work()), asyncio.create_task(self._send_heartbeats())]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with contextlib.suppress(StoreError):
            await self.release_jobs()

    def wake(self) -> None:
        """Poll now: something may be due."""
        self._woken.set()

    async def poll(self) -> None:
        """Do everything once: start what is due, conclude what has ended."""
        self._cleaned_at = await self._write(self._prepare)
        watched = await self.watch()
        room = self._settings.max_running - len(watched)
        if room > 0:
            await self._write(lambda connection, now: take_ticks(connection, self._token, now, room))
            reach("jobs.taken")
            await self.watch()

    async def watch(self) -> list[WatchedExecution]:
        """Launch what has not been launched, conclude what has ended; returns what is still active."""
        found = await self._access.read(partial(list_watched, token=self._token))
        active = [each for each in found if await self._advance(each)]
        self._is_busy = bool(active)
        return active

    async def send_heartbeat(self) -> None:
        await self._write(lambda connection, now: note_heartbeat(connection, self._token, now))

    async def release_jobs(self) -> None:
        """Release all jobs, so that other schedulers need not wait for stale locks."""
        await self._access.write(lambda connection: free_jobs(connection, self._token))

    # --- an execution ------------------------------------------------------------------------------

    async def _advance(self, watched: WatchedExecution) -> bool:
        """Returns whether the execution is still active."""
        execution = watched.execution
        try:
            if execution.run_id is None:
                return await self._launch(execution)
            if watched.run_state in GOES_ON:
                return True
            await self._conclude(execution)
        except JobChanged:
            log.info("job_overtaken", job=execution.job_id, execution=execution.id)
        return False

    async def _launch(self, execution: Execution) -> bool:
        job = await self._access.read(lambda connection: find_job(connection, execution.job_id))
        if job is None:
            return False
        try:
            run = await self._open_run(job, execution)
        except DomainsBusy as error:
            reason = str(error)
            await self._write(lambda connection, now: postpone(connection, execution, reason, now))
            return False
        except TenaxError as error:
            if error.is_transient:
                log.warning("launch_waits", job=job.id, error=str(error))
                return True
            await self._fail(execution, str(error))
            return False
        except Exception as error:
            # A problem with one job must not keep the others from running.
            log.error("launch_crashed", job=job.id, exc_info=error)
            trace = "".join(traceback.format_exception(error))[-MOST_TRACEBACK_CHARS:]
            await self._fail(execution, f"{type(error).__name__}: {error}", trace)
            return False
        reach("jobs.launched")
        log.info("job_launched", job=job.id, execution=execution.id, run=run.id)
        return await self._write(lambda connection, now: note_launch(connection, execution.id, run.id, now))

    async def _fail(self, execution: Execution, error: str, trace: str | None = None) -> None:
        ended = ExecutionEnd(state=ExecutionState.FAILED, error=error)
        await self._write(
            lambda connection, now: conclude(connection, execution.id, ended, now, traceback=trace)
        )

    async def _conclude(self, execution: Execution) -> None:
        await self._write(partial(note_parsing, execution))
        job, result, content_hash = await self._access.read(partial(_load_result, execution))
        if job is None:
            return
        ended = evaluate_result(result, content_hash if job.adaptive_scheduling else None)
        reach("jobs.ended")
        await self._write(lambda connection, now: conclude(connection, execution.id, ended, now, result))
        reach("jobs.concluded")
        log.info("job_concluded", job=job.id, execution=execution.id, state=ended.state, error=ended.error)

    # --- the loops ---------------------------------------------------------------------------------

    async def _work(self) -> None:
        polls_at = time.monotonic()
        while True:
            is_due = self._woken.is_set() or time.monotonic() >= polls_at
            self._woken.clear()
            try:
                if is_due:
                    polls_at = time.monotonic() + self._settings.poll_s
                    await self.poll()
                else:
                    await self.watch()
            except TenaxError as error:
                # Nothing is lost: what is due stays due in the store.
                log.warning("scheduler_waits", error=str(error))
            except Exception as error:
                # The same; and nothing would restart the scheduler.
                log.error("scheduler_crashed", exc_info=error)
            pause_s = max(polls_at - time.monotonic(), 0.0)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(min(pause_s, WATCH_EVERY_S) if self._is_busy else pause_s):
                    await self._woken.wait()

    async def _send_heartbeats(self) -> None:
        """In a task of its own: a launch may take long."""
        while True:
            await asyncio.sleep(self._settings.stale_lock_s / HEARTBEATS_PER_LOCK)
            with contextlib.suppress(StoreError):
                await self.send_heartbeat()

    def _prepare(self, connection: Connection, now: Instant) -> Instant:
        """Returns when the store was last cleaned up."""
        cleaned_at = self._cleaned_at
        if (
            cleaned_at is None
            or not 0 <= now - cleaned_at < self._settings.stale_lock_s / HEARTBEATS_PER_LOCK
        ):
            clean_up(connection, now, self._settings.stale_lock_s)
            cleaned_at = now
        plan_unplanned(connection, now)
        adopt_jobs(connection, self._token, now)
        return cleaned_at

    async def _write(self, work: Callable[[Any, Instant], T]) -> T:
        return await self._access.write(lambda connection: work(connection, self._read_clock(connection)))


def _load_result(
    execution: Execution, connection: Connection
) -> tuple[Job | None, RunResult | None, str | None]:
    """The job, the result of its run, and the hash of its start page if this run has fetched it."""
    job = find_job(connection, execution.job_id)
    result = None if execution.run_id is None else measure_run(connection, execution.run_id)
    if job is None or result is None:
        return job, result, None
    page = find_start_page(connection, job.source_id, job.url)
    is_seen = page is not None and page.fetched_at >= result.started_at
    return job, result, page.content_hash if page is not None and is_seen else None
