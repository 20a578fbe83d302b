"""Feeds: finds the feeds of a page and their usual addresses, and parses RSS, Atom and JSON Feed.

Feeds may be hostile or careless. Nothing here raises: an unusable feed is a value.
"""

from collections.abc import Iterable
from itertools import islice
from typing import Any, Final

import orjson

from tenax.clock import Instant
from tenax.discover.feed_dates import parse_date
from tenax.discover.feed_markup import RawEntry, read_markup
from tenax.discover.feed_text import ROOT, UnsafeFeed, cut_prolog, escape_entities, read_text
from tenax.record import record
from tenax.records.feeds import FeedKind
from tenax.web.documents import Document
from tenax.web.parameters import ALL_NAMES
from tenax.web.urls import origin_of, parse_url

MAX_BYTES: Final = 5_000_000
MAX_ENTRIES: Final = 1_000
MAX_FOUND: Final = 10  # feeds of one page
MAX_TITLE: Final = 300
MAX_ID: Final = 1_000
MAX_REASON: Final = 200

USUAL_PATHS: Final = ("/feed", "/rss", "/rss.xml", "/atom.xml", "/feed.xml", "/index.xml", "/feed.json")
FEED_TYPES: Final = frozenset(
    (
        "application/rss+xml",
        "application/atom+xml",
        "application/rdf+xml",
        "application/feed+json",
        "text/rss+xml",
    )
)

_KINDS = {"rss": FeedKind.RSS, "rdf": FeedKind.RSS, "feed": FeedKind.ATOM}


@record
class FeedEntry:
    url: str  # an address, with all its parameters
    id: str | None
    title: str | None
    published_at: Instant | None


@record
class ParsedFeed:
    kind: FeedKind
    title: str | None
    entries: tuple[FeedEntry, ...]  # those with a url, at most MAX_ENTRIES


@record
class BadFeed:
    """A document that is not a feed, or must not be parsed."""

    reason: str
    is_html: bool = False


def find_feeds(document: Document) -> list[str]:
    """Find the addresses of the feeds that a page links to."""
    found: dict[str, None] = {}
    for attributes in document.links:
        rels = (attributes.get("rel") or "").lower().split()
        kind = (attributes.get("type") or "").partition(";")[0].strip().lower()
        if "alternate" not in rels or kind not in FEED_TYPES or "href" not in attributes:
            continue
        url = parse_url(attributes["href"] or "", document.base_url)
        if url is not None:
            found[url] = None
    return list(islice(found, MAX_FOUND))


def list_usual_feeds(url: str) -> list[str]:
    """List where the origin of a url may have feeds that it does not link to."""
    origin = origin_of(url)
    return [f"{origin}{path}" for path in USUAL_PATHS]


def parse_feed(body: bytes, *, url: str, content_type: str | None) -> ParsedFeed | BadFeed:
    """Parse the document at the address `url`."""
    if len(body) > MAX_BYTES:
        return BadFeed(reason=f"it is longer than {MAX_BYTES:,} bytes")
    text = read_text(body, content_type)
    if text.startswith("{"):
        return _parse_json(text, url)
    markup = cut_prolog(text)
    if isinstance(markup, str):
        markup = escape_entities(markup)
    if isinstance(markup, UnsafeFeed):
        return BadFeed(reason=markup.reason, is_html=markup.is_html)
    return _parse_xml(markup, url)


def _parse_xml(text: str, url: str) -> ParsedFeed | BadFeed:
    root = ROOT.match(text)
    if root is None:
        return BadFeed(reason="it is neither RSS nor Atom nor JSON Feed")
    kind = _KINDS[root[1].lower()]
    found = read_markup(text, is_atom=kind is FeedKind.ATOM, limit=MAX_ENTRIES)
    if found is None:
        return BadFeed(reason="it cannot be parsed")
    return ParsedFeed(
        kind=kind,
        title=_tidy(found.title, MAX_TITLE),
        entries=_take_entries(_list_fields(entry, url) for entry in found.entries),
    )


def _parse_json(text: str, url: str) -> ParsedFeed | BadFeed:
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        return BadFeed(reason=_tidy(f"it is not JSON: {error}", MAX_REASON) or "it is not JSON")
    items = found.get("items")
    if not isinstance(items, list) or "jsonfeed.org" not in str(found.get("version")):
        return BadFeed(reason="it is JSON, but not a JSON Feed")
    fields = (_list_json_fields(item, url) for item in islice(items, MAX_ENTRIES) if isinstance(item, dict))
    title = _tidy(found.get("title"), MAX_TITLE)
    return ParsedFeed(kind=FeedKind.JSON, title=title, entries=_take_entries(fields))


Fields = tuple[
    Any, str, Any, Any, Iterable[Any]
]  # link, what it is relative to, id, title, dates: unprocessed


def _list_fields(entry: RawEntry, url: str) -> Fields:
    for base in entry.bases:
        url = parse_url(base.strip(), url) or url
    return entry.link, url, entry.id, entry.title, entry.dates


def _list_json_fields(item: dict[str, Any], url: str) -> Fields:
    link = item.get("url") or item.get("external_url")
    return (
        link,
        url,
        item.get("id"),
        item.get("title"),
        (item.get("date_published"), item.get("date_modified")),
    )


def _take_entries(entries: Iterable[Fields]) -> tuple[FeedEntry, ...]:
    found: dict[str, FeedEntry] = {}
    for link, base, id, title, dates in entries:
        url = parse_url(link.strip(), base, ALL_NAMES) if isinstance(link, str) and link.strip() else None
        if url is None or url in found:
            continue
        found[url] = FeedEntry(
            url=url, id=_tidy(id, MAX_ID), title=_tidy(title, MAX_TITLE), published_at=_find_date(dates)
        )
    return tuple(found.values())


def _find_date(dates: Iterable[Any]) -> Instant | None:
    """The first valid date."""
    found = (parse_date(date) for date in dates if isinstance(date, str))
    return next((instant for instant in found if instant is not None), None)


def _tidy(text: Any, limit: int) -> str | None:
    if not isinstance(text, str):
        return None
    # The second cut is the limit; the first avoids splitting a huge text into words.
    return " ".join(text[: 5 * limit].split())[:limit].rstrip() or None
