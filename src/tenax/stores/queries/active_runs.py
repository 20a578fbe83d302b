"""The runs that go on at this moment, side by side. Reads only."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection, func, or_, select

from tenax.clock import Instant
from tenax.record import record
from tenax.records.jobs import SourceKind
from tenax.records.runs import RunState
from tenax.stores.queries.workers import WorkerSummary
from tenax.stores.schema.crawl import IS_UNDER_WAY, runs
from tenax.stores.schema.jobs import sources

MOST_RUNS: Final = 100

# One that is reserved and not opened yet is paused since it began.
IS_OPENED = or_(runs.c.state != RunState.PAUSED, runs.c.paused_at != runs.c.started_at)
_UNDER_WAY = (IS_UNDER_WAY, IS_OPENED)
_NAMES = ("id", "state", "started_at", "pages", "requests", "wire_bytes", "source_id")
# Not the settings, which are long.
_COLUMNS = (
    *(runs.c[name] for name in _NAMES),
    sources.c.name.label("source_name"),
    sources.c.kind.label("source_kind"),
)
_NAMED = runs.outerjoin(sources, sources.c.id == runs.c.source_id)


@record
class ActiveRun:
    id: int
    state: RunState  # running or paused
    started_at: Instant
    pages: int
    requests: int
    wire_bytes: int
    source_id: int | None  # of the source or crawl; None: nobody knows
    source_name: str | None  # None: it is removed
    source_kind: SourceKind | None
    workers: int  # that live
    pages_per_min: float  # of all of them


def list_active_runs(connection: Connection, live: Sequence[WorkerSummary]) -> tuple[ActiveRun, ...]:
    """The newest first, no more than MOST_RUNS. `live`: all workers that live."""
    counts = Counter(worker.run_id for worker in live)
    rates: dict[int, float] = defaultdict(float)
    for worker in live:
        rates[worker.run_id] += worker.pages_per_min
    statement = select(*_COLUMNS).select_from(_NAMED).where(*_UNDER_WAY).order_by(runs.c.id.desc())
    return tuple(
        ActiveRun(
            id=row.id,
            state=RunState(row.state),
            started_at=row.started_at,
            pages=row.pages,
            requests=row.requests,
            wire_bytes=row.wire_bytes,
            source_id=row.source_id or None,
            source_name=row.source_name,
            source_kind=None if row.source_kind is None else SourceKind(row.source_kind),
            workers=counts[row.id],
            pages_per_min=rates[row.id],
        )
        for row in connection.execute(statement.limit(MOST_RUNS))
    )


def count_active_runs(connection: Connection) -> int:
    return connection.scalar(select(func.count()).select_from(runs).where(*_UNDER_WAY)) or 0


def find_told_run(connection: Connection) -> int | None:
    """The run that tells how the crawl stands: the newest that is at it, before one that is paused; where
    none is under way, the one that ended last. None: none was ever opened."""
    is_paused = runs.c.state == RunState.PAUSED
    statement = select(runs.c.id).where(*_UNDER_WAY).order_by(is_paused, runs.c.id.desc()).limit(1)
    number: int | None = connection.scalar(statement)
    if number is not None:
        return number
    # No index knows when runs ended, and an old one rarely ends after so many that began later.
    newest = select(runs.c.id, runs.c.ended_at).where(IS_OPENED).order_by(runs.c.id.desc()).limit(MOST_RUNS)
    ended = newest.subquery()
    last = select(ended.c.id).order_by(ended.c.ended_at.desc().nulls_last(), ended.c.id.desc()).limit(1)
    return connection.scalar(last)


def list_active_run_numbers(connection: Connection) -> list[int]:
    """The oldest first."""
    return list(connection.scalars(select(runs.c.id).where(*_UNDER_WAY).order_by(runs.c.id)))
