"""How parsers do: in total, over time, against their own past, and candidates beside current versions."""

from collections.abc import Iterable
from enum import IntEnum
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, func, select

from tenax.clock import Instant
from tenax.policy.quality.parser_health import (
    LEAST_RECENT,
    PAST_S,
    RECENT_S,
    Drop,
    Measure,
    ParserCounts,
    describe_drop,
    find_drops,
)
from tenax.record import record
from tenax.stores.queries.filters import find_domain_id
from tenax.stores.schema.domains import domains
from tenax.stores.schema.items import parser_alerts, parser_stats

ALL_DOMAINS: Final = 0  # in `parser_alerts`
MOST_ROWS: Final = 1_000
_COUNTED: Final = tuple(ParserCounts.__dataclass_fields__)
_SUMS: Final = tuple(func.sum(parser_stats.c[name]).label(name) for name in _COUNTED)


class StatsStep(IntEnum):
    """Seconds of a point."""

    HOUR = 3600
    DAY = 86_400


@record
class ParserSummary:
    """What a version of a parser did."""

    parser: str
    version: str
    domains: int
    last_at: Instant  # the hour in which it last had a page
    counts: ParserCounts


@record
class ParserPoint:
    at: Instant  # the start of an hour or a day
    version: str
    counts: ParserCounts


@record
class ParserDomain:
    domain: str
    counts: ParserCounts


@record
class FoundDrop:
    parser: str
    domain_id: int
    domain: str | None  # None: all of its domains
    drop: Drop


@record
class ParserAlert:
    id: int
    parser: str
    domain: str | None  # None: all of its domains
    drop: Drop
    at: Instant
    ended_at: Instant | None  # None: it still does worse


def list_parser_totals(
    connection: Connection, *, since: Instant, parser: str | None = None
) -> list[ParserSummary]:
    """The versions that had a page since then, the newest of each parser first; at most MOST_ROWS."""
    names = parser_stats.c.parser, parser_stats.c.parser_version
    last = func.max(parser_stats.c.hour)
    statement = (
        select(
            *names, func.count(parser_stats.c.domain_id.distinct()).label("domains"), last.label("last_at")
        )
        .add_columns(*_SUMS)
        .where(parser_stats.c.hour >= int(since))
        .group_by(*names)
        .order_by(parser_stats.c.parser, last.desc(), parser_stats.c.parser_version)
        .limit(MOST_ROWS)
    )
    if parser is not None:
        statement = statement.where(parser_stats.c.parser == parser)
    return [
        ParserSummary(
            parser=row.parser,
            version=row.parser_version,
            domains=row.domains,
            last_at=float(row.last_at),
            counts=_read_counts(row),
        )
        for row in connection.execute(statement)
    ]


def load_last_day(connection: Connection, now: Instant) -> dict[str, ParserCounts]:
    """What the newest version of each parser did, by name: an older one may have failed until it was
    repaired."""
    last, newest = func.max(parser_stats.c.hour).label("last"), func.max(parser_stats.c.id).label("newest")
    statement = (
        select(parser_stats.c.parser, *_SUMS, last, newest)
        .where(parser_stats.c.hour >= int(now - RECENT_S))
        .group_by(parser_stats.c.parser, parser_stats.c.parser_version)
        .order_by(last, newest)
    )
    return {row.parser: _read_counts(row) for row in connection.execute(statement)}


def list_parser_points(
    connection: Connection, parser: str, *, since: Instant, step: StatsStep, domain: str | None = None
) -> list[ParserPoint]:
    """Over time, oldest first; spans without a page are left out."""
    at = parser_stats.c.hour - parser_stats.c.hour % int(step)
    statement = (
        select(at.label("at"), parser_stats.c.parser_version, *_SUMS)
        .where(parser_stats.c.parser == parser, parser_stats.c.hour >= int(since))
        .group_by(at, parser_stats.c.parser_version)
        .order_by(at, parser_stats.c.parser_version)
        .limit(MOST_ROWS)
    )
    if domain is not None:
        statement = statement.where(parser_stats.c.domain_id == (find_domain_id(connection, domain) or 0))
    return [
        ParserPoint(at=float(row.at), version=row.parser_version, counts=_read_counts(row))
        for row in connection.execute(statement)
    ]


def list_parser_domains(
    connection: Connection, parser: str, *, since: Instant, limit: int = 100
) -> list[ParserDomain]:
    """The domains with most pages first."""
    pages = func.sum(parser_stats.c.pages)
    statement = (
        select(domains.c.name, *_SUMS)
        .join(domains, domains.c.id == parser_stats.c.domain_id)
        .where(parser_stats.c.parser == parser, parser_stats.c.hour >= int(since))
        .group_by(domains.c.name)
        .order_by(pages.desc(), domains.c.name)
        .limit(limit)
    )
    return [ParserDomain(domain=row.name, counts=_read_counts(row)) for row in connection.execute(statement)]


def find_parser_drops(connection: Connection, now: Instant) -> list[FoundDrop]:
    """Parsers that do worse now than in their past, by domain. All domains of a parser together are compared
    if none of them shows it and there are several."""
    found = []
    by_domain = _compare(connection, now)
    names = _find_domain_names(connection, {domain_id for _, domain_id in by_domain})
    for (parser, domain_id), (past, recent) in sorted(by_domain.items()):
        found += [
            FoundDrop(parser=parser, domain_id=domain_id, domain=names.get(domain_id), drop=drop)
            for drop in find_drops(past, recent)
        ]
    said = {each.parser for each in found}
    for parser, (past, recent) in sorted(_compare_all(connection, now).items()):
        if parser not in said:
            found += [
                FoundDrop(parser=parser, domain_id=ALL_DOMAINS, domain=None, drop=drop)
                for drop in find_drops(past, recent)
            ]
    return found


