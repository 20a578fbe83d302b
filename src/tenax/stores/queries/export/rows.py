"""The rows of an export, in constant memory: read a few at a time by key, each time in a new snapshot.

A url that is crawled during the export appears once, as it was when it was read.
"""

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from operator import attrgetter
from typing import Any, Final, NamedTuple

from sqlalchemy import Column, Connection, FromClause, case, func, select

from tenax.errors import UsageError
from tenax.record import record
from tenax.records.urls import Fate, FoundBy, RejectionReason
from tenax.stores.hot.packing import DAMAGE, tell_damage, unpack_images, unpack_links, unpack_text
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
from tenax.stores.queries.redirects import ChainEnd, find_ends
from tenax.stores.schema.domains import domains
from tenax.stores.schema.items import items
from tenax.stores.schema.jobs import sources
from tenax.stores.schema.pages import images, pages
from tenax.stores.schema.sitemaps import yields
from tenax.stores.schema.urls import urls
from tenax.stores.schema.visits import visits
from tenax.visible import clean

MANY: Final = 5000
FEW: Final = 100  # rows with texts

Values = list[Any]
Convert = Callable[[Any], Any]
Follow = Callable[[ChainEnd], Any]


class Noun(StrEnum):
    PAGES = "pages"  # what is kept of the last good visit of each url
    URLS = "urls"  # every known url with its fate
    VISITS = "visits"  # every request
    LINKS = "links"  # every link of every page
    IMAGES = "images"  # every image once, with the page on which it was seen first
    PLACEMENTS = "placements"  # every image of every page
    DOMAINS = "domains"  # every known domain, with its site, figures and rules
    ITEMS = "items"  # every item that a page shows


