"""Reads XML sitemaps piece by piece: urlset and sitemapindex, with or without namespaces.

Whatever could make a parser do more than read is refused: a DOCTYPE (and with it entities), deep nesting,
endless names and values. Expat makes no requests.
"""

from typing import Final
from xml.parsers import expat

from tenax.clock import Instant
from tenax.records.sitemaps import SitemapKind

MAX_DEPTH: Final = 50
MAX_TEXT: Final = 16_384  # of one element; no address is longer
# Expat holds a tag until it is complete: bytes without any complete one are an attack on memory.
MAX_PENDING_BYTES: Final = 262_144

# An address as written, and its date: as written, or by the calendar; None: it has none.
RawEntry = tuple[str, str | Instant | None]

_ROOTS = {"urlset": SitemapKind.URLS, "sitemapindex": SitemapKind.INDEX}
_ITEMS = frozenset(("url", "sitemap"))
_DATES = frozenset(("lastmod", "publication_date"))


class RefusedMarkup(Exception):
    """The document must not be read on; says why."""


class XmlReader:
    """Addresses are found by local names and their parents: prefixes and namespaces are often wrong."""

    def __init__(self) -> None:
        self.kind: SitemapKind | None = None
        self.images = 0
        self._found: list[RawEntry] = []
        self._path: list[str] = []
        self._text: list[str] | None = None  # of the element that is being read; None: it is not wanted
        self._text_chars = 0
        self._loc = self._date = ""
        self._alternates: list[str] = []
        self._fed_bytes = 0
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._add_text
        self._parser.StartDoctypeDeclHandler = self._refuse_doctype
        self._parser.EntityDeclHandler = self._refuse_entity

    def feed(self, data: bytes) -> list[RawEntry]:
        """Raises RefusedMarkup or expat.ExpatError; `take` has what was found before."""
        self._fed_bytes += len(data)
        self._parser.Parse(data, False)
        if self._fed_bytes - self._parser.CurrentByteIndex > MAX_PENDING_BYTES:
            raise RefusedMarkup("a tag in it is too long")
        return self.take()

    def close(self) -> list[RawEntry]:
        """Raises like `feed`, also if the document is not complete."""
        self._parser.Parse(b"", True)
        return self.take()

    def take(self) -> list[RawEntry]:
        found, self._found = self._found, []
        return found

    def _refuse_doctype(self, *_: object) -> None:
        raise RefusedMarkup("it has a DOCTYPE, which may hide entities")

    def _refuse_entity(self, *_: object) -> None:
        raise RefusedMarkup("it declares entities")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        name = _local(name)
        path = self._path
        if len(path) >= MAX_DEPTH:
            raise RefusedMarkup(f"its elements are nested more than {MAX_DEPTH} deep")
        if not path:
            self.kind = _ROOTS.get(name)
            if self.kind is None:
                raise RefusedMarkup(f"it begins with <{name[:50]}>, so it is no sitemap")
        path.append(name)
        if name == "loc" or name in _DATES:
            self._text, self._text_chars = [], 0
        elif name == "link" and path[-2:-1] == ["url"] and (href := attributes.get("href")):
            self._alternates.append(href)

    def _add_text(self, text: str) -> None:
        if self._text is None:
            return
        self._text_chars += len(text)
        if self._text_chars > MAX_TEXT:
            raise RefusedMarkup("an address in it is too long")
        self._text.append(text)

    def _end(self, name: str) -> None:
        name = self._path.pop()
        if name in _ITEMS:
            self._end_item()
        elif self._text is not None:
            self._keep_text(name, "".join(self._text).strip())
            self._text = None

    def _keep_text(self, name: str, text: str) -> None:
        parent = self._path[-1] if self._path else ""
        if name == "loc" and parent in _ITEMS:
            self._loc = text
        elif name == "loc":
            self.images += parent == "image"
        elif name == "lastmod" and parent in _ITEMS:
            self._date = text
        elif name == "publication_date" and not self._date:
            self._date = text  # of a news article that has no lastmod

    def _end_item(self) -> None:
        if self._loc:
            self._found.append((self._loc, self._date or None))
        self._found += [(href, None) for href in self._alternates if href != self._loc]
        self._loc = self._date = ""
        self._alternates = []


def _local(name: str) -> str:
    return name.rpartition(":")[2].lower()
