"""The page that parsers see. Its names are the contract with the code of users: they stay, and only grow."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

from tenax.discover.links import find_links
from tenax.extract.markdown.convert import elements_to_markdown, to_markdown
from tenax.extract.page import extract_page
from tenax.extract.products.fields import as_json
from tenax.extract.products.reading import find_product
from tenax.extract.profile import WHOLE_PAGE, ExtractionProfile
from tenax.extract.structured import read_json_ld
from tenax.items.articles import read_article
from tenax.records.pages import PageContent, PageLink
from tenax.web.charsets import to_utf8
from tenax.web.documents import Document, parse_document
from tenax.web.elements import Element, find_elements
from tenax.web.hrefs import Hrefs
from tenax.web.parameters import NO_NAMES, Names
from tenax.web.urls import parse_url

MAX_LINKS = 1_000  # of a page that is not read by a crawl


class Named(Protocol):
    """A parser, as far as a follow-up needs it."""

    @property
    def name(self) -> str: ...


Handler = str | Named | Callable[..., object]  # a parser, its name, or the function that it was made of


class Link(NamedTuple):
    """A crawlable url that a page refers to."""

    url: str
    text: str
    rel: str  # in lower case, such as "nofollow"; often empty
    tag: str  # a, area, link or meta


@dataclass(frozen=True, slots=True)
class Follow:
    """A parser is to see a url, with data; see Page.follow."""

    url: str
    parser: str  # its name
    data: Any = None  # JSON


class Page:
    """What a parser sees of a page."""

    def __init__(
        self,
        document: Document,
        content: PageContent,
        links: Iterable[PageLink],
        body: bytes,
        *,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        keep: Names = NO_NAMES,
    ) -> None:
        """`keep`: names of parameters to keep in addresses; see web/parameters.py."""
        self.url = document.url
        self.status = status
        self.headers: Mapping[str, str] = headers or {}  # names in lower case
        self.data: Any = None  # what the follow-up gave that leads here; None: none does
        self._document = document
        self._content = content
        self._links = links
        self._body = body
        self._keep = keep

    @property
    def title(self) -> str | None:
        return self._content.title

    @property
    def description(self) -> str | None:
        return self._content.description

    @property
    def canonical(self) -> str | None:
        """The address that the page itself names as its own."""
        return self._content.canonical

    @property
    def language(self) -> str | None:
        """In lower case, such as "en-us"."""
        return self._content.language

    @property
    def text(self) -> str:
        """The visible text, a line per block, as the crawl stores it."""
        return self._content.text

    def markdown(self, selector: str | None = None) -> str:
        """The Markdown of the page, without its navigation, header and footer; with a selector of CSS, of all
        that is in the elements that match. Raises ValueError: it is no selector."""
        if selector is not None:
            nodes = [element.node for element in self.css(selector)]
            return elements_to_markdown(nodes, self._document, keep=self._keep)
        kept = self._content.markdown
        return to_markdown(self._document, keep=self._keep) if kept is None else kept

    @cached_property
    def html(self) -> str:
        """The document as it was sent, decoded."""
        return self._utf8.decode("utf-8", "replace")

    @cached_property
    def links(self) -> Sequence[Link]:
        """The crawlable urls that the page refers to, each once: in its head, then in its body."""
        return tuple(Link(url=url, text=anchor, rel=rel, tag=tag) for url, rel, anchor, tag in self._links)

    @cached_property
    def json_ld(self) -> list[dict[str, Any]]:
        """All JSON-LD objects of the page; those that are no JSON are left out."""
        return read_json_ld(self._document)

    def product(self) -> dict[str, Any] | None:
        """What the page sells, with the fields of the parser `product`. None: it is no page of a product."""
        found = find_product(self._document, language=self.language, canonical=self.canonical, text=self.text)
        return None if found is None else {name: as_json(field.value) for name, field in found.items()}

    def article(self) -> dict[str, Any] | None:
        """The article of the page, as the built-in parser makes an item of it. None: it is no article. Raises
        ConfigError: the optional packages for articles are missing."""
        return read_article(self._document, self._utf8, title=self.title, language=self.language)

    @cached_property
    def _utf8(self) -> bytes:
        return to_utf8(self._body, self._document.charset)

    @property
    def document(self) -> Document:
        """The parsed document, for parsers of Tenax itself: no part of the contract with users."""
        return self._document

    def css(self, selector: str) -> list[Element]:
        """The elements that match, in document order. Raises ValueError: it is no selector."""
        return find_elements(self._document.tree, selector)

    def css_first(self, selector: str) -> Element | None:
        return next(iter(self.css(selector)), None)

    def resolve(self, href: str) -> str | None:
        """The address that a reference of this page means; None: it is not crawlable."""
        return parse_url(href.strip(), self._document.base_url, self._keep)

    def follow(self, url: str, handler: Handler, data: Any = None) -> Follow:
        """Yield this from a parser to have another one see a url: in this run, or whenever it is visited.
        `url` may be relative; `data` is anything that JSON can hold, and becomes `page.data` there."""
        if not isinstance(url, str):
            raise TypeError(f"page.follow needs a url as a text, but got {type(url).__name__}.")
        # What is no address is refused later, with a sentence: one broken link does not cost the items.
        return Follow(url=self.resolve(url) or url, parser=_name(handler), data=data)

    def __repr__(self) -> str:
        return f"<Page {self.url}>"


def parse_page(
    body: bytes | str,
    *,
    url: str,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    profile: ExtractionProfile = WHOLE_PAGE,
) -> Page:
    """Make a page of a document outside a crawl: a saved file, a test. Raises ContentError."""
    headers = headers or {}
    if isinstance(body, str):  # decoded already: what it says of its charset is no longer true
        body, headers = (
            body.encode("utf-8", "replace"),
            {**headers, "content-type": "text/html; charset=utf-8"},
        )
    document = parse_document(body, url=url, content_type=headers.get("content-type"))
    content = extract_page(document, profile=profile)
    links = find_links(document, MAX_LINKS, Hrefs())
    return Page(document, content, links.values(), body, status=status, headers=headers)


def _name(handler: Handler) -> str:
    if isinstance(handler, str):
        return handler
    name = getattr(handler, "name", None) or getattr(handler, "__name__", None)
    if not isinstance(name, str):
        raise TypeError(f"{handler!r} is no parser, no name of one and no function.")
    return name
