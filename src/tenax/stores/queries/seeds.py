"""Seeds: how many come from which list, the best ranked ones, and a slice of them."""

from collections.abc import Iterator
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, func, select

from tenax.clock import Instant
from tenax.record import record
from tenax.stores.paging import ListSlice, SliceRequest, SortOrder, contains, load_slice, scan_slice
from tenax.stores.schema.seeds import seeds

# Seeds without a rank come last.
ORDER: Final = SortOrder(
    keys={"id": seeds.c.id, "rank": func.coalesce(seeds.c.rank, (1 << 31) - 1)}, number=seeds.c.id
)


@record
class SourceSummary:
    source: str | None  # None: given by a user, or the redirect target of such a seed
    seeds: int
    best_rank: int | None
    last_rank: int | None
    first_added_at: Instant
    last_added_at: Instant


@record
class SeedReport:
    url: str
    source: str | None
    rank: int | None
    cause: str  # user, list or redirect
    added_at: Instant


@record
class SeedFilter:
    source: str | None = None
    cause: str | None = None
    text: str | None = None  # in its url


def count_sources(connection: Connection, source: str | None = None) -> list[SourceSummary]:
    """Largest first."""
    number = func.count().label("number")
    statement = (
        select(
            seeds.c.source,
            number,
            func.min(seeds.c.rank).label("best_rank"),
            func.max(seeds.c.rank).label("last_rank"),
            func.min(seeds.c.added_at).label("first_added_at"),
            func.max(seeds.c.added_at).label("last_added_at"),
        )
        .group_by(seeds.c.source)
        .order_by(number.desc(), seeds.c.source)
    )
    if source is not None:
        statement = statement.where(seeds.c.source == source)
    return [
        SourceSummary(
            source=row.source,
            seeds=row.number,
            best_rank=row.best_rank,
            last_rank=row.last_rank,
            first_added_at=row.first_added_at,
            last_added_at=row.last_added_at,
        )
        for row in connection.execute(statement)
    ]


def list_seeds(connection: Connection, *, source: str | None = None, limit: int) -> Iterator[SeedReport]:
    """Best ranks first, then seeds without a rank in the order in which they were added."""
    statement = select(seeds).order_by(seeds.c.rank.is_(None), seeds.c.rank, seeds.c.id).limit(limit)
    if source is not None:
        statement = statement.where(seeds.c.source == source)
    yield from map(_read, connection.execute(statement.execution_options(yield_per=1000)))


def slice_seeds(connection: Connection, wanted: SliceRequest, only: SeedFilter) -> ListSlice[SeedReport]:
    statement = select(seeds).where(*_list_conditions(only))
    # Ranks have no index: all seeds are read anyway.
    load = load_slice if wanted.key == "rank" else scan_slice
    return load(connection, statement, ORDER, wanted, _read)


def _read(row: Row[*tuple[Any, ...]]) -> SeedReport:
    return SeedReport(url=row.url, source=row.source, rank=row.rank, cause=row.cause, added_at=row.added_at)


def _list_conditions(only: SeedFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if only.source is not None:
        conditions.append(seeds.c.source == only.source)
    if only.cause is not None:
        conditions.append(seeds.c.cause == only.cause)
    if only.text is not None:
        conditions.append(contains(seeds.c.url, only.text))
    return conditions
