"""What a document says about itself for machines: JSON-LD, microdata, meta elements, as plain values.

Pages are hostile: every function takes time linear in the size of the document, whatever it holds, and
returns at most as much as its limits say. Nothing recurses. What cannot be read is left out.
"""

import re
from collections import deque
from collections.abc import Iterator
from typing import Any, Final

import orjson
from selectolax.lexbor import LexborNode

from tenax.record import record
from tenax.web.documents import Document, select
from tenax.web.urls import parse_url
from tenax.web.white_space import collapse

MAX_JSON_BYTES: Final = (
    2_000_000  # of all JSON-LD of a document; as values they take 25 times as much at worst
)
MAX_DEPTH: Final = 40  # of values in values
MAX_NODES: Final = 200_000  # of all JSON-LD of a document
MAX_OBJECTS: Final = 1_000  # at the top
MAX_ELEMENTS: Final = 20_000  # with microdata
MAX_VALUE_CHARS: Final = 10_000
MAX_METAS: Final = 1_000
# A text that contains a text that contains a text …: each is read once more for each that it is in.
MAX_TEXTS: Final = 8

_SCRIPT: Final = 'script[type^="application/ld+json" i]'
# A string that never ends is one, too: otherwise each of its quotes would be tried.
_STRING: Final = r'"[^"\\]*+(?:\\[\s\S][^"\\]*+)*+"?'
_FAULT: Final = re.compile(
    rf"(?P<string>{_STRING})|(?P<comma>,)(?=\s*+[}}\]])|(?P<between>\}}\s*+(?=\{{))|(?P<comment>/\*[\s\S]*?(?:\*/|\Z))"
)
_CONTROL: Final = re.compile(r"[\x00-\x1f]")
_ESCAPES: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_AROUND: Final = re.compile(r"\A(?:\s|<!--|//|<!\[CDATA\[)++")
_BEHIND: Final = ("-->", "]]>", "//", ";")


def read_json_ld(document: Document) -> list[dict[str, Any]]:
    """Read the JSON-LD objects of a document in their order; those of a list or an `@graph` one by one."""
    found: list[dict[str, Any]] = []
    bytes_left, nodes_left = MAX_JSON_BYTES, MAX_NODES
    for script in select(document.tree, _SCRIPT):
        text = script.text_lexbor()
        bytes_left -= len(text)
        if bytes_left < 0:
            break
        value = _parse_json(text)
        nodes = _count_nodes(value, nodes_left)
        if nodes is not None:
            nodes_left -= nodes
            found += _list_objects(value)
    return found[:MAX_OBJECTS]


def _parse_json(text: str) -> Any:
    """Parse JSON, with the faults that people make when they write it by hand. None: it is none."""
    for attempt in (str, _repair):
        try:
            return orjson.loads(attempt(text).encode("utf-8", "replace"))
        except orjson.JSONDecodeError:
            continue
    return None


def _repair(text: str) -> str:
    """Remove comments around it, trailing commas and raw line breaks in strings; join several objects."""
    text = _AROUND.sub("", text).rstrip()
    for end in _BEHIND:
        text = text.removesuffix(end).rstrip()
    return f"[{_FAULT.sub(_mend, text)}]"


def _mend(fault: re.Match[str]) -> str:
    if fault["string"]:
        return _CONTROL.sub(lambda found: _ESCAPES.get(found[0], " "), fault["string"])
    return "}," if fault["between"] else ""


def _count_nodes(value: Any, most: int) -> int | None:
    """Count the values in a value. None: there are too many, or they are nested too deep."""
    level, nodes = [value], 0
    for _ in range(MAX_DEPTH):
        nodes += len(level)
        if nodes > most:
            return None
        level = [inner for each in level for inner in list_values(each)]
        if not level:
            return nodes
    return None


def list_values(value: Any) -> list[Any]:
    """List what a list or an object holds; nothing for other values."""
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _list_objects(value: Any) -> Iterator[dict[str, Any]]:
    waiting = deque([value])
    while waiting:
        here = waiting.popleft()
        if isinstance(here, list):
            waiting.extendleft(reversed(here))
        elif isinstance(here, dict):
            graph = here.get("@graph")
            if isinstance(graph, list | dict):
                waiting.appendleft(graph)
            else:
                yield here


def read_metas(document: Document) -> dict[str, str]:
    """Read the first content of each meta element, by its name or property in lower case, such as
    `og:title`."""
    found: dict[str, str] = {}
    for attributes in document.metas:
        name = attributes.get("property") or attributes.get("name") or attributes.get("itemprop")
        content = attributes.get("content")
        if name and content and (text := collapse(content, MAX_VALUE_CHARS)):
            found.setdefault(collapse(name, 200).lower(), text)
            if len(found) >= MAX_METAS:
                break
    return found


