"""Counts what a batch has settled. See stores/hot/stats.py."""

from tenax.clock import Instant
from tenax.stores.hot.stats import COLUMNS, StatsCounts, StatsInterval, count_values, read_counts
from tenax.stores.sqlite.connection.database import Connection

_NAMES = ", ".join(COLUMNS)
_REPLACED = ", ".join(f"{name} = excluded.{name}" for name in COLUMNS)
_FIND = f"""
    SELECT {_NAMES}
    FROM stats
    WHERE span = 'minute'
        AND at = ?
        AND worker_id = ?
        AND is_rolled = 0
"""
# A clock that was set back comes to minutes that were rolled up: what they held is kept elsewhere.
_SAVE = f"""
    INSERT INTO stats (span, at, worker_id, {_NAMES})
    VALUES ('minute', ?, ?{", ?" * len(COLUMNS)})
    ON CONFLICT (span, at, worker_id) DO UPDATE SET
        is_rolled = 0,
        {_REPLACED}
"""


def save_counts(connection: Connection, worker_id: int, counts: StatsCounts, now: Instant) -> None:
    """Add to the worker's row of this minute."""
    if counts.is_empty:
        return
    key = (StatsInterval.MINUTE.find_start(now), worker_id)
    earlier = connection.execute(_FIND, key).fetchone()
    if earlier is not None:
        counts.add(read_counts(earlier))
    connection.execute(_SAVE, (*key, *count_values(counts)))
