"""Tasks: messages to crawl a run, on their way through a broker to a worker. The broker may lose, repeat and
reorder them; the truth is in this table. See jobs/dispatch for the callers.

Each change is one statement that names the state it expects, and does nothing if it finds another one.
"""

from typing import Any, Final

import orjson
from sqlalchemy import Connection, Select, func, select, update
from sqlalchemy.dialects import postgresql, sqlite

from tenax.clock import Instant
from tenax.config.worker import WorkerSettings
from tenax.record import record
from tenax.records.jobs import ExecutionState, Task, TaskState
from tenax.records.runs import RunState
from tenax.stores.jobs.ended_runs import end_runs
from tenax.stores.paging import ListSlice, SliceRequest, SortOrder, load_slice
from tenax.stores.schema.jobs import executions, tasks
from tenax.stores.schema.runs import runs, workers

DEFAULT_PRIORITY: Final = 5
ERROR_CHARS: Final = 2000
# The process that opens a run adds its task right away, or works on it itself.
UNCLAIMED_S: Final = 5.0

_ORDER = SortOrder(keys={"id": tasks.c.id}, number=tasks.c.id)
_OPEN = (TaskState.PENDING, TaskState.QUEUED, TaskState.CRAWLING)
# Tasks only move forward here; only a lost worker moves one back, see `confirm_task`.
_EARLIER: Final = {
    TaskState.CRAWLING: (TaskState.PENDING, TaskState.QUEUED),
    TaskState.DOWNLOADED: _OPEN,
    TaskState.PARSING: (*_OPEN, TaskState.DOWNLOADED),
    TaskState.COMPLETED: (*_OPEN, TaskState.DOWNLOADED, TaskState.PARSING),
    TaskState.FAILED: (*_OPEN, TaskState.DOWNLOADED, TaskState.PARSING),
}
ENDED: Final = (TaskState.COMPLETED, TaskState.FAILED)


@record
class TaskFacts:
    """A task, and what the store knows about its run."""

    task: Task
    run_state: RunState | None  # None: there is no such run
    lease_s: float  # of the run: a worker that is silent for longer has lost all its leases
    heard_at: Instant | None  # the last heartbeat of a worker that has not left; None: there is no worker
    execution: ExecutionState | None  # of the execution that the run belongs to; None: of none

    def is_worked_on(self, now: Instant) -> bool:
        return self.heard_at is not None and self.heard_at > now - self.lease_s


@record
class TaskFilter:
    """None in a field: no restriction."""

    state: TaskState | None = None
    queue: str | None = None
    run_id: int | None = None


@record
class ReplayResult:
    """The result of replaying a task."""

    is_carried_out: bool
    task: Task | None  # as it is now; None: there is no such task
    run_state: RunState | None = None


def add_task(connection: Connection, run_id: int, queue: str, priority: int, now: Instant) -> None:
    """Add the task of a run. To be called in the transaction that opens the run. Repeating is safe: a run has
    one task."""
    values = {
        "run_id": run_id,
        "queue": queue,
        "priority": priority,
        "state": TaskState.PENDING,
        "created_at": now,
        "publish_after": now,
    }
    # Both databases have the same syntax, but SQLAlchemy needs the insert of each dialect.
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    connection.execute(dialect.insert(tasks).values(values).on_conflict_do_nothing())


def adopt_runs(connection: Connection, queue: str, now: Instant) -> int:
    """Add a task to every active run without a task and without workers: the process that opened it died too
    early, or knew nothing about tasks. Returns how many."""
    found = connection.scalars(_select_orphans(now)).all()
    for run_id in found:
        add_task(connection, run_id, queue, DEFAULT_PRIORITY, now)
    return len(found)


def has_orphans(connection: Connection, now: Instant) -> bool:
    """Whether there is a run for `adopt_runs`."""
    return connection.scalar(_select_orphans(now).limit(1)) is not None


def _select_orphans(now: Instant) -> Select[int]:
    has_task = select(tasks.c.id).where(tasks.c.run_id == runs.c.id).exists()
    has_worker = (
        select(workers.c.id)
        .where(
            workers.c.run_id == runs.c.id,
            workers.c.ended_at.is_(None),
            workers.c.heartbeat_at > now - workers.c.lease_s,
        )
        .exists()
    )
    return select(runs.c.id).where(
        runs.c.state == RunState.RUNNING, runs.c.started_at < now - UNCLAIMED_S, ~has_task, ~has_worker
    )


