"""Finds the elements that hold the main text of a page. The only room of trafilatura, which is imported when
the first page is read: crawls without articles never load it.
"""

import logging
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any, Final, NamedTuple

from tenax.errors import ConfigError
from tenax.extract.articles.marks import Mark, mark_inlines

MAX_BYTES: Final = 5_000_000
MAX_TAGS: Final = 40_000
MAX_TAGS_TWICE: Final = 12_000  # of a document that is looked at once more
_WITHOUT_TEXT: Final = (
    *(
        "aside",
        "audio",
        "button",
        "canvas",
        "datalist",
        "dialog",
        "embed",
        "footer",
        "iframe",
        "input",
        "link",
    ),
    *("map", "menu", "meta", "nav", "noscript", "object", "option", "picture", "script", "select", "style"),
    *("svg", "template", "textarea", "title", "video"),
)
SHORT_CHARS: Final = 500  # what has less is looked for once more
ENOUGH_SHARE: Final = 0.1  # of the text of the page
MORE: Final = 1.5  # times the text of the first look: the second one may find other things, too
_PARTS: Final = (
    "//*[self::div or self::section][contains(@class, 'body') or contains(@class, 'content')"
    " or contains(@class, 'text')][.//p[string-length() > 80]][not(.//h1)]"
)
MISSING: Final = (
    'Articles need the optional packages for articles: install them with pip install "tenax[articles]".'
)


class MainTree(NamedTuple):
    """Paragraphs, headings, lists, quotations and tables in the vocabulary of trafilatura."""

    body: Any  # of lxml
    marks: Sequence[Mark]  # what those in its texts stand for


class _Look(NamedTuple):
    main: MainTree
    chars: int
    page_chars: int


def check_installed() -> None:
    """Raises ConfigError: the package that finds main texts is missing."""
    if find_spec("trafilatura") is None:
        raise ConfigError(MISSING)


def find_main(html: bytes) -> MainTree | None:
    """The main content of a document in UTF-8. None: there is none, or it is larger than articles are.

    Where the first look finds little, as of a text in elements that are no paragraphs, a second one asks
    other extractors, too: it takes twice as long, and few pages need it."""
    if len(html) > MAX_BYTES or html.count(b"<") > MAX_TAGS:
        return None
    first = _look(html, is_fast=True)
    if (first is not None and _is_enough(first)) or html.count(b"<") > MAX_TAGS_TWICE:
        return None if first is None else first.main
    second = _look(html, is_fast=False)
    if second is None or (first is not None and second.chars < MORE * first.chars):
        return None if first is None else first.main
    return second.main


def _is_enough(found: _Look) -> bool:
    return found.chars >= max(SHORT_CHARS, ENOUGH_SHARE * found.page_chars)


def _look(html: bytes, *, is_fast: bool) -> _Look | None:
    tree = _parse(html)
    if tree is None or not len(tree):
        return None
    # The other extractors leave out characters that are not printable, such as marks.
    marks = mark_inlines(tree) if is_fast else []
    page_chars = len(tree.text_content())
    found = _load()(
        tree,
        fast=is_fast,
        favor_precision=True,
        include_comments=False,
        output_format="xml",  # the one that is left as it is
    )
    if found is None:
        return None
    chars = sum(len(text.strip()) for text in found.body.itertext())
    return _Look(MainTree(found.body, marks), chars, page_chars)


def _parse(html: bytes) -> Any | None:
    from lxml import etree
    from lxml.html import HtmlElement, document_fromstring

    parser = etree.HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, collect_ids=False, no_network=True
    )
    # Without a class for each tag, which was looked up by name a hundred thousand times for thirty pages.
    parser.set_element_class_lookup(etree.ElementDefaultClassLookup(element=HtmlElement))
    try:
        tree = document_fromstring(html, parser=parser)
    except (etree.LxmlError, ValueError):
        return None
    # They hold no text of articles, and each search of trafilatura would visit them.
    etree.strip_elements(tree, *_WITHOUT_TEXT, with_tail=False)
    etree.strip_tags(tree, "img", "font", "abbr", "wbr")
    _join_parts(tree)
    return tree


def _join_parts(tree: Any) -> None:
    """Makes one element of the parts of a text between which a page shows other things: trafilatura takes the
    first of them."""
    parts: dict[tuple[Any, str], list[Any]] = {}
    for element in tree.xpath(_PARTS):
        parts.setdefault((element.getparent(), element.get("class")), []).append(element)
    for first, *others in parts.values():
        for other in others:
            first.extend(list(other))


def _load() -> Callable[..., Any]:
    check_installed()
    from trafilatura import bare_extraction

    # It logs what it leaves out, page by page.
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    return bare_extraction
