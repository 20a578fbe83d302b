"""Jobs, as functions of a connection. Functions that change something must be called in a transaction.

Every change is one statement that names the state it expects: of two callers that do the same, one finds
nothing to change. Locks are taken in a fixed order: a job, then its executions, then their runs.
"""

import json
from collections.abc import Collection, Mapping
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Double,
    case,
    cast,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)

from tenax.clock import Instant
from tenax.record import record
from tenax.records.jobs import UNITS, IntervalType, Job, JobState, SourceKind
from tenax.stores.paging import ListSlice, SliceRequest, SortOrder, load_slice
from tenax.stores.schema.jobs import jobs, sources

WAITS: Final = (JobState.PENDING, JobState.SCHEDULED)

_ORDER: Final = SortOrder(
    keys={
        "id": jobs.c.id,
        "next_run_at": func.coalesce(jobs.c.next_run_at, 1e12),
        "priority": jobs.c.priority,
    },
    number=jobs.c.id,
)


@record
class JobFilter:
    """None in a field: no restriction."""

    state: JobState | None = None
    source_id: int | None = None


def find_job(connection: Connection, job_id: int, *, is_locked: bool = False) -> Job | None:
    """`is_locked`: lock the row until the transaction ends."""
    statement = select(jobs).where(jobs.c.id == job_id)
    row = connection.execute(statement.with_for_update() if is_locked else statement).one_or_none()
    return None if row is None else read_job(row)


def slice_jobs(connection: Connection, wanted: SliceRequest, only: JobFilter) -> ListSlice[Job]:
    statement = select(jobs)
    if only.state is not None:
        statement = statement.where(jobs.c.state == only.state)
    if only.source_id is not None:
        statement = statement.where(jobs.c.source_id == only.source_id)
    return load_slice(connection, statement, _ORDER, wanted, read_job)


def list_timed_jobs(connection: Connection) -> list[Job]:
    """Jobs with a planned next run, including running ones."""
    is_open = jobs.c.state.in_((*WAITS, JobState.RUNNING))
    rows = connection.execute(select(jobs).where(is_open, jobs.c.next_run_at.isnot(None)).order_by(jobs.c.id))
    return [read_job(row) for row in rows]


_IS_RECURRING: Final = jobs.c.interval_minutes.isnot(None) & (jobs.c.schedule_enabled == 1)
_IS_IDLE: Final = (jobs.c.state == JobState.PENDING) & (jobs.c.interval_minutes.is_(None) | _IS_RECURRING)
_IS_OVER: Final = (jobs.c.state == JobState.COMPLETED) & _IS_RECURRING
_IS_UNPLANNED: Final = jobs.c.next_run_at.is_(None) & (_IS_IDLE | _IS_OVER)


def has_unplanned_jobs(connection: Connection) -> bool:
    """Whether there are jobs that should have a next run and have none."""
    return bool(connection.scalar(select(exists().where(_IS_UNPLANNED))))


def list_unplanned_jobs(connection: Connection) -> list[Job]:
    """Jobs that should have a next run and have none, locked until the transaction ends."""
    return _lock_jobs(connection, _IS_UNPLANNED)


def list_misplanned_jobs(connection: Connection, now: Instant) -> list[Job]:
    """Scheduled jobs whose tick is further away than their interval, before adaptation: a wrong clock may
    have planned it. They are locked until the transaction ends."""
    unit = case({kind.value: seconds for kind, seconds in UNITS.items()}, value=jobs.c.interval_type)
    is_far = jobs.c.phase_at > now + jobs.c.interval_minutes * cast(unit, Double)
    return _lock_jobs(connection, jobs.c.state == JobState.SCHEDULED, is_far)


def _lock_jobs(connection: Connection, *conditions: ColumnElement[bool]) -> list[Job]:
    statement = select(jobs).where(*conditions).order_by(jobs.c.id).with_for_update(skip_locked=True)
    return [read_job(row) for row in connection.execute(statement)]


def count_states(connection: Connection) -> dict[JobState, int]:
    rows = connection.execute(select(jobs.c.state, func.count()).group_by(jobs.c.state))
    found = {row[0]: row[1] for row in rows}
    return {state: found.get(state, 0) for state in JobState}


def has_source(connection: Connection, source_id: int) -> bool:
    is_source = (sources.c.id == source_id, sources.c.kind == SourceKind.SOURCE)
    return bool(connection.scalar(select(exists().where(*is_source))))


def insert_job(connection: Connection, values: Mapping[str, Any], now: Instant) -> Job:
    stamped = {**_pack(values), "created_at": now, "updated_at": now}
    return read_job(connection.execute(insert(jobs).values(stamped).returning(jobs)).one())


