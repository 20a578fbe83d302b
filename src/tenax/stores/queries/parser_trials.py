"""How candidates of parsers compare with current versions, field by field."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Connection, Row, select

from tenax.record import record
from tenax.stores.hot.items.counts import PAGES_FIELD
from tenax.stores.queries.filters import get_source_id
from tenax.stores.schema.items import parser_trials
from tenax.stores.schema.jobs import sources
from tenax.stores.schema.urls import urls

MOST_ROWS: Final = 5_000


@record
class TrialField:
    field: str
    same: int
    different: int
    only_current: int
    only_candidate: int
    # the newest difference, as JSON
    example_url: str | None
    example_current: str | None
    example_candidate: str | None


@record
class Comparison:
    """A candidate beside a current version."""

    source_id: int
    source: str | None
    parser: str
    version: str
    candidate: str
    pages_same: int
    pages_different: int
    pages_failed: int  # of the candidate
    last_failure: str | None
    fields: Sequence[TrialField]  # those that differ most first


def list_comparisons(
    connection: Connection, parser: str | None = None, source: str | None = None
) -> list[Comparison]:
    """By source, parser and versions. Raises UsageError if the source is unknown."""
    of = parser_trials.c
    statement = (
        select(parser_trials, sources.c.name.label("source"), urls.c.url)
        .outerjoin(sources, sources.c.id == of.source_id)
        .outerjoin(urls, urls.c.id == of.example_url_id)
        .order_by(of.source_id, of.parser, of.id)
        .limit(MOST_ROWS)
    )
    if parser is not None:
        statement = statement.where(of.parser == parser)
    if source is not None:
        statement = statement.where(of.source_id == get_source_id(connection, source))
    groups: dict[tuple[int, str, str, str], list[Row[*tuple[Any, ...]]]] = {}
    for row in connection.execute(statement):
        groups.setdefault((row.source_id, row.parser, row.version, row.candidate), []).append(row)
    return [_read(rows) for rows in groups.values()]


def _read(rows: Sequence[Row[*tuple[Any, ...]]]) -> Comparison:
    first = rows[0]
    pages = next((row for row in rows if row.field == PAGES_FIELD), None)
    fields = [_read_field(row) for row in rows if row.field != PAGES_FIELD]
    return Comparison(
        source_id=first.source_id,
        source=first.source,
        parser=first.parser,
        version=first.version,
        candidate=first.candidate,
        pages_same=0 if pages is None else pages.same,
        pages_different=0 if pages is None else pages.different,
        pages_failed=0 if pages is None else pages.only_current,
        last_failure=None if pages is None else pages.example_candidate,
        fields=sorted(fields, key=lambda each: (-_count_differences(each), each.field)),
    )


def _count_differences(field: TrialField) -> int:
    return field.different + field.only_current + field.only_candidate


def _read_field(row: Row[*tuple[Any, ...]]) -> TrialField:
    return TrialField(
        field=row.field,
        same=row.same,
        different=row.different,
        only_current=row.only_current,
        only_candidate=row.only_candidate,
        example_url=row.url,
        example_current=row.example_current,
        example_candidate=row.example_candidate,
    )
