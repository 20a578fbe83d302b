"""Sitemaps: reads them piece by piece, whatever they are: XML, a feed, a list of addresses; plain or
compressed. Nothing here raises: a broken document is read as far as it goes, and the parser says so.
"""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Final
from xml.parsers import expat

import xxhash

from tenax.clock import Instant
from tenax.discover.feed_dates import parse_date
from tenax.discover.feeds import MAX_BYTES as MAX_FEED_BYTES
from tenax.discover.feeds import BadFeed, parse_feed
from tenax.discover.gzip_layers import GZIP, BadGzip, iter_plain
from tenax.discover.sitemap_xml import MAX_TEXT, RawEntry, RefusedMarkup, XmlReader
from tenax.records.sitemaps import SitemapKind

# Where an origin may have a sitemap that its robots.txt does not name.
USUAL_PATHS: Final = ("/sitemap.xml", "/sitemap_index.xml")
SNIFFED_BYTES: Final = 4096
EARLIEST: Final[Instant] = 631_152_000.0  # 1990: no page is older
_AHEAD_S: Final = 86_400.0  # clocks and time zones differ

_FEED_ROOTS = frozenset(("rss", "feed", "rdf"))
_XML_ROOTS = frozenset(("urlset", "sitemapindex"))
_UTF16 = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_ROOT = re.compile(r"<(?:[A-Za-z_][\w.-]{0,100}:)?([A-Za-z][\w-]{0,100})")
_ADDRESS = re.compile(r"\s*https?://", re.IGNORECASE)
_TEXT = "text"

_Read = Callable[[], list[RawEntry]]


def is_sitemap(body: bytes, *, may_be_text: bool) -> bool:
    """Whether a document that may be a page is a sitemap. A compressed one may be. `may_be_text`: so may a
    list of addresses."""
    if body[:2] == GZIP:
        return True
    root = _sniff(body[:SNIFFED_BYTES])
    return root is not None and (may_be_text or root != _TEXT)


def hash_body(body: bytes) -> int:
    """64 bits, signed because SQL integers are."""
    digest = xxhash.xxh3_64_intdigest(body)
    return digest - (1 << 64) if digest >> 63 else digest


def parse_lastmod(date: str | Instant | None, now: Instant) -> Instant | None:
    """Parse a date, by the calendar; None: there is none, or it is nonsense, like one that is yet to come."""
    found = _parse_date(date) if isinstance(date, str) else date
    return found if found is not None and EARLIEST <= found <= now + _AHEAD_S else None


