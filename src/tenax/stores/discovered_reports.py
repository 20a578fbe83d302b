"""Domains out of scope that pages link to, for people: list them, hide them, take them over as seeds."""

from collections.abc import Collection, Iterator
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, delete, or_, select, update

from tenax.clock import Instant
from tenax.stores.tables import discovered_links, urls
from tenax.values import record


@record(frozen=True, slots=True, kw_only=True)
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


class DiscoveredKey(StrEnum):
    """What the list is sorted by, the most or the last first."""

    LINKS = "links"
    PAGES = "pages"
    LAST_SEEN = "last_seen"
    FIRST_SEEN = "first_seen"


_COLUMNS: dict[DiscoveredKey, ColumnElement[Any]] = {
    DiscoveredKey.LINKS: discovered_links.c.links,
    DiscoveredKey.PAGES: discovered_links.c.pages,
    DiscoveredKey.LAST_SEEN: discovered_links.c.last_seen_at,
    DiscoveredKey.FIRST_SEEN: discovered_links.c.first_seen_at,
}

Position = tuple[float, int]  # of an entry: what it is sorted by, and its id


def list_discovered(
    connection: Connection,
    *,
    by: DiscoveredKey = DiscoveredKey.LINKS,
    contains: str | None = None,
    with_hidden: bool = False,
    after: Position | None = None,
    limit: int,
) -> Iterator[DiscoveredLink]:
    """`contains`: a part of the domain's name. `after`: the place of the last one that was listed before."""
    key, number = _COLUMNS[by], discovered_links.c.id
    statement = (
        select(discovered_links, urls.c.url.label("page"))
        .outerjoin(urls, urls.c.id == discovered_links.c.discovered_from)
        .order_by(key.desc(), number.desc())
        .limit(limit)
    )
    if not with_hidden:
        statement = statement.where(discovered_links.c.is_hidden == 0)
    if contains is not None:
        statement = statement.where(discovered_links.c.domain.contains(contains.lower(), autoescape=True))
    if after is not None:
        value, last_id = after
        statement = statement.where(or_(key < value, and_(key == value, number < last_id)))
    return map(_read, connection.execute(statement))


def find_position(link: DiscoveredLink, by: DiscoveredKey) -> Position:
    """For `after`."""
    values = {
        DiscoveredKey.LINKS: link.links,
        DiscoveredKey.PAGES: link.pages,
        DiscoveredKey.LAST_SEEN: link.last_seen_at,
        DiscoveredKey.FIRST_SEEN: link.first_seen_at,
    }
    return values[by], link.id


def load_urls(connection: Connection, ids: Collection[int]) -> list[str]:
    """The links that stand for these domains."""
    statement = select(discovered_links.c.url).where(discovered_links.c.id.in_(ids))
    return list(connection.scalars(statement.order_by(discovered_links.c.id)))


def hide(connection: Connection, ids: Collection[int]) -> int:
    """They are counted further and not listed any more; returns how many were listed until now. Deleted, they
    would be back with the next page that names them."""
    hidden = update(discovered_links).where(discovered_links.c.id.in_(ids), discovered_links.c.is_hidden == 0)
    return connection.execute(hidden.values(is_hidden=1)).rowcount


def forget(connection: Connection, ids: Collection[int]) -> int:
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