def update_job(connection: Connection, seen: Job, values: Mapping[str, Any], now: Instant) -> Job | None:
    """None: the job is no longer in the state in which it was seen, or another scheduler has locked it."""
    holder = jobs.c.lock_token.is_not_distinct_from(seen.lock_token)
    statement = update(jobs).where(jobs.c.id == seen.id, jobs.c.state == seen.state, holder)
    row = connection.execute(statement.values(**_pack(values), updated_at=now).returning(jobs)).one_or_none()
    return None if row is None else read_job(row)


def delete_job(connection: Connection, job_id: int) -> None:
    connection.execute(delete(jobs).where(jobs.c.id == job_id))


# --- locks of schedulers ---------------------------------------------------------------------------


def claim_due_jobs(
    connection: Connection, token: str, now: Instant, limit: int
) -> list[tuple[Job, JobState]]:
    """Lock jobs that are due and not locked, by priority, and set them to running. Each is returned with the
    state it had."""
    is_due = (jobs.c.lock_token.is_(None), jobs.c.state.in_(WAITS), jobs.c.next_run_at <= now)
    order = (jobs.c.priority, jobs.c.next_run_at, jobs.c.id)
    # Skip jobs that another scheduler is claiming right now.
    statement = select(jobs.c.id, jobs.c.state).where(*is_due).order_by(*order).limit(limit)
    found = connection.execute(statement.with_for_update(skip_locked=True)).all()
    # The first time that a user gave starts the rhythm.
    started = {"state": JobState.RUNNING, "phase_at": func.coalesce(jobs.c.phase_at, jobs.c.next_run_at)}
    claimed: list[tuple[Job, JobState]] = []
    for row in found:
        job = _claim(connection, row.id, is_due, token, now, **started)
        if job is not None:
            claimed.append((job, JobState(row.state)))
    return claimed


def adopt_jobs(connection: Connection, token: str, now: Instant) -> int:
    """Lock running jobs without a scheduler: theirs is gone, or a user has forced them. Returns how many."""
    is_orphan = (jobs.c.lock_token.is_(None), jobs.c.state == JobState.RUNNING)
    statement = select(jobs.c.id).where(*is_orphan).order_by(jobs.c.id).with_for_update(skip_locked=True)
    found = connection.scalars(statement).all()
    return sum(_claim(connection, job_id, is_orphan, token, now) is not None for job_id in found)


def _claim(
    connection: Connection,
    job_id: int,
    is_free: Collection[ColumnElement[bool]],
    token: str,
    now: Instant,
    **values: Any,
) -> Job | None:
    locked = {"lock_token": token, "lock_acquired_at": now, "lock_heartbeat_at": now, **values}
    statement = update(jobs).where(jobs.c.id == job_id, *is_free).values(locked).returning(jobs)
    row = connection.execute(statement).one_or_none()
    return None if row is None else read_job(row)


FREE: Final = {"lock_token": None, "lock_acquired_at": None, "lock_heartbeat_at": None}


def note_heartbeat(connection: Connection, token: str, now: Instant) -> None:
    connection.execute(update(jobs).where(jobs.c.lock_token == token).values(lock_heartbeat_at=now))


def free_jobs(connection: Connection, token: str) -> None:
    """Release the locks of a scheduler that shuts down, so that others need not wait until they are stale."""
    connection.execute(update(jobs).where(jobs.c.lock_token == token).values(FREE))


def clear_stale_locks(connection: Connection, now: Instant, stale_s: float) -> int:
    """Release the locks of schedulers without a heartbeat for so long, or with one that a wrong clock put
    into the future. Returns how many."""
    is_stale = or_(jobs.c.lock_heartbeat_at < now - stale_s, jobs.c.lock_heartbeat_at > now + stale_s)
    statement = update(jobs).where(jobs.c.lock_token.isnot(None), is_stale)
    freed = statement.values(**FREE, stale_locks=jobs.c.stale_locks + 1)
    return len(connection.execute(freed.returning(jobs.c.id)).all())


# --- rows ------------------------------------------------------------------------------------------


def _pack(values: Mapping[str, Any]) -> dict[str, Any]:
    packed = {name: int(value) if isinstance(value, bool) else value for name, value in values.items()}
    if "metadata" in packed:
        packed["metadata"] = json.dumps(packed["metadata"], ensure_ascii=False)
    return packed


def read_job(row: Any) -> Job:
    values = dict(row._mapping)
    for name in ("sort_key", "sort_number"):
        values.pop(name, None)
    values["state"] = JobState(values["state"])
    values["interval_type"] = IntervalType(values["interval_type"])
    values["metadata"] = json.loads(values["metadata"])
    for name in ("schedule_enabled", "adaptive_scheduling"):
        values[name] = bool(values[name])
    return Job(**values)
