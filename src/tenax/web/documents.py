"""Parses bytes into a document: charset, tree, base URL."""

from selectolax.lexbor import LexborCSSSelector, LexborHTMLParser, LexborNode, SelectolaxError

from tenax.errors import ParserError
from tenax.record import record
from tenax.web.charsets import find_charset, to_utf8
from tenax.web.headers import parse_content_type
from tenax.web.markup import MEMORY_BYTES, make_safe
from tenax.web.urls import parse_url

# Events copy the selected option into selectedcontent: useless here, and quadratic in the number of options.
_WITHOUT_EVENTS = 1
# The tree's own `css` creates a selector each time, which takes longer than most queries of a small page.
_selector = LexborCSSSelector()  # type: ignore[no-untyped-call]


@record
class Document:
    """A parsed page. The tree is shared: functions that change it document it."""

    tree: LexborHTMLParser
    url: str
    base_url: str  # what relative references are relative to
    charset: str
    metas: list[dict[str, str | None]]  # the attributes of each meta element
    links: list[dict[str, str | None]]  # and of each link element


def parse_document(
    body: bytes, *, url: str, content_type: str | None, memory_bytes: int | None = MEMORY_BYTES
) -> Document:
    """Parse a page found at the address `url`.

    Raises ContentError if the document is built to exhaust a parser; any other document can be parsed. Raises
    DocumentTooLarge if it would take more memory than `memory_bytes`; None: the process has a hard limit of
    its own. Raises ParserError if that limit is reached.
    """
    charset = find_charset(body, parse_content_type(content_type)[1], url)
    html = make_safe(to_utf8(body, charset), memory_bytes)
    try:
        tree = LexborHTMLParser(html, options=_WITHOUT_EVENTS)
    except SelectolaxError as error:
        raise ParserError from error
    return Document(
        tree=tree,
        url=url,
        base_url=_find_base(tree, url),
        charset=charset,
        metas=[node.attributes for node in tree.tags("meta")],
        links=[node.attributes for node in tree.tags("link")],
    )


def select(tree: LexborHTMLParser, query: str) -> list[LexborNode]:
    """Select the elements that match a CSS selector, in document order."""
    root = tree.root
    return _selector.find(query, root) if root is not None else []


def _find_base(tree: LexborHTMLParser, url: str) -> str:
    """Find the base URL. The first base element with an href decides, even if its URL is unusable."""
    for node in tree.tags("base"):
        attributes = node.attributes
        if "href" in attributes:
            return parse_url(attributes["href"] or "", url) or url
    return url
