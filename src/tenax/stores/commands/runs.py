"""Actions of users on a run: pause and cancel. Each is one statement; workers notice within a second or two.
Repeating is safe: the second time it is refused, as the run is already in that state. Resuming a run is in
RunStore, as the run has to get its domains back.
"""

from sqlalchemy import Connection, select, update

from tenax.clock import Instant
from tenax.record import record
from tenax.records.runs import RunState
from tenax.stores.jobs.ended_runs import end_runs
from tenax.stores.schema.runs import runs


@record
class RunActionResult:
    """The result of an action."""

    is_carried_out: bool
    state: RunState | None  # of the run afterwards; None: there is no such run


def pause_run(connection: Connection, run_id: int, now: Instant) -> RunActionResult:
    """Pause the run if it is running: active visits finish and are stored, and no more requests are made."""
    is_running = (runs.c.id == run_id, runs.c.state == RunState.RUNNING)
    paused = update(runs).where(*is_running).values(state=RunState.PAUSED, paused_at=now)
    is_carried_out = bool(connection.execute(paused).rowcount)
    return RunActionResult(is_carried_out=is_carried_out, state=_find_state(connection, run_id))


def cancel_run(connection: Connection, run_id: int, now: Instant) -> RunActionResult:
    """End the run if it is running or paused. Waiting urls are left to the next run."""
    is_active = (runs.c.id == run_id, runs.c.state.in_((RunState.RUNNING, RunState.PAUSED)))
    cancelled = update(runs).where(*is_active).values(paused_at=None, cancelled_at=now)
    is_carried_out = bool(end_runs(connection, cancelled, RunState.STOPPED, now))
    return RunActionResult(is_carried_out=is_carried_out, state=_find_state(connection, run_id))


def _find_state(connection: Connection, run_id: int) -> RunState | None:
    state = connection.scalar(select(runs.c.state).where(runs.c.id == run_id))
    return None if state is None else RunState(state)
