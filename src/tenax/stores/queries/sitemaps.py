"""Sitemaps: a slice of them, and how many urls of a domain were found in which way."""

from collections.abc import Iterator
from typing import Any, Final

from sqlalchemy import Connection, Row, func, select

from tenax.clock import Instant
from tenax.record import record
from tenax.records.sitemaps import LastmodTrust, SitemapKind
from tenax.records.urls import Fate, FoundBy, SitemapOrigin
from tenax.stores.paging import ListSlice, SliceRequest, SortOrder, load_slice
from tenax.stores.schema.domains import domains
from tenax.stores.schema.sitemaps import COUNTED, sitemaps, yields
from tenax.stores.schema.urls import urls


@record
class Sitemap:
    id: int  # of its url
    url: str
    domain: str
    origin: SitemapOrigin  # where it was named
    hosts: tuple[str, ...]  # other domains whose urls it may list
    level: int  # indexes that led to it
    kind: SitemapKind | None  # None: it was never read
    fate: Fate
    status: int | None
    entries: int
    refused: int
    added: int
    images: int
    body_bytes: int
    lastmod: LastmodTrust
    read_at: Instant | None
    revisit_at: Instant | None  # from when on it is read again; None: never, or it waits
    error: str | None  # why it was not read, or not to its end


@record
class SitemapFilter:
    domain: str | None = None


@record
class WayYield:
    """Urls of a domain that were found in one way."""

    way: str
    urls: int
    pages: int  # of these


ORDER: Final = SortOrder(
    keys={
        "id": sitemaps.c.url_id,
        "entries": sitemaps.c.entries,
        "read_at": func.coalesce(sitemaps.c.read_at, 0.0),
    },
    number=sitemaps.c.url_id,
)
_SITEMAPS = (
    select(
        sitemaps,
        urls.c.url,
        urls.c.fate,
        urls.c.status,
        urls.c.detail,
        urls.c.revisit_at,
        domains.c.name.label("domain"),
    )
    .join(urls, urls.c.id == sitemaps.c.url_id)
    .join(domains, domains.c.id == sitemaps.c.domain_id)
)


def slice_sitemaps(connection: Connection, wanted: SliceRequest, only: SitemapFilter) -> ListSlice[Sitemap]:
    statement = _SITEMAPS
    if only.domain is not None:
        statement = statement.where(domains.c.name == only.domain)
    return load_slice(connection, statement, ORDER, wanted, _read)


def load_yields(connection: Connection, domain_id: int, *, known: int, pages: int) -> Iterator[WayYield]:
    """How the urls of a domain were found, and how many are pages. `known`, `pages`: of the domain, in all.
    Sitemaps themselves are neither found nor pages."""
    row = connection.execute(select(yields).where(yields.c.domain_id == domain_id)).one_or_none()
    files = connection.scalar(select(func.count()).where(sitemaps.c.domain_id == domain_id)) or 0
    counted = [] if row is None else [_read_way(row, way, files) for way in COUNTED]
    other_urls = sum(each.urls for each in counted) + (0 if row is None else files)
    other_pages = sum(each.pages for each in counted)
    yield WayYield(way=FoundBy.LINK.word, urls=max(known - other_urls, 0), pages=max(pages - other_pages, 0))
    yield from counted or [WayYield(way=way.word, urls=0, pages=0) for way in COUNTED]


def _read_way(row: Row[*tuple[Any, ...]], way: FoundBy, files: int) -> WayYield:
    found = getattr(row, f"{way.word}_urls") - (files if way is FoundBy.SITEMAP else 0)
    return WayYield(way=way.word, urls=max(found, 0), pages=getattr(row, f"{way.word}_pages"))


def _read(row: Row[*tuple[Any, ...]]) -> Sitemap:
    return Sitemap(
        id=row.url_id,
        url=row.url,
        domain=row.domain,
        origin=SitemapOrigin(row.origin),
        hosts=tuple(row.hosts.split()),
        level=row.level,
        kind=None if row.kind is None else SitemapKind(row.kind),
        fate=Fate(row.fate),
        status=row.status,
        entries=row.entries,
        refused=row.refused,
        added=row.added,
        images=row.images,
        body_bytes=row.body_bytes,
        lastmod=LastmodTrust(row.lastmod),
        read_at=row.read_at,
        revisit_at=row.revisit_at,
        error=_find_error(row),
    )


def _find_error(row: Row[*tuple[Any, ...]]) -> str | None:
    if row.fate in (Fate.GONE, Fate.REDIRECTED):
        return f"the server answered {row.status}"
    error: str | None = row.error if row.fate in (Fate.READ, Fate.FETCHED, Fate.DUPLICATE) else row.detail
    return error