def find_task(connection: Connection, task_id: int) -> Task | None:
    row = connection.execute(select(tasks).where(tasks.c.id == task_id)).one_or_none()
    return None if row is None else _read(row)


def slice_tasks(connection: Connection, wanted: SliceRequest, only: TaskFilter) -> ListSlice[Task]:
    statement = select(tasks)
    if only.state is not None:
        statement = statement.where(tasks.c.state == only.state)
    if only.queue is not None:
        statement = statement.where(tasks.c.queue == only.queue)
    if only.run_id is not None:
        statement = statement.where(tasks.c.run_id == only.run_id)
    return load_slice(connection, statement, _ORDER, wanted, _read)


def count_tasks(connection: Connection) -> dict[str, int]:
    """By state, zeros included."""
    rows = connection.execute(select(tasks.c.state, func.count()).group_by(tasks.c.state))
    found = {row[0]: row[1] for row in rows}
    return {state: found.get(state, 0) for state in TaskState}


# --- the outbox ------------------------------------------------------------------------------------


def has_due(connection: Connection, now: Instant) -> bool:
    return connection.scalar(select(tasks.c.id).where(tasks.c.publish_after <= now).limit(1)) is not None


def load_due(connection: Connection, now: Instant, limit: int) -> list[TaskFacts]:
    """Tasks that are due for a check, by priority."""
    due = _select_facts().where(tasks.c.publish_after <= now).order_by(tasks.c.priority, tasks.c.id)
    return [_read_facts(row) for row in connection.execute(due.limit(limit))]


def find_facts(connection: Connection, task_id: int) -> TaskFacts | None:
    row = connection.execute(_select_facts().where(tasks.c.id == task_id)).one_or_none()
    return None if row is None else _read_facts(row)


def hold_task(connection: Connection, seen: Task, until: Instant) -> Task | None:
    """Reserve a task for the caller until then; None: another caller was faster."""
    return _change(connection, seen, publish_after=until)


def confirm_task(connection: Connection, held: Task, now: Instant, check_at: Instant) -> Task | None:
    """The broker has accepted the task. None: a worker got it meanwhile, or another server reserved it."""
    return _change(
        connection, held, state=TaskState.QUEUED, queued_at=now, started_at=None, publish_after=check_at
    )


def mark_crawling(connection: Connection, seen: Task, now: Instant, check_at: Instant) -> Task | None:
    """The run of the task has active workers. None: the task has changed since it was seen."""
    return _change(
        connection,
        seen,
        state=TaskState.CRAWLING,
        started_at=now if seen.started_at is None else seen.started_at,
        deliveries=0,
        publish_after=check_at,
    )


def _change(connection: Connection, seen: Task, **values: Any) -> Task | None:
    """Change a task if it has not changed since it was seen."""
    changed = update(tasks).where(
        tasks.c.id == seen.id, tasks.c.state == seen.state, tasks.c.publish_after == seen.publish_after
    )
    row = connection.execute(changed.values(**values).returning(tasks)).one_or_none()
    return None if row is None else _read(row)


# --- workers ---------------------------------------------------------------------------------------


def admit_delivery(connection: Connection, seen: Task, now: Instant, until: Instant) -> Task | None:
    """A worker received the task and has until then to join the run. None: another worker is about to join,
    or the task has moved on."""
    fields = tasks.c
    admitted = update(tasks).where(
        fields.id == seen.id,
        fields.state == seen.state,
        fields.deliveries == seen.deliveries,
        fields.started_at.is_not_distinct_from(seen.started_at),
    )
    values = {
        # A task in state `crawling` has lost its worker.
        "state": TaskState.QUEUED,
        "deliveries": fields.deliveries + 1,
        "started_at": now,
        "publish_after": until,
    }
    row = connection.execute(admitted.values(values).returning(tasks)).one_or_none()
    return None if row is None else _read(row)


def start_task(connection: Connection, task_id: int, check_at: Instant) -> bool:
    """The worker of the task has joined the run."""
    started = update(tasks).where(tasks.c.id == task_id, tasks.c.state.in_(_OPEN))
    values = {"state": TaskState.CRAWLING, "publish_after": check_at, "error": None}
    return connection.execute(started.values(values)).rowcount > 0


