"""Parses RSS and Atom into the few fields that a crawler needs. libxml2 recovers from errors, and elements
are identified by local name, because feeds mix versions, namespaces and letter cases."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from lxml import etree

from tenax.discover.feed_titles import decode_base64, read_doubtful, read_html
from tenax.record import record

MAX_TEXT: Final = 10_000  # of one field

_MAX_STEPS = 4_000  # through the markup of one field
_MAX_LINKS = 100  # of one entry

_DUBLIN = "dc:"
_VOCABULARIES: Final = {
    **dict.fromkeys(
        (
            "http://www.w3.org/2005/atom",
            "https://www.w3.org/2005/atom",
            "http://purl.org/atom/ns#",
            "http://purl.org/rss/1.0/",
            "http://purl.org/net/rss1.1#",
            "http://my.netscape.com/rdf/simple/0.9/",
            "http://channel.netscape.com/rdf/simple/0.9/",
            "http://my.netscape.com/publish/formats/rss-0.91.dtd",
            "http://backend.userland.com/rss",
            "http://backend.userland.com/rss2",
            "http://blogs.law.harvard.edu/tech/rss",
            *("", "rss", "atom", "a10"),  # undeclared prefixes
        ),
        "",
    ),
    **dict.fromkeys(
        (
            "http://purl.org/dc/elements/1.0/",
            "http://purl.org/dc/elements/1.1/",
            "http://purl.org/dc/terms/",
            *("dc", "dcterms"),
        ),
        _DUBLIN,
    ),
}
_ENTRIES: Final = frozenset({"item", "entry"})
_LINK, _ID = "link", "id"
# The first valid one is the publication date of an entry.
_DATES: Final = (
    *("pubdate", "published", "issued", "dc:issued", "created", "dc:created", "dc:date", "date"),
    *("updated", "modified", "dc:modified", "dc:available"),
)
_FIELDS: Final = frozenset({_LINK, _ID, "guid", "title", "dc:title", "dc:identifier", "description", *_DATES})
_BASE = "{http://www.w3.org/XML/1998/namespace}base"
_ABOUT = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}about"
_RELATION = "http://www.iana.org/assignments/relation/"
_ALTERNATE = "alternate"
# Links not to the entry, but to something about it or the feed.
_ASIDE: Final = frozenset(
    {
        "edit",
        "edit-media",
        "enclosure",
        "hub",
        "first",
        "last",
        "license",
        "next",
        "payment",
        "prev",
        "previous",
    }
    | {"replies", "search", "self", "service", "up"}
)
_PAGES: Final = frozenset({"", "text/html", "application/xhtml+xml"})
_UNSEEN: Final = frozenset({"script", "style"})
_WEB = ("http://", "https://")

Element = Any  # lxml has no types


@record
class RawEntry:
    link: str | None
    bases: tuple[str, ...]  # what the link is relative to, outermost first
    id: str | None
    title: str | None
    dates: tuple[str, ...]  # best first


@record
class RawFeed:
    title: str | None
    entries: Iterator[RawEntry]


def read_markup(text: str, *, is_atom: bool, limit: int) -> RawFeed | None:
    """Parse a feed and its first `limit` entries; None: it cannot be parsed. No exception of lxml escapes."""
    parser = etree.XMLParser(
        encoding="utf-8",
        recover=True,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        collect_ids=False,
    )
    try:
        root = etree.fromstring(text.encode(), parser)
    except (etree.LxmlError, ValueError):
        return None
    if root is None:
        return None
    # These are nodes, but not elements.
    etree.strip_tags(root, etree.Entity, etree.Comment, etree.ProcessingInstruction)
    return _FeedReader(root, is_atom).read(limit)


class _FeedReader:
    """Reads one feed."""

    def __init__(self, root: Element, is_atom: bool) -> None:
        self._root = root
        self._is_atom = is_atom
        self._names: dict[str, str] = {}  # by tag
        self._own = _split(root.tag)[0]  # whatever it is, it is the namespace of the feed

    def read(self, limit: int) -> RawFeed:
        entries = islice(self._find_entries(), limit)
        return RawFeed(title=self._find_title(), entries=(self._read_entry(entry) for entry in entries))

    def _name(self, element: Element) -> str:
        """The local name in lower case; "" for other vocabularies."""
        tag = element.tag
        name = self._names.get(tag)
        if name is None:
            space, local = _split(tag)
            prefix = "" if space == self._own else _VOCABULARIES.get(space.lower())
            name = self._names[tag] = "" if prefix is None else prefix + local.lower()
        return name

    def _find_entries(self) -> Iterator[Element]:
        """Find entries anywhere: next to the channel in RSS 1.0, or inside an element that was not closed."""
        for element in self._root.iter(etree.Element):
            if self._name(element) in _ENTRIES and not self._is_quoted(element):
                yield element

    def _is_quoted(self, entry: Element) -> bool:
        """Whether it is part of the content of another entry, alone or in a feed."""
        around = islice(entry.iterancestors(), 2)
        return any(self._name(above) == "content" and _find_type(above).endswith("xml") for above in around)

    def _find_title(self) -> str | None:
        channels = (child for child in self._root if self._name(child) == "channel")
        for parent in (next(channels, None), self._root):
            for field in self._list_fields(parent) if parent is not None else ():
                if self._name(field) in ("title", "dc:title"):
                    return self._read_title(field)
        return None

    def _list_fields(self, parent: Element) -> Iterator[Element]:
        """List the fields of an entry or a channel, including those inside a field that was not closed."""
        waiting = [parent]
        while waiting:
            for element in waiting.pop():
                name = self._name(element)
                if name in _FIELDS:
                    yield element
                    if len(element) and any(self._name(inside) in _FIELDS for inside in element):
                        waiting.append(element)

    def _read_entry(self, entry: Element) -> RawEntry:
        links: list[Element] = []
        fields: dict[str, Element] = {}
        for field in self._list_fields(entry):
            name = self._name(field)
            if name == _LINK:
                if len(links) < _MAX_LINKS:
                    links.append(field)
            else:
                fields.setdefault(name, field)
        id = self._find_id(entry, fields)
        link, source = self._find_link(entry, links, fields, id)
        title = fields.get("title", fields.get("dc:title"))
        return RawEntry(
            link=link,
            bases=_find_bases(source),
            id=id or link,
            title=self._read_title(title) if title is not None else None,
            dates=tuple(self._read_text(fields[name]) for name in _DATES if name in fields),
        )

    def _find_id(self, entry: Element, fields: dict[str, Element]) -> str | None:
        for name in (_ID, "guid"):
            if name in fields and (text := self._read_text(fields[name]).strip()):
                return text
        about: str | None = entry.get(_ABOUT)
        return about

    def _find_link(
        self, entry: Element, links: list[Element], fields: dict[str, Element], id: str | None
    ) -> tuple[str | None, Element]:
        """Find the link and the element that contains it."""
        found = [(self._read_link(link), link) for link in links]
        stated = [(href, link) for href, link in found if href]
        alternates = [(href, link) for href, link in stated if _find_rel(link) == _ALTERNATE]
        pages = [(href, link) for href, link in alternates if _find_type(link) in _PAGES]
        for choice in (*pages[:1], *alternates[:1]):
            return choice
        if (guid := fields.get("guid")) is not None:
            text = self._read_text(guid).strip()
            if text.startswith(_WEB) or (text and (guid.get("isPermaLink") or "").lower() == "true"):
                return text, guid
        for href, link in stated:
            if _find_rel(link) not in _ASIDE:
                return href, link
        # The id of an entry is usually its address.
        return (id if id and id.lower().startswith(_WEB) else None), entry

    def _read_link(self, link: Element) -> str:
        """RSS has the address in the text, Atom in an attribute; feeds of either kind use both."""
        return (link.get("href") or "").strip() or self._read_text(link).strip()

    def _read_title(self, title: Element) -> str:
        text = self._read_text(title)
        kind, mode = _find_type(title), (title.get("mode") or "").strip().lower()
        if len(title) or kind in ("xhtml", "application/xhtml+xml") or mode == "xml":
            return text  # markup was markup
        if mode == "base64" or (self._is_atom and _is_binary(kind)):
            text = decode_base64(text)
        if kind in ("html", "text/html"):
            return read_html(text)
        return text if self._is_atom else read_doubtful(text)

    def _read_text(self, element: Element) -> str:
        """Read the text, up to fields that are inside only because it was not closed."""
        parts = [element.text or ""]
        length = len(parts[0])
        for child in element:
            if length > MAX_TEXT or self._name(child) in _FIELDS or self._name(child) in _ENTRIES:
                break
            for part in _list_texts(child):
                parts.append(part)
                length += len(part)
                if length > MAX_TEXT:
                    break
            parts.append(child.tail or "")
        return "".join(parts)


def _split(tag: str) -> tuple[str, str]:
    """Split into namespace, or undeclared prefix, and local name."""
    if tag.startswith("{"):
        space, _, local = tag[1:].partition("}")
        return space, local
    prefix, _, local = tag.rpartition(":")
    return prefix, local


def _find_rel(link: Element) -> str:
    rel: str = (link.get("rel") or "").strip().lower().removeprefix(_RELATION)
    return rel or _ALTERNATE


def _find_type(element: Element) -> str:
    kind: str = (element.get("type") or "").partition(";")[0].strip().lower()
    return kind


def _is_binary(kind: str) -> bool:
    """Whether it is a media type whose content must be base64 in Atom."""
    return "/" in kind and not kind.startswith("text/") and not kind.endswith(("+xml", "/xml"))


def _list_texts(element: Element) -> Iterator[str]:
    """List the texts up to the end tag, without scripts. Limited, as it may contain the rest of the
    document."""
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, here in islice(walk, _MAX_STEPS):
        if event == "end":
            yield (here.tail or "") if here is not element else ""
        elif _split(here.tag)[1].lower() in _UNSEEN:
            walk.skip_subtree()
        else:
            yield here.text or ""


def _find_bases(element: Element) -> tuple[str, ...]:
    bases: list[str] = []
    above = element
    while above is not None:
        if base := above.get(_BASE):
            bases.append(base)
        above = above.getparent()
    return tuple(reversed(bases))
