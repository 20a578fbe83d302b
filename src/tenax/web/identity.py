"""What makes two addresses one url: the normal form, and the key that the store has of it.

The normal form is an identity, never an address: servers may mind the order of parameters. It is the same
for every crawl, as whoever finds a link to a domain must find the key under which its owner knows it. A
change of it needs a migration that gives the rows new keys.
"""

import re

import xxhash

from tenax.web.escapes import tidy_escapes
from tenax.web.parameters import drop_session, is_meaningless

VERSION = 2  # 1: requested as it was, and repeated parameters were sorted too

# An address without these is its own normal form.
may_be_untidy = re.compile(r"[%&\[\]|^`{}\\]").search
# What RFC 3986 allows nowhere as it is, and browsers send all the same.
_ILLEGAL = re.compile(r"[\[\]|^`{}\\]|%(?![0-9A-Fa-f]{2})")


def url_key(url: str) -> int:
    """The store's key of an address: 64 bits of xxh3 of its identity, signed because SQL integers are."""
    if may_be_untidy(url):
        url = identity_of(url)
    digest = xxhash.xxh3_64_intdigest(url.encode())
    return digest - (1 << 64) if digest >> 63 else digest


def identity_of(url: str) -> str:
    """The normal form of an address: escapes only where they are needed, parameters in the order of their
    names. Parameters of one name keep theirs: it often means something."""
    address, _, query = url.partition("?")
    if "%" in url or _ILLEGAL.search(url):
        start = url.index("/", 8)  # an IPv6 host has brackets of its own
        address = url[:start] + _tidy(address[start:])
        query = _tidy(query)
    if "&" in query:
        query = _sort_parameters(query)
    return f"{address}?{query}" if query else address


def describe_difference(given: str, url: str) -> list[str]:
    """By which rules two addresses of one identity are one. `given` may still have what means nothing."""
    given_path, given_parts = _cut(given)
    path, parts = _cut(url)
    dropped = [part for part in given_parts if is_meaningless(part) and part not in parts]
    kept = [part for part in given_parts if part not in dropped]
    rules = [f"left out of addresses: {_find_parameter_name(part)}" for part in dropped]
    if drop_session(given_path) != given_path:
        rules.append("left out of addresses: the session id in its path")
    if [*map(_tidy, kept)] != [*map(_tidy, parts)]:
        rules.append("parameters of different names may come in any order")
    if sorted(kept) != sorted(parts) or drop_session(given_path) != path:
        rules.append("escapes are spelled differently")
    return rules


def _cut(url: str) -> tuple[str, list[str]]:
    """Its path and its parameters."""
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
