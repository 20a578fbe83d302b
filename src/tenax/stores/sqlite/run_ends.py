"""The end of a run in SQLite, which its last worker closes."""

from tenax.records.runs import RunState
from tenax.stores.hot.leftovers import format_leftover
from tenax.stores.hot.run_states import GOES_ON, IS_LIVE
from tenax.stores.hot.statements import FIND_STATE, SAVE_LEFTOVER
from tenax.stores.sqlite.connection.database import Connection
from tenax.stores.sqlite.frontier.outlook import count_leftover


def find_state(connection: Connection, run_id: int) -> RunState:
    return RunState(connection.execute(FIND_STATE, (run_id,)).fetchone()[0])


_FIND_OTHERS = f"""
    SELECT 1
    FROM workers
    WHERE run_id = ? AND {IS_LIVE.format(now="now_s()")}
    LIMIT 1
"""
_CLOSE_RUN = """
    UPDATE runs
    SET state = ?, ended_at = wall_s()
    WHERE id = ? AND state = 'running'
"""
_LOG_END = """
    INSERT INTO change_log (xid, at, topic, source_id, subject_id)
    VALUES (0, wall_s(), 'run', ?, ?)
"""


def end_run(connection: Connection, source_id: int, run_id: int, state: RunState, worker_id: int) -> bool:
    # The worker leaves in the same transaction: if two end concurrently, the later one closes the run.
    connection.execute("UPDATE workers SET ended_at = wall_s() WHERE id = ?", (worker_id,))
    others = connection.execute(_FIND_OTHERS, (run_id,)).fetchone()
    if others is None and state is not RunState.PAUSED:
        _close_run(connection, source_id, run_id, state)
    is_over = others is None and find_state(connection, run_id) not in GOES_ON
    if is_over:
        left = format_leftover(count_leftover(connection, source_id))
        connection.execute(SAVE_LEFTOVER, (left, run_id))
    return is_over


def _close_run(connection: Connection, source_id: int, run_id: int, state: RunState) -> None:
    if connection.execute(_CLOSE_RUN, (state, run_id)).rowcount:
        connection.execute(_LOG_END, (source_id, run_id))
