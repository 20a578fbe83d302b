"""Prepares the text of a feed for the parser: decoded, and without anything that can harm a parser."""

import re
from html.entities import html5
from typing import Final

from tenax.record import record
from tenax.web.charset_prescan import find_in_declaration
from tenax.web.charsets import find_charset, to_utf8
from tenax.web.headers import parse_content_type

# Outside CDATA and comments. This many empty elements cost a parser 0.8 s and 120 MB.
MAX_TAGS: Final = 150_000

# Not allowed in XML 1.0. A feed that contains one by mistake could not be parsed.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_SPACE = re.compile(r"\s*")
_OPAQUE = re.compile(r"(<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z))", re.DOTALL)
_BARE = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});)")
_NAMED = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)([A-Za-z][A-Za-z0-9]{1,30};)")
_PLAIN_DOCTYPE = re.compile(r"<!DOCTYPE\b[^<>\[]{0,1000}>", re.IGNORECASE)
_HTML = re.compile(r"<!doctype\s+html|<(?:html|head|body)[\s>]", re.IGNORECASE)
ROOT = re.compile(r"<(?:[\w-]{1,30}:)?(rss|feed|rdf)[\s>]", re.IGNORECASE)
_ELEMENT = re.compile(r"<[A-Za-z_]")


@record
class UnsafeFeed:
    """Why a document must not reach the parser."""

    reason: str
    is_html: bool = False


_IS_HTML = UnsafeFeed(reason="it is HTML", is_html=True)


def read_text(body: bytes, content_type: str | None) -> str:
    """Decode a feed, without characters that XML does not allow."""
    declared = parse_content_type(content_type)[1] or find_in_declaration(body)
    if declared is None and b"\0" not in body[:4]:
        declared = "utf-8"  # XML's default, whatever pages inside the feed declare
    try:
        text = to_utf8(body, find_charset(body, declared)).decode("utf-8")
    except UnicodeDecodeError:
        # The declaration is wrong: detect the charset from the bytes.
        text = to_utf8(body, find_charset(body, None)).decode("utf-8", "replace")
    return _CONTROL.sub("", text).lstrip("\ufeff \t\r\n")


def cut_prolog(text: str) -> str | UnsafeFeed:
    """Return the text from its first element on. Documents that declare entities before it are refused. A
    plain document type, which RSS 0.91 requires, is harmless."""
    position, is_html = 0, False
    while not _ELEMENT.match(text, position):
        rest = text[position : position + 20].lower()
        if rest.startswith("<!doctype"):
            is_html = is_html or _HTML.match(text, position) is not None
            plain = _PLAIN_DOCTYPE.match(text, position)
            if plain is None:
                return _IS_HTML if is_html else UnsafeFeed(reason="it declares its own entities or types")
            end = plain.end()
        elif rest.startswith("<!--"):
            end = _find_end(text, "-->", position + 4)
        elif rest.startswith("<?"):
            end = _find_end(text, "?>", position + 2)
        elif is_html:
            return _IS_HTML
        else:
            return UnsafeFeed(reason="it is neither XML nor JSON" if rest else "it is empty")
        if end < 0:
            return UnsafeFeed(reason="it ends before its first element")
        position = _skip_space(text, end)
    # Some feeds have the document type of an HTML template.
    if _HTML.match(text, position) or (is_html and not ROOT.match(text, position)):
        return _IS_HTML
    return text[position:]


def escape_entities(text: str) -> str | UnsafeFeed:
    """Rewrite bare ampersands and HTML entities for XML. The parser would drop them, together with the rest
    of an address."""
    parts = _OPAQUE.split(text)
    if sum(part.count("<") for part in parts[::2]) > MAX_TAGS:
        return UnsafeFeed(reason=f"it has more than {MAX_TAGS:,} elements")
    parts[::2] = [_BARE.sub("&amp;", _NAMED.sub(_resolve, part)) for part in parts[::2]]
    return "".join(parts)


def _resolve(entity: re.Match[str]) -> str:
    meaning = html5.get(entity[1])
    return entity[0] if meaning is None else "".join(f"&#{ord(character)};" for character in meaning)


def _find_end(text: str, mark: str, start: int) -> int:
    found = text.find(mark, start)
    return found if found < 0 else found + len(mark)


def _skip_space(text: str, position: int) -> int:
    space = _SPACE.match(text, position)
    return space.end() if space else position
