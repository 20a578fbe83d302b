"""Addresses as users write them: without a scheme they are https, or http where nobody has a certificate. A
mistake gets a reason."""

import re

from tenax.web.parameters import NO_NAMES, Names
from tenax.web.urls import host_of, parse_url

MAX_CHARS = 2000  # of the longest address that is crawled and that a database can index
MAX_HOST_CHARS = 253  # of the longest name that can be resolved

NOT_UTF8 = "is not UTF-8 text"
NOT_HTTP = "does not start with http:// or https://"
NOT_ADDRESS = "is not a web address; write it like https://example.com/"
TOO_LONG = f"is longer than {MAX_CHARS:,} characters"

_match_loopback = re.compile(
    r"(?:(?:[^.:]{1,63}\.)?localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])(?::[0-9]*)?"
).fullmatch
_find_path = re.compile(r"[/?#]").search
_find_surrogate = re.compile("[\ud800-\udfff]").search


class Mistake(ValueError):
    """What is wrong, as a predicate whose subject is the text."""


def parse_address(text: str, keep: Names = NO_NAMES) -> str:
    """Parse an address as users write it. Raises Mistake."""
    text = text.strip()
    if _find_surrogate(text):
        raise Mistake(NOT_UTF8)
    if len(text) > MAX_CHARS:
        raise Mistake(TOO_LONG)
    if not text.isprintable():
        raise Mistake("contains control characters")
    scheme, separator, _ = text.partition("://")
    if separator and scheme.lower() not in ("http", "https"):
        raise Mistake(NOT_HTTP)
    url = parse_url(text if separator else complete(text), keep=keep)
    if url is None or not _is_host_like(url, has_scheme=bool(separator)):
        raise Mistake(NOT_ADDRESS)
    if len(url) > MAX_CHARS:
        raise Mistake(TOO_LONG)
    return url


def complete(text: str) -> str:
    """Add the scheme that is meant: http for this machine and the port of http, otherwise https."""
    path = _find_path(text)
    authority = text[: path.start() if path else None].lower()
    is_plain = authority.endswith(":80") or _match_loopback(authority) is not None
    return f"{'http' if is_plain else 'https'}://{text}"


def _is_host_like(url: str, *, has_scheme: bool) -> bool:
    """A bare word is more likely a typo than a host."""
    host = host_of(url)
    if len(host) > MAX_HOST_CHARS:
        return False
    return has_scheme or "." in host or ":" in url.split("/", 3)[2] or host == "localhost"
