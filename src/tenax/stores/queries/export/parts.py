"""Finds the rows of an export, a few at a time, so that no statement takes long however rare matching rows
are: the rows of a small domain by their keys, all others by scanning the table.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from sqlalchemy import Column, ColumnElement, Connection, Row, Select, select

from tenax.record import record
from tenax.stores.queries.filters import (
    EVERYTHING,
    Facet,
    Facets,
    Filter,
    find_first_visit,
    find_names,
    list_conditions,
)
from tenax.stores.schema.visits import visits

Rows = Sequence[Row[*tuple[Any, ...]]]

ROWS_SCANNED: Final = 20_000  # by one statement
LARGE_DOMAIN: Final = 50_000  # with more rows than this, a domain's keys are not held in memory


@record
class ExportSelection:
    statement: Select[Any]
    key: Column[Any]
    after: int  # a key before the first one
    keys: tuple[int, ...] | None  # of all rows that can match; None: there are too many
    is_filtered: bool


def find_selection(
    connection: Connection, statement: Select[Any], key: Column[Any], facets: Facets, only: Filter
) -> ExportSelection:
    """`statement` selects the key as its first column. Raises UsageError if the filter names something
    unknown."""
    names = find_names(connection, only)
    statement = statement.where(*list_conditions(facets, only, names.source_id)).order_by(key)
    keys = None
    if names.domain_id is not None:
        keys = load_keys(connection, key, facets[Facet.DOMAIN] == names.domain_id)
        # The addition keeps the planner from using the index on domains, which reads the whole domain.
        statement = statement.where(facets[Facet.DOMAIN] + 0 == names.domain_id)
    return ExportSelection(
        statement=statement,
        key=key,
        after=find_first_visit(connection, only) if key is visits.c.id else -1,
        keys=keys,
        is_filtered=only != EVERYTHING,
    )


def iter_parts(connection: Connection, sought: ExportSelection, limit: int) -> Iterator[Rows]:
    """All rows in the order of their keys, in parts of at most `limit` rows."""
    if sought.keys is not None:
        for begin in range(0, len(sought.keys), limit):
            keys = sought.keys[begin : begin + limit]
            yield connection.execute(sought.statement.where(sought.key.in_(keys))).all()
    elif sought.is_filtered:
        yield from _iter_spans(connection, sought, limit)
    else:
        yield from _iter_span(connection, sought, limit, (sought.after, None))


def _iter_spans(connection: Connection, sought: ExportSelection, limit: int) -> Iterator[Rows]:
    after: int | None = sought.after
    ends = select(sought.key).order_by(sought.key).offset(ROWS_SCANNED - 1).limit(1)
    while after is not None:
        end = connection.scalar(ends.where(sought.key > after))
        yield from _iter_span(connection, sought, limit, (after, end))
        connection.commit()
        after = end


def _iter_span(
    connection: Connection, sought: ExportSelection, limit: int, span: tuple[int, int | None]
) -> Iterator[Rows]:
    after, end = span
    statement = sought.statement.limit(limit)
    if end is not None:
        statement = statement.where(sought.key <= end)
    while found := connection.execute(statement.where(sought.key > after)).all():
        after = found[-1][0]
        yield found


def load_keys(
    connection: Connection, key: Column[Any], is_of_domain: ColumnElement[bool]
) -> tuple[int, ...] | None:
    found = connection.scalars(select(key).where(is_of_domain).limit(LARGE_DOMAIN + 1)).all()
    return tuple(sorted(found)) if len(found) <= LARGE_DOMAIN else None
