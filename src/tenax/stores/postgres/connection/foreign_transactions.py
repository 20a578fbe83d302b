"""Transactions of other programs that slow down the crawl.

While one is open, the server cannot clean up rows that were replaced since it began, and claims have to pass
all of them; its locks stay. Only members of pg_read_all_stats see how old the transactions of other roles
are.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from tenax.stores.contracts.overview import ForeignTransaction
from tenax.stores.hot.column_lists import join_names
from tenax.stores.postgres.connection.protocol import Connection

LONG_S = 300.0
# For a transaction that holds a lock we wait for: a moment is normal.
BLOCKING_S = 2.0


class SessionColumns(NamedTuple):
    pid: int
    usename: str
    application_name: str
    is_blocking: bool
    age_s: float | None


OURS = "datname = current_database() AND application_name LIKE 'tenax %'"
# A backend_type of NULL: it is not visible either.
_OLDEST = f"""
    WITH blocking AS (
        SELECT unnest(pg_blocking_pids(pid)) AS pid
        FROM pg_stat_activity
        WHERE {OURS} AND wait_event_type = 'Lock'
    ),
    others AS (
        SELECT
            pid,
            usename,
            application_name,
            pid IN (SELECT pid FROM blocking) AS is_blocking,
            CAST(extract(epoch FROM clock_timestamp() - xact_start) AS float8) AS age_s
        FROM pg_stat_activity
        WHERE datname = current_database()
            AND usename IS NOT NULL
            AND NOT ({OURS})
            AND coalesce(backend_type, 'client backend') = 'client backend'
    )
    SELECT {join_names(SessionColumns._fields)}
    FROM others
    WHERE age_s >= {{long_s}}
        OR is_blocking AND coalesce(age_s, {{blocking_s}}) >= {{blocking_s}}
    ORDER BY is_blocking DESC, age_s DESC NULLS LAST
    LIMIT 1
"""


def build_query() -> str:
    """The query for the transaction that matters most."""
    return _OLDEST.format(long_s=LONG_S, blocking_s=BLOCKING_S)


def read_transaction(row: Sequence[Any] | None) -> ForeignTransaction | None:
    if row is None:
        return None
    found = SessionColumns._make(row)
    owner = f"{found.usename}, {found.application_name}" if found.application_name else found.usename
    return ForeignTransaction(
        session=f"process {found.pid} ({owner})", is_blocking=found.is_blocking, age_s=found.age_s
    )


async def find_foreign(connection: Connection) -> ForeignTransaction | None:
    return read_transaction(await connection.fetchrow(build_query()))
