"""Domains out of scope that pages link to, for people: list them, hide them, take them over as seeds."""

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
    discovered_from: str | None  # the page that it stood on
    links: int  # different urls of the domain, as each worker counted them
    pages: int  # that named one of them first
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
    """The links that stand for these domains."""
    statement = select(discovered_links.c.url).where(discovered_links.c.id.in_(ids))
    return list(connection.scalars(statement.order_by(discovered_links.c.id)))


def hide_discovered(connection: Connection, ids: Collection[int]) -> int:
    """They are counted further and not listed any more; returns how many were listed until now. Deleted, they
    would be back with the next page that names them."""
    hidden = update(discovered_links).where(discovered_links.c.id.in_(ids), discovered_links.c.is_hidden == 0)
    return connection.execute(hidden.values(is_hidden=1)).rowcount


def remove_discovered(connection: Connection, ids: Collection[int]) -> int:
    """They are in scope from now on, so no link to them is out of it any more."""
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
