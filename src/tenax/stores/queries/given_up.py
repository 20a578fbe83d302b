"""Urls that were given up, by reason, domain and run. Reads only, a batch at a time."""

from collections.abc import AsyncIterator, Sequence
from enum import StrEnum
from functools import partial
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, or_, select

from tenax.record import record
from tenax.records.requests import FailureKind
from tenax.records.urls import SOFT_404, Fate, RejectionReason
from tenax.stores.access import Access
from tenax.stores.paging import EMPTY, ListPosition, ListSlice, SliceRequest, SortOrder, contains, scan_slice
from tenax.stores.queries.filters import Filter, find_domain_id, find_first_visit
from tenax.stores.queries.urls import ORDER, slice_domain
from tenax.stores.queries.visits import VisitOutcome
from tenax.stores.schema.domains import domains
from tenax.stores.schema.runs import runs
from tenax.stores.schema.urls import urls
from tenax.stores.schema.visits import visits

URLS_AT_ONCE = 2000

_BY_VISIT: Final = SortOrder(keys={"id": visits.c.id}, number=visits.c.id)


class RetryReason(StrEnum):
    """Why urls were given up: the kinds of failures, two subsets of `http_status`, the quarantine, and why
    answers were no pages."""

    DNS = "dns"
    NO_SUCH_HOST = "no_such_host"
    FORBIDDEN_ADDRESS = "forbidden_address"
    CONNECT = "connect"
    TLS = "tls"
    TIMEOUT = "timeout"
    RESET = "reset"
    PROTOCOL = "protocol"
    ENCODING = "encoding"
    TOO_LARGE = "too_large"
    HTTP_STATUS = "http_status"
    HTTP_4XX = "http_4xx"  # a subset of http_status
    HTTP_5XX = "http_5xx"  # a subset of http_status
    RATE_LIMITED = "rate_limited"
    FORBIDDEN = "forbidden"
    CONTENT = "content"
    READER = "reader"
    READER_MEMORY = "reader_memory"
    READER_TIME = "reader_time"
    INTERNAL = "internal"
    LOCAL = "local"
    NO_ROUTE = "no_route"
    QUARANTINED = "quarantined"  # reading it killed a process; never included unless requested
    # Answers that were no pages; never included unless requested.
    REJECTED = "rejected"  # for any of these reasons
    NEEDS_RENDERING = "needs_rendering"
    NO_CONTENT = "no_content"
    BOT_CHECK = "bot_check"
    ACCESS_DENIED = "access_denied"
    SUSPENDED = "suspended"
    PARKED = "parked"
    DEFAULT_PAGE = "default_page"
    ERROR_PAGE = "error_page"
    TRAPPED = "trapped"  # others like it brought nothing new; never included unless requested
    SOFT_404 = "soft_404"  # gone, although the server says that it exists


_REJECTIONS: Final = frozenset(RejectionReason)
_STATUSES: Final = {RetryReason.HTTP_4XX: 400, RetryReason.HTTP_5XX: 500}


@record
class GivenUp:
    """A selection of the urls that were given up."""

    reasons: frozenset[RetryReason] = frozenset()  # empty: all dead urls
    domain: str | None = None
    run_id: int | None = None  # in which a visit of the url failed
    text: str | None = None  # in the url


def has_run(connection: Connection, run_id: int) -> bool:
    """Whether there is or was such a run."""
    return connection.scalar(select(runs.c.id).where(runs.c.id == run_id)) is not None


async def iter_given_up(access: Access, only: GivenUp) -> AsyncIterator[Sequence[Row[*tuple[Any, ...]]]]:
    """In batches, always forward: a url that fails again meanwhile does not appear twice."""
    after: ListPosition | None = None
    while True:
        wanted = SliceRequest(key="id", is_descending=False, after=after, limit=URLS_AT_ONCE)
        found = await access.read(partial(_find_some, wanted=wanted, only=only))
        if found.items:
            yield found.items
        after = found.next
        if after is None:
            return


