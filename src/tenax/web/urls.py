"""URLs: the address that a reference means, and the parts of it that others need.

`parse_url` makes the form that is requested, shown and asked of robots.txt: parsed as browsers do (WHATWG),
then without fragment, credentials and parameters that mean nothing (parameters.py). Which addresses are one
url says identity.py. Every other function expects an address and only cuts strings.

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

# The fast path: hrefs made of characters that the WHATWG parser copies unchanged, so that no parser
# is needed. Hosts are lower-case names that cannot be numbers (no IPv4 in disguise) or plain IPv4, ports have
# four or five digits (neither default nor too large), relative paths hold no colon (no scheme in disguise).
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
    """The address that a reference found in the document at `base` means; None: not crawlable.

    Never raises, and an address means itself. An absolute href needs no valid base. `keep`: see
    parameters.drop_meaningless.
    """
    url = parse_url(base, None, keep) if base is not None else None
    return resolve(href, split_base(url), keep) if url is not None else _parse_alone(href, base, keep)


class Base(NamedTuple):
    """An address, cut where references to other urls need it."""

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
    """A reference that most probably needs no base."""
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
    """The directory that a run of "./" and "../" leads to; there is nothing above the root."""
    for _ in range(dots.count("../")):
        directory = directory[: directory.rfind("/", 0, -1) + 1] or "/"
    return directory


def _may_have_dots(path: str) -> bool:
    """Whether a segment may be "." or "..", which only the parser removes."""
    return "/." in path or "%2e" in path or "%2E" in path


def _parse_slowly(href: str, base: str | None, keep: Names = NO_NAMES) -> str | None:
    """The whole way through the parser; `parse_url` must give the same."""
    parsed = _parse(href, base)
    if parsed is None or not parsed.startswith(("http://", "https://")):
        return None
    address, _, query = parsed.partition("#")[0].partition("?")
    scheme, _, authority, path = address.split("/", 3)
    host, colon, port = _split_authority(authority.rpartition("@")[2])
    if host[-1] == ".":
        host = host[:-1]
        # A name with an empty last label cannot be looked up, and taking all dots away could make
        # a number of it, which the parser would read as an address.
        if not host or host[-1] == ".":
            return None
    return _assemble(f"{scheme}//{host}{colon}{port}", "/" + path, query, keep)


def list_addresses(text: str) -> list[str]:
    """All addresses under which crawls may know what somebody writes: which parameters mean nothing is for
    each to say. The one with most of them comes first; none: not crawlable."""
    whole = parse_url(text, keep=ALL_NAMES)
    if whole is None:
        return []
    path, _, query = whole[len(origin_of(whole)) :].partition("?")
    names = list_meaningless(path, query)
    # Each may count or not. Of more than a few, nobody has chosen some and not others.
    numbers = range(len(names), -1, -1) if len(names) <= _FEW_NAMES else (len(names), 0)
    keeps = [frozenset(kept) for number in numbers for kept in combinations(names, number)]
    return list(dict.fromkeys(url for keep in keeps if (url := parse_url(whole, keep=keep)) is not None))


def parse_endpoint(text: str) -> str | None:
    """The address of a program rather than a page: parsed as browsers do, its parameters as they are. None:
    not http or https, or with credentials."""
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
            pass  # perhaps only the base is bad
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
    # "/..;jsessionid=1/" would become a way up that the parser has not seen.
    return path if _may_have_dots(shorter) else shorter


def origin_of(url: str) -> str:
    """Scheme, host and port: "https://example.com:8443"; a default port is never there."""
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
    """Host (IPv6 with its brackets), ":" or "", and port or ""."""
    if authority[-1] == "]":
        return authority, "", ""
    host, colon, port = authority.rpartition(":")
    return (host, colon, port) if colon else (port, "", "")


@lru_cache(maxsize=16_384)
def registrable_domain(domain: str) -> str:
    """Public suffix plus one label, without port; what has no known suffix stays as it is."""
    host = _split_authority(domain)[0] if domain else domain
    return _public_suffixes().privatesuffix(host) or host


@lru_cache(maxsize=1)
def _public_suffixes() -> PublicSuffixList:
    """Built on first use: reading the list takes 10 ms."""
    # An unknown top-level domain is somebody's private naming; its structure is not ours to guess.
    return PublicSuffixList(_list_suffix_rules(), accept_unknown=False, accept_encoded_idn=False)


def _list_suffix_rules() -> Iterator[str | bytes]:
    """The list that the package brings, with hosts as addresses have them. The package itself writes every
    rule in this form, by the codec of the standard library: 40 ms, a fifth of the CPU until the first
    request."""
    with open(PSLFILE, encoding="utf-8") as lines:
        for line in lines:
            yield line if line.isascii() or line.startswith("//") else ada_url.idna_to_ascii(line.strip())
