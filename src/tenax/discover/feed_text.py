"""The text of a feed before a parser sees it: in one charset, without what parsers can be hurt with."""

import re
from html.entities import html5
from typing import Final

from tenax.record import record
from tenax.web.charset_prescan import find_in_declaration
from tenax.web.charsets import find_charset, to_utf8
from tenax.web.headers import parse_content_type

# Beyond CDATA and comments. So many empty elements take a parser 0.8 s and 120 MB.
MAX_TAGS: Final = 150_000

# XML 1.0 knows none of these, and a feed that holds one by mistake is lost without this.
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
class Trouble:
    """Why a document must not reach the parser."""

    reason: str
    is_html: bool = False


_HTML_TROUBLE = Trouble(reason="it is HTML", is_html=True)


def read_text(body: bytes, content_type: str | None) -> str:
    """Without what no XML may hold."""
    declared = parse_content_type(content_type)[1] or find_in_declaration(body)
    if declared is None and b"\0" not in body[:4]:
        declared = "utf-8"  # XML's default, whatever the pages inside say
    try:
        text = to_utf8(body, find_charset(body, declared)).decode("utf-8")
    except UnicodeDecodeError:
        # It is not what it says: ask the bytes themselves.
        text = to_utf8(body, find_charset(body, None)).decode("utf-8", "replace")
    return _CONTROL.sub("", text).lstrip("\ufeff \t\r\n")


def cut_prolog(text: str) -> str | Trouble:
    """The text from its first element on. What stands before it is where a document declares entities: none
    may. A plain document type, which RSS 0.91 asks for, does no harm."""
    position, is_html = 0, False
    while not _ELEMENT.match(text, position):
        rest = text[position : position + 20].lower()
        if rest.startswith("<!doctype"):
            is_html = is_html or _HTML.match(text, position) is not None
            plain = _PLAIN_DOCTYPE.match(text, position)
            if plain is None:
                return (
                    _HTML_TROUBLE if is_html else Trouble(reason="it declares entities or types of its own")
                )
            end = plain.end()
        elif rest.startswith("<!--"):
            end = _find_end(text, "-->", position + 4)
        elif rest.startswith("<?"):
            end = _find_end(text, "?>", position + 2)
        elif is_html:
            return _HTML_TROUBLE
        else:
            return Trouble(reason="it is neither XML nor JSON" if rest else "it is empty")
        if end < 0:
            return Trouble(reason="it ends before it begins")
        position = _skip_space(text, end)
    # Some feeds come with the type of the page that their template was made for.
    if _HTML.match(text, position) or (is_html and not ROOT.match(text, position)):
        return _HTML_TROUBLE
    return text[position:]


def mend(text: str) -> str | Trouble:
    """Say bare ampersands and the entities of HTML as XML does: the parser would leave them out, with what
    follows them in addresses."""
    parts = _OPAQUE.split(text)
    if sum(part.count("<") for part in parts[::2]) > MAX_TAGS:
        return Trouble(reason=f"it has more than {MAX_TAGS:,} elements")
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
