"""Counts what a batch has settled. See stores/hot/stats.py."""

from tenax.clock import Instant
from tenax.stores.hot.parameters import to_postgres
from tenax.stores.hot.statements import FIND_COUNTS, SAVE_COUNTS
from tenax.stores.hot.stats import StatsCounts, StatsInterval, count_values, read_counts
from tenax.stores.postgres.connection.protocol import Connection

_FIND_COUNTS = to_postgres(FIND_COUNTS)
_SAVE_COUNTS = to_postgres(SAVE_COUNTS)


async def save_counts(connection: Connection, worker_id: int, counts: StatsCounts, now: Instant) -> None:
    """Add to the worker's row of this minute."""
    if counts.is_empty:
        return
    key = (StatsInterval.MINUTE.find_start(now), worker_id)
    earlier = await connection.fetchrow(_FIND_COUNTS, *key)
    if earlier is not None:
        counts.add(read_counts(tuple(earlier)))
    await connection.execute(_SAVE_COUNTS, *key, *count_values(counts))
