"""What was done when, and in all: for charts and counters. Reads only; no row per page or url is touched."""

from collections import defaultdict
from collections.abc import Iterator

from sqlalchemy import ColumnElement, Connection, and_, func, or_, select

from tenax.clock import Instant
from tenax.stores.stats import COLUMNS, Counts, Span, read_counts
from tenax.stores.tables import IS_UNROLLED, stats
from tenax.values import record

# Up to which length of time a chart has a point per minute, and per hour: some 350 points.
MINUTES_UP_TO_S = 6 * 3600.0
HOURS_UP_TO_S = 14 * 86400.0

_IS_UNROLLED: ColumnElement[bool] = and_(IS_UNROLLED)


@record(frozen=True, slots=True, kw_only=True)
class Point:
    """A span of time. The one that `until` lies in is not over yet."""

    at: Instant  # when it begins
    counts: Counts


def choose_step(since: Instant, until: Instant) -> Span:
    length_s = until - since
    if length_s <= MINUTES_UP_TO_S:
        return Span.MINUTE
    return Span.HOUR if length_s <= HOURS_UP_TO_S else Span.DAY


def load_series(connection: Connection, *, since: Instant, until: Instant, step: Span) -> list[Point]:
    """One point after the other without gaps, also where nothing was done. It begins with the span that
    `since` lies in, but not before the first that anything is known of; none: nothing is known.

    Minutes are kept for two days and hours for sixty."""
    condition = stats.c.span == step.word
    if step is not Span.MINUTE:
        condition = or_(condition, _IS_UNROLLED)
    points: dict[int, Counts] = defaultdict(Counts)
    first = _find_first(connection)
    if first is None:
        return []
    start = step.find_start(max(since, first))
    for at, counts in _load(connection, condition, start, until):
        points[step.find_start(at)].add(counts)
    return [Point(at=float(at), counts=points[at]) for at in range(start, _round_up(until), step)]


def load_totals(connection: Connection) -> Counts:
    """Of all that was ever counted: it only grows."""
    total = Counts()
    for condition in (stats.c.span == Span.DAY.word, _IS_UNROLLED):
        for _, counts in _load(connection, condition, 0, None):
            total.add(counts)
    return total


def load_since(connection: Connection, since: Instant) -> Counts:
    """Of the minutes that have begun since then."""
    total = Counts()
    for _, counts in _load(connection, stats.c.span == Span.MINUTE.word, _round_up(since), None):
        total.add(counts)
    return total


def _find_first(connection: Connection) -> int | None:
    # By span: the index answers each of them at once.
    found = [
        connection.scalar(select(func.min(stats.c.at)).where(stats.c.span == span.word)) for span in Span
    ]
    return min((at for at in found if at is not None), default=None)


def _load(
    connection: Connection, condition: ColumnElement[bool], since: int, until: Instant | None
) -> Iterator[tuple[int, Counts]]:
    statement = select(stats.c.at, *(stats.c[name] for name in COLUMNS)).where(condition, stats.c.at >= since)
    if until is not None:
        statement = statement.where(stats.c.at < until)
    for at, *values in connection.execute(statement):
        yield at, read_counts(values)


def _round_up(at: Instant) -> int:
    return -int(-at // 1)
