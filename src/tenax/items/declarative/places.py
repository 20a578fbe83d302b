"""Finds values on a page: in JSON-LD, microdata, meta elements, by CSS, in the URL, in the text."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tenax.errors import ContentError
from tenax.extract.structured import list_values, read_metas, read_microdata, shorten_type
from tenax.extract.text import read_element
from tenax.items.declarative.definition import MAX_STEPS, FieldDefinition, FieldType
from tenax.items.declarative.values import RawValue, Reading
from tenax.items.page import Page
from tenax.policy.patterns import PatternBudget, Regex, compile_pattern
from tenax.record import record
from tenax.web.selectors import Selector, group_by_ancestor, limit_nesting, parse_selector

MAX_VALUES: Final = 1_000  # of a field
MAX_NESTED: Final = 8  # elements in elements that a selector finds: their text is read as often
MAX_TEXT_CHARS: Final = 20_000_000  # of all elements that are read
MAX_SEARCHED_CHARS: Final = 1_000_000  # by a pattern: each of its matches may read the rest once
# How far a value is to be trusted: what is meant for machines more than what is meant for people.
CONFIDENCES: Final = {
    "jsonld": 0.95,
    "microdata": 0.9,
    "meta": 0.85,
    "css": 0.8,
    "url": 0.8,
    "regex": 0.6,
    "default": 0.3,
}
# What an element refers to, by the first attribute that it has.
_REFERENCES: Final = ("href", "src", "data-src", "content", "value")

Objects = Mapping[str, Sequence[Mapping[str, Any]]]  # by type; "": those at the top


class PageView:
    """A page as places see it: each part is read once, and only if a place asks for it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.tree = page.document.tree
        self.reading = Reading(base_url=page.document.base_url, language=page.language)
        self._chars_left = MAX_TEXT_CHARS
        self._groups: dict[int, dict[int, list[LexborNode]]] = {}

    @cached_property
    def json_ld(self) -> Objects:
        return _index(self.page.json_ld)

    @cached_property
    def microdata(self) -> Objects:
        return _index(read_microdata(self.page.document))

    @cached_property
    def metas(self) -> Mapping[str, str]:
        return read_metas(self.page.document)

    def find_nodes(self, selector: Selector, part: "PagePart") -> list[LexborNode]:
        """Find elements of a part of the page. All parts are searched at once, so that it stays linear."""
        known = self._groups.get(id(selector))
        if known is None:
            nodes = find_limited(selector, self.tree)
            known = {0: nodes} if part.node is None else group_by_ancestor(nodes, part.all_parts)
            self._groups[id(selector)] = known
        return known.get(0 if part.node is None else part.node.mem_id, [])

    def read_text(self, node: LexborNode) -> str:
        text = read_element(node)
        self._chars_left -= len(text)
        if self._chars_left < 0:
            raise ContentError(f"The elements that are read have more than {MAX_TEXT_CHARS:,} characters.")
        return text


def find_limited(selector: Selector, tree: LexborHTMLParser) -> list[LexborNode]:
    """Find elements whose texts can be read in linear time."""
    return limit_nesting(selector.find(tree), MAX_NESTED)


@record
class PagePart:
    """Where a field is searched for: the whole page, or the element of one item."""

    node: LexborNode | None = None
    all_parts: set[int]  # the elements of all items, by `mem_id`


@record
class FieldPlace:
    name: str  # such as "css .price": what is said about where a value was found
    confidence: float
    find: Callable[[PageView, PagePart], Iterable[RawValue]]


def build_places(field: FieldDefinition, budget: PatternBudget) -> list[FieldPlace]:
    """All places of a field, in the order in which they are tried. Raises ConfigError."""
    return [
        *(_place("jsonld", path, _find_data(path, "json_ld")) for path in field.jsonld),
        *(_place("microdata", path, _find_data(path, "microdata")) for path in field.microdata),
        *(_place("meta", name, _find_meta(name)) for name in field.meta),
        *(_place_css(css, field) for css in field.css),
        *(_place("url", regex, _find_in_url(regex, budget)) for regex in field.url),
        *(_place("regex", regex, _find_in_text(regex, budget)) for regex in field.regex),
    ]


