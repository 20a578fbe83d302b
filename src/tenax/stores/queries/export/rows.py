"""The rows of an export, in constant memory: read a few at a time by key, each time in a new snapshot.

A url that is crawled during the export appears once, as it was when it was read.
"""

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import Column, Connection, FromClause, select

from tenax.errors import UsageError
from tenax.extract.chunks import ChunkSizes, split_markdown
from tenax.record import record
from tenax.records.urls import Fate
from tenax.stores.hot.packing import (
    DAMAGE,
    tell_damage,
    unpack_images,
    unpack_links,
)
from tenax.stores.queries.export.fields import (
    CHUNK_COLUMNS,
    DOMAIN_FIELDS,
    IMAGE_FIELDS,
    ITEM_FIELDS,
    MARKDOWN_FIELDS,
    ORIGINALS,
    PAGE_FIELDS,
    PARENTS,
    URL_FIELDS,
    VISIT_FIELDS,
    Convert,
    ExportField,
    FieldKind,
    Follow,
    Values,
)
from tenax.stores.queries.export.packed import PACKED_IMAGES, PACKED_LINKS
from tenax.stores.queries.export.parts import find_selection, iter_parts
from tenax.stores.queries.filters import (
    DOMAIN_FACETS,
    EVERYTHING,
    PAGE_FACETS,
    URL_FACETS,
    VISIT_FACETS,
    Facet,
    Facets,
    Filter,
    source_of,
)
from tenax.stores.queries.items import ITEM_FACETS
from tenax.stores.queries.redirects import find_ends
from tenax.stores.schema.domains import domains
from tenax.stores.schema.items import items
from tenax.stores.schema.jobs import sources
from tenax.stores.schema.pages import images, pages
from tenax.stores.schema.sitemaps import yields
from tenax.stores.schema.urls import urls
from tenax.stores.schema.visits import visits

MANY: Final = 5000
FEW: Final = 100  # rows with texts


class Noun(StrEnum):
    PAGES = "pages"  # what is kept of the last good visit of each url
    URLS = "urls"  # every known url with its fate
    VISITS = "visits"  # every request
    LINKS = "links"  # every link of every page
    IMAGES = "images"  # every image once, with the page on which it was seen first
    PLACEMENTS = "placements"  # every image of every page
    DOMAINS = "domains"  # every known domain, with its site, figures and rules
    ITEMS = "items"  # every item that a page shows
    MARKDOWN = "markdown"  # the Markdown of each page that it is kept of
    CHUNKS = "chunks"  # the same in chunks for retrieval


@record
class Export:
    fields: tuple[ExportField, ...]
    tables: FromClause
    key: Column[Any]
    rows_at_once: int
    columns: dict[str, FieldKind]  # of the output
    facets: Facets  # that it can be filtered by
    condition: Any = None  # on the tables; None: all rows
    expand: Callable[[Values], Iterator[Values]] | None = None  # turns one row into several


def iter_rows(connection: Connection, export: Export, only: Filter = EVERYTHING) -> Iterator[Values]:
    """The values in the order of the columns. Raises StoreDamaged if a text cannot be unpacked, UsageError if
    the filter does not apply or names something unknown."""
    selected = [field.source.label(field.name) for field in export.fields]
    statement = select(export.key, *selected).select_from(export.tables)
    if export.condition is not None:
        statement = statement.where(export.condition)
    converters = [(at, field.convert) for at, field in enumerate(export.fields) if field.convert]
    followed = [(at, field.follow) for at, field in enumerate(export.fields, start=1) if field.follow]
    sought = find_selection(connection, statement, export.key, export.facets, only)
    for found in iter_parts(connection, sought, export.rows_at_once):
        rows: Sequence[Sequence[Any]] = _follow(connection, found, followed) if followed else found
        connection.commit()
        for key, *values in rows:
            _convert(values, converters, key)
            if export.expand is None:
                yield values
            else:
                yield from export.expand(values)


def check_fit(noun: Noun, only: Filter) -> None:
    """Raises UsageError if the noun cannot be filtered this way."""
    for facet in only.facets:
        if facet not in EXPORTS[noun].facets:
            fitting = ", ".join(each for each in Noun if facet in EXPORTS[each].facets)
            raise UsageError(f"{noun.capitalize()} cannot be filtered by {facet}; only {fitting} can.")


def _follow(
    connection: Connection, rows: Sequence[Sequence[Any]], places: Sequence[tuple[int, Follow]]
) -> list[Values]:
    """Follow the redirects of one part together: a statement for each would take hours."""
    first = places[0][0]
    ends = find_ends(connection, {row[first] for row in rows if row[first] is not None})
    shown = [list(row) for row in rows]
    for row in shown:
        for at, follow in places:
            row[at] = None if row[at] is None else follow(ends[row[at]])
    return shown


def _convert(values: Values, converters: Sequence[tuple[int, Convert]], key: int) -> None:
    """In place, as millions of rows may pass here."""
    try:
        for at, convert in converters:
            value = values[at]
            if value is not None:
                values[at] = convert(value)
    except DAMAGE as error:
        raise tell_damage(key) from error


def split_rows(sizes: ChunkSizes) -> Callable[[Values], Iterator[Values]]:
    """Turns the row of a page with Markdown into rows of chunks."""

    def split(row: Values) -> Iterator[Values]:
        url, title, language, fetched_at, markdown = row
        for chunk in split_markdown(markdown or "", url, sizes):
            yield [chunk.id, url, chunk.position, chunk.path, chunk.text, title, language, fetched_at]

    return split


