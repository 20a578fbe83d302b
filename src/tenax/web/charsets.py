"""Finds the charset of a body: by BOM, header, the page's declaration, then by the bytes themselves.

Labels are those of the WHATWG: like browsers, we read iso-8859-1 as windows-1252. Pages without a declaration
are guessed as in browsers, too: by Firefox's detector, which uses the bytes and the origin of the page.
"""

import re
from urllib.parse import urlsplit

from tenax.web.charset_labels import codec_of, find_name, name_of_codec
from tenax.web.charset_prescan import PRESCAN_BYTES, find_declared

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be"))
FALLBACK = "windows-1252"
_DETECT_BYTES = 32_768  # 1 ms at worst
_ENOUGH_BYTES = 4  # fewer non-ASCII bytes say nothing about the charset, unless the country helps
_CONTEXT_BYTES = 256  # before the first significant byte
_FOREIGN_BYTE = re.compile(rb"[\x80-\xff\x1b]")
_MARKUP = re.compile(rb"<[^<>]*>|[\x00-\x20]+")
_ESCAPED = "iso-2022-jp"  # all ASCII
_ESCAPE = b"\x1b$"  # starts its characters
_LANGUAGE = re.compile(rb"<html\s[^>]{0,500}?\blang\s*=\s*[\"']?([a-z]{2})\b(?:-(tw|hk))?", re.IGNORECASE)
_COUNTRY = re.compile(r"[a-z]{2}|xn--[a-z0-9-]+")
# The detector identifies languages by countries; most have the same two letters.
_TLDS = {
    "ar": "sa", "be": "by", "cs": "cz", "da": "dk", "el": "gr", "et": "ee", "fa": "ir", "he": "il",
    "ja": "jp", "ko": "kr", "sl": "si", "sr": "rs", "sv": "se", "uk": "ua", "vi": "vn", "zh": "cn",
}  # fmt: skip
_ANY_COUNTRY = "en"

_USER_DEFINED = {byte: 0xF700 + byte for byte in range(0x80, 0x100)}


def find_charset(body: bytes, declared: str | None, url: str | None = None) -> str:
    """Find the name of the charset, in lower case. `declared`: the label of the HTTP header; `url`: of the
    body."""
    for bom, name in _BOMS:
        if body.startswith(bom):
            return name
    if declared is not None and (found := find_name(declared)):
        return found
    return find_declared(body) or _detect(body, url)


def to_utf8(body: bytes, charset: str) -> bytes:
    """Convert a body to UTF-8 without BOM. UTF-8 is passed on unchecked."""
    if charset == "utf-8":
        return body[3:] if body.startswith(_BOMS[0][0]) else body
    if charset == "replacement":
        return "\ufffd".encode() if body else b""
    text = body.decode(codec_of(charset), "replace").removeprefix("\ufeff")
    if charset == "x-user-defined":
        text = text.translate(_USER_DEFINED)
    return text.encode("utf-8", "replace")


def _detect(body: bytes, url: str | None) -> str:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        is_cut_short = error.end >= len(body) and error.start > len(body) - 4 and error.start > 0
        return "utf-8" if is_cut_short and not body[: error.start].isascii() else _guess(body, url)
    if _ESCAPE in body and body.isascii() and _guess(body, url) == _ESCAPED:
        return _ESCAPED
    return "utf-8"


def _guess(body: bytes, url: str | None) -> str:
    # Rarely needed.
    from chardetng_py import EncodingDetector

    sample = _sample(body)
    tld = _find_tld(body, url)
    if tld is None and len(_FOREIGN_BYTE.findall(sample)) < _ENOUGH_BYTES:
        return FALLBACK
    detector = EncodingDetector()
    detector.feed(sample, last=False)
    return name_of_codec(detector.guess(tld=tld, allow_utf8=False)) or FALLBACK


def _sample(body: bytes) -> bytes:
    """Return the start of the significant bytes, without markup, which would take most of the time."""
    first = _FOREIGN_BYTE.search(body)
    start = max(0, first.start() - _CONTEXT_BYTES) if first else 0
    sample = body[start : start + _DETECT_BYTES]
    return sample if _ESCAPE in sample else _MARKUP.sub(b" ", sample)


def _find_tld(body: bytes, url: str | None) -> bytes | None:
    """Find the country of the page's language, or else of its host. None: no country."""
    language = _LANGUAGE.search(body, 0, PRESCAN_BYTES)
    if language is not None and (code := language[1].decode().lower()) != _ANY_COUNTRY:
        return (language[2].decode().lower() if language[2] else _TLDS.get(code, code)).encode()
    host = urlsplit(url).hostname if url else None
    tld = (host or "").rpartition(".")[2]
    return tld.encode() if _COUNTRY.fullmatch(tld) else None
