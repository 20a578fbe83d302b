"""URLs: one normal form per address, and the parts of it that others need.

`normalize` makes the form that the store keys, robots.txt is asked about and fetch requests: parsed as
browsers do (WHATWG), then without fragment, credentials and tracking parameters, with sorted
parameters. Every other function expects that form and only cuts strings.

Trailing slashes stay: "/a" and "/a/" are different resources for servers and for relative links.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from operator import methodcaller
from typing import NamedTuple

import ada_url
import xxhash
from publicsuffixlist import PSLFILE, PublicSuffixList

TRACKING_PREFIX = "utm_"
TRACKING_PARAMETERS = frozenset(
    ("gclid", "fbclid", "msclkid", "mc_cid", "mc_eid", "igshid", "yclid", "_ga", "ref", "source")
)
DEFAULT_PORTS = {"http": 80, "https": 443}

_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

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

# Escapes of unreserved characters, and escapes with a lower-case digit.
_UNTIDY_ESCAPE = re.compile(
    r"%(?:2[DE]|3[0-9]|[46][1-9A-F]|5[0-9AF]|7[0-9AE]|[0-9A-F][a-f]|[a-f][0-9A-Fa-f])"
)
_ENDS_IN_CUT_ESCAPE = re.compile(r"%[0-9A-Fa-f]?\Z")

_name_and_value = methodcaller("partition", "=")


def normalize(href: str, base: str | None = None) -> str | None:
    """The normal form of a reference found in the document at `base`; None: not crawlable.

    Never raises, and a normal form is its own normal form. An absolute href needs no valid base.
    """
    url = normalize(base) if base is not None else None
    return resolve(href, split_base(url)) if url is not None else _normalize_alone(href, base)


class Base(NamedTuple):
    """A normal url, cut where references to other urls need it."""

    url: str
    origin: str
    path: str
    directory: str  # the path up to its last slash


def split_base(url: str) -> Base:
    origin = origin_of(url)
    path = url[len(origin) :].partition("?")[0]
    return Base(url, origin, path, path[: path.rindex("/") + 1])


def resolve(href: str, base: Base) -> str | None:
    """`normalize` for many references of one document."""
    if href[:4] == "http":
        return _normalize_alone(href, base.url)
    match = _match_relative(href)
    if match is not None:
        climb, path, query = match.groups()
        if path is None or not _may_have_dots(path):
            if climb is None:
                return _join(base, path, query)
            if path is None or path[0] != "/":
                return _assemble(base.origin, _climb(base.directory, climb) + (path or ""), query)
    return _normalize_slowly(href, base.url)


def _normalize_alone(href: str, base: str | None) -> str | None:
    """A reference that most probably needs no base."""
    match = _match_absolute(href)
    if match is not None:
        origin, path, query = match.groups()
        if "xn--" not in origin and (path is None or not _may_have_dots(path)):
            return _assemble(origin, path or "/", query)
    return _normalize_slowly(href, base)


def _join(base: Base, path: str | None, query: str | None) -> str:
    if path is None:
        return base.url if query is None else _assemble(base.origin, base.path, query)
    if path[0] == "/":
        return _assemble(base.origin, path, query)
    return _assemble(base.origin, base.directory + path, query)


def _climb(directory: str, dots: str) -> str:
    """The directory that a run of "./" and "../" leads to; there is nothing above the root."""
    for _ in range(dots.count("../")):
        directory = directory[: directory.rfind("/", 0, -1) + 1] or "/"
    return directory


def _may_have_dots(path: str) -> bool:
    """Whether a segment may be "." or "..", which only the parser removes."""
    return "/." in path or "%2e" in path or "%2E" in path


def _normalize_slowly(href: str, base: str | None) -> str | None:
    """The whole way through the parser; `normalize` must give the same."""
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
    return _assemble(f"{scheme}//{host}{colon}{port}", "/" + path, query)


def normalize_endpoint(text: str) -> str | None:
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


def _assemble(origin: str, path: str, query: str | None) -> str:
    if "%" in path:
        path = tidy_escapes(path)
    if query:
        query = _normalize_query(query)
    return f"{origin}{path}?{query}" if query else origin + path


def _normalize_query(query: str) -> str:
    if "%" in query:
        query = tidy_escapes(query)
    if "&" not in query:
        return "" if _is_tracking(query) else query
    kept = [part for part in query.split("&") if part and not _is_tracking(part)]
    kept.sort(key=_name_and_value)
    return "&".join(kept)


def _is_tracking(parameter: str) -> bool:
    name = parameter.partition("=")[0].lower()
    return name in TRACKING_PARAMETERS or name.startswith(TRACKING_PREFIX)


def tidy_escapes(text: str) -> str:
    """Percent-escapes in upper case, those of unreserved characters (RFC 3986 §2.3) decoded."""
    return _UNTIDY_ESCAPE.sub(_tidy_escape, text)


def _tidy_escape(match: re.Match[str]) -> str:
    character = chr(int(match[0][1:], 16))
    start = match.start()
    # Decoding right after a stray "%" or "%4" would complete a new escape: "%%34%31" is not "%41".
    if character not in _UNRESERVED or _ENDS_IN_CUT_ESCAPE.search(match.string, max(0, start - 2), start):
        return match[0].upper()
    return character


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
    """The list that the package brings, as normal hosts are written. The package itself writes every rule in
    this form, by the codec of the standard library: 40 ms, a fifth of the CPU until the first request."""
    with open(PSLFILE, encoding="utf-8") as lines:
        for line in lines:
            yield line if line.isascii() or line.startswith("//") else ada_url.idna_to_ascii(line.strip())


def url_key(url: str) -> int:
    """The store's key: 64 bits of xxh3, signed because SQL integers are."""
    digest = xxhash.xxh3_64_intdigest(url.encode())
    return digest - (1 << 64) if digest >> 63 else digest