def _find_some(
    connection: Connection, wanted: SliceRequest, only: GivenUp
) -> ListSlice[Row[*tuple[Any, ...]]]:
    statement = select_urls().where(*list_conditions(only))
    if only.run_id is not None:
        return _find_visited(connection, statement, wanted, only)
    if only.domain is None:
        return scan_slice(connection, statement, ORDER, wanted, _as_it_is)
    return slice_domain(connection, only.domain, urls.c.domain_id, statement, ORDER, wanted, _as_it_is)


def _find_visited(
    connection: Connection, statement: Select[Any], wanted: SliceRequest, only: GivenUp
) -> ListSlice[Row[*tuple[Any, ...]]]:
    within = [visits.c.id > find_first_visit(connection, Filter(run_id=only.run_id))]
    if only.domain is not None:
        domain_id = find_domain_id(connection, only.domain)
        if domain_id is None:
            return EMPTY
        within.append(visits.c.domain_id == domain_id)
    statement = statement.join(visits, visits.c.url_id == urls.c.id).where(
        visits.c.run_id == only.run_id, visits.c.outcome.in_(_find_outcomes(only))
    )
    return scan_slice(connection, statement, _BY_VISIT, wanted, _as_it_is, within)


def _find_outcomes(only: GivenUp) -> list[VisitOutcome]:
    """Of the visits that gave these urls up."""
    found = {
        VisitOutcome.REJECTED if _is_rejection(reason) else VisitOutcome.FAILED for reason in only.reasons
    }
    if RetryReason.SOFT_404 in only.reasons:
        found.add(VisitOutcome.GONE)
    return sorted(found) or [VisitOutcome.FAILED]


def _is_rejection(reason: RetryReason) -> bool:
    return reason is RetryReason.REJECTED or reason.value in _REJECTIONS


def _as_it_is(row: Row[*tuple[Any, ...]]) -> Row[*tuple[Any, ...]]:
    return row


def select_urls() -> Select[Any]:
    """The columns of a url and its domain that a retry needs."""
    return select(
        urls.c.id,
        urls.c.domain_id,
        urls.c.fate,
        urls.c.reason,
        urls.c.detail,
        domains.c.name,
        domains.c.status,
        domains.c.source_id,
    ).join(domains, domains.c.id == urls.c.domain_id)


def list_conditions(only: GivenUp) -> list[ColumnElement[bool]]:
    """Conditions on rows of `urls`."""
    conditions: list[ColumnElement[bool]] = [urls.c.due_at.is_(None)]
    if only.reasons:
        conditions.append(or_(*(_has_reason(reason) for reason in sorted(only.reasons))))
    else:
        conditions.append(urls.c.fate == Fate.DEAD)
    if only.text is not None:
        conditions.append(contains(urls.c.url, only.text))
    return conditions


def _has_reason(reason: RetryReason) -> ColumnElement[bool]:
    if reason is RetryReason.QUARANTINED:
        return urls.c.fate == Fate.QUARANTINED
    if reason is RetryReason.REJECTED:
        return urls.c.fate == Fate.REJECTED
    if reason is RetryReason.TRAPPED:
        return urls.c.fate == Fate.TRAPPED
    if reason is RetryReason.SOFT_404:
        return and_(urls.c.fate == Fate.GONE, urls.c.reason == SOFT_404)
    if _is_rejection(reason):
        return and_(urls.c.fate == Fate.REJECTED, urls.c.reason == reason.value)
    first = _STATUSES.get(reason)
    if first is None:
        return and_(urls.c.fate == Fate.DEAD, urls.c.reason == reason.value)
    has_status = urls.c.status.between(first, first + 99)
    return and_(urls.c.fate == Fate.DEAD, urls.c.reason == FailureKind.HTTP_STATUS, has_status)
