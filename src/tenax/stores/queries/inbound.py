"""The pages that link to a url. There is no index of links: one entry per link would cost more than the page
itself. So the links of one page after the other are read, for a limited time; see scan_slice.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, select

from tenax.record import record
from tenax.stores import paging
from tenax.stores.hot.packing import DAMAGE, tell_damage, unpack_links
from tenax.stores.paging import ListPosition, SliceRequest
from tenax.stores.queries.export.packed import PACKED_LINKS
from tenax.stores.queries.export.parts import ROWS_SCANNED, load_keys
from tenax.stores.queries.export.rows import IS_THERE
from tenax.stores.schema.domains import domains
from tenax.stores.schema.pages import pages
from tenax.stores.schema.urls import urls
from tenax.web.identity import identity_of, may_be_untidy, url_key

PAGES_AT_ONCE: Final = 100

Matches = Callable[[str], bool]


@record
class InboundLink:
    """A page that links to a url, with the first such link."""

    page_id: int  # of its url
    page: str
    title: str | None
    anchor: str
    rel: str
    tag: str


@record
class Inbound:
    """A slice of the links, in the order in which the pages were discovered."""

    url: str
    domain: str
    items: Sequence[InboundLink]
    next: ListPosition | None  # None: this is the end of the list
    looked_at: int  # pages whose links were read for this slice
    pages: int  # of its domain


def find_url_id(connection: Connection, address: str, domain: str) -> int | None:
    """None: the url is unknown. `address`: of a url of this domain."""
    statement = select(urls.c.id).join(domains, domains.c.id == urls.c.domain_id)
    return connection.scalar(statement.where(domains.c.name == domain, urls.c.key == url_key(address)))


def slice_inbound(
    connection: Connection, wanted: SliceRequest, url_id: int, *, is_anywhere: bool = False
) -> Inbound | None:
    """Search the pages of the url's own domain, or all pages. None: there is no such url."""
    statement = select(urls.c.url, urls.c.domain_id, domains.c.name, domains.c.pages_crawled)
    row = connection.execute(
        statement.join(domains, domains.c.id == urls.c.domain_id).where(urls.c.id == url_id)
    ).one_or_none()
    if row is None:
        return None
    after = wanted.after.number if wanted.after else 0
    batches = _iter_batches(connection, after, None if is_anywhere else row.domain_id)
    return _scan(connection, batches, wanted.limit, row)


def _scan(
    connection: Connection,
    batches: Iterator[tuple[Sequence[int], int | None]],
    limit: int,
    row: Row[*tuple[Any, ...]],
) -> Inbound:
    matches, ends_at = _build_matcher(row.url), time.monotonic() + paging.SCAN_S
    found: list[InboundLink] = []
    looked_at, end = 0, None
    for keys, end in batches:
        read = _read_pages(connection, keys, matches)
        looked_at += len(keys)
        found += read
        if end is None or len(found) > limit or time.monotonic() >= ends_at:
            break
    shown = found[:limit]
    last = shown[-1].page_id if len(found) > limit else end
    return Inbound(
        url=row.url,
        domain=row.name,
        items=shown,
        next=None if last is None else ListPosition(last, last),
        looked_at=looked_at,
        pages=row.pages_crawled,
    )


def _iter_batches(
    connection: Connection, after: int, domain_id: int | None
) -> Iterator[tuple[Sequence[int], int | None]]:
    """Batches of page ids, each with the id to continue after; None: that was the last batch."""
    if domain_id is not None:
        is_left = (pages.c.domain_id == domain_id) & (pages.c.url_id > after)
        keys = load_keys(connection, pages.c.url_id, is_left)
        if keys is not None:
            yield from _cut(keys, None)
            return
    # The addition keeps the planner from using the index on domains, which returns rows unsorted.
    is_wanted = () if domain_id is None else (pages.c.domain_id + 0 == domain_id,)
    yield from _iter_all(connection, after, is_wanted)


def _iter_all(
    connection: Connection, after: int, is_wanted: Sequence[ColumnElement[bool]]
) -> Iterator[tuple[Sequence[int], int | None]]:
    ids = select(pages.c.url_id).order_by(pages.c.url_id)
    end: int | None = after
    while end is not None:
        begin, end = end, connection.scalar(ids.where(pages.c.url_id > end).offset(ROWS_SCANNED - 1).limit(1))
        span = [pages.c.url_id > begin] if end is None else [pages.c.url_id > begin, pages.c.url_id <= end]
        yield from _cut(connection.scalars(ids.where(*span, *is_wanted)).all(), end)


def _cut(keys: Sequence[int], end: int | None) -> Iterator[tuple[Sequence[int], int | None]]:
    """At least one batch. `end`: the id to continue after the last one."""
    for begin in range(0, max(len(keys), 1), PAGES_AT_ONCE):
        part = keys[begin : begin + PAGES_AT_ONCE]
        is_last = begin + PAGES_AT_ONCE >= len(keys)
        yield part, end if is_last else part[-1]


def _read_pages(connection: Connection, keys: Sequence[int], matches: Matches) -> list[InboundLink]:
    statement = (
        select(pages.c.url_id, urls.c.url, pages.c.title, PACKED_LINKS.label("links"))
        .join(urls, urls.c.id == pages.c.url_id)
        .where(pages.c.url_id.in_(keys), IS_THERE)
        .order_by(pages.c.url_id)
    )
    found = (_find_link(row, matches) for row in connection.execute(statement))
    return [link for link in found if link is not None]


def _find_link(row: Row[*tuple[Any, ...]], matches: Matches) -> InboundLink | None:
    try:
        links = unpack_links(row.links)
    except DAMAGE as error:
        raise tell_damage(row.url_id) from error
    for address, rel, anchor, tag in links:
        if matches(address):
            return InboundLink(
                page_id=row.url_id, page=row.url, title=row.title, anchor=anchor, rel=rel, tag=tag
            )
    return None


def _build_matcher(url: str) -> Matches:
    """A test whether an address is this url, however it is spelled."""
    identity, key = identity_of(url), url_key(url)
    return lambda address: address == identity or (bool(may_be_untidy(address)) and url_key(address) == key)
