"""Finds the headline of an article among what a page gives as its title."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from tenax.web.documents import Document, select
from tenax.web.white_space import collapse

MAX_CHARS: Final = 500
MAX_HEADINGS: Final = 20
_SEPARATORS: Final = (" | ", " - ", " – ", " — ", " :: ", " » ", " • ", " · ", " / ", "｜", "_", "|")
_LEAST_WORDS: Final = 3


def find_title(document: Document, said: Sequence[str], title: str | None, site: str | None) -> str | None:
    """The heading that people see, if it says the same as the page's titles. `said`: those of structured data
    and meta elements, the most trusted first; `title`: the title element."""
    cleaned = [_drop_site(each, site) for each in said]
    known = [_fold(each) for each in [*cleaned, *([title] if title else [])]]
    headings = list(_list_headings(document))
    for heading in headings:
        folded = _fold(heading)
        if any(_is_alike(folded, each) for each in known):
            return heading
    if cleaned:
        return cleaned[0]
    if title:
        return _drop_site(title, site, is_guess=True)
    return headings[0] if headings else None


def _list_headings(document: Document) -> Iterator[str]:
    for node in select(document.tree, "h1, [itemprop~=headline]")[:MAX_HEADINGS]:
        if text := collapse(node.text_lexbor(), MAX_CHARS):
            yield text


def _is_alike(heading: str, title: str) -> bool:
    """One of both is the beginning of the other, or is most of it."""
    if not heading or (len(heading.split()) < 2 and len(heading) < 8):
        return heading != "" and heading == title
    shorter, longer = sorted((heading, title), key=len)
    return shorter in longer and 2 * len(shorter) >= len(longer)


def _fold(text: str) -> str:
    return " ".join("".join(char if char.isalnum() else " " for char in text.casefold()).split())


def _drop_site(title: str, site: str | None, *, is_guess: bool = False) -> str:
    """Without the name of the site at its end or beginning. `is_guess`: also where the site is not known."""
    title = collapse(title, MAX_CHARS)
    for separator in _SEPARATORS:
        if separator not in title:
            continue
        head, _, tail = title.rpartition(separator)
        first, _, rest = title.partition(separator)
        if site and _fold(tail) == _fold(site):
            return head.strip()
        if site and _fold(first) == _fold(site):
            return rest.strip()
        if is_guess and len(head.split()) >= _LEAST_WORDS and len(tail) < len(head) and separator != "_":
            return head.strip()
    return title


def choose_texts(found: Iterable[object]) -> list[str]:
    return [text for each in found if isinstance(each, str) and (text := collapse(each, MAX_CHARS))]
