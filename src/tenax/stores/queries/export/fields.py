"""The fields of each export, in the order in which they are written."""

from collections.abc import Callable
from enum import StrEnum
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import case, func

from tenax.errors import UsageError
from tenax.records.urls import Fate, FoundBy, RejectionReason
from tenax.stores.hot.packing import unpack_markdown, unpack_text
from tenax.stores.queries.redirects import ChainEnd
from tenax.stores.schema.domains import domains
from tenax.stores.schema.items import items
from tenax.stores.schema.jobs import sources
from tenax.stores.schema.pages import images, pages
from tenax.stores.schema.sitemaps import yields
from tenax.stores.schema.urls import urls
from tenax.stores.schema.visits import visits
from tenax.visible import clean

Values = list[Any]
Convert = Callable[[Any], Any]
Follow = Callable[[ChainEnd], Any]


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


_TEXT, _INTEGER, _NUMBER, _FLAG, _INSTANT, _JSON = FieldKind
PARENTS = urls.alias("parents")
ORIGINALS = urls.alias("originals")


def _name_way(found_by: int) -> str:
    return FoundBy(found_by).word


_REJECTION = case((urls.c.fate == Fate.REJECTED, urls.c.reason))
_REDIRECTED_TO = case((urls.c.fate == Fate.REDIRECTED, urls.c.to_url))
PAGE_FIELDS = (
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
    ExportField("near_duplicate_of", ORIGINALS.c.url),
)

MARKDOWN_FIELDS = (
    ExportField("url", urls.c.url),
    ExportField("title", pages.c.title),
    ExportField("language", pages.c.language),
    ExportField("fetched_at", pages.c.fetched_at, _INSTANT),
    ExportField("markdown", pages.c.content, _TEXT, unpack_markdown),
)

CHUNK_COLUMNS = {
    "id": _TEXT,
    "url": _TEXT,
    "position": _INTEGER,
    "headings": _TEXT,
    "text": _TEXT,
    "title": _TEXT,
    "language": _TEXT,
    "fetched_at": _INSTANT,
}

URL_FIELDS = (
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
    ExportField("discovered_from", PARENTS.c.url),
    ExportField("found_by", urls.c.found_by, _TEXT, _name_way),
    ExportField("is_sitemap", urls.c.is_sitemap, _FLAG, bool),
    ExportField("fetched_at", urls.c.fetched_at, _INSTANT),
    ExportField("due_at", urls.c.due_at, _INSTANT),
    ExportField("revisit_at", urls.c.revisit_at, _INSTANT),
    ExportField("run", urls.c.run_id, _INTEGER),
    ExportField("response_headers", urls.c.response_headers, _JSON),
)

VISIT_FIELDS = (
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

IMAGE_FIELDS = (
    ExportField("url", images.c.url),
    ExportField("alt", images.c.alt),
    ExportField("page", urls.c.url),
    ExportField("domain", domains.c.name),
    ExportField("run", images.c.run_id, _INTEGER),
    ExportField("discovery", images.c.discovery),
    ExportField("first_seen_at", images.c.first_seen_at, _INSTANT),
)

DOMAIN_FIELDS = (
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

ITEM_FIELDS = (
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
