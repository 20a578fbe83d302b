"""The end of a run in PostgreSQL, which its last worker closes."""

from tenax.clock import Instant
from tenax.records.runs import RunState
from tenax.stores.hot.leftovers import format_leftover
from tenax.stores.hot.parameters import to_postgres
from tenax.stores.hot.run_states import GOES_ON, IS_LIVE
from tenax.stores.hot.statements import FIND_STATE, SAVE_LEFTOVER
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.outlook import count_leftover

_FIND_STATE = to_postgres(FIND_STATE)
_SAVE_LEFTOVER = to_postgres(SAVE_LEFTOVER)


async def find_state(connection: Connection, run_id: int) -> RunState:
    return RunState(await connection.fetchval(_FIND_STATE, run_id))


_HAS_OTHERS = f"""
    SELECT
        EXISTS (
            SELECT 1
            FROM workers
            WHERE run_id = $1 AND {IS_LIVE.format(now="$2::float8")}
        )
"""
_CLOSE_RUN = """
    WITH closed AS (
        UPDATE runs
        SET state = $2, ended_at = tenax_now()
        WHERE id = $1 AND state = 'running'
        RETURNING id, source_id, ended_at
    )
    INSERT INTO change_log (xid, at, topic, source_id, subject_id)
    SELECT pg_current_xact_id()::text::bigint, ended_at, 'run', source_id, id
    FROM closed
"""


async def end_run(
    connection: Connection, source_id: int, run_id: int, state: RunState, worker_id: int, now: Instant
) -> bool:
    # Otherwise two workers that end concurrently would each see the other as active.
    await connection.execute("SELECT 1 FROM runs WHERE id = $1 FOR UPDATE", run_id)
    await connection.execute("UPDATE workers SET ended_at = tenax_now() WHERE id = $1", worker_id)
    has_others = await connection.fetchval(_HAS_OTHERS, run_id, now)
    if not has_others and state is not RunState.PAUSED:
        await connection.execute(_CLOSE_RUN, run_id, state)
    is_over = not has_others and await find_state(connection, run_id) not in GOES_ON
    if is_over:
        left = format_leftover(await count_leftover(connection, source_id, now))
        await connection.execute(_SAVE_LEFTOVER, left, run_id)
    return is_over
