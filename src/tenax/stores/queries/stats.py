"""Statistics over time and in total, for charts and counters. Reads only, and no row per page or url."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from math import ceil

from sqlalchemy import ColumnElement, Connection, and_, func, select

from tenax.clock import Instant
from tenax.record import record
from tenax.stores.hot.stats import (
    COLUMNS,
    HOURS_KEPT_S,
    MINUTES_KEPT_S,
    StatsCounts,
    StatsInterval,
    read_counts,
)
from tenax.stores.schema.stats import IS_UNROLLED, stats

# Up to these spans a chart has a point per minute or per hour: about 350 points.
MINUTES_UP_TO_S = 6 * 3600.0
HOURS_UP_TO_S = 14 * 86400.0


@record
class StatsPoint:
    """A minute, hour or day. The one that contains `until` is not over yet."""

    at: Instant  # its start
    counts: StatsCounts


def choose_step(since: Instant, until: Instant, now: Instant) -> StatsInterval:
    """The shortest interval that is kept long enough and gives no more points than a chart can show."""
    length_s, age_s = until - since, now - since
    if length_s <= MINUTES_UP_TO_S and age_s <= MINUTES_KEPT_S:
        return StatsInterval.MINUTE
    return StatsInterval.HOUR if length_s <= HOURS_UP_TO_S and age_s <= HOURS_KEPT_S else StatsInterval.DAY


def load_series(
    connection: Connection, *, since: Instant, until: Instant, step: StatsInterval
) -> list[StatsPoint]:
    """Points without gaps, including intervals in which nothing happened. The first one is the interval that
    contains `since`, or the first with any data if that is later. Empty: there is no data."""
    first = _find_first(connection)
    if first is None:
        return []
    start = step.find_start(max(since, first))
    points: dict[int, StatsCounts] = defaultdict(StatsCounts)
    for at, counts in _load_span(connection, step, start, until):
        points[step.find_start(at)].add(counts)
    return [StatsPoint(at=float(at), counts=points[at]) for at in range(start, ceil(until), step)]


def load_totals(connection: Connection) -> StatsCounts:
    """Everything that was ever counted: totals only grow."""
    return _sum(_load_span(connection, StatsInterval.DAY, 0))


def load_since(connection: Connection, since: Instant) -> StatsCounts:
    """The minutes that started since then."""
    return _sum(_load_span(connection, StatsInterval.MINUTE, since))


def _sum(found: Iterable[tuple[int, StatsCounts]]) -> StatsCounts:
    total = StatsCounts()
    for _, counts in found:
        total.add(counts)
    return total


def _find_first(connection: Connection) -> int | None:
    # One query per span: the index answers each of them directly.
    found = [
        connection.scalar(select(func.min(stats.c.at)).where(stats.c.span == span.word))
        for span in StatsInterval
    ]
    return min((at for at in found if at is not None), default=None)


def _load_span(
    connection: Connection, span: StatsInterval, since: Instant, until: Instant | None = None
) -> Iterator[tuple[int, StatsCounts]]:
    """The rows of a span, and the minutes that are not rolled up into it yet."""
    yield from _load(connection, stats.c.span == span.word, since, until)
    if span is not StatsInterval.MINUTE:
        yield from _load(connection, and_(IS_UNROLLED), since, until)


def _load(
    connection: Connection, condition: ColumnElement[bool], since: Instant, until: Instant | None
) -> Iterator[tuple[int, StatsCounts]]:
    columns = (stats.c[name] for name in COLUMNS)
    statement = select(stats.c.at, *columns).where(condition, stats.c.at >= ceil(since))
    if until is not None:
        statement = statement.where(stats.c.at < ceil(until))
    for row in connection.execute(statement):
        yield row.at, read_counts([getattr(row, name) for name in COLUMNS])
