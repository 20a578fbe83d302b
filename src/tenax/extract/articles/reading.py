"""From a page to its article."""

import re
from typing import Final

from tenax.extract.articles.article import Facts, FoundArticle
from tenax.extract.articles.blocks import MainContent, read_main
from tenax.extract.articles.facts import read_facts
from tenax.extract.articles.main_text import find_main
from tenax.web.documents import Document

_BODY: Final = re.compile(rb"<body\b", re.IGNORECASE)
DECLARED_CHARS: Final = 60  # a page that says it is an article has at least so much text
LEAST_CHARS: Final = 250
MAX_LINKED: Final = 0.5  # of the text of an article
LIST_CHARS: Final = 1_500  # a page that says it is a list has at least so much text to be an article


def find_article(document: Document, html: bytes, title: str | None) -> FoundArticle | None:
    """`html`: the document in UTF-8; `title`: that of its title element. None: the page is no article, or has
    too little text. Raises ConfigError: the optional packages for articles are missing."""
    found = find_main(html if _BODY.search(html) else _complete(document))
    if found is None:
        return None
    facts = read_facts(document, title)
    main = read_main(*found, document.base_url, facts.title)
    return FoundArticle(facts=facts, main=main) if is_article(facts, main, document.url) else None


def _complete(document: Document) -> bytes:
    """With the tags that HTML lets authors leave out: without the one of its body, the parser of the library
    takes an article for a part of the head."""
    return (document.tree.html or "").encode("utf-8", "replace")


def is_article(facts: Facts, main: MainContent, url: str) -> bool:
    """Home pages and lists have little text of their own, or most of it is links."""
    chars = len(main.text)
    if facts.is_declared:
        return chars >= DECLARED_CHARS
    if chars < LEAST_CHARS or main.linked_chars > MAX_LINKED * chars:
        return False
    return chars >= LIST_CHARS or not (facts.is_list or _is_home(url))


def _is_home(url: str) -> bool:
    return url.partition("://")[2].partition("/")[2].strip("/") == ""
