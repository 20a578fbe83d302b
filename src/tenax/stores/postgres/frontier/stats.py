"""Counts what a batch has settled. See stores/hot/stats.py."""

from tenax.clock import Instant
from tenax.stores.hot.stats import COLUMNS, StatsCounts, StatsInterval, count_values, read_counts
from tenax.stores.postgres.connection.connection import Connection

_NAMES = ", ".join(COLUMNS)
_REPLACED = ", ".join(f"{name} = excluded.{name}" for name in COLUMNS)
_MARKS = ", ".join(f"${number}" for number in range(3, 3 + len(COLUMNS)))
_FIND = f"""
    SELECT {_NAMES}
    FROM stats
    WHERE span = 'minute'
        AND at = $1
        AND worker_id = $2
        AND is_rolled = 0
"""
# A clock that was set back comes to minutes that were rolled up: what they held is kept elsewhere.
_SAVE = f"""
    INSERT INTO stats (span, at, worker_id, {_NAMES})
    VALUES ('minute', $1, $2, {_MARKS})
    ON CONFLICT (span, at, worker_id) DO UPDATE SET
        is_rolled = 0,
        {_REPLACED}
"""


async def save_counts(connection: Connection, worker_id: int, counts: StatsCounts, now: Instant) -> None:
    """Add to the worker's row of this minute."""
    if counts.is_empty:
        return
    key = (StatsInterval.MINUTE.find_start(now), worker_id)
    earlier = await connection.fetchrow(_FIND, *key)
    if earlier is not None:
        counts.add(read_counts(tuple(earlier)))
    await connection.execute(_SAVE, *key, *count_values(counts))
