"""Domains in parts, sorted and filtered."""

from typing import Final

from sqlalchemy import ColumnElement, Connection, func, select

from tenax.record import record
from tenax.records.domains import DomainStatus
from tenax.stores.paging import ListSlice, SliceRequest, SortOrder, holds, load_slice
from tenax.stores.queries.domains import DomainSummary, summarise_row
from tenax.stores.queries.filters import DOMAIN_FACETS, Filter, find_conditions
from tenax.stores.queries.status import SourceSettings
from tenax.stores.schema.crawl import domains

ORDER: Final = SortOrder(
    keys={
        "name": domains.c.name,
        "urls": domains.c.pages_discovered,
        "pages": domains.c.pages_crawled,
        "queued": domains.c.queued,
        "requests": domains.c.requests,
        "errors": domains.c.total_errors,
        "score": domains.c.priority_score,
        "images": domains.c.images_stored,
        "last_crawled_at": func.coalesce(domains.c.last_crawled_at, 0.0),
    },
    number=domains.c.id,
)


@record
class DomainFilter(Filter):
    """Of its own run, the last one that visited it; of its dates, the one when it was first seen."""

    status: DomainStatus | None = None
    text: str | None = None  # in its name
    is_active: bool | None = None


def slice_domains(
    connection: Connection, wanted: SliceRequest, only: DomainFilter
) -> ListSlice[DomainSummary]:
    settings = SourceSettings(connection)
    statement = select(domains).where(*list_domain_conditions(connection, only))
    return load_slice(connection, statement, ORDER, wanted, lambda row: summarise_row(row, settings))


def list_domain_conditions(connection: Connection, only: DomainFilter) -> list[ColumnElement[bool]]:
    conditions = find_conditions(connection, DOMAIN_FACETS, only)
    if only.status is not None:
        conditions.append(domains.c.status == only.status)
    if only.text is not None:
        conditions.append(holds(domains.c.name, only.text))
    if only.is_active is not None:
        conditions.append(domains.c.is_active == int(only.is_active))
    return conditions
