"""The job that a source has by itself; people may order others beside it.

Each source has one at a time: whoever looks for it or makes it holds the lock on the source.
"""

import json
from typing import Any, Final

from sqlalchemy import Connection, insert, select, update

from tenax.clock import Instant
from tenax.job_records import IntervalType, JobState
from tenax.stores.job_tables import jobs
from tenax.values import record

MADE_BY_SOURCE: Final = {"made_by": "source"}
_TERMS: Final = (
    "interval_minutes",
    "interval_type",
    "adaptive_scheduling",
    "timezone",
    "active_hours",
    "priority",
    "max_retries",
    "retry_backoff_seconds",
)


@record(frozen=True, slots=True, kw_only=True)
class JobTerms:
    """What the definition of a source says about its job."""

    interval_minutes: int | None  # None: once
    interval_type: IntervalType
    adaptive_scheduling: bool
    timezone: str
    active_hours: str | None  # JSON
    priority: int
    max_retries: int
    retry_backoff_seconds: int

    @property
    def is_recurring(self) -> bool:
        return self.interval_minutes is not None


@record(frozen=True, slots=True, kw_only=True)
class OwnJob:
    id: int
    source_id: int
    state: JobState
    schedule_enabled: bool
    next_run_at: Instant | None
    terms: JobTerms


def find_own_job(connection: Connection, source_id: int) -> OwnJob | None:
    """The newest; None also if that was cancelled, which is for good."""
    statement = select(jobs).where(jobs.c.source_id == source_id).order_by(jobs.c.id.desc())
    return _pick(connection.execute(statement.with_for_update()).all())


def list_own_jobs(connection: Connection) -> dict[int, OwnJob]:
    """Of all sources, by the source's id; for those who only look."""
    by_source: dict[int, list[Any]] = {}
    for row in connection.execute(select(jobs).order_by(jobs.c.id.desc())):
        by_source.setdefault(row.source_id, []).append(row)
    found = ((source_id, _pick(rows)) for source_id, rows in by_source.items())
    return {source_id: job for source_id, job in found if job is not None}


def add_own_job(connection: Connection, source_id: int, terms: JobTerms, now: Instant) -> int:
    """Its first time is now."""
    values = {
        **_list_values(terms),
        "source_id": source_id,
        "state": JobState.SCHEDULED if terms.is_recurring else JobState.PENDING,
        "schedule_enabled": int(terms.is_recurring),
        "next_run_at": now,
        "metadata": json.dumps(MADE_BY_SOURCE),
        "created_at": now,
        "updated_at": now,
    }
    number: int = connection.execute(insert(jobs).values(values).returning(jobs.c.id)).scalar_one()
    return number


def change_own_job(
    connection: Connection, job: OwnJob, terms: JobTerms, changes: dict[str, Any], now: Instant
) -> None:
    """`job`: as it was found in this transaction."""
    values = {**_list_values(terms), **changes, "version": jobs.c.version + 1, "updated_at": now}
    connection.execute(update(jobs).where(jobs.c.id == job.id).values(values))


def _list_values(terms: JobTerms) -> dict[str, Any]:
    values = {name: getattr(terms, name) for name in _TERMS}
    return {**values, "adaptive_scheduling": int(terms.adaptive_scheduling)}


def _pick(rows: Any) -> OwnJob | None:
    """`rows`: the newest first."""
    own = (row for row in rows if json.loads(row.metadata).items() >= MADE_BY_SOURCE.items())
    row = next(own, None)
    return None if row is None or row.state == JobState.CANCELLED else _read(row)


def _read(row: Any) -> OwnJob:
    terms = {name: getattr(row, name) for name in _TERMS}
    terms |= {
        "interval_type": IntervalType(row.interval_type),
        "adaptive_scheduling": bool(row.adaptive_scheduling),
    }
    return OwnJob(
        id=row.id,
        source_id=row.source_id,
        state=JobState(row.state),
        schedule_enabled=bool(row.schedule_enabled),
        next_run_at=row.next_run_at,
        terms=JobTerms(**terms),
    )
