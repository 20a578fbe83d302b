"""Tells lists of teasers from articles."""

from collections.abc import Iterator
from typing import Final

from selectolax.lexbor import LexborNode

from tenax.web.documents import Document, select

_LINKS: Final = "h2 a, h3 a, h4 a, a h2, a h3, a h4, li > a"
_MAX_LINKS: Final = 300
_MAX_TEASERS: Final = 100
_MAX_CHARS: Final = 4_000  # of the text of one teaser
_END_CHARS: Final = 30  # of a line of text, to find it again
_TEASERS: Final = frozenset(["article", "li"])
_HEADINGS: Final = frozenset(["h2", "h3", "h4", "a", "header", "hgroup"])
LEAST_TEASERS: Final = 3
MAX_SHARE: Final = 0.5


def is_list(document: Document, text: str) -> bool:
    """Whether half of a text, or more, stands beside headings that lead elsewhere."""
    teasers = list(_list_teasers(document))
    if len(teasers) < LEAST_TEASERS:
        return False
    beside, found = 0, set[int]()
    for line in filter(None, text.split("\n")):
        end = _squeeze(line)[-_END_CHARS:]
        number = next((number for number, teaser in enumerate(teasers) if end in teaser), None)
        if number is not None:
            beside += len(line)
            found.add(number)
    return len(found) >= LEAST_TEASERS and beside >= MAX_SHARE * len(text)


def _list_teasers(document: Document) -> Iterator[str]:
    seen = set[int]()
    for link in select(document.tree, _LINKS)[:_MAX_LINKS]:
        teaser = _find_teaser(link)
        if teaser is None or teaser.mem_id in seen or len(seen) >= _MAX_TEASERS:
            continue
        seen.add(teaser.mem_id)
        yield _squeeze(teaser.text_lexbor()[:_MAX_CHARS])


def _find_teaser(link: LexborNode) -> LexborNode | None:
    """The element around a heading that is a link."""
    node = link.parent
    while node is not None and node.tag in _HEADINGS:
        node = node.parent
    around = node
    for _ in range(3):
        if around is None or around.tag in _TEASERS:
            break
        around = around.parent
    return around if around is not None and around.tag in _TEASERS else node


def _squeeze(text: str) -> str:
    return "".join(char for char in text if char.isalnum())