def return_task(connection: Connection, task_id: int, error: str | None, check_at: Instant) -> bool:
    """The worker of the task left the run or could not join it: check the task at `check_at`."""
    returned = update(tasks).where(tasks.c.id == task_id, tasks.c.state.in_(_OPEN))
    values: dict[str, Any] = {"publish_after": check_at}
    if error is not None:
        values |= {"state": TaskState.PENDING, "started_at": None, "error": error[:ERROR_CHARS]}
    return connection.execute(returned.values(values)).rowcount > 0


def fail_task(connection: Connection, task_id: int, error: str, now: Instant) -> bool:
    """No worker can process the task. If the run belongs to a job, it fails as well, so that the job can
    retry with another run; a run started by a user waits for `replay_task`."""
    failed = update(tasks).where(tasks.c.id == task_id, tasks.c.state.in_(_OPEN))
    values = {"state": TaskState.FAILED, "error": error[:ERROR_CHARS], "ended_at": now, "publish_after": None}
    run_id = connection.scalar(failed.values(values).returning(tasks.c.run_id))
    if run_id is None:
        return False
    chosen = update(runs).where(
        runs.c.id == run_id, runs.c.state == RunState.RUNNING, runs.c.execution_id.is_not(None)
    )
    end_runs(connection, chosen, RunState.FAILED, now)
    return True


# --- the end of runs, and users --------------------------------------------------------------------


def advance_task(
    connection: Connection, run_id: int, state: TaskState, now: Instant, error: str | None = None
) -> bool:
    """Move the task of a run forward to a state; returns whether it moved. Repeating is safe. A run without a
    task is not an error: its workers find it in the store by themselves."""
    moved = update(tasks).where(tasks.c.run_id == run_id, tasks.c.state.in_(_EARLIER[state]))
    values: dict[str, Any] = {"state": state}
    if state in ENDED:
        values |= {"ended_at": now, "publish_after": None, "error": error and error[:ERROR_CHARS]}
    return connection.execute(moved.values(values)).rowcount > 0


def replay_task(connection: Connection, task_id: int, now: Instant) -> ReplayResult:
    """Publish a failed task again, if its run still waits for a worker."""
    waits = select(runs.c.id).where(
        runs.c.id == tasks.c.run_id, runs.c.state.in_((RunState.RUNNING, RunState.PAUSED))
    )
    again = update(tasks).where(tasks.c.id == task_id, tasks.c.state == TaskState.FAILED, waits.exists())
    values = {
        "state": TaskState.PENDING,
        "deliveries": 0,
        "error": None,
        "publish_after": now,
        "queued_at": None,
        "started_at": None,
        "ended_at": None,
    }
    row = connection.execute(again.values(values).returning(tasks)).one_or_none()
    if row is not None:
        return ReplayResult(is_carried_out=True, task=_read(row))
    facts = find_facts(connection, task_id)
    if facts is None:
        return ReplayResult(is_carried_out=False, task=None)
    return ReplayResult(is_carried_out=False, task=facts.task, run_state=facts.run_state)


# --- rows ------------------------------------------------------------------------------------------


def _select_facts() -> Select[Any]:
    heard_at = select(func.max(workers.c.heartbeat_at)).where(
        workers.c.run_id == tasks.c.run_id, workers.c.ended_at.is_(None)
    )
    return (
        select(
            tasks,
            runs.c.state.label("run_state"),
            runs.c.settings.label("run_settings"),
            executions.c.state.label("execution_state"),
            heard_at.scalar_subquery().label("heard_at"),
        )
        .outerjoin(runs, runs.c.id == tasks.c.run_id)
        .outerjoin(executions, executions.c.id == runs.c.execution_id)
    )


def _read_facts(row: Any) -> TaskFacts:
    return TaskFacts(
        task=_read(row),
        run_state=None if row.run_state is None else RunState(row.run_state),
        lease_s=_find_lease(row.run_settings),
        heard_at=row.heard_at,
        execution=None if row.execution_state is None else ExecutionState(row.execution_state),
    )


def _find_lease(settings: str | None) -> float:
    """Read without validation: another version of Tenax may have opened the run."""
    lease_s = orjson.loads(settings or "{}").get("worker", {}).get("lease_s")
    return float(lease_s or WorkerSettings().lease_s)


def _read(row: Any) -> Task:
    names = (
        "id",
        "run_id",
        "queue",
        "priority",
        "deliveries",
        "error",
        "created_at",
        "publish_after",
        "queued_at",
        "started_at",
        "ended_at",
    )
    return Task(state=TaskState(row.state), **{name: getattr(row, name) for name in names})
