"""From what a PDF says to a page."""

import re
from collections.abc import Iterator
from posixpath import basename
from typing import Final
from urllib.parse import unquote, urlsplit

from tenax.errors import ContentError
from tenax.extract.language import detect_language
from tenax.extract.markdown.plain import write_paragraphs
from tenax.extract.page import (
    MAX_DESCRIPTION,
    MAX_TITLE,
    clean_language,
    hash_similar,
    hash_text,
)
from tenax.extract.pdf import PdfText
from tenax.extract.profile import ExtractionProfile
from tenax.records.pages import PageContent
from tenax.web.headers import parse_robots_tag
from tenax.web.white_space import collapse

NO_TEXT: Final = "the PDF has no text: its pages are probably scans"
_MAX_LINE_TITLE: Final = 200
# PDFium's mark for a hyphen at the end of a line, which it has joined with the next one.
_HYPHEN: Final = "\ufffe"
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff\uffff]")
_PROGRAM: Final = re.compile(r"Microsoft (?:Word|PowerPoint|Excel|Publisher)\s*-\s*", re.IGNORECASE)
_is_file_name = re.compile(
    r"\S.{0,200}\.(?:docx?|dvi|indd|odt|pages|pdf|pptx?|ps|qxd|rtf|tex|xlsx?)", re.IGNORECASE
).fullmatch
_NO_TITLES: Final = frozenset(
    {"document", "document1", "powerpoint presentation", "title", "untitled", "untitled document"}
)
_has_word = re.compile(r"[^\W\d_]{2}").search


def extract_pdf_page(
    pdf: PdfText,
    *,
    url: str,
    robots_tag: str | None,
    profile: ExtractionProfile,
    least_similar_chars: int | None,
) -> PageContent:
    """Raises ContentError: there is no text. `url`: of the PDF; for the rest see `extract_page`."""
    pages = [lines for page in pdf.pages if (lines := list(_list_lines(page)))]
    text = "\n".join(line for page in pages for line in page)
    if not text:
        raise ContentError(NO_TEXT)
    robots = parse_robots_tag(robots_tag)
    language = clean_language(pdf.language)
    if language is None and profile.detects_language:
        language = detect_language(text)
    return PageContent(
        title=_clean_title(pdf.title) or _find_heading(pages) or _name_file(url),
        description=collapse(_clean(pdf.subject or ""), MAX_DESCRIPTION) or None,
        canonical=None,
        language=language,
        charset="utf-8",
        text=text,
        content_hash=hash_text(text),
        simhash=hash_similar(text, least_similar_chars),
        is_noindex="noindex" in robots,
        is_nofollow="nofollow" in robots,
        markdown=write_paragraphs(pages) if profile.markdown else None,
    )


def _list_lines(page: str) -> Iterator[str]:
    for line in _clean(page).splitlines():
        if line := " ".join(line.split()):
            yield line


def _clean(text: str) -> str:
    return _CONTROLS.sub(" ", text.replace(_HYPHEN, ""))


def _clean_title(title: str | None) -> str | None:
    """None: it has none, or one that the program which wrote it made up."""
    found = collapse(_PROGRAM.sub("", _clean(title or ""), count=1), MAX_TITLE)
    if not found or found.lower() in _NO_TITLES or _is_file_name(found):
        return None
    return found


def _find_heading(pages: list[list[str]]) -> str | None:
    """The first line with a word in it: numbers of pages come first, too."""
    line = next((line for line in pages[0] if _has_word(line)), None)
    return None if line is None else collapse(line, _MAX_LINE_TITLE)


def _name_file(url: str) -> str | None:
    return collapse(_clean(unquote(basename(urlsplit(url).path))), MAX_TITLE) or None
