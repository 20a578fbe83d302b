"""Sessions of workers that were stopped or cut off between the messages of one statement.

The server considers them active and ends them neither as idle nor for their duration, and their locks stay,
including those on domains. Every process that uses the store ends sessions that were silent for as long as an
idle transaction may last.
"""

from tenax.stores.postgres.connection.foreign_transactions import OURS
from tenax.stores.postgres.connection.protocol import Connection
from tenax.telemetry import log

# A copy of rows is one statement, however long it takes.
_STUCK = f"""
    SELECT pid, application_name
    FROM pg_stat_activity
    WHERE {OURS}
        AND usename = current_user
        AND pid <> pg_backend_pid()
        AND state = 'active'
        AND wait_event = 'ClientRead'
        AND query NOT ILIKE 'copy%'
        AND query_start < clock_timestamp() - current_setting(
            'idle_in_transaction_session_timeout'
        )::interval
        AND current_setting('idle_in_transaction_session_timeout') <> '0'
"""


_END_STUCK_SESSIONS = f"""
    WITH stuck AS MATERIALIZED ({_STUCK})
    SELECT application_name
    FROM stuck
    WHERE pg_terminate_backend(pid)
"""


async def end_stuck_sessions(connection: Connection) -> None:
    """Repeating is safe; a session that has continued meanwhile only has to connect again."""
    # Materialized: the planner would be free to end sessions before it knows which.
    ended = await connection.fetch(_END_STUCK_SESSIONS)
    for (name,) in ended:
        log.warning("stuck_session_ended", session=name)