@record
class MarkedPlace:
    """Where an element stands in the items of a document."""

    item: dict[str, Any] | None  # whose properties are found here; None: nobody's
    depth: int = 0  # of the item
    texts: int = 0  # properties whose text includes the element


NOWHERE: Final = MarkedPlace(item=None)


def read_microdata(document: Document) -> list[dict[str, Any]]:
    """Read the items of a document that are not part of others, in the form of JSON-LD: `@type` without the
    address of its vocabulary, properties by name, a list where one has several values. `itemref` is not
    followed."""
    found: list[dict[str, Any]] = []
    places: dict[int, MarkedPlace] = {}
    read = set[int]()  # an element with both attributes is selected twice
    for node in select(document.tree, "[itemscope], [itemprop]")[: 2 * MAX_ELEMENTS]:
        if node.mem_id in read:
            continue
        read.add(node.mem_id)
        place = find_place(node, places)
        places[node.mem_id] = _read_element(node, place, document.base_url, found)
    return found[:MAX_OBJECTS]


def find_place(node: LexborNode, places: dict[int, MarkedPlace]) -> MarkedPlace:
    """Climb to the nearest element whose place is known. Visits every element at most once."""
    climbed = []
    here = node.parent
    while here is not None and here.mem_id not in places:
        climbed.append(here.mem_id)
        here = here.parent
    place = places[here.mem_id] if here is not None else NOWHERE
    places.update(dict.fromkeys(climbed, place))
    return place


def _read_element(
    node: LexborNode, place: MarkedPlace, base_url: str, found: list[dict[str, Any]]
) -> MarkedPlace:
    """Add what the element says; returns the place of what is inside."""
    attributes = node.attributes
    names = (attributes.get("itemprop") or "").split()
    if "itemscope" in attributes:
        if place.depth >= MAX_DEPTH - 2:
            return NOWHERE
        item = _start_item(attributes)
        if names and place.item is not None:
            add_value(place.item, names, item)
        else:
            found.append(item)
        return MarkedPlace(item=item, depth=place.depth + 1, texts=place.texts)
    if not names or place.item is None:
        return place
    value = read_attribute(node.tag or "", attributes, base_url)
    if value is not None:
        add_value(place.item, names, value)
        return place
    if place.texts < MAX_TEXTS:
        add_value(place.item, names, collapse(node.text_lexbor(), MAX_VALUE_CHARS))
    return MarkedPlace(item=place.item, depth=place.depth, texts=place.texts + 1)


def _start_item(attributes: dict[str, str | None]) -> dict[str, Any]:
    item: dict[str, Any] = {}
    types = [shorten_type(each) for each in (attributes.get("itemtype") or "").split()]
    if types:
        item["@type"] = types[0] if len(types) == 1 else types
    if identity := attributes.get("itemid"):
        item["@id"] = identity.strip()
    return item


def shorten_type(name: str) -> str:
    """A type without its vocabulary: `Product` of `https://schema.org/Product` and of `schema:Product`."""
    return re.split("[/#:]", name.rstrip("/"))[-1]


def add_value(item: dict[str, Any], names: list[str], value: Any) -> None:
    for name in names[:10]:
        if name not in item:
            item[name] = value
        elif isinstance(item[name], list):
            item[name].append(value)
        else:
            item[name] = [item[name], value]


# HTML, "Microdata: values". Sites also give `content` to elements that have none in the standard.
_URL_ATTRIBUTES: Final = {
    **dict.fromkeys(("a", "area", "link"), "href"),
    **dict.fromkeys(("audio", "embed", "iframe", "img", "source", "track", "video"), "src"),
    "object": "data",
}
_TEXT_ATTRIBUTES: Final = {"data": "value", "meter": "value", "time": "datetime"}


def read_attribute(tag: str, attributes: dict[str, str | None], base_url: str) -> str | None:
    """The value of a property that an attribute gives; None: its text is the value."""
    if "content" in attributes:
        return collapse(attributes["content"] or "", MAX_VALUE_CHARS)
    if name := _URL_ATTRIBUTES.get(tag):
        reference = collapse(attributes.get(name) or "", MAX_VALUE_CHARS)
        return parse_url(reference, base_url) or reference
    value = attributes.get(_TEXT_ATTRIBUTES.get(tag, ""))
    return None if value is None else collapse(value, MAX_VALUE_CHARS)
