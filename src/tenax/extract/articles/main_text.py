"""Finds the elements that hold the main text of a page. The only room of trafilatura, which is imported when
the first page is read: crawls without articles never load it.
"""

import logging
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, Final

from tenax.errors import ConfigError
from tenax.extract.articles.marks import Mark, mark_inlines

MAX_BYTES: Final = 5_000_000
MAX_TAGS: Final = 40_000
_WITHOUT_TEXT: Final = (
    "button",
    "input",
    "link",
    "meta",
    "script",
    "select",
    "style",
    "svg",
    "template",
    "title",
)
MISSING: Final = (
    'Articles need the optional packages for articles: install them with pip install "tenax[articles]".'
)


def check_installed() -> None:
    """Raises ConfigError: the package that finds main texts is missing."""
    if find_spec("trafilatura") is None:
        raise ConfigError(MISSING)


def find_main(html: bytes) -> tuple[Any, list[Mark]] | None:
    """The main content of a document in UTF-8, as an lxml tree of paragraphs, headings, lists, quotations and
    tables in the vocabulary of trafilatura, and what marks in its texts stand for. None: there is
    none, or it is larger than articles are."""
    if len(html) > MAX_BYTES or html.count(b"<") > MAX_TAGS:
        return None
    tree = _parse(html)
    if tree is None or not len(tree):
        return None
    marks = mark_inlines(tree)
    found = _load()(
        tree,
        fast=True,  # without other extractors to fall back to, which took as long again and found no more
        favor_precision=True,
        include_comments=False,
        output_format="xml",  # the one that is left as it is
    )
    return None if found is None else (found.body, marks)


def _parse(html: bytes) -> Any | None:
    from lxml import etree
    from lxml.html import HTMLParser, document_fromstring

    parser = HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, collect_ids=False, no_network=True
    )
    try:
        tree = document_fromstring(html, parser=parser)
    except (etree.LxmlError, ValueError):
        return None
    # They hold no text of articles, and each search of trafilatura would visit them.
    etree.strip_elements(tree, *_WITHOUT_TEXT, with_tail=False)
    return tree


def _load() -> Callable[..., Any]:
    check_installed()
    from trafilatura import bare_extraction

    # It logs what it leaves out, page by page.
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    return bare_extraction
