"""Items that break the schema of their parser, kept apart with their faults."""

from typing import Any, Final

import orjson
from sqlalchemy import ColumnElement, Connection, Row, Select, func, select

from tenax.clock import Instant
from tenax.record import record
from tenax.stores.paging import EMPTY, ListSlice, SliceRequest, SortOrder, scan_slice
from tenax.stores.queries.filters import Facet, Facets, Filter, find_conditions, find_domain_id, find_names
from tenax.stores.schema.domains import domains
from tenax.stores.schema.items import invalid_items
from tenax.stores.schema.jobs import sources
from tenax.stores.schema.urls import urls

ORDER: Final = SortOrder(keys={"id": invalid_items.c.id}, number=invalid_items.c.id)
# Larger data is left out of the list, so that its size has a bound; the export of errors has no such items.
SHOWN_CHARS: Final = 8_000
FACETS: Final[Facets] = {
    Facet.RUN: invalid_items.c.run_id,
    Facet.SOURCE: invalid_items.c.source_id,
    Facet.DOMAIN: invalid_items.c.domain_id,
    Facet.DATE: invalid_items.c.at,
    Facet.KIND: invalid_items.c.kind,
}


@record
class InvalidItem:
    id: int
    at: Instant
    source_id: int
    source: str | None
    kind: str
    key: str
    url_id: int
    url: str
    domain: str
    run_id: int
    parser: str
    parser_version: str
    data: dict[str, Any] | None  # None: it is too large for a list
    faults: list[str]


@record
class InvalidFilter(Filter):
    parser: str | None = None


def slice_invalid(
    connection: Connection, wanted: SliceRequest, only: InvalidFilter
) -> ListSlice[InvalidItem]:
    """Raises UsageError if the filter names something unknown."""
    statement = _select().where(*find_conditions(connection, FACETS, only))
    if only.parser is not None:
        statement = statement.where(invalid_items.c.parser == only.parser)
    within: list[ColumnElement[bool]] = []
    if only.domain is not None:
        domain_id = find_domain_id(connection, only.domain)
        if domain_id is None:
            return EMPTY
        within = [invalid_items.c.domain_id == domain_id]
    return scan_slice(connection, statement, ORDER, wanted, _read, within)


def _select() -> Select[Any]:
    return (
        select(invalid_items, urls.c.url, domains.c.name.label("domain"), sources.c.name.label("source"))
        .add_columns(func.substr(invalid_items.c.data, 1, SHOWN_CHARS + 1).label("shown"))
        .join(urls, urls.c.id == invalid_items.c.url_id)
        .join(domains, domains.c.id == invalid_items.c.domain_id)
        .outerjoin(sources, sources.c.id == invalid_items.c.source_id)
    )


def _read(row: Row[*tuple[Any, ...]]) -> InvalidItem:
    return InvalidItem(
        id=row.id,
        at=row.at,
        source_id=row.source_id,
        source=row.source,
        kind=row.kind,
        key=row.key,
        url_id=row.url_id,
        url=row.url,
        domain=row.domain,
        run_id=row.run_id,
        parser=row.parser,
        parser_version=row.parser_version,
        data=orjson.loads(row.shown) if len(row.shown) <= SHOWN_CHARS else None,
        faults=orjson.loads(row.faults),
    )


def load_urls_of_invalid(
    connection: Connection, only: Filter, after: int, limit: int
) -> tuple[list[tuple[int, str]], int | None]:
    """Ids and addresses of the urls of the next invalid items, by the source, domain and kind of the filter;
    and the last item, after which to go on. None: there are no more. Raises UsageError for an unknown source
    or domain."""
    names = find_names(connection, Filter(source=only.source, domain=only.domain))
    equal = (
        (invalid_items.c.kind, only.item_kind),
        (invalid_items.c.source_id, names.source_id),
        (invalid_items.c.domain_id, names.domain_id),
    )
    statement = (
        select(invalid_items.c.id, invalid_items.c.url_id, urls.c.url)
        .join(urls, urls.c.id == invalid_items.c.url_id)
        .where(invalid_items.c.id > after)
        .where(*(column == value for column, value in equal if value is not None))
        .order_by(invalid_items.c.id)
        .limit(limit)
    )
    found = connection.execute(statement).all()
    return [(row.url_id, row.url) for row in found], found[-1].id if found else None
