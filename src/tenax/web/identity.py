"""The identity of a url: the normal form of its addresses, and the key that the store uses for it.

The normal form is only an identity and never requested: a server may care about the order of parameters. It
is the same for every crawl, because a worker that finds a link to a domain must compute the same key as the
worker that owns the domain. Changing it requires a migration that gives the rows new keys.
"""

import re

import xxhash

from tenax.web.escapes import tidy_escapes
from tenax.web.parameters import drop_session, is_meaningless

VERSION = 2  # version 1 was also requested, and sorted repeated parameters as well

# An address without these is its own normal form.
may_be_untidy = re.compile(r"[%&\[\]|^`{}\\]").search
# Characters that RFC 3986 never allows unescaped, although browsers send them.
_ILLEGAL = re.compile(r"[\[\]|^`{}\\]|%(?![0-9A-Fa-f]{2})")


def url_key(url: str) -> int:
    """The store's key for an address: 64 bits of xxh3 of its identity, signed because SQL integers are."""
    if may_be_untidy(url):
        url = identity_of(url)
    digest = xxhash.xxh3_64_intdigest(url.encode())
    return digest - (1 << 64) if digest >> 63 else digest


def identity_of(url: str) -> str:
    """The normal form of an address: only necessary escapes, parameters sorted by name. Parameters of the
    same name keep their order, which often has a meaning."""
    address, _, query = url.partition("?")
    if "%" in url or _ILLEGAL.search(url):
        start = url.index("/", 8)  # an IPv6 host has brackets, too
        address = url[:start] + _tidy(address[start:])
        query = _tidy(query)
    if "&" in query:
        query = _sort_parameters(query)
    return f"{address}?{query}" if query else address


def describe_difference(given: str, url: str) -> list[str]:
    """Describe why two addresses have the same identity. `given` may still contain meaningless parameters."""
    given_path, given_parts = _cut(given)
    path, parts = _cut(url)
    dropped = [part for part in given_parts if is_meaningless(part) and part not in parts]
    kept = [part for part in given_parts if part not in dropped]
    rules = [f"left out of addresses: {_find_parameter_name(part)}" for part in dropped]
    if drop_session(given_path) != given_path:
        rules.append("left out of addresses: the session id in its path")
    if [*map(_tidy, kept)] != [*map(_tidy, parts)]:
        rules.append("the order of parameters with different names does not matter")
    if sorted(kept) != sorted(parts) or drop_session(given_path) != path:
        rules.append("escapes are spelled differently")
    return rules


def _cut(url: str) -> tuple[str, list[str]]:
    """Split into path and parameters."""
    path, _, query = url[url.index("/", 8) :].partition("?")
    return path, [part for part in query.split("&") if part]


def _tidy(text: str) -> str:
    text = _ILLEGAL.sub(_escape, text)
    return tidy_escapes(text) if "%" in text else text


def _escape(match: re.Match[str]) -> str:
    return f"%{ord(match[0]):02X}"


def _sort_parameters(query: str) -> str:
    parts = [part for part in query.split("&") if part]
    parts.sort(key=_find_parameter_name)
    return "&".join(parts)


def _find_parameter_name(parameter: str) -> str:
    return parameter.partition("=")[0]
