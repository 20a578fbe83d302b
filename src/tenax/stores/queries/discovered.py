"""Domains out of scope that pages link to: a slice of them, the links to use as seeds, and hiding or removing
them.
"""

from collections.abc import Collection
from typing import Any, Final

from sqlalchemy import Connection, Row, delete, select, update

from tenax.clock import Instant
from tenax.record import record
from tenax.stores.paging import ListSlice, SliceRequest, SortOrder, contains, load_slice
from tenax.stores.schema.domains import discovered_links
from tenax.stores.schema.urls import urls


@record
class DiscoveredLink:
    id: int
    domain: str
    url: str  # the first of its links
    discovered_from: str | None  # the page with that link
    links: int  # different urls of the domain, as counted by each worker
    pages: int  # that were the first to link to one of these urls
    first_seen_at: Instant
    last_seen_at: Instant
    is_hidden: bool


ORDER: Final = SortOrder(
    keys={
        "links": discovered_links.c.links,
        "pages": discovered_links.c.pages,
        "first_seen_at": discovered_links.c.first_seen_at,
        "last_seen_at": discovered_links.c.last_seen_at,
        "domain": discovered_links.c.domain,
    },
    number=discovered_links.c.id,
)
_LINKS = select(discovered_links, urls.c.url.label("page")).outerjoin(
    urls, urls.c.id == discovered_links.c.discovered_from
)


@record
class DiscoveredFilter:
    text: str | None = None  # in the name of the domain
    with_hidden: bool = False


def slice_discovered(
    connection: Connection, wanted: SliceRequest, only: DiscoveredFilter
) -> ListSlice[DiscoveredLink]:
    statement = _LINKS
    if not only.with_hidden:
        statement = statement.where(discovered_links.c.is_hidden == 0)
    if only.text is not None:
        statement = statement.where(contains(discovered_links.c.domain, only.text))
    return load_slice(connection, statement, ORDER, wanted, _read)


def find_discovered(connection: Connection, id: int) -> DiscoveredLink | None:
    row = connection.execute(_LINKS.where(discovered_links.c.id == id)).one_or_none()
    return None if row is None else _read(row)


def load_link_urls(connection: Connection, ids: Collection[int]) -> list[str]:
    """The first link to each of these domains."""
    statement = select(discovered_links.c.url).where(discovered_links.c.id.in_(ids))
    return list(connection.scalars(statement.order_by(discovered_links.c.id)))


def hide_discovered(connection: Connection, ids: Collection[int]) -> int:
    """Stop listing these domains, but keep counting their links; returns how many were listed until now. If
    they were deleted, the next page that links to them would bring them back."""
    hidden = update(discovered_links).where(discovered_links.c.id.in_(ids), discovered_links.c.is_hidden == 0)
    return connection.execute(hidden.values(is_hidden=1)).rowcount


def remove_discovered(connection: Connection, ids: Collection[int]) -> int:
    """Remove domains that are now in scope: links to them are no longer out of scope."""
    return connection.execute(delete(discovered_links).where(discovered_links.c.id.in_(ids))).rowcount


def _read(row: Row[*tuple[Any, ...]]) -> DiscoveredLink:
    return DiscoveredLink(
        id=row.id,
        domain=row.domain,
        url=row.url,
        discovered_from=row.page,
        links=row.links,
        pages=row.pages,
        first_seen_at=row.first_seen_at,
        last_seen_at=row.last_seen_at,
        is_hidden=bool(row.is_hidden),
    )
