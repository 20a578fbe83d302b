"""Stock changes: which products can or cannot be bought since when, newest first or oldest first."""

from decimal import Decimal
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, select

from tenax.clock import Instant
from tenax.record import record
from tenax.records.products import Availability
from tenax.stores.paging import EMPTY, ListSlice, SliceRequest, SortOrder, scan_slice
from tenax.stores.queries.filters import Facet, Facets, Filter, find_domain_id, find_names, list_span
from tenax.stores.queries.items import ItemState
from tenax.stores.schema.domains import domains
from tenax.stores.schema.items import product_changes, products, stock_differs
from tenax.stores.schema.jobs import sources
from tenax.stores.schema.urls import urls

AT: Final = "at"
STOCK_ORDER: Final = SortOrder(keys={AT: product_changes.c.at}, number=product_changes.c.id)
STOCK_FACETS: Final[Facets] = {Facet.DATE: product_changes.c.at}


@record
class StockFilter(Filter):
    """`since` and `until` are about the change."""

    availability: Availability | None = None  # what it became
    state: ItemState | None = None  # of the product now


@record
class StockChange:
    """A page named another availability than the last one that was known before."""

    id: int
    product_id: int
    name: str | None
    at: Instant
    availability: Availability
    old_availability: Availability
    price: Decimal | None  # with the change; None: the page named none
    currency: str | None
    gone_at: Instant | None  # of the product now
    url: str  # of the product now
    domain: str
    source_id: int
    source: str | None  # its name; None: it was removed

    @property
    def state(self) -> ItemState:
        return ItemState.PRESENT if self.gone_at is None else ItemState.GONE


def slice_stock_changes(
    connection: Connection, wanted: SliceRequest, only: StockFilter
) -> ListSlice[StockChange]:
    """Raises UsageError if the filter names something unknown."""
    names = find_names(connection, Filter(source=only.source, since=only.since, until=only.until))
    domain_id = None if only.domain is None else find_domain_id(connection, only.domain)
    if only.domain is not None and domain_id is None:
        return EMPTY
    within = [stock_differs, *list_span(STOCK_FACETS, only)]
    statement = _SELECT.where(*_list_others(only, names.source_id, domain_id))
    return scan_slice(connection, statement, STOCK_ORDER, wanted, _read, within)


def _list_others(
    only: StockFilter, source_id: int | None, domain_id: int | None
) -> list[ColumnElement[bool]]:
    equal: list[tuple[ColumnElement[Any], Any]] = [
        (product_changes.c.availability, only.availability),
        (products.c.source_id, source_id),
        (products.c.domain_id, domain_id),
    ]
    conditions: list[ColumnElement[bool]] = [column == value for column, value in equal if value is not None]
    if only.state is not None:
        gone_at = products.c.gone_at
        conditions.append(gone_at.is_not(None) if only.state is ItemState.GONE else gone_at.is_(None))
    return conditions


_SELECT: Final = (
    select(
        product_changes,
        products.c.name,
        products.c.gone_at,
        products.c.source_id,
        urls.c.url,
        domains.c.name.label("domain"),
        sources.c.name.label("source"),
    )
    .join(products, products.c.item_id == product_changes.c.item_id)
    .join(urls, urls.c.id == products.c.url_id)
    .join(domains, domains.c.id == products.c.domain_id)
    .outerjoin(sources, sources.c.id == products.c.source_id)
)


def _read(row: Row[*tuple[Any, ...]]) -> StockChange:
    return StockChange(
        id=row.id,
        product_id=row.item_id,
        name=row.name,
        at=row.at,
        availability=Availability(row.availability),
        old_availability=Availability(row.old_availability),
        price=row.price,
        currency=row.currency,
        gone_at=row.gone_at,
        url=row.url,
        domain=row.domain,
        source_id=row.source_id,
        source=row.source,
    )
