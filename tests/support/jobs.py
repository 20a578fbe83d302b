"""Jobs in a store, and a launcher that opens runs without crawling them."""

from collections.abc import Callable
from typing import Any, TypeVar

from sqlalchemy import insert, select, update

from tenax.clock import Clock, Instant
from tenax.config.service import JobSettings
from tenax.errors import DomainsBusy
from tenax.jobs.commands import NewJob, apply_action, create_job
from tenax.jobs.schedule.states import JobAction
from tenax.jobs.scheduler.scheduler import Scheduler
from tenax.records.jobs import Execution, Job
from tenax.records.runs import RunState
from tenax.stores.access import Access
from tenax.stores.contracts.runs import Run
from tenax.stores.jobs.jobs import find_job
from tenax.stores.schema.jobs import sources
from tenax.stores.schema.runs import runs

T = TypeVar("T")

HOURLY: dict[str, Any] = {"interval_minutes": 60, "schedule_enabled": True}


def add_source(connection: Any, now: Instant, name: str) -> int:
    values = {
        "name": name,
        "key": name,
        "definition": f'{{"name": "{name}", "seeds": ["https://{name}.example/"]}}',
        "enabled": 1,
        "created_at": now,
        "updated_at": now,
    }
    source_id: int = connection.scalar(insert(sources).values(values).returning(sources.c.id))
    return source_id


def open_source_run(connection: Any, now: Instant, name: str = "news") -> int:
    """A run of a new source, which no worker crawls."""
    source_id = add_source(connection, now, name)
    values = {"state": RunState.RUNNING, "settings": "{}", "started_at": now, "source_id": source_id}
    run_id: int = connection.scalar(insert(runs).values(values).returning(runs.c.id))
    return run_id


class RowLauncher:
    """A launcher that only adds a row to `runs`."""

    def __init__(self, access: Access, clock: Clock) -> None:
        self._access = access
        self._clock = clock
        self.busy: set[int] = set()  # sources that other runs crawl
        self.error: Exception | None = None
        self.launches = 0

    async def launch(self, job: Job, execution: Execution) -> Run:
        self.launches += 1
        if self.error is not None:
            raise self.error
        if job.source_id in self.busy:
            raise DomainsBusy
        return await self._access.write(lambda connection: self._open(connection, job, execution))

    def _open(self, connection: Any, job: Job, execution: Execution) -> Run:
        row = connection.execute(select(runs).where(runs.c.execution_id == execution.id)).one_or_none()
        is_new = row is None
        if row is None:
            values = {
                "state": RunState.RUNNING,
                "settings": "{}",
                "started_at": self._clock.now(),
                "source_id": job.source_id,
                "execution_id": execution.id,
            }
            row = connection.execute(insert(runs).values(values).returning(runs)).one()
        return Run(
            id=row.id,
            state=RunState(row.state),
            started_at=row.started_at,
            pages=row.pages,
            is_resumed=not is_new,
        )


class JobHarness:
    """A store with jobs, and ways to act on them, schedule them and end their runs."""

    def __init__(self, access: Access, clock: Clock) -> None:
        self.access = access
        self.clock = clock
        self.launcher = RowLauncher(access, clock)
        self._sources = 0

    def make_scheduler(self, **settings: Any) -> Scheduler:
        return Scheduler(
            self.access, self.launcher.launch, JobSettings(**settings), lambda connection: self.clock.now()
        )

    async def write(self, work: Callable[[Any, Instant], T]) -> T:
        return await self.access.write(lambda connection: work(connection, self.clock.now()))

    async def add_source(self) -> int:
        self._sources += 1
        name = f"news{self._sources}"
        return await self.write(lambda connection, now: add_source(connection, now, name))

    async def add_job(self, source_id: int | None = None, **values: Any) -> Job:
        new = NewJob(source_id=source_id or await self.add_source(), **values)
        return await self.write(lambda connection, now: create_job(connection, new, now))

    async def apply_action(self, action: JobAction, job_id: int) -> Job:
        return await self.write(lambda connection, now: apply_action(connection, action, job_id, now))

    async def get_job(self, job_id: int) -> Job:
        job = await self.access.read(lambda connection: find_job(connection, job_id))
        assert job is not None
        return job

    async def end_runs(self, state: RunState = RunState.DONE, **values: Any) -> None:
        """All active runs."""

        def end(connection: Any, now: Instant) -> None:
            active = update(runs).where(runs.c.state == RunState.RUNNING)
            connection.execute(active.values(state=state, ended_at=now, **values))

        await self.write(end)
