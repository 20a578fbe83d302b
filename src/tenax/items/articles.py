"""The article of a page as a plain dict: what `page.article()` and the built-in parser give."""

import re
from collections.abc import Iterable
from typing import Any, Final

from tenax.extract.articles.reading import find_article
from tenax.extract.language import detect_language
from tenax.extract.markdown.convert import html_to_markdown
from tenax.items.declarative.dates import parse_date
from tenax.web.documents import Document

# So that an item holds both, whatever parsers.item_bytes is by default.
_MAX_TEXT_BYTES: Final = 110_000
_MAX_MARKDOWN_BYTES: Final = 110_000
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{1,8})*")
_DATES: Final = 30  # candidates that are read
_DAY_IN_URL: Final = re.compile(r"/(20\d\d)[/-](\d{1,2})[/-](\d{1,2})(?!\d)")


def read_article(
    document: Document, html: bytes, *, title: str | None, language: str | None
) -> dict[str, Any] | None:
    """`html`: the document in UTF-8; `language`: what the page says. None: it is no article."""
    found = find_article(document, html, title)
    if found is None:
        return None
    facts = found.facts
    language = language or _clean_language(facts.language) or detect_language(found.main.text)
    published = _read_date([*facts.published, *_find_in_url(document.url), facts.byline or ""], language)
    fields = {
        "title": facts.title,
        "authors": list(facts.authors),
        "byline": facts.byline,
        "published_at": published,
        "modified_at": _read_date(facts.modified, language),
        "text": _cut(found.main.text),
        "markdown": _write_markdown(found.main.html, document.base_url),
        "language": language,
        "lead_image": facts.lead_image,
        "description": facts.description,
        "section": facts.section,
        "tags": list(facts.tags),
        "site": facts.site,
    }
    return {name: value for name, value in fields.items() if value not in (None, [], "")}


def _cut(text: str) -> str:
    return text.encode("utf-8", "replace")[:_MAX_TEXT_BYTES].decode("utf-8", "ignore")


def _write_markdown(html: str, url: str) -> str | None:
    """None: it is too long, and half of it might be no Markdown."""
    markdown = html_to_markdown(html, url)
    return markdown if len(markdown.encode("utf-8", "replace")) <= _MAX_MARKDOWN_BYTES else None


def _find_in_url(url: str) -> list[str]:
    """Many addresses of articles hold their day."""
    found = _DAY_IN_URL.search(url)
    return [] if found is None else ["-".join(found.groups())]


def _read_date(candidates: Iterable[str], language: str | None) -> str | None:
    for text in list(candidates)[:_DATES]:
        if (date := parse_date(text, language)) is not None:
            return date
    return None


def _clean_language(said: str | None) -> str | None:
    name = (said or "").strip().lower().replace("_", "-")
    return name if _LANGUAGE.fullmatch(name) and len(name) <= 35 else None