def _place(kind: str, what: str, find: Callable[[PageView, PagePart], Iterable[RawValue]]) -> FieldPlace:
    return FieldPlace(name=f"{kind} {what}", confidence=CONFIDENCES[kind], find=find)


def _index(objects: Sequence[dict[str, Any]]) -> Objects:
    """Find the objects in objects by their types. Visits every value once."""
    found: dict[str, list[Mapping[str, Any]]] = {"": list(objects)}
    waiting: deque[Any] = deque(objects)
    while waiting:
        here = waiting.popleft()
        if isinstance(here, dict):
            types = here.get("@type")
            for name in types if isinstance(types, list) else [types]:
                if isinstance(name, str):
                    found.setdefault(shorten_type(name), []).append(here)
        waiting.extend(inner for inner in list_values(here) if isinstance(inner, dict | list))
    return found


def _find_data(path: str, source: str) -> Callable[[PageView, PagePart], Iterator[RawValue]]:
    """A path that begins with a capital letter begins with a type."""
    first, *others = path.split(".")
    is_typed = first[:1].isupper()
    start, steps = (first, others) if is_typed else ("", [first, *others])

    def find(view: PageView, part: PagePart) -> Iterator[RawValue]:
        objects: Objects = getattr(view, source)
        found: list[tuple[Any, Mapping[str, Any] | None]] = [(each, None) for each in objects.get(start, ())]
        for step in steps:
            found = [
                (inner, value)
                for value, _ in found
                if isinstance(value, Mapping) and step in value
                for inner in _flatten(value[step])
            ]
        return (RawValue(value=value, holder=holder, is_plain=True) for value, holder in found)

    return find


def _flatten(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _find_meta(name: str) -> Callable[[PageView, PagePart], Iterator[RawValue]]:
    name = name.lower()
    # OpenGraph: product:price:amount stands beside product:price:currency.
    beside = f"{name.removesuffix(':amount')}:currency"

    def find(view: PageView, part: PagePart) -> Iterator[RawValue]:
        if name in view.metas:
            yield RawValue(value=view.metas[name], currency=view.metas.get(beside), is_plain=True)

    return find


def _place_css(css: str, field: FieldDefinition) -> FieldPlace:
    selector = parse_selector(css, max_steps=MAX_STEPS)
    attribute = field.attribute.lower() if field.attribute else None
    names = (attribute,) if attribute else _REFERENCES if field.type is FieldType.URL else ()

    def find(view: PageView, part: PagePart) -> Iterator[RawValue]:
        for node in view.find_nodes(selector, part):
            if names:
                attributes = node.attributes
                value = next((attributes[name] or "" for name in names if name in attributes), None)
                if value is not None:
                    yield RawValue(value=value)
                    continue
            if attribute is None:
                yield RawValue(value=view.read_text(node))

    return _place("css", f"{css} [{attribute}]" if attribute else css, find)


def _find_in_url(pattern: str, budget: PatternBudget) -> Callable[[PageView, PagePart], Iterator[RawValue]]:
    regex = compile_pattern(pattern, budget, captures=True)
    return lambda view, part: (RawValue(value=each) for each in find_matches(regex, view.page.url))


def _find_in_text(pattern: str, budget: PatternBudget) -> Callable[[PageView, PagePart], Iterator[RawValue]]:
    regex = compile_pattern(pattern, budget, captures=True)

    def find(view: PageView, part: PagePart) -> Iterator[RawValue]:
        text = view.page.text if part.node is None else view.read_text(part.node)
        return (RawValue(value=each) for each in find_matches(regex, text))

    return find


def find_matches(regex: Regex, text: str) -> Iterator[str]:
    """Find what the first group of a pattern matches, or all of it if it has none."""
    searched = text[:MAX_SEARCHED_CHARS].encode("utf-8", "replace")
    for found in islice(regex.finditer(searched), MAX_VALUES):
        matched = found[1] if regex.groups else found[0]
        if matched:
            yield matched.decode("utf-8", "replace")