def _parse_date(text: str) -> Instant | None:
    try:
        found = datetime.fromisoformat(text)
        return (found if found.tzinfo is not None else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return parse_date(text)


class SitemapParser:
    """Reads one document. `error`: why it was not read to its end."""

    def __init__(self, *, url: str, max_bytes: int, max_entries: int) -> None:
        self._url = url
        self._max_bytes = max_bytes
        self._max_entries = max_entries
        self._reader: XmlReader | _TextReader | _FeedCollector | None = None
        self._start = b""  # of a document that is not long enough yet to tell what it is
        self.read_bytes = 0  # unpacked
        self.entries = 0
        self.error: str | None = None

    @property
    def kind(self) -> SitemapKind | None:
        return None if self._reader is None else self._reader.kind

    @property
    def images(self) -> int:
        return self._reader.images if isinstance(self._reader, XmlReader) else 0

    def iter_entries(self, body: bytes) -> Iterator[list[RawEntry]]:
        """The entries of each piece: some may be empty. Between two, little is held and little was done."""
        try:
            for piece in iter_plain(body):
                yield self._limit(self._feed(piece))
                if self.error is not None:
                    return
        except BadGzip as error:
            self.error = str(error)
        broken, self.error = self.error, None
        yield self._limit(self._close())
        self.error = broken or self.error

    def _feed(self, piece: bytes) -> list[RawEntry]:
        room = self._max_bytes - self.read_bytes
        if len(piece) > room:
            self.error = f"it is longer than {self._max_bytes:,} bytes; the rest was not read"
            piece = piece[:room]
        self.read_bytes += len(piece)
        if self._reader is not None:
            return self._guard(lambda: self._feed_reader(piece))
        self._start += piece
        return self._choose() if len(self._start) >= SNIFFED_BYTES or self.error else []

    def _close(self) -> list[RawEntry]:
        found = self._choose() if self._reader is None else []
        if (reader := self._reader) is not None and self.error is None:
            found += self._guard(reader.close)
        return found

    def _choose(self) -> list[RawEntry]:
        """Find out what the document is, and begin to read it."""
        root = _sniff(self._start)
        if root is None:
            self.error = _describe_other(self._start)
            return []
        if root == _TEXT:
            self._reader = _TextReader()
        else:
            self._reader = XmlReader() if root in _XML_ROOTS else _FeedCollector(self._url)
        start, self._start = self._start, b""
        return self._guard(lambda: self._feed_reader(start))

    def _feed_reader(self, piece: bytes) -> list[RawEntry]:
        return self._reader.feed(piece) if self._reader is not None else []

    def _guard(self, read: _Read) -> list[RawEntry]:
        try:
            return read()
        except RefusedMarkup as error:
            self.error = str(error)
        except expat.ExpatError as error:
            self.error = f"broken XML in line {error.lineno}: {expat.ErrorString(error.code)}"
        except (ValueError, LookupError):
            self.error = "its character encoding is unknown or broken"
        return self._reader.take() if self._reader is not None else []

    def _limit(self, found: list[RawEntry]) -> list[RawEntry]:
        room = self._max_entries - self.entries
        if len(found) > room:
            found = found[:room]
            self.error = f"it lists more than {self._max_entries:,} addresses; the rest was not read"
        self.entries += len(found)
        return found


class _TextReader:
    """An address per line."""

    kind = SitemapKind.TEXT

    def __init__(self) -> None:
        self._encoding: str | None = None
        self._rest = b""

    def feed(self, data: bytes) -> list[RawEntry]:
        if self._encoding is None:
            self._encoding = _UTF16.get(data[:2], "utf-8-sig")
        data = self._rest + data
        cut = _find_cut(data, "\n".encode(self._encoding.removesuffix("-sig")))
        if len(data) - cut > MAX_TEXT:
            raise RefusedMarkup("a line in it is too long")
        self._rest = data[cut:]
        return self._read(data[:cut])

    def close(self) -> list[RawEntry]:
        rest, self._rest = self._rest, b""
        return self._read(rest)

    def take(self) -> list[RawEntry]:
        return []

    def _read(self, data: bytes) -> list[RawEntry]:
        lines = data.decode(self._encoding or "utf-8-sig", "replace").lstrip("\ufeff").splitlines()
        return [(line, None) for each in lines if (line := each.strip())]


def _find_cut(data: bytes, line_feed: bytes) -> int:
    """The end of the last complete line. The bytes of a wide line feed may also be parts of two others."""
    at = data.rfind(line_feed)
    while at >= 0 and at % len(line_feed):
        at = data.rfind(line_feed, 0, at + len(line_feed) - 1)
    return at + len(line_feed) if at >= 0 else 0


class _FeedCollector:
    """A feed is short and read as a whole."""

    kind = SitemapKind.FEED

    def __init__(self, url: str) -> None:
        self._url = url
        self._body = bytearray()

    def feed(self, data: bytes) -> list[RawEntry]:
        self._body += data
        if len(self._body) > MAX_FEED_BYTES:
            raise RefusedMarkup(f"it is a feed of more than {MAX_FEED_BYTES:,} bytes")
        return []

    def close(self) -> list[RawEntry]:
        feed = parse_feed(bytes(self._body), url=self._url, content_type=None)
        if isinstance(feed, BadFeed):
            raise RefusedMarkup(feed.reason)
        return [(entry.url, entry.published_at) for entry in feed.entries]

    def take(self) -> list[RawEntry]:
        return []


def _sniff(start: bytes) -> str | None:
    """What a document begins with: the name of its root, or _TEXT; None: it is no sitemap."""
    text = start.decode(_UTF16.get(start[:2], "utf-8-sig"), "replace").lstrip("\ufeff")
    if _ADDRESS.match(text):
        return _TEXT
    if not text.lstrip().startswith("<"):
        return None
    root = _ROOT.search(_drop_comments(text))
    name = root[1].lower() if root is not None else ""
    return name if name in _XML_ROOTS or name in _FEED_ROOTS else None


def _drop_comments(text: str) -> str:
    """They may hold tags."""
    kept = []
    while True:
        before, opened, after = text.partition("<!--")
        kept.append(before)
        if not opened:
            return "".join(kept)
        _, _, text = after.partition("-->")


def _describe_other(start: bytes) -> str:
    text = start.lstrip().lower()
    if not text:
        return "it is empty"
    is_html = b"<html" in text or text.startswith(b"<!doctype html")
    return "it is HTML, not a sitemap" if is_html else "it is no sitemap"
