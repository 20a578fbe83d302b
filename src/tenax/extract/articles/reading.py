"""From a page to its article."""

import re
from typing import Final

from tenax.extract.articles.article import Facts, FoundArticle
from tenax.extract.articles.blocks import MainContent, read_main, read_said
from tenax.extract.articles.facts import read_facts
from tenax.extract.articles.lists import is_list
from tenax.extract.articles.main_text import find_main
from tenax.web.documents import Document

_BODY: Final = re.compile(rb"<body\b", re.IGNORECASE)
DECLARED_CHARS: Final = 60  # a page that says it is an article has at least so much text
LEAST_CHARS: Final = 200
MAX_LINKED: Final = 0.5  # of the text of an article
LIST_CHARS: Final = 1_500  # a page that says it is a list has at least so much text to be an article
BODY_CHARS: Final = 200  # of a text in JSON-LD that is worth a look
MAX_MISSED: Final = 0.5  # of the text in JSON-LD
LONG_LINE: Final = 60
LONG_WORD: Final = 25  # a line without spaces, as of Japanese
MIN_PROSE: Final = 0.5


def find_article(document: Document, html: bytes, title: str | None) -> FoundArticle | None:
    """`html`: the document in UTF-8; `title`: that of its title element. None: the page is no article, or has
    too little text. Raises ConfigError: the optional packages for articles are missing."""
    found = find_main(html if _BODY.search(html) else _complete(document))
    facts = read_facts(document, title)
    said = read_said(facts.body) if facts.body and len(facts.body) >= BODY_CHARS else None
    main = None if found is None else read_main(*found, document.base_url, facts.title)
    if said is not None and (main is None or len(main.text) < MAX_MISSED * len(said.text)):
        main = said
    if main is None or not is_article(document, facts, main):
        return None
    return FoundArticle(facts=facts, main=main)


def _complete(document: Document) -> bytes:
    """With the tags that HTML lets authors leave out: without the one of its body, the parser of the library
    takes an article for a part of the head."""
    return (document.tree.html or "").encode("utf-8", "replace")


def is_article(document: Document, facts: Facts, main: MainContent) -> bool:
    """Most of the text of a home page or a list is in links, or stands beside them."""
    chars = len(main.text)
    if facts.is_declared:
        return chars >= DECLARED_CHARS
    if chars < (LIST_CHARS if facts.is_list else LEAST_CHARS) or main.linked_chars > MAX_LINKED * chars:
        return False
    return _is_prose(main.text) and not is_list(document, main.text)


def _is_prose(text: str) -> bool:
    """Half of a text that is read, and not looked through, is in lines of a sentence or more."""
    long = sum(
        len(line) for line in text.split("\n") if len(line) >= (LONG_LINE if " " in line else LONG_WORD)
    )
    return long >= MIN_PROSE * len(text)
