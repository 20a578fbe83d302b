"""Transactions of other programs that the crawl suffers from.

While one is open, the server can clear away nothing that was replaced since it began, and claims have to pass
all of that; what it has locked stays locked. How old those of other roles are is told to members of
pg_read_all_stats only.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from tenax.stores.contracts.overview import ForeignTransaction
from tenax.stores.hot.column_lists import join_names
from tenax.stores.postgres.connection.protocol import Connection

LONG_S = 300.0
# Of whoever has locked what we wait for: a moment is nobody's fault.
BLOCKING_S = 2.0


class SessionColumns(NamedTuple):
    pid: int
    usename: str
    application_name: str
    is_blocking: bool
    age_s: float | None


OURS = "datname = current_database() AND application_name LIKE 'tenax %'"
# A backend_type of NULL: it is not to be seen either.
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


def build_question() -> str:
    """SQL for the one that matters most."""
    return _OLDEST.format(long_s=LONG_S, blocking_s=BLOCKING_S)


def read_answer(row: Sequence[Any] | None) -> ForeignTransaction | None:
    if row is None:
        return None
    found = SessionColumns._make(row)
    owner = f"{found.usename}, {found.application_name}" if found.application_name else found.usename
    return ForeignTransaction(
        session=f"process {found.pid} ({owner})", is_blocking=found.is_blocking, age_s=found.age_s
    )


async def find_foreign(connection: Connection) -> ForeignTransaction | None:
    return read_answer(await connection.fetchrow(build_question()))
