"""Visits: slices of the crawl log."""

from enum import StrEnum
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Select, select

from tenax.clock import Instant
from tenax.record import record
from tenax.stores.paging import EMPTY, ListSlice, SliceRequest, SortOrder, scan_slice
from tenax.stores.queries.filters import (
    VISIT_FACETS,
    Filter,
    find_conditions,
    find_domain_id,
    find_first_visit,
    list_span,
)
from tenax.stores.schema.domains import domains
from tenax.stores.schema.urls import urls
from tenax.stores.schema.visits import visits

# By instant only within a domain: no index covers the instants of all visits.
ORDER: Final = SortOrder(keys={"id": visits.c.id, "at": visits.c.at}, number=visits.c.id)


class VisitKind(StrEnum):
    PAGE = "page"  # of a url
    ROBOTS = "robots"  # of an origin's robots.txt


class VisitOutcome(StrEnum):
    FETCHED = "fetched"
    READ = "read"  # a sitemap
    UNCHANGED = "unchanged"
    REDIRECTED = "redirected"
    SKIPPED = "skipped"
    GONE = "gone"
    REJECTED = "rejected"
    REFUSED = "refused"
    FAILED = "failed"
    ROBOTS = "robots"  # a robots.txt request, whatever its result


@record
class VisitSummary:
    id: int
    run_id: int
    worker_id: int
    kind: VisitKind
    url_id: int | None  # None: a robots.txt
    url: str | None
    domain: str
    at: Instant
    duration_s: float
    outcome: VisitOutcome
    status: int | None
    wire_bytes: int
    error_kind: str | None
    error_detail: str | None


@record
class VisitFilter(Filter):
    kind: VisitKind | None = None
    outcome: VisitOutcome | None = None
    status: int | None = None
    error_kind: str | None = None


def slice_visits(connection: Connection, wanted: SliceRequest, only: VisitFilter) -> ListSlice[VisitSummary]:
    statement = _select().where(*_list_conditions(connection, only))
    within = _bound(connection, wanted, only)
    if only.domain is not None:
        domain_id = find_domain_id(connection, only.domain)
        if domain_id is None:
            return EMPTY
        within.append(visits.c.domain_id == domain_id)
    return scan_slice(connection, statement, ORDER, wanted, _read, within)


def _bound(connection: Connection, wanted: SliceRequest, only: VisitFilter) -> list[ColumnElement[bool]]:
    """Conditions that the index of the sort order can answer."""
    first_id = find_first_visit(connection, only)
    bounds: list[ColumnElement[bool]] = [visits.c.id > first_id] if first_id else []
    return bounds + list_span(VISIT_FACETS, only) if wanted.key == "at" else bounds


def slice_url_visits(
    connection: Connection, wanted: SliceRequest, url_id: int
) -> ListSlice[VisitSummary] | None:
    """The visits of one url; None: the url is unknown."""
    domain_id = connection.scalar(select(urls.c.domain_id).where(urls.c.id == url_id))
    if domain_id is None:
        return None
    statement = _select().where(visits.c.url_id == url_id)
    return scan_slice(connection, statement, ORDER, wanted, _read, [visits.c.domain_id == domain_id])


def _select() -> Select[Any]:
    return (
        select(visits, urls.c.url, domains.c.name.label("domain"))
        .join(domains, domains.c.id == visits.c.domain_id)
        .outerjoin(urls, urls.c.id == visits.c.url_id)
    )


def _read(row: Row[*tuple[Any, ...]]) -> VisitSummary:
    return VisitSummary(
        id=row.id,
        run_id=row.run_id,
        worker_id=row.worker_id,
        kind=VisitKind.ROBOTS if row.url_id is None else VisitKind.PAGE,
        url_id=row.url_id,
        url=row.url,
        domain=row.domain,
        at=row.at,
        duration_s=row.duration_s,
        outcome=VisitOutcome(row.outcome),
        status=row.status,
        wire_bytes=row.wire_bytes,
        error_kind=row.error_kind,
        error_detail=row.error_detail,
    )


def _list_conditions(connection: Connection, only: VisitFilter) -> list[ColumnElement[bool]]:
    equal = {
        visits.c.outcome: only.outcome,
        visits.c.status: only.status,
        visits.c.error_kind: only.error_kind,
    }
    conditions = find_conditions(connection, VISIT_FACETS, only)
    conditions += [column == value for column, value in equal.items() if value is not None]
    if only.kind is not None:
        is_robots = visits.c.url_id.is_(None)
        conditions.append(is_robots if only.kind is VisitKind.ROBOTS else ~is_robots)
    return conditions
