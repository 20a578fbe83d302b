"""Errors of requests and parsers: each with its stack trace, and groups of errors that are alike."""

from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Select, select

from tenax.clock import Instant
from tenax.record import record
from tenax.records.items import ErrorCategory
from tenax.stores.paging import EMPTY, ListSlice, SliceRequest, SortOrder, load_slice, scan_slice
from tenax.stores.queries.filters import (
    Facet,
    Facets,
    Filter,
    find_conditions,
    find_domain_id,
    find_names,
    list_span,
)
from tenax.stores.schema.domains import domains
from tenax.stores.schema.error_log import error_groups, errors
from tenax.stores.schema.jobs import sources
from tenax.stores.schema.urls import urls

ORDER: Final = SortOrder(keys={"id": errors.c.id, "at": errors.c.at}, number=errors.c.id)
GROUP_ORDER: Final = SortOrder(
    keys={"last_at": error_groups.c.last_at, "count": error_groups.c.count}, number=error_groups.c.id
)
FACETS: Final[Facets] = {
    Facet.RUN: errors.c.run_id,
    Facet.SOURCE: errors.c.source_id,
    Facet.DOMAIN: errors.c.domain_id,
    Facet.DATE: errors.c.at,
}
GROUP_FACETS: Final[Facets] = {Facet.SOURCE: error_groups.c.source_id, Facet.DATE: error_groups.c.last_at}


@record
class ErrorFilter(Filter):
    category: ErrorCategory | None = None
    type: str | None = None
    parser: str | None = None
    fingerprint: int | None = None
    url_id: int | None = None

    @property
    def sort(self) -> str:
        """Newest first, by the index that finds them."""
        return "-at" if self.domain is None and self.fingerprint is None else "-id"


@record
class LoggedErrorSummary:
    id: int
    at: Instant
    category: ErrorCategory
    type: str
    message: str
    fingerprint: int
    parser: str | None  # None: it is not the error of a parser
    parser_version: str | None
    source_id: int
    source: str | None
    domain: str
    url_id: int
    url: str | None  # None: the url was deleted
    run_id: int
    has_stack: bool


@record
class LoggedErrorDetail:
    error: LoggedErrorSummary
    stack: str | None
    group: "ErrorGroup | None"


@record
class ErrorGroup:
    id: int
    fingerprint: int
    source_id: int
    source: str | None
    category: ErrorCategory
    type: str
    message: str  # of the newest
    parser: str | None
    count: int
    first_at: Instant
    last_at: Instant
    last_error_id: int
    example_url: str | None  # of the newest; None: it was deleted


def slice_errors(
    connection: Connection, wanted: SliceRequest, only: ErrorFilter
) -> ListSlice[LoggedErrorSummary]:
    """`wanted` has the order of the filter. Raises UsageError if that names something unknown."""
    statement = _select().where(*find_conditions(connection, FACETS, only), *_list_equal(errors, only))
    if only.url_id is not None:
        statement = statement.where(errors.c.url_id == only.url_id)
    within = _find_within(connection, wanted, only)
    if within is None:
        return EMPTY
    return scan_slice(connection, statement, ORDER, wanted, _read, within)


def _find_within(
    connection: Connection, wanted: SliceRequest, only: ErrorFilter
) -> list[ColumnElement[bool]] | None:
    """The conditions that the index of the list answers as well; None: nothing can match."""
    if wanted.key == "at":
        return list_span(FACETS, only)
    if only.domain is not None:
        domain_id = find_domain_id(connection, only.domain)
        return None if domain_id is None else [errors.c.domain_id == domain_id]
    holders = select(error_groups.c.source_id).where(error_groups.c.fingerprint == only.fingerprint)
    return [errors.c.source_id.in_(holders), errors.c.fingerprint == only.fingerprint]


def _list_equal(table: Any, only: ErrorFilter) -> list[ColumnElement[bool]]:
    equal = {
        "category": only.category,
        "type": only.type,
        "parser": only.parser,
        "fingerprint": only.fingerprint,
    }
    return [table.c[name] == value for name, value in equal.items() if value is not None]


def find_error(connection: Connection, error_id: int) -> LoggedErrorDetail | None:
    row = connection.execute(_select().where(errors.c.id == error_id)).one_or_none()
    if row is None:
        return None
    alike = _select_groups().where(
        error_groups.c.source_id == row.source_id, error_groups.c.fingerprint == row.fingerprint
    )
    group = connection.execute(alike).one_or_none()
    return LoggedErrorDetail(
        error=_read(row), stack=row.stack, group=None if group is None else _read_group(group)
    )


def slice_groups(connection: Connection, wanted: SliceRequest, only: ErrorFilter) -> ListSlice[ErrorGroup]:
    """Of the filter, run, domain and url do not count. Raises UsageError for an unknown source."""
    names = find_names(connection, Filter(source=only.source, since=only.since, until=only.until))
    statement = _select_groups().where(*list_span(GROUP_FACETS, only), *_list_equal(error_groups, only))
    if names.source_id is not None:
        statement = statement.where(error_groups.c.source_id == names.source_id)
    return load_slice(connection, statement, GROUP_ORDER, wanted, _read_group)


def _select() -> Select[Any]:
    return (
        select(errors, urls.c.url, domains.c.name.label("domain"), sources.c.name.label("source"))
        .join(domains, domains.c.id == errors.c.domain_id)
        .outerjoin(urls, urls.c.id == errors.c.url_id)
        .outerjoin(sources, sources.c.id == errors.c.source_id)
    )


def _select_groups() -> Select[Any]:
    return (
        select(error_groups, urls.c.url, sources.c.name.label("source"))
        .outerjoin(errors, errors.c.id == error_groups.c.last_error_id)
        .outerjoin(urls, urls.c.id == errors.c.url_id)
        .outerjoin(sources, sources.c.id == error_groups.c.source_id)
    )


def _read(row: Row[*tuple[Any, ...]]) -> LoggedErrorSummary:
    return LoggedErrorSummary(
        id=row.id,
        at=row.at,
        category=ErrorCategory(row.category),
        type=row.type,
        message=row.message,
        fingerprint=row.fingerprint,
        parser=row.parser,
        parser_version=row.parser_version,
        source_id=row.source_id,
        source=row.source,
        domain=row.domain,
        url_id=row.url_id,
        url=row.url,
        run_id=row.run_id,
        has_stack=row.stack is not None,
    )


def _read_group(row: Row[*tuple[Any, ...]]) -> ErrorGroup:
    return ErrorGroup(
        id=row.id,
        fingerprint=row.fingerprint,
        source_id=row.source_id,
        source=row.source,
        category=ErrorCategory(row.category),
        type=row.type,
        message=row.message,
        parser=row.parser,
        count=row._mapping["count"],  # `count` is a method of rows
        first_at=row.first_at,
        last_at=row.last_at,
        last_error_id=row.last_error_id,
        example_url=row.url,
    )
