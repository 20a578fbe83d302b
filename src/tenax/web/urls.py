"""URLs: the address that a reference means, and its parts.

`parse_url` returns the form that is requested, shown and checked against robots.txt: parsed like browsers do
(WHATWG), then without fragment, credentials and meaningless parameters (parameters.py). identity.py decides
which addresses are the same url. Every other function expects an address and only splits strings.

Trailing slashes stay: "/a" and "/a/" are different resources for servers and for relative links.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import ada_url
from publicsuffixlist import PSLFILE, PublicSuffixList

from tenax.web.parameters import (
    ALL_NAMES,
    NO_NAMES,
    Names,
    drop_meaningless,
    drop_session,
    list_meaningless,
)

DEFAULT_PORTS = {"http": 80, "https": 443}
_FEW_NAMES = 4  # sixteen addresses

# The fast path: hrefs of characters that the WHATWG parser copies unchanged, so that no parser is needed.
# Hosts are lower-case names that cannot be numbers (no IPv4 in disguise) or plain IPv4, ports have four or
# five digits (neither default nor too large), relative paths contain no colon (no scheme in disguise).
_BYTE = r"(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_HOST = rf"(?:(?:[a-z0-9-]+\.)*[a-z][a-z0-9-]*|{_BYTE}(?:\.{_BYTE}){{3}})"
_PORT = r"(?::(?:[1-5][0-9]{4}|[1-9][0-9]{3}))?"
_QUERY_AND_FRAGMENT = r"(?:\?([A-Za-z0-9._~!$()*+,;:@/?=&%-]*))?(?:#.*)?"
_match_absolute = re.compile(
    rf"(https?://{_HOST}{_PORT})(/[A-Za-z0-9._~!$&'()*+,;=:@/%-]*)?{_QUERY_AND_FRAGMENT}",
    re.DOTALL,
).fullmatch
_match_relative = re.compile(
    r"((?:\.\.?/)+)?(/(?!/)[A-Za-z0-9._~!$&'()*+,;=:@/%-]*|[A-Za-z0-9_~%][A-Za-z0-9._~!$&'()*+,;=@/%-]*)?"
    + _QUERY_AND_FRAGMENT,
    re.DOTALL,
).fullmatch


def parse_url(href: str, base: str | None = None, keep: Names = NO_NAMES) -> str | None:
    """Resolve a reference found in the document at `base` to an address; None: not crawlable.

    Never raises, and an address resolves to itself. An absolute href needs no valid base. `keep`: see
    parameters.drop_meaningless.
    """
    url = parse_url(base, None, keep) if base is not None else None
    return resolve(href, split_base(url), keep) if url is not None else _parse_alone(href, base, keep)


class Base(NamedTuple):
    """An address, split into the parts that resolving references needs."""

    url: str
    origin: str
    path: str
    directory: str  # the path up to its last slash


def split_base(url: str) -> Base:
    origin = origin_of(url)
    path = url[len(origin) :].partition("?")[0]
    return Base(url, origin, path, path[: path.rindex("/") + 1])


def resolve(href: str, base: Base, keep: Names = NO_NAMES) -> str | None:
    """`parse_url` for many references of one document."""
    if href[:4] == "http":
        return _parse_alone(href, base.url, keep)
    match = _match_relative(href)
    if match is not None:
        climb, path, query = match.groups()
        if path is None or not _may_have_dots(path):
            if climb is None:
                return _join(base, path, query, keep)
            if path is None or path[0] != "/":
                return _assemble(base.origin, _climb(base.directory, climb) + (path or ""), query, keep)
    return _parse_slowly(href, base.url, keep)


def _parse_alone(href: str, base: str | None, keep: Names) -> str | None:
    """Parse a reference that most probably needs no base."""
    match = _match_absolute(href)
    if match is not None:
        origin, path, query = match.groups()
        if "xn--" not in origin and (path is None or not _may_have_dots(path)):
            return _assemble(origin, path or "/", query, keep)
    return _parse_slowly(href, base, keep)


def _join(base: Base, path: str | None, query: str | None, keep: Names) -> str:
    if path is None:
        return base.url if query is None else _assemble(base.origin, base.path, query, keep)
    if path[0] == "/":
        return _assemble(base.origin, path, query, keep)
    return _assemble(base.origin, base.directory + path, query, keep)


def _climb(directory: str, dots: str) -> str:
    """Find the directory that a series of "./" and "../" leads to; the root is the top."""
    for _ in range(dots.count("../")):
        directory = directory[: directory.rfind("/", 0, -1) + 1] or "/"
    return directory


def _may_have_dots(path: str) -> bool:
    """Whether a segment may be "." or "..", which only the parser removes."""
    return "/." in path or "%2e" in path or "%2E" in path


def _parse_slowly(href: str, base: str | None, keep: Names = NO_NAMES) -> str | None:
    """Use the full parser; `parse_url` must return the same."""
    parsed = _parse(href, base)
    if parsed is None or not parsed.startswith(("http://", "https://")):
        return None
    address, _, query = parsed.partition("#")[0].partition("?")
    scheme, _, authority, path = address.split("/", 3)
    host, colon, port = _split_authority(authority.rpartition("@")[2])
    if host[-1] == ".":
        host = host[:-1]
        # A name with an empty last label cannot be looked up, and removing all dots could turn it into a
        # number, which the parser would read as an address.
        if not host or host[-1] == ".":
            return None
    return _assemble(f"{scheme}//{host}{colon}{port}", "/" + path, query, keep)


def list_addresses(text: str) -> list[str]:
    """List all addresses under which crawls may know a URL given by a user: each crawl has its own
    meaningless parameters. The address with the most parameters comes first; empty: not crawlable."""
    whole = parse_url(text, keep=ALL_NAMES)
    if whole is None:
        return []
    path, _, query = whole[len(origin_of(whole)) :].partition("?")
    names = list_meaningless(path, query)
    # Each parameter may be kept or not. With more than a few, either all or none.
    numbers = range(len(names), -1, -1) if len(names) <= _FEW_NAMES else (len(names), 0)
    keeps = [frozenset(kept) for number in numbers for kept in combinations(names, number)]
    return list(dict.fromkeys(url for keep in keeps if (url := parse_url(whole, keep=keep)) is not None))


def parse_endpoint(text: str) -> str | None:
    """Parse the address of a program rather than a page: like browsers do, with all its parameters. None: not
    http or https, or with credentials."""
    parsed = _parse(text, None)
    if parsed is None or not parsed.startswith(("http://", "https://")):
        return None
    url = parsed.partition("#")[0]
    return None if "@" in url.split("/", 3)[2] else url


def _parse(href: str, base: str | None) -> str | None:
    href = _replace_lone_surrogates(href)
    if base is not None:
        try:
            return ada_url.join_url(_replace_lone_surrogates(base), href)
        except ValueError:
            pass  # perhaps only the base is invalid
    try:
        return ada_url.normalize_url(href)
    except ValueError:
        return None


def _replace_lone_surrogates(text: str) -> str:
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _assemble(origin: str, path: str, query: str | None, keep: Names) -> str:
    if ";" in path:
        path = _drop_session(path, keep)
    if query:
        query = drop_meaningless(query, keep)
    return f"{origin}{path}?{query}" if query else origin + path


def _drop_session(path: str, keep: Names) -> str:
    shorter = drop_session(path, keep)
    # "/..;jsessionid=1/" would become a "../" that the parser has not seen.
    return path if "/." in shorter.replace("%2e", ".").replace("%2E", ".") else shorter


def origin_of(url: str) -> str:
    """Scheme, host and port: "https://example.com:8443"; never a default port."""
    return url[: url.index("/", 8)]


def host_of(url: str) -> str:
    """The host without port, an IPv6 address without brackets."""
    return _split_authority(url.split("/", 3)[2])[0].strip("[]")


def port_of(url: str) -> int:
    scheme, _, authority, _ = url.split("/", 3)
    port = _split_authority(authority)[2]
    return int(port) if port else DEFAULT_PORTS[scheme[:-1]]


def domain_of(url: str) -> str:
    """The unit of politeness: the host without "www.", its port unless that is 80 or 443."""
    domain = url.split("/", 3)[2]
    if domain.endswith((":80", ":443")):
        domain = domain[: domain.rindex(":")]
    # "www.com" is a site of its own, not the top-level domain.
    if domain.startswith("www.") and "." in domain[4:]:
        return domain[4:]
    return domain


def _split_authority(authority: str) -> tuple[str, str, str]:
    """Split into host (IPv6 with brackets), ":" or "", and port or ""."""
    if authority[-1] == "]":
        return authority, "", ""
    host, colon, port = authority.rpartition(":")
    return (host, colon, port) if colon else (port, "", "")


@lru_cache(maxsize=16_384)
def registrable_domain(domain: str) -> str:
    """Public suffix plus one label, without port; a domain without a known suffix stays as it is."""
    host = _split_authority(domain)[0] if domain else domain
    return _public_suffixes().privatesuffix(host) or host


@lru_cache(maxsize=1)
def _public_suffixes() -> PublicSuffixList:
    """The public suffix list. Built on first use: reading it takes 10 ms."""
    # An unknown top-level domain is private naming; we cannot guess its structure.
    return PublicSuffixList(_list_suffix_rules(), accept_unknown=False, accept_encoded_idn=False)


def _list_suffix_rules() -> Iterator[str | bytes]:
    """The rules of the package's list, with hosts in the form of addresses. The package would convert every
    rule with the codec of the standard library, which takes 40 ms, 20% of the CPU time until the first
    request."""
    with open(PSLFILE, encoding="utf-8") as lines:
        for line in lines:
            yield line if line.isascii() or line.startswith("//") else ada_url.idna_to_ascii(line.strip())
