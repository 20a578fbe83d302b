"""The category of a product, by the breadcrumbs of its page."""

import re
from collections.abc import Iterable
from typing import Any, Final

from tenax.extract.products.objects import FoundObject, Structured, read_text
from tenax.web.documents import Document, select
from tenax.web.white_space import collapse

SEPARATOR: Final = " > "
MAX_LEVELS: Final = 12
MAX_CHARS: Final = 255
_HOME_NAMES: Final = (
    "home|homepage|home page|start|startseite|accueil|inicio|início|főoldal|kezdőlap|strona główna"
    "|strona glowna"
    "|úvod|úvodní stránka|domů|domov|hem|hjem|forside|etusivu|anasayfa|ana sayfa|главная|главная страница"
    "|головна|ホーム|トップ|首页|首頁|홈|principal|pagina inicial|página inicial|shop|store|shop "
    "home|back|zurück"
    "|übersicht|startsida|acasă|prima pagină|hlavná stránka|you are here|all products|back to results"
    "|alle kategorien|all categories"
)
_HOME: Final = frozenset(_HOME_NAMES.split("|"))
_NAVS: Final = (
    "[class*=crum i],[id*=crum i],[aria-label*=breadcrumb i],[class*=ariane i],[class*=migas i]"
    ",[class*=broodkruimel i]"
)
_SEPARATORS: Final = " \t\n>»›/|→·•:«‹<\\-–"
_DIVIDER: Final = re.compile(r"\s*[>»›/|→·•]\s*")


def find_category(structured: Structured, document: Document, name: str) -> tuple[str, str] | None:
    """The levels above the product, and where they were found."""
    best: tuple[str, str] | None = None
    for found in sorted(structured.crumbs, key=lambda each: each.source):
        levels = _clean(_read_levels(found, structured), name)
        if levels and (best is None or len(levels) > best[0].count(SEPARATOR) + 1):
            best = (SEPARATOR.join(levels), f"{found.source} BreadcrumbList")
    if best is None:
        levels = _clean(_read_nav(document), name)
        best = (SEPARATOR.join(levels), "breadcrumbs") if levels else None
    return best and (best[0][:MAX_CHARS].rstrip(), best[1])


def _read_levels(found: FoundObject, structured: Structured) -> list[str]:
    """schema.org has items with positions; data-vocabulary.org a chain of children."""
    items = found.data.get("itemListElement")
    if items is None:
        title = read_text(found.data.get("title") or found.data.get("name"), 100)
        return [title] if title else []
    listed = [
        structured.resolve(each) for each in (items if isinstance(items, list) else [items])[: 2 * MAX_LEVELS]
    ]
    named = [(_read_position(each, place), _read_item(each, structured)) for place, each in enumerate(listed)]
    return [text for _, text in sorted(named, key=lambda each: each[0])]


def _read_position(item: Any, place: int) -> float:
    try:
        return float(read_text(item.get("position"), 10)) if isinstance(item, dict) else place
    except ValueError:
        return place


def _read_item(item: Any, structured: Structured) -> str:
    if not isinstance(item, dict):
        return ""
    return read_text(item.get("name"), 100) or read_text(structured.resolve(item.get("item")), 100)


def _read_nav(document: Document) -> list[str]:
    """The links of the first element that is called so and has some, and the text behind the last of them."""
    for node in select(document.tree, _NAVS)[:8]:
        texts = [
            collapse(each.text_lexbor()[:500], 100)
            for each in node.css("a, [itemprop=title]")[: 2 * MAX_LEVELS]
        ]
        if any(texts):
            return list(dict.fromkeys(texts))
        parts = _DIVIDER.split(collapse(node.text_lexbor()[:1_000], 500))
        if len(parts) > 2:
            return parts[:-1]
    return []


def _clean(levels: Iterable[str], name: str) -> list[str]:
    """Without the first page, the product itself, and what is empty or repeated."""
    found: list[str] = []
    product = name.lower()
    for level in levels:
        level = level.strip(_SEPARATORS)
        small = level.lower()
        if not level or small in _HOME or small in (each.lower() for each in found):
            continue
        if product and (small == product or (len(small) > 15 and (small in product or product in small))):
            continue
        found.append(level)
    return found[:MAX_LEVELS]