def _drop_unkept(row: Values) -> Iterator[Values]:
    if row[-1] is not None:
        yield row


def _expand_list(row: Values) -> Iterator[Values]:
    url, entries = row
    for entry in entries or ():
        yield [url, *entry]


_PAGES_WITH_URLS = pages.join(urls, urls.c.id == pages.c.url_id)
# The page of a url that now returns something else is kept, but it no longer exists on the web.
IS_THERE = urls.c.fate.not_in((Fate.GONE, Fate.REDIRECTED, Fate.SKIPPED))


_IMAGE_FACETS: Final[Facets] = {
    Facet.RUN: images.c.run_id,
    Facet.SOURCE: source_of(images.c.domain_id),
    Facet.DOMAIN: images.c.domain_id,
    Facet.DATE: images.c.first_seen_at,
}


def _columns(fields: tuple[ExportField, ...]) -> dict[str, FieldKind]:
    return {field.name: field.kind for field in fields}


EXPORTS: Final[dict[Noun, Export]] = {
    Noun.PAGES: Export(
        fields=PAGE_FIELDS,
        tables=_PAGES_WITH_URLS.join(domains, domains.c.id == pages.c.domain_id).outerjoin(
            ORIGINALS, ORIGINALS.c.id == pages.c.near_url_id
        ),
        key=pages.c.url_id,
        rows_at_once=FEW,
        columns=_columns(PAGE_FIELDS),
        facets=PAGE_FACETS,
        condition=IS_THERE,
    ),
    Noun.URLS: Export(
        fields=URL_FIELDS,
        tables=urls.join(domains, domains.c.id == urls.c.domain_id).outerjoin(
            PARENTS, PARENTS.c.id == urls.c.discovered_from
        ),
        key=urls.c.id,
        rows_at_once=MANY,
        columns=_columns(URL_FIELDS),
        facets=URL_FACETS,
    ),
    Noun.VISITS: Export(
        fields=VISIT_FIELDS,
        tables=visits.join(domains, domains.c.id == visits.c.domain_id).outerjoin(
            urls, urls.c.id == visits.c.url_id
        ),
        key=visits.c.id,
        rows_at_once=MANY,
        columns=_columns(VISIT_FIELDS),
        facets=VISIT_FACETS,
    ),
    Noun.LINKS: Export(
        fields=(
            ExportField("url", urls.c.url),
            ExportField("links", PACKED_LINKS, convert=unpack_links),
        ),
        tables=_PAGES_WITH_URLS,
        key=pages.c.url_id,
        rows_at_once=FEW,
        columns=dict.fromkeys(("from_url", "to_url", "rel", "anchor", "tag"), FieldKind.TEXT),
        facets=PAGE_FACETS,
        expand=_expand_list,
        condition=IS_THERE,
    ),
    Noun.MARKDOWN: Export(
        fields=MARKDOWN_FIELDS,
        tables=_PAGES_WITH_URLS,
        key=pages.c.url_id,
        rows_at_once=FEW,
        columns=_columns(MARKDOWN_FIELDS),
        facets=PAGE_FACETS,
        condition=IS_THERE,
        expand=_drop_unkept,
    ),
    Noun.CHUNKS: Export(
        fields=MARKDOWN_FIELDS,
        tables=_PAGES_WITH_URLS,
        key=pages.c.url_id,
        rows_at_once=FEW,
        columns=CHUNK_COLUMNS,
        facets=PAGE_FACETS,
        condition=IS_THERE,
        expand=split_rows(ChunkSizes()),
    ),
    Noun.IMAGES: Export(
        fields=IMAGE_FIELDS,
        tables=images.join(domains, domains.c.id == images.c.domain_id).join(
            urls, urls.c.id == images.c.url_id
        ),
        key=images.c.id,
        rows_at_once=MANY,
        columns=_columns(IMAGE_FIELDS),
        facets=_IMAGE_FACETS,
    ),
    Noun.PLACEMENTS: Export(
        fields=(
            ExportField("url", urls.c.url),
            ExportField("images", PACKED_IMAGES, convert=unpack_images),
        ),
        tables=_PAGES_WITH_URLS,
        key=pages.c.url_id,
        rows_at_once=FEW,
        columns=dict.fromkeys(("page", "url", "alt", "kind"), FieldKind.TEXT),
        facets=PAGE_FACETS,
        expand=_expand_list,
        condition=IS_THERE,
    ),
    Noun.DOMAINS: Export(
        fields=DOMAIN_FIELDS,
        tables=domains.outerjoin(yields, yields.c.domain_id == domains.c.id),
        key=domains.c.id,
        rows_at_once=MANY,
        columns=_columns(DOMAIN_FIELDS),
        facets=DOMAIN_FACETS,
    ),
    Noun.ITEMS: Export(
        fields=ITEM_FIELDS,
        tables=items.join(domains, domains.c.id == items.c.domain_id)
        .join(urls, urls.c.id == items.c.url_id)
        .outerjoin(sources, sources.c.id == items.c.source_id),
        key=items.c.id,
        rows_at_once=FEW,
        columns=_columns(ITEM_FIELDS),
        facets=ITEM_FACETS,
        condition=items.c.gone_at.is_(None),
    ),
}
