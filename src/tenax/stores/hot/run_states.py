"""Which runs go on and who may join them: the same for every database."""

from typing import Any

from tenax.clock import Instant
from tenax.records.runs import RunState
from tenax.stores.base import LastRun, Run

GOES_ON = (RunState.RUNNING, RunState.PAUSED)
UNDER_WAY = "state IN ('running', 'paused')"
# What is written from now on has a greater one.
LAST_ID = "coalesce((SELECT max(id) FROM {table}), 0)"

# Of what ordered the crawl: an execution names its run, which is gone.
FRESH_JOBS = "UPDATE jobs SET state = 'scheduled', lock_token = NULL WHERE state = 'running'"
FRESH_SOURCES = "DELETE FROM sources WHERE kind = 'crawl'"

RUN_COLUMNS = "id, state, started_at, pages, source_id"
# Of a run: whether it is one of a defined source, and not of a crawl.
IS_SOURCES = "EXISTS (SELECT 1 FROM sources s WHERE s.id = runs.source_id AND s.kind = 'source')"
# A reserved run is paused since it began; whoever opens it changes that.
_RESERVED = "state = 'paused' AND paused_at = started_at"
IS_OPENED = f"NOT ({_RESERVED})"
WITHDRAW = f"DELETE FROM runs WHERE id = {{mark}} AND {_RESERVED}"
# Of a worker: it is at work, as far as others can tell.
IS_LIVE = "ended_at IS NULL AND heartbeat_at > {now} - lease_s"


def read_run(row: tuple[Any, ...]) -> Run:
    """From RUN_COLUMNS."""
    return Run(
        id=row[0],
        state=RunState(row[1]),
        started_at=row[2],
        pages=row[3],
        is_resumed=True,
        source_id=row[4],
    )


def read_last_run(row: tuple[Any, ...]) -> LastRun:
    """From RUN_COLUMNS, the settings, the number of live workers, whether a domain is free, IS_SOURCES."""
    return LastRun(
        run=read_run(row),
        settings_json=row[5],
        live_workers=row[6],
        can_claim=bool(row[7]),
        is_sources=bool(row[8]),
    )


def may_join(state: RunState, cancelled_at: Instant | None, *, reopens: bool) -> bool:
    """`reopens`: also a run that others have closed meanwhile; never against the order of a person."""
    if state is RunState.PAUSED or cancelled_at is not None:
        return False
    return reopens or state is RunState.RUNNING