class FieldKind(StrEnum):
    """The type of a field, for formats that have types."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    FLAG = "flag"
    INSTANT = "instant"  # seconds since the epoch
    JSON = "json"  # an object, as text where a format has no objects


class ExportField(NamedTuple):
    name: str
    source: Any  # an expression over the export's tables
    kind: FieldKind = FieldKind.TEXT
    convert: Convert | None = None  # from the stored value, unless that is NULL
    follow: Follow | None = None  # what to show of the end of a redirect chain


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


def format_hash(content_hash: int) -> str:
    return f"{content_hash & 0xFFFF_FFFF_FFFF_FFFF:016x}"


def parse_hash(text: str) -> int:
    """Parse what `format_hash` wrote. Raises UsageError."""
    try:
        number = int(text, 16) if len(text) == 16 and text.isalnum() else None
    except ValueError:
        number = None
    if number is None:
        raise UsageError(f"{clean(text[:40])!r} is no fingerprint: it has 16 hexadecimal digits.")
    return number - (1 << 64) if number >> 63 else number


def find_validation_status(reason: str) -> str:
    return RejectionReason(reason).status.value


def _expand_list(row: Values) -> Iterator[Values]:
    url, entries = row
    for entry in entries or ():
        yield [url, *entry]


_TEXT, _INTEGER, _NUMBER, _FLAG, _INSTANT, _JSON = FieldKind
_parents = urls.alias("parents")
_originals = urls.alias("originals")


def _name_way(found_by: int) -> str:
    return FoundBy(found_by).word


_REJECTION = case((urls.c.fate == Fate.REJECTED, urls.c.reason))
_REDIRECTED_TO = case((urls.c.fate == Fate.REDIRECTED, urls.c.to_url))
_PAGE_FIELDS = (
    ExportField("url", urls.c.url),
    ExportField("domain", domains.c.name),
    ExportField("status", pages.c.status, _INTEGER),
    ExportField("content_type", pages.c.content_type),
    ExportField("charset", pages.c.charset),
    ExportField("language", pages.c.language),
    ExportField("title", pages.c.title),
    ExportField("description", pages.c.description),
    ExportField("canonical", pages.c.canonical),
    ExportField("text", pages.c.content, _TEXT, unpack_text),
    ExportField("content_hash", pages.c.content_hash, _TEXT, format_hash),
    ExportField("links_count", pages.c.links_count, _INTEGER),
    ExportField("images_count", pages.c.images_count, _INTEGER),
    ExportField("body_bytes", pages.c.body_bytes, _INTEGER),
    ExportField("depth", urls.c.depth, _INTEGER),
    ExportField("fetched_at", pages.c.fetched_at, _INSTANT),
    ExportField("changed_at", pages.c.changed_at, _INSTANT),
    ExportField("run", urls.c.run_id, _INTEGER),
    ExportField("response_headers", urls.c.response_headers, _JSON),
    ExportField("simhash", pages.c.simhash, _TEXT, format_hash),
    ExportField("near_duplicate_of", _originals.c.url),
)

_URL_FIELDS = (
    ExportField("url", urls.c.url),
    ExportField("domain", domains.c.name),
    ExportField("fate", urls.c.fate),
    ExportField("reason", urls.c.reason),
    ExportField("detail", urls.c.detail),
    ExportField("validation_status", _REJECTION, _TEXT, find_validation_status),
    ExportField("rejection_reason", _REJECTION),
    ExportField("to_url", urls.c.to_url),
    ExportField("final_url", _REDIRECTED_TO, follow=attrgetter("url")),
    ExportField("chain_fault", _REDIRECTED_TO, follow=attrgetter("fault")),
    ExportField("depth", urls.c.depth, _INTEGER),
    ExportField("priority", urls.c.priority, _INTEGER),
    ExportField("attempts", urls.c.attempts, _INTEGER),
    ExportField("status", urls.c.status, _INTEGER),
    ExportField("is_seed", urls.c.is_seed, _FLAG, bool),
    ExportField("discovered_at", urls.c.discovered_at, _INSTANT),
    ExportField("discovered_from", _parents.c.url),
    ExportField("found_by", urls.c.found_by, _TEXT, _name_way),
    ExportField("is_sitemap", urls.c.is_sitemap, _FLAG, bool),
    ExportField("fetched_at", urls.c.fetched_at, _INSTANT),
    ExportField("due_at", urls.c.due_at, _INSTANT),
    ExportField("revisit_at", urls.c.revisit_at, _INSTANT),
    ExportField("run", urls.c.run_id, _INTEGER),
    ExportField("response_headers", urls.c.response_headers, _JSON),
)

_VISIT_FIELDS = (
    ExportField("run", visits.c.run_id, _INTEGER),
    ExportField("worker", visits.c.worker_id, _INTEGER),
    ExportField("kind", case((visits.c.url_id.is_(None), "robots"), else_="page")),
    ExportField("url", urls.c.url),
    ExportField("domain", domains.c.name),
    ExportField("at", visits.c.at, _INSTANT),
    ExportField("duration_s", visits.c.duration_s, _NUMBER),
    ExportField("outcome", visits.c.outcome),
    ExportField("status", visits.c.status, _INTEGER),
    ExportField("wire_bytes", visits.c.wire_bytes, _INTEGER),
    ExportField("error_kind", visits.c.error_kind),
    ExportField("error_detail", visits.c.error_detail),
)

_IMAGE_FIELDS = (
    ExportField("url", images.c.url),
    ExportField("alt", images.c.alt),
    ExportField("page", urls.c.url),
    ExportField("domain", domains.c.name),
    ExportField("run", images.c.run_id, _INTEGER),
    ExportField("discovery", images.c.discovery),
    ExportField("first_seen_at", images.c.first_seen_at, _INSTANT),
)

_DOMAIN_FIELDS = (
    ExportField("domain", domains.c.name),
    ExportField("site", domains.c.site),
    ExportField("status", domains.c.status),
    ExportField("block_code", domains.c.block_code),
    ExportField("block_reason", domains.c.block_reason),
    ExportField("urls", domains.c.pages_discovered, _INTEGER),
    ExportField("pages", domains.c.pages_crawled, _INTEGER),
    ExportField("queued", domains.c.queued, _INTEGER),
    ExportField("requests", domains.c.requests, _INTEGER),
    ExportField("errors", domains.c.total_errors, _INTEGER),
    ExportField("wire_bytes", domains.c.wire_bytes, _INTEGER),
    ExportField("images_stored", domains.c.images_stored, _INTEGER),
    ExportField("priority_score", domains.c.priority_score, _INTEGER),
    ExportField("first_seen_at", domains.c.first_seen_at, _INSTANT),
    ExportField("last_crawled_at", domains.c.last_crawled_at, _INSTANT),
    ExportField("rule_delay_s", domains.c.rule_delay_s, _NUMBER),
    ExportField("rule_per_domain", domains.c.rule_per_domain, _INTEGER),
    ExportField("rule_pages_per_run", domains.c.rule_pages, _INTEGER),
    ExportField("is_active", domains.c.is_active, _FLAG, bool),
    ExportField("rules_by", domains.c.rules_by),
    ExportField("rules_at", domains.c.rules_at, _INSTANT),
    *(
        ExportField(str(column.name), func.coalesce(column, 0), _INTEGER)
        for column in yields.c
        if column is not yields.c.domain_id
    ),
)

_ITEM_FIELDS = (
    ExportField("kind", items.c.kind),
    ExportField("key", items.c.key),
    ExportField("url", urls.c.url),
    ExportField("domain", domains.c.name),
    ExportField("source", sources.c.name),
    ExportField("run", items.c.run_id, _INTEGER),
    ExportField("parser", items.c.parser),
    ExportField("parser_version", items.c.parser_version),
    ExportField("confidence", items.c.confidence, _NUMBER),
    ExportField("first_seen_at", items.c.first_seen_at, _INSTANT),
    ExportField("last_seen_at", items.c.last_seen_at, _INSTANT),
    ExportField("changed_at", items.c.changed_at, _INSTANT),
    ExportField("data", items.c.data, _JSON),
)

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
        fields=_PAGE_FIELDS,
        tables=_PAGES_WITH_URLS.join(domains, domains.c.id == pages.c.domain_id).outerjoin(
            _originals, _originals.c.id == pages.c.near_url_id
        ),
        key=pages.c.url_id,
        rows_at_once=FEW,
        columns=_columns(_PAGE_FIELDS),
        facets=PAGE_FACETS,
        condition=IS_THERE,
    ),
    Noun.URLS: Export(
        fields=_URL_FIELDS,
        tables=urls.join(domains, domains.c.id == urls.c.domain_id).outerjoin(
            _parents, _parents.c.id == urls.c.discovered_from
        ),
        key=urls.c.id,
        rows_at_once=MANY,
        columns=_columns(_URL_FIELDS),
        facets=URL_FACETS,
    ),
    Noun.VISITS: Export(
        fields=_VISIT_FIELDS,
        tables=visits.join(domains, domains.c.id == visits.c.domain_id).outerjoin(
            urls, urls.c.id == visits.c.url_id
        ),
        key=visits.c.id,
        rows_at_once=MANY,
        columns=_columns(_VISIT_FIELDS),
        facets=VISIT_FACETS,
    ),
    Noun.LINKS: Export(
        fields=(ExportField("url", urls.c.url), ExportField("links", PACKED_LINKS, _TEXT, unpack_links)),
        tables=_PAGES_WITH_URLS,
        key=pages.c.url_id,
        rows_at_once=FEW,
        columns=dict.fromkeys(("from_url", "to_url", "rel", "anchor", "tag"), _TEXT),
        facets=PAGE_FACETS,
        expand=_expand_list,
        condition=IS_THERE,
    ),
    Noun.IMAGES: Export(
        fields=_IMAGE_FIELDS,
        tables=images.join(domains, domains.c.id == images.c.domain_id).join(
            urls, urls.c.id == images.c.url_id
        ),
        key=images.c.id,
        rows_at_once=MANY,
        columns=_columns(_IMAGE_FIELDS),
        facets=_IMAGE_FACETS,
    ),
    Noun.PLACEMENTS: Export(
        fields=(ExportField("url", urls.c.url), ExportField("images", PACKED_IMAGES, _TEXT, unpack_images)),
        tables=_PAGES_WITH_URLS,
        key=pages.c.url_id,
        rows_at_once=FEW,
        columns=dict.fromkeys(("page", "url", "alt", "kind"), _TEXT),
        facets=PAGE_FACETS,
        expand=_expand_list,
        condition=IS_THERE,
    ),
    Noun.DOMAINS: Export(
        fields=_DOMAIN_FIELDS,
        tables=domains.outerjoin(yields, yields.c.domain_id == domains.c.id),
        key=domains.c.id,
        rows_at_once=MANY,
        columns=_columns(_DOMAIN_FIELDS),
        facets=DOMAIN_FACETS,
    ),
    Noun.ITEMS: Export(
        fields=_ITEM_FIELDS,
        tables=items.join(domains, domains.c.id == items.c.domain_id)
        .join(urls, urls.c.id == items.c.url_id)
        .outerjoin(sources, sources.c.id == items.c.source_id),
        key=items.c.id,
        rows_at_once=FEW,
        columns=_columns(_ITEM_FIELDS),
        facets=ITEM_FACETS,
        condition=items.c.gone_at.is_(None),
    ),
}