def load_recent(connection: Connection, parser: str, domain_id: int, now: Instant) -> ParserCounts:
    """What a parser did in the last day. `domain_id`: or ALL_DOMAINS."""
    statement = select(*_SUMS).where(
        parser_stats.c.parser == parser, parser_stats.c.hour >= int(now - RECENT_S)
    )
    if domain_id != ALL_DOMAINS:
        statement = statement.where(parser_stats.c.domain_id == domain_id)
    return _read_counts(connection.execute(statement).one())


def list_alerts(
    connection: Connection, *, parser: str | None = None, is_open: bool | None = None, limit: int = 100
) -> list[ParserAlert]:
    """Newest first."""
    statement = (
        select(parser_alerts, domains.c.name)
        .outerjoin(domains, domains.c.id == parser_alerts.c.domain_id)
        .order_by(parser_alerts.c.id.desc())
        .limit(limit)
    )
    if parser is not None:
        statement = statement.where(parser_alerts.c.parser == parser)
    if is_open is not None:
        ended = parser_alerts.c.ended_at
        statement = statement.where(ended.is_(None) if is_open else ended.isnot(None))
    return [_read_alert(row) for row in connection.execute(statement)]


def count_open_alerts(connection: Connection) -> dict[str, int]:
    """By parser."""
    statement = (
        select(parser_alerts.c.parser, func.count())
        .where(parser_alerts.c.ended_at.is_(None))
        .group_by(parser_alerts.c.parser)
    )
    return {row[0]: row[1] for row in connection.execute(statement)}


def read_drop(row: Row[*tuple[Any, ...]]) -> Drop:
    """From `parser_alerts`."""
    return Drop(
        measure=Measure(row.measure),
        past=row.past,
        recent=row.recent,
        past_pages=row.past_count,
        recent_pages=row.recent_count,
    )


def _read_alert(row: Row[*tuple[Any, ...]]) -> ParserAlert:
    return ParserAlert(
        id=row.id, parser=row.parser, domain=row.name, drop=read_drop(row), at=row.at, ended_at=row.ended_at
    )


_Compared = dict[tuple[str, int], tuple[ParserCounts, ParserCounts]]


def _compare(connection: Connection, now: Instant) -> _Compared:
    """Past and recent, of those that had enough pages lately: the past of the others is not read."""
    since = int(now - RECENT_S)
    keys = parser_stats.c.parser, parser_stats.c.domain_id
    recent = _sum_span(connection, keys, since, None)
    wanted = {domain for _, domain in recent}
    is_wanted = parser_stats.c.domain_id.in_(wanted)
    past = _sum_span(connection, keys, int(now - RECENT_S - PAST_S), since, is_wanted)
    return {key: (past.get(key, ParserCounts()), counts) for key, counts in recent.items()}


def _compare_all(connection: Connection, now: Instant) -> dict[str, tuple[ParserCounts, ParserCounts]]:
    since = int(now - RECENT_S)
    several = (
        select(parser_stats.c.parser)
        .where(parser_stats.c.hour >= since)
        .group_by(parser_stats.c.parser)
        .having(func.count(parser_stats.c.domain_id.distinct()) > 1)
    )
    names = list(connection.scalars(several))
    is_one = parser_stats.c.parser.in_(names)
    keys = (parser_stats.c.parser,)
    recent = _sum_span(connection, keys, since, None, is_one)
    past = _sum_span(connection, keys, int(now - RECENT_S - PAST_S), since, is_one)
    return {key[0]: (past.get(key, ParserCounts()), counts) for key, counts in recent.items()}


def _sum_span(
    connection: Connection,
    keys: tuple[ColumnElement[Any], ...],
    since: int,
    until: int | None,
    *only: ColumnElement[bool],
) -> dict[Any, ParserCounts]:
    """`until` None: up to now; only those with enough pages are wanted then."""
    statement = select(*keys, *_SUMS).where(parser_stats.c.hour >= since, *only).group_by(*keys)
    if until is None:
        statement = statement.having(func.sum(parser_stats.c.pages) >= LEAST_RECENT)
    else:
        statement = statement.where(parser_stats.c.hour < until)
    number = len(keys)
    return {tuple(row[:number]): _read_counts(row) for row in connection.execute(statement)}


def _find_domain_names(connection: Connection, ids: Iterable[int]) -> dict[int, str]:
    rows = connection.execute(select(domains.c.id, domains.c.name).where(domains.c.id.in_(list(ids))))
    return {row.id: row.name for row in rows}


def _read_counts(row: Row[*tuple[Any, ...]]) -> ParserCounts:
    # PostgreSQL adds integers up to decimals.
    values = {name: int(getattr(row, name) or 0) for name in _COUNTED if name != "confidence_sum"}
    return ParserCounts(**values, confidence_sum=float(row.confidence_sum or 0.0))


def list_parser_warnings(connection: Connection, now: Instant) -> list[str]:
    """One sentence for each parser that does worse than in its past, whether a server watches or not."""
    return [
        f"{describe_drop(each.parser, each.domain, each.drop)} See: tenax parsers stats {each.parser}"
        for each in find_parser_drops(connection, now)
    ]
