"""The job that a source's own schedule defines; users may add others to the same source.

Each source has one at a time: callers that look it up to change it have locked the source.
"""

from collections.abc import Collection, Iterable
from typing import Final

from sqlalchemy import Connection, select

from tenax.records.jobs import Job, JobState
from tenax.stores.jobs.jobs import read_job
from tenax.stores.schema.jobs import jobs

MADE_BY_SOURCE: Final = {"made_by": "source"}  # in the metadata of the job


def lock_own_job(connection: Connection, source_id: int) -> Job | None:
    """The newest such job, locked until the transaction ends. None also if it was cancelled, which is
    final."""
    statement = select(jobs).where(jobs.c.source_id == source_id).order_by(jobs.c.id).with_for_update()
    return _pick(map(read_job, connection.execute(statement)))


def list_own_jobs(connection: Connection, source_ids: Collection[int] | None = None) -> dict[int, Job]:
    """By source id, for reading only. `source_ids` None: of all sources."""
    found: dict[int, list[Job]] = {}
    statement = select(jobs).order_by(jobs.c.id)
    if source_ids is not None:
        statement = statement.where(jobs.c.source_id.in_(source_ids))
    for job in map(read_job, connection.execute(statement)):
        found.setdefault(job.source_id, []).append(job)
    picked = {source_id: _pick(each) for source_id, each in found.items()}
    return {source_id: job for source_id, job in picked.items() if job is not None}


def _pick(found: Iterable[Job]) -> Job | None:
    """`found`: oldest first."""
    own = [job for job in found if job.metadata.items() >= MADE_BY_SOURCE.items()]
    return own[-1] if own and own[-1].state is not JobState.CANCELLED else None
