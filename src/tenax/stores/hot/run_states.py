"""Which runs are active and who may join them: the same for every database."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from tenax.clock import Instant
from tenax.records.runs import RunState
from tenax.stores.contracts.runs import LastRun, Run
from tenax.stores.hot.column_lists import join_names

GOES_ON = (RunState.RUNNING, RunState.PAUSED)
UNDER_WAY = "state IN ('running', 'paused')"
# Rows that are written from now on have a greater id.
LAST_ID = "coalesce((SELECT max(id) FROM {table}), 0)"

# For the jobs that started the crawl: an execution names its run, which is gone.
FRESH_JOBS = "UPDATE jobs SET state = 'scheduled', lock_token = NULL WHERE state = 'running'"
FRESH_SOURCES = "DELETE FROM sources WHERE kind = 'crawl'"

# Whether a run belongs to a defined source, and not to a crawl.
IS_SOURCES = "EXISTS (SELECT 1 FROM sources s WHERE s.id = runs.source_id AND s.kind = 'source')"
# A reserved run has been paused since it began; opening it changes that.
IS_RESERVED = "state = 'paused' AND paused_at = started_at"
IS_OPENED = f"NOT ({IS_RESERVED})"
# Whether a worker is active, as far as others can see.
IS_LIVE = "ended_at IS NULL AND heartbeat_at > {now} - lease_s"


class RunColumns(NamedTuple):
    """A run, in `runs`."""

    id: int
    state: str
    started_at: Instant
    pages: int
    source_id: int


RUN_COLUMNS = join_names(RunColumns._fields)
_RUN = len(RunColumns._fields)


def read_run(row: Sequence[Any]) -> Run:
    """From RUN_COLUMNS, whatever follows them."""
    found = RunColumns._make(row[:_RUN])
    return Run(
        id=found.id,
        state=RunState(found.state),
        started_at=found.started_at,
        pages=found.pages,
        is_resumed=True,
        source_id=found.source_id,
    )


class JoinColumns(NamedTuple):
    """What a worker that may join a run needs besides RUN_COLUMNS."""

    settings: str
    live_workers: int
    can_claim: bool
    is_sources: bool


def read_last_run(row: Sequence[Any]) -> LastRun:
    """From RUN_COLUMNS and JoinColumns."""
    found = JoinColumns._make(row[_RUN:])
    return LastRun(
        run=read_run(row),
        settings_json=found.settings,
        live_workers=found.live_workers,
        can_claim=bool(found.can_claim),
        is_sources=bool(found.is_sources),
    )


def may_join(state: RunState, cancelled_at: Instant | None, *, reopens: bool) -> bool:
    """`reopens`: also a run that others have closed meanwhile; never one that a user paused or cancelled."""
    if state is RunState.PAUSED or cancelled_at is not None:
        return False
    return reopens or state is RunState.RUNNING
