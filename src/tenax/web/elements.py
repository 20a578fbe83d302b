"""Elements of a page as the code of users sees them: a wrapper, so that the library behind it is no part of
the contract.
"""

from collections.abc import Callable
from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from tenax.errors import ConfigError
from tenax.web.documents import select
from tenax.web.selectors import Selector, parse_selector
from tenax.web.white_space import collapse

MAX_TEXT_CHARS = 10_000_000
SHOWN_CHARS = 100


class Element:
    __slots__ = ("_node",)

    def __init__(self, node: LexborNode) -> None:
        self._node = node

    @property
    def tag(self) -> str:
        return self._node.tag or ""

    @property
    def attributes(self) -> dict[str, str | None]:
        """By name in lower case; None: it has no value, as `disabled` in `<input disabled>`."""
        return self._node.attributes

    def get(self, name: str, default: str | None = None) -> str | None:
        """The value of an attribute, without white space around it."""
        value = self._node.attributes.get(name)
        return default if value is None else value.strip()

    def text(self, separator: str = "") -> str:
        """All text inside, white space collapsed. `separator`: between the texts of different elements."""
        text = self._node.text(separator=separator) if separator else self._node.text_lexbor()
        return collapse(text, MAX_TEXT_CHARS)

    @property
    def html(self) -> str:
        return self._node.html or ""

    @property
    def parent(self) -> "Element | None":
        parent = self._node.parent
        return None if parent is None else Element(parent)

    @property
    def children(self) -> list["Element"]:
        return [Element(node) for node in self._node.iter(include_text=False)]

    def css(self, selector: str) -> list["Element"]:
        """The elements inside that match, in document order. Raises ValueError: it is no selector."""
        own = self._node.mem_id
        found = _match(lambda: self._node.css(selector), selector)
        return [Element(node) for node in found if node.mem_id != own]

    def css_first(self, selector: str) -> "Element | None":
        return next(iter(self.css(selector)), None)

    @property
    def node(self) -> LexborNode:
        """For code of Tenax itself: no part of the contract with users."""
        return self._node

    def __repr__(self) -> str:
        return f"<Element {self.tag}>"


def find_elements(tree: LexborHTMLParser, selector: str) -> list[Element]:
    """Find the elements that match any selector of CSS, in document order. One that `parse_selector` accepts
    takes linear time; others are matched by the parser, so the caller needs a deadline. Raises ContentError:
    too many match; ValueError: it is no selector."""
    safe = _find_safe(selector)
    nodes = safe.find(tree) if safe is not None else _match(lambda: select(tree, selector), selector)
    return [Element(node) for node in nodes]


@lru_cache(maxsize=1_000)
def _find_safe(selector: str) -> Selector | None:
    try:
        return parse_selector(selector)
    except ConfigError:
        return None


def _match(find: Callable[[], list[LexborNode]], selector: str) -> list[LexborNode]:
    try:
        return find()
    except SelectolaxError as error:
        raise ValueError(f"{selector[:SHOWN_CHARS]!r} is not a CSS selector.") from error
