"""Finds the charset that a page declares before it is parsed: the prescan of the HTML standard.

The standard reads 1,024 bytes, and its parser starts over if it finds a meta element after them. This prescan
reads further instead of parsing twice.
"""

import re
from typing import Final

from tenax.web.charset_labels import find_name

PRESCAN_BYTES: Final = 16_384
_USUAL_BYTES = 1_024

_S = rb"[\t\n\f\r ]"
_NAME = rb"[\t\n\f\r /]*+([^\t\n\f\r />][^\t\n\f\r />=]*+)"
_VALUE = rb"\"([^\"]*+)(?:\"|\Z)|'([^']*+)(?:'|\Z)|([^\t\n\f\r >]*+)"
_ATTRIBUTE = re.compile(rb"%b(?:%b*+=%b*+(?:%b))?+" % (_NAME, _S, _S, _VALUE))
_ATTRIBUTES = rb"(?:%b)*+[\t\n\f\r /]*+" % re.sub(rb"(?<!\\)\((?!\?)", b"(?:", _ATTRIBUTE.pattern)
# Markup that is not closed extends to the end: it declares nothing and hides any declaration in it.
_MARKUP = re.compile(
    rb"<!--(?:-?>|.*?(?:-->|\Z))"
    rb"|<meta(?=[\t\n\f\r /])(?P<meta>%b)(?:>|(?P<open>\Z))"
    rb"|</?[a-z][^\t\n\f\r >]*+%b(?:>|\Z)"
    rb"|<[!/?][^>]*+" % (_ATTRIBUTES, _ATTRIBUTES),
    re.IGNORECASE | re.DOTALL,
)
_CHARSET = re.compile(
    rb"charset%b*=%b*(?:\"([^\"]*)\"|'([^']*)'|([^\t\n\f\r ;\"'][^\t\n\f\r ;]*))" % (_S, _S), re.IGNORECASE
)
_XML = re.compile(
    rb"\s*<\?xml%b[^>]{0,200}?encoding%b*=%b*(?:\"([^\">]{0,40})\"|'([^'>]{0,40})')" % (_S, _S, _S)
)


def find_declared(body: bytes) -> str | None:
    """Find the name of the declared charset, or None."""
    if body.startswith(b"<\0") and body[3:4] == b"\0":
        return "utf-16le"
    if body.startswith(b"\0<\0"):
        return "utf-16be"
    found = _find_in_metas(body[:_USUAL_BYTES])
    if found is None and len(body) > _USUAL_BYTES:
        found = _find_in_metas(body[:PRESCAN_BYTES])
    return found or find_in_declaration(body)


def find_in_declaration(body: bytes) -> str | None:
    """Find the name in an XML declaration."""
    declared = _XML.match(body)
    name = _find_name(declared[1] or declared[2] or b"") if declared else None
    return _settle(name) if name else None


def _find_in_metas(head: bytes) -> str | None:
    if b"charset" not in head.lower():
        return None
    for markup in _MARKUP.finditer(head):
        attributes = markup["meta"]
        if attributes is not None and markup["open"] is None and (name := _read_meta(attributes)):
            return _settle(name)
    return None


def _read_meta(text: bytes) -> str | None:
    attributes: dict[bytes, bytes] = {}
    for attribute in _ATTRIBUTE.finditer(text):
        value = attribute[2] or attribute[3] or attribute[4] or b""
        attributes.setdefault(attribute[1].lower(), value)
    if b"charset" in attributes:
        return _find_name(attributes[b"charset"])
    if attributes.get(b"http-equiv", b"").lower() != b"content-type":
        return None  # a description that mentions charsets
    charset = _CHARSET.search(attributes.get(b"content", b""))
    return _find_name(charset[1] or charset[2] or charset[3] or b"") if charset else None


def _find_name(label: bytes) -> str | None:
    return find_name(label.decode("latin-1"))


def _settle(name: str) -> str:
    """Return the charset that is meant. A page whose declaration could be read cannot be in UTF-16."""
    if name.startswith("utf-16"):
        return "utf-8"
    return "windows-1252" if name == "x-user-defined" else name
