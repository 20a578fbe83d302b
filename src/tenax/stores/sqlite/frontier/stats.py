"""Counts what a batch has settled. See stores/hot/stats.py."""

from tenax.clock import Instant
from tenax.stores.hot.statements import FIND_COUNTS, SAVE_COUNTS
from tenax.stores.hot.stats import StatsCounts, StatsInterval, count_values, read_counts
from tenax.stores.sqlite.connection.database import Connection


def save_counts(connection: Connection, worker_id: int, counts: StatsCounts, now: Instant) -> None:
    """Add to the worker's row of this minute."""
    if counts.is_empty:
        return
    key = (StatsInterval.MINUTE.find_start(now), worker_id)
    earlier = connection.execute(FIND_COUNTS, key).fetchone()
    if earlier is not None:
        counts.add(read_counts(earlier))
    connection.execute(SAVE_COUNTS, (*key, *count_values(counts)))
