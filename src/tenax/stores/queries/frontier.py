"""The frontier: waiting urls in numbers, a slice of them, and one of them with its place in the queue."""

import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import BigInteger, ColumnElement, Connection, Row, Select, and_, cast, func, or_, select

from tenax.clock import Instant
from tenax.errors import UsageError
from tenax.record import record
from tenax.records.domains import DomainStatus
from tenax.records.urls import Priority
from tenax.stores import paging
from tenax.stores.paging import EMPTY, ListPosition, ListSlice, SliceRequest
from tenax.stores.queries.filters import URL_FACETS, Facet, Facets, Filter, find_conditions, find_domain_id
from tenax.stores.queries.urls import UrlSummary, read_url, select_urls
from tenax.stores.schema.domains import domains
from tenax.stores.schema.urls import urls

# Only these urls are in the frontier's index.
WAITS = urls.c.due_at.isnot(None)

_FACETS: Final[Facets] = {**URL_FACETS, Facet.DATE: urls.c.due_at}


@record
class FrontierCounts:
    """Waiting urls. Counting scans all of them, which is too slow for every request."""

    priorities: Mapping[Priority, int]
    statuses: Mapping[DomainStatus, int]  # of their domains
    due: int  # that are due now


@record
class FrontierFilter(Filter):
    """The date is when a url is due."""

    priority: Priority | None = None


@record
class WaitingUrl:
    url: UrlSummary
    ahead: int  # urls of its domain that come before it
    avail_at: Instant | None  # when its domain may be claimed; None: not in this run, or it is held
    lease_expires_at: Instant | None  # of the worker that holds its domain; None: no worker does


def load_backlog(connection: Connection, now: Instant) -> FrontierCounts:
    counts = [func.count().filter(urls.c.priority == each).label(each.name) for each in Priority]
    due = func.count().filter(urls.c.due_at <= now).label("due")
    row = connection.execute(select(*counts, due).where(WAITS)).one()
    queued = cast(func.sum(domains.c.queued), BigInteger)
    statement = select(domains.c.status, queued).where(domains.c.queued > 0).group_by(domains.c.status)
    found = {DomainStatus(status): number for status, number in connection.execute(statement)}
    return FrontierCounts(
        priorities={each: getattr(row, each.name) for each in Priority},
        statuses={status: found.get(status, 0) for status in DomainStatus},
        due=row.due,
    )


def slice_waiting(
    connection: Connection, wanted: SliceRequest, only: FrontierFilter
) -> ListSlice[UrlSummary]:
    """Domain by domain, and within a domain in the order in which urls are visited. The frontier has an order
    of its own: `key` and direction of the request are ignored."""
    statement = select_urls().where(WAITS)
    if only.domain is not None:
        domain_id = find_domain_id(connection, only.domain)
        if domain_id is None:
            return EMPTY
        statement = statement.where(urls.c.domain_id == domain_id)
    if only.priority is not None:
        statement = statement.where(urls.c.priority == only.priority)
    conditions = find_conditions(connection, _FACETS, only)
    if not conditions:
        return _load(connection, statement, wanted)
    return _scan(connection, statement.add_columns(and_(*conditions).label("is_wanted")), wanted)


def _load(connection: Connection, statement: Select[Any], wanted: SliceRequest) -> ListSlice[UrlSummary]:
    rows = connection.execute(_go_on(statement, wanted.after).limit(wanted.limit + 1)).all()
    return _cut(rows, wanted.limit, None)


def _scan(connection: Connection, statement: Select[Any], wanted: SliceRequest) -> ListSlice[UrlSummary]:
    """No index can answer the conditions: examine one url after the other, and stop after a while. See
    scan_slice."""
    found: list[Row[*tuple[Any, ...]]] = []
    after, ends_at = wanted.after, time.monotonic() + paging.SCAN_S
    while True:
        rows = connection.execute(_go_on(statement, after).limit(paging.MOST_ROWS)).all()
        found += [row for row in rows if row.is_wanted]
        is_last = len(rows) < paging.MOST_ROWS
        after = None if is_last else _format_position(rows[-1])
        if is_last or len(found) > wanted.limit or time.monotonic() >= ends_at:
            return _cut(found, wanted.limit, after)


def _go_on(statement: Select[Any], after: ListPosition | None) -> Select[Any]:
    if after is not None:
        statement = statement.where(*_find_rest(after))
    return statement.order_by(urls.c.domain_id, urls.c.priority.desc(), urls.c.due_at, urls.c.id)


def _cut(
    rows: Sequence[Row[*tuple[Any, ...]]], limit: int, end: ListPosition | None
) -> ListSlice[UrlSummary]:
    """`end`: where to continue after all of the rows; None: this is the end of the list."""
    shown = rows[:limit]
    last = _format_position(shown[-1]) if len(rows) > limit else end
    return ListSlice(items=[read_url(row) for row in shown], next=last)


def find_waiting(connection: Connection, url_id: int) -> WaitingUrl | None:
    """None: the url is unknown, or is not waiting."""
    statement = select_urls().add_columns(
        domains.c.avail_at, domains.c.claimed_by, domains.c.claim_expires_at
    )
    row = connection.execute(statement.where(urls.c.id == url_id, WAITS)).one_or_none()
    if row is None:
        return None
    ahead = select(func.count()).where(WAITS, urls.c.domain_id == row.domain_id, _is_ahead_of(row))
    is_held = row.claimed_by is not None
    return WaitingUrl(
        url=read_url(row),
        ahead=connection.scalar(ahead) or 0,
        avail_at=None if is_held else row.avail_at,
        lease_expires_at=row.claim_expires_at if is_held else None,
    )


def _is_ahead_of(row: Row[*tuple[Any, ...]]) -> ColumnElement[bool]:
    c = urls.c
    sooner = or_(c.due_at < row.due_at, and_(c.due_at == row.due_at, c.id < row.id))
    return or_(c.priority > row.priority, and_(c.priority == row.priority, sooner))


def _format_position(row: Row[*tuple[Any, ...]]) -> ListPosition:
    return ListPosition(f"{row.domain_id} {row.priority} {row.due_at!r}", row.id)


def _find_rest(after: ListPosition) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    domain_id, priority, due_at = _parse_position(after)
    c = urls.c
    later = or_(c.due_at > due_at, and_(c.due_at == due_at, c.id > after.number))
    behind = or_(c.priority < priority, and_(c.priority == priority, later))
    # Redundant, but the planner needs the first condition to choose the index.
    return c.domain_id >= domain_id, or_(c.domain_id > domain_id, and_(c.domain_id == domain_id, behind))


def _parse_position(after: ListPosition) -> tuple[int, Priority, float]:
    """Raises UsageError: clients can forge positions."""
    try:
        domain_id, priority, due_at = after.value.split(" ")
        if abs(int(domain_id)) >= 1 << 63:
            raise ValueError
        return int(domain_id), Priority(int(priority)), float(due_at)
    except (AttributeError, ValueError) as error:
        raise UsageError(paging.WRONG_CURSOR) from error
