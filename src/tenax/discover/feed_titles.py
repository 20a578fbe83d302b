"""Converts the titles of feeds to plain text, without markup where a format or common practice allows it."""

import base64
import binascii
import html
import re
from typing import Final

MAX_SOURCE: Final = 10_000  # of a title that may become much shorter

# Tags in RSS titles, although no version of RSS allows them. Other tags are part of the title's text.
_BREAKS: Final = (
    "address blockquote br center dd div dl dt h1 h2 h3 h4 h5 h6 hr li ol p pre table td th tr ul"
)
_INLINES: Final = (
    "a abbr acronym b bdi bdo big blink cite code del dfn em embed font i iframe img ins kbd mark nobr object"
    " q s samp script small span strike strong style sub sup tbody thead tt u var wbr"
)
_BREAK_NAMES: Final = frozenset(_BREAKS.split())
_NAMES: Final = _BREAK_NAMES | frozenset(_INLINES.split())
_UNSEEN = re.compile(r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"</?([a-z][a-z0-9:-]*)(?:[\s/][^<>]*)?>", re.IGNORECASE)
_SIGN = re.compile(
    r"</([a-z][a-z0-9]*)\s*>|<(br|hr|img|wbr)\b[^<>]*>|<[a-z][a-z0-9]*(?:\s[^<>]*)?/>", re.IGNORECASE
)
_REFERENCE = re.compile(r"&(?:#[0-9]{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,30});", re.IGNORECASE)


def read_html(text: str) -> str:
    """Read text that is declared as HTML."""
    return _strip(text[:MAX_SOURCE], frozenset())


def read_doubtful(text: str) -> str:
    """Read text that may be HTML or plain."""
    text = text[:MAX_SOURCE]
    if any(_find_name(sign) in _NAMES for sign in _SIGN.finditer(text)):
        return _strip(text, _NAMES)
    return _REFERENCE.sub(_resolve, text)


def decode_base64(text: str) -> str:
    """Decode base64; other text is returned as it is."""
    try:
        decoded = base64.b64decode("".join(text[: 2 * MAX_SOURCE].split()), validate=True)
    except (binascii.Error, ValueError):
        return text
    try:
        return decoded.decode("utf-8")
    except UnicodeDecodeError:
        return decoded.decode("cp1252", "replace")


def _strip(text: str, names: frozenset[str]) -> str:
    """Remove tags: those in `names`, or all if it is empty."""

    def drop(tag: re.Match[str]) -> str:
        name = tag[1].lower()
        if names and name not in names:
            return tag[0]
        return " " if name in _BREAK_NAMES else ""

    return _REFERENCE.sub(_resolve, _TAG.sub(drop, _UNSEEN.sub("", text)))


def _find_name(sign: re.Match[str]) -> str:
    tag = _TAG.match(sign[0])
    return tag[1].lower() if tag else ""


def _resolve(reference: re.Match[str]) -> str:
    return html.unescape(reference[0])
