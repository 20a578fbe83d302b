"""Rolls up statistics: minutes are added to their hour and day together, and old rows are deleted.

A minute is marked in the transaction that adds it to its hour and day. So if a roll-up is killed, repeated or
done by two processes at once, no minute counts twice and none is lost, however late it is written.
"""

from collections import defaultdict
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from tenax.clock import Instant
from tenax.stores.hot.stats import (
    COLUMNS,
    HOURS_KEPT_S,
    MINUTES_KEPT_S,
    StatsCounts,
    StatsInterval,
    count_values,
    read_counts,
)
from tenax.stores.schema.stats import IS_UNROLLED, stats

# A settling transaction ends within a minute, or the store ends it: older rows are no longer written.
SETTLED_AFTER_S = 600.0
# Each takes 50 µs, and SQLite accepts no other writes meanwhile.
ROWS_AT_ONCE = 1000

ALL_WORKERS = 0
_COUNTS = tuple(stats.c[name] for name in COLUMNS)


def roll_up(connection: Connection, now: Instant) -> bool:
    """Runs in a transaction of the caller; returns whether there is more to do. `now`: by the store's
    clock."""
    before = int(now - SETTLED_AFTER_S) - StatsInterval.MINUTE
    found = connection.execute(
        select(stats.c.id, stats.c.at, *_COUNTS)
        .where(IS_UNROLLED, stats.c.at < before)
        .order_by(stats.c.at, stats.c.id)
        .limit(ROWS_AT_ONCE)
        # A concurrent roll-up waits here, and then finds these rows marked.
        .with_for_update()
    ).all()
    sums: dict[tuple[StatsInterval, int], StatsCounts] = defaultdict(StatsCounts)
    for row in found:
        counts = _read(row)
        for span in (StatsInterval.HOUR, StatsInterval.DAY):
            sums[span, span.find_start(row.at)].add(counts)
    for (span, at), counts in sums.items():
        _add_counts(connection, span, at, counts)
    ids = [row.id for row in found]
    connection.execute(update(stats).where(stats.c.id.in_(ids)).values(is_rolled=1))
    _delete_old(connection, now)
    return len(found) == ROWS_AT_ONCE


def _add_counts(connection: Connection, span: StatsInterval, at: int, counts: StatsCounts) -> None:
    is_it = (stats.c.span == span.word, stats.c.at == at, stats.c.worker_id == ALL_WORKERS)
    earlier = connection.execute(select(*_COUNTS).where(*is_it).with_for_update()).one_or_none()
    if earlier is not None:
        counts.add(_read(earlier))
    values = dict(zip(COLUMNS, count_values(counts), strict=True))
    if earlier is None:
        key = {"span": span.word, "at": at, "worker_id": ALL_WORKERS}
        connection.execute(insert(stats).values(**key, **values))
    else:
        connection.execute(update(stats).where(*is_it).values(**values))


def _read(row: Row[*tuple[Any, ...]]) -> StatsCounts:
    return read_counts([getattr(row, name) for name in COLUMNS])


def _delete_old(connection: Connection, now: Instant) -> None:
    is_rolled = stats.c.is_rolled == 1
    for span, kept_s, condition in (
        (StatsInterval.MINUTE, MINUTES_KEPT_S, (is_rolled,)),
        (StatsInterval.HOUR, HOURS_KEPT_S, ()),
    ):
        is_old = stats.c.at < int(now - kept_s) - span
        connection.execute(delete(stats).where(stats.c.span == span.word, is_old, *condition))
