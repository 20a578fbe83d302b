"""Pages: a slice of them, one in full, its text and its links."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Select, func, or_, select

from tenax.clock import Instant
from tenax.record import record
from tenax.records.pages import PageLink
from tenax.records.urls import Fate
from tenax.stores.hot.packing import DAMAGE, tell_damage, unpack_links, unpack_markdown, unpack_text
from tenax.stores.paging import (
    ListSlice,
    SliceRequest,
    SortOrder,
    contains,
    load_slice,
    scan_slice,
    starts_with,
)
from tenax.stores.queries.bodies import VisitBody, find_body
from tenax.stores.queries.duplicates import ClusterMember, find_original, list_near
from tenax.stores.queries.export.packed import PACKED_LINKS
from tenax.stores.queries.export.rows import IS_THERE
from tenax.stores.queries.filters import PAGE_FACETS, Filter, find_conditions
from tenax.stores.queries.urls import UrlSummary, find_url, is_url, slice_domain
from tenax.stores.schema.domains import domains
from tenax.stores.schema.pages import pages
from tenax.stores.schema.urls import urls

ORDER: Final = SortOrder(
    keys={
        "id": pages.c.url_id,
        "fetched_at": pages.c.fetched_at,
        "changed_at": pages.c.changed_at,
        "first_fetched_at": pages.c.first_fetched_at,
    },
    number=pages.c.url_id,
)


@record
class PageSummary:
    id: int  # of its url
    url: str
    domain: str
    fate: Fate
    status: int
    content_type: str | None
    language: str | None
    title: str | None
    description: str | None
    body_bytes: int
    links_count: int
    images_count: int
    fetched_at: Instant
    changed_at: Instant
    first_fetched_at: Instant | None  # None: fetched before this was recorded


@record
class PageReport:
    summary: PageSummary
    url: UrlSummary
    charset: str
    canonical: str | None
    content_hash: int
    unchanged_count: int
    simhash: int | None
    original: ClusterMember | None  # the page that it nearly repeats
    copies: Sequence[ClusterMember]  # the first pages that nearly repeat it
    body: VisitBody | None  # the newest that is stored


@record
class PageMarkdown:
    url: str
    markdown: str | None  # None: it was not kept


@record
class PageFilter(Filter):
    url: str | None = None  # only this one
    status: int | None = None
    content_type: str | None = None  # a prefix of it
    language: str | None = None  # including its regions
    text: str | None = None  # in title or url
    changed_since: Instant | None = None
    fetched_since: Instant | None = None


def slice_pages(connection: Connection, wanted: SliceRequest, only: PageFilter) -> ListSlice[PageSummary]:
    """Pages that still exist. Sorted by first_fetched_at, pages without it are left out."""
    statement = _select().where(IS_THERE, *_list_conditions(connection, only))
    within = [pages.c.first_fetched_at.isnot(None)] if wanted.key == "first_fetched_at" else []
    if only.url is not None:
        return load_slice(connection, statement.where(*is_url(only.url)), ORDER, wanted, _read)
    if only.domain is None:
        return scan_slice(connection, statement, ORDER, wanted, _read, within)
    statement = statement.where(*within)
    return slice_domain(connection, only.domain, pages.c.domain_id, statement, ORDER, wanted, _read)


def find_page(connection: Connection, url_id: int) -> PageReport | None:
    """Includes a page that is kept although its url now returns something else."""
    statement = _select().add_columns(
        pages.c.charset, pages.c.canonical, pages.c.content_hash, urls.c.unchanged_count, pages.c.simhash
    )
    row = connection.execute(statement.where(pages.c.url_id == url_id)).one_or_none()
    url = find_url(connection, url_id)
    if row is None or url is None:
        return None
    return PageReport(
        summary=_read(row),
        url=url,
        charset=row.charset,
        canonical=row.canonical,
        content_hash=row.content_hash,
        unchanged_count=row.unchanged_count,
        simhash=row.simhash,
        original=find_original(connection, url_id),
        copies=list_near(connection, url_id),
        body=find_body(connection, url_id),
    )


def load_text(connection: Connection, url_id: int) -> str | None:
    """None: there is no such page."""
    packed = connection.scalar(select(pages.c.content).where(pages.c.url_id == url_id))
    try:
        return None if packed is None else unpack_text(packed)
    except DAMAGE as error:
        raise tell_damage(url_id) from error


def load_markdown(connection: Connection, url_id: int) -> PageMarkdown | None:
    """None: there is no such page."""
    statement = select(urls.c.url, pages.c.content).join(urls, urls.c.id == pages.c.url_id)
    row = connection.execute(statement.where(pages.c.url_id == url_id)).one_or_none()
    try:
        return None if row is None else PageMarkdown(url=row.url, markdown=unpack_markdown(row.content))
    except DAMAGE as error:
        raise tell_damage(url_id) from error


def load_links(connection: Connection, url_id: int) -> list[PageLink] | None:
    """In document order; None: there is no such page."""
    packed = connection.scalar(select(PACKED_LINKS).where(pages.c.url_id == url_id))
    try:
        return (
            None
            if packed is None
            else [(url, rel, anchor, tag) for url, rel, anchor, tag in unpack_links(packed)]
        )
    except DAMAGE as error:
        raise tell_damage(url_id) from error


def _select() -> Select[Any]:
    """Without the long columns."""
    c = pages.c
    return (
        select(urls.c.url, urls.c.fate, domains.c.name.label("domain"))
        .add_columns(c.url_id, c.status, c.content_type, c.language, c.title, c.description)
        .add_columns(c.body_bytes, c.links_count, c.images_count)
        .add_columns(c.fetched_at, c.changed_at, c.first_fetched_at)
        .select_from(pages)
        .join(urls, urls.c.id == pages.c.url_id)
        .join(domains, domains.c.id == pages.c.domain_id)
    )


def _read(row: Row[*tuple[Any, ...]]) -> PageSummary:
    return PageSummary(
        id=row.url_id,
        url=row.url,
        domain=row.domain,
        fate=Fate(row.fate),
        status=row.status,
        content_type=row.content_type,
        language=row.language,
        title=row.title,
        description=row.description,
        body_bytes=row.body_bytes,
        links_count=row.links_count,
        images_count=row.images_count,
        fetched_at=row.fetched_at,
        changed_at=row.changed_at,
        first_fetched_at=row.first_fetched_at,
    )


def _list_conditions(connection: Connection, only: PageFilter) -> list[ColumnElement[bool]]:
    conditions = find_conditions(connection, PAGE_FACETS, only)
    if only.status is not None:
        conditions.append(pages.c.status == only.status)
    if only.content_type is not None:
        conditions.append(starts_with(pages.c.content_type, only.content_type))
    if only.language is not None:
        language = func.lower(pages.c.language)
        conditions.append(or_(language == only.language.lower(), starts_with(language, f"{only.language}-")))
    if only.text is not None:
        conditions.append(or_(contains(urls.c.url, only.text), contains(pages.c.title, only.text)))
    if only.changed_since is not None:
        conditions.append(pages.c.changed_at >= only.changed_since)
    if only.fetched_since is not None:
        conditions.append(pages.c.fetched_at >= only.fetched_since)
    return conditions
