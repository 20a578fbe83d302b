"""Feeds: where a page names them, where they usually are, and what they say (RSS, Atom, JSON Feed).

Whoever makes a feed may be hostile or careless. Nothing here raises: what cannot be used is a value.
"""

import os
import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice
from typing import Any, Final

import orjson

from tenax.clock import Instant
from tenax.discover.feed_text import Trouble, cut_prolog, mend, read_text
from tenax.job_records import FeedKind
from tenax.values import record
from tenax.web.documents import Document
from tenax.web.urls import normalize, origin_of

# The library's own native reader is quadratic in the attributes of an element; libxml2's is not.
os.environ.setdefault("FASTFEEDPARSER_DISABLE_CORE", "1")
import fastfeedparser

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

_ROOT = re.compile(r"<(?:[\w-]{1,30}:)?(rss|feed|rdf)[\s>]", re.IGNORECASE)
_KINDS = {"rss": FeedKind.RSS, "rdf": FeedKind.RSS, "feed": FeedKind.ATOM}


@record(frozen=True, slots=True, kw_only=True)
class FeedEntry:
    url: str  # normalised
    id: str | None
    title: str | None
    published_at: Instant | None


@record(frozen=True, slots=True, kw_only=True)
class ParsedFeed:
    kind: FeedKind
    title: str | None
    entries: tuple[FeedEntry, ...]  # those that lead to a url, the first MAX_ENTRIES at most


@record(frozen=True, slots=True, kw_only=True)
class BadFeed:
    """No feed, or one that must not be read."""

    reason: str
    is_html: bool = False


def find_feeds(document: Document) -> list[str]:
    """The feeds that a page names, as normalised urls."""
    found: dict[str, None] = {}
    for attributes in document.links:
        rels = (attributes.get("rel") or "").lower().split()
        kind = (attributes.get("type") or "").partition(";")[0].strip().lower()
        if "alternate" not in rels or kind not in FEED_TYPES or "href" not in attributes:
            continue
        url = normalize(attributes["href"] or "", document.base_url)
        if url is not None:
            found[url] = None
    return list(islice(found, MAX_FOUND))


def list_usual_feeds(url: str) -> list[str]:
    """Where the origin of a url may have feeds without naming them."""
    origin = origin_of(url)
    return [f"{origin}{path}" for path in USUAL_PATHS]


def parse_feed(body: bytes, *, url: str, content_type: str | None) -> ParsedFeed | BadFeed:
    """What was found at the normalised `url`."""
    if len(body) > MAX_BYTES:
        return BadFeed(reason=f"it is longer than {MAX_BYTES:,} bytes")
    text = read_text(body, content_type)
    if text.startswith("{"):
        return _parse_json(text, url)
    markup = cut_prolog(text)
    if isinstance(markup, str):
        markup = mend(markup)
    if isinstance(markup, Trouble):
        return BadFeed(reason=markup.reason, is_html=markup.is_html)
    return _parse_xml(markup, url)


def _parse_xml(text: str, url: str) -> ParsedFeed | BadFeed:
    root = _ROOT.match(text)
    if root is None:
        return BadFeed(reason="it is neither RSS nor Atom nor JSON Feed")
    try:
        # Bytes: a text could be taken for an address to be fetched.
        found = fastfeedparser.parse(text.encode())
    except Exception as error:  # whatever a parser stumbles over, it is the feed's fault
        return BadFeed(reason=_tidy(f"it cannot be read: {error}", MAX_REASON) or "it cannot be read")
    head = found.get("feed") or {}
    base = normalize((head.get("title_detail") or {}).get("base") or "", url) or url
    return ParsedFeed(
        kind=_KINDS[root[1].lower()],
        title=_tidy(head.get("title"), MAX_TITLE),
        entries=_take_entries(_list_fields(found.get("entries") or ()), base),
    )


def _parse_json(text: str, url: str) -> ParsedFeed | BadFeed:
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        return BadFeed(reason=_tidy(f"it is not JSON: {error}", MAX_REASON) or "it is not JSON")
    items = found.get("items")
    if not isinstance(items, list) or "jsonfeed.org" not in str(found.get("version")):
        return BadFeed(reason="it is JSON and no JSON Feed")
    fields = (
        (item.get("url") or item.get("external_url"), item.get("id"), item.get("title"), _find_date(item))
        for item in items
        if isinstance(item, dict)
    )
    title = _tidy(found.get("title"), MAX_TITLE)
    return ParsedFeed(kind=FeedKind.JSON, title=title, entries=_take_entries(fields, url))


Fields = tuple[Any, Any, Any, Any]  # link, id, title, date: as they came


def _list_fields(entries: Iterable[Any]) -> Iterator[Fields]:
    for entry in entries:
        date = entry.get("published") or entry.get("updated")
        yield entry.get("link"), entry.get("id"), entry.get("title"), date


def _find_date(item: dict[str, Any]) -> Any:
    return item.get("date_published") or item.get("date_modified")


def _take_entries(entries: Iterable[Fields], base: str) -> tuple[FeedEntry, ...]:
    found: dict[str, FeedEntry] = {}
    for link, id, title, date in islice(entries, MAX_ENTRIES):
        url = normalize(link.strip(), base) if isinstance(link, str) and link.strip() else None
        if url is None or url in found:
            continue
        found[url] = FeedEntry(
            url=url, id=_tidy(id, MAX_ID), title=_tidy(title, MAX_TITLE), published_at=_parse_date(date)
        )
    return tuple(found.values())


def _parse_date(text: Any) -> Instant | None:
    if not isinstance(text, str):
        return None
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        return None


def _tidy(text: Any, limit: int) -> str | None:
    if not isinstance(text, str):
        return None
    # The second cut is the limit; the first keeps a huge text from being split into words.
    return " ".join(text[: 5 * limit].split())[:limit].rstrip() or None
