"""Actions of users on a run: pause and cancel. Each is one statement; workers notice within a second or two.
Repeating is safe: the second time it is refused, as the run is already in that state. Resuming a run is in
RunStore, as the run has to get its domains back.
"""

from sqlalchemy import Connection, Update, select, update

from tenax.clock import Instant
from tenax.record import record
from tenax.records.runs import RunState
from tenax.stores.schema.runs import runs


@record
class RunActionResult:
    """The result of an action."""

    is_carried_out: bool
    state: RunState | None  # of the run afterwards; None: there is no such run


def pause_run(connection: Connection, run_id: int, now: Instant) -> RunActionResult:
    """Pause the run if it is running: active visits finish and are stored, and no more requests are made."""
    paused = update(runs).where(runs.c.state == RunState.RUNNING)
    return _apply(connection, run_id, paused.values(state=RunState.PAUSED, paused_at=now))


def cancel_run(connection: Connection, run_id: int, now: Instant) -> RunActionResult:
    """End the run if it is running or paused. Waiting urls are left to the next run."""
    cancelled = update(runs).where(runs.c.state.in_((RunState.RUNNING, RunState.PAUSED)))
    ended = cancelled.values(state=RunState.STOPPED, paused_at=None, cancelled_at=now, ended_at=now)
    return _apply(connection, run_id, ended)


def _apply(connection: Connection, run_id: int, change: Update) -> RunActionResult:
    row = connection.execute(change.where(runs.c.id == run_id).returning(runs.c.state)).one_or_none()
    if row is not None:
        return RunActionResult(is_carried_out=True, state=RunState(row.state))
    state = connection.scalar(select(runs.c.state).where(runs.c.id == run_id))
    return RunActionResult(is_carried_out=False, state=None if state is None else RunState(state))
