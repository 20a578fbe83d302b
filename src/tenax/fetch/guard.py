"""Which addresses may be connected to: only public ones, by an explicit table.

The ranges are those of IANA's special-purpose registries. `ipaddress.is_global` is not used because its
result for several of them depends on the version of Python.
"""

from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

_V4_RANGES = (
    ("0.0.0.0/8", "unspecified"),
    ("10.0.0.0/8", "private"),
    ("100.64.0.0/10", "carrier-grade NAT"),
    ("127.0.0.0/8", "loopback"),
    # Azure's platform service answers every virtual machine at this otherwise public address.
    ("168.63.129.16/32", "cloud platform"),
    ("169.254.0.0/16", "link-local"),
    ("172.16.0.0/12", "private"),
    ("192.0.0.0/24", "protocol assignments"),
    ("192.0.2.0/24", "documentation"),
    ("192.88.99.0/24", "6to4 relay"),
    ("192.168.0.0/16", "private"),
    ("198.18.0.0/15", "benchmarking"),
    ("198.51.100.0/24", "documentation"),
    ("203.0.113.0/24", "documentation"),
    ("224.0.0.0/4", "multicast"),
    ("255.255.255.255/32", "broadcast"),
    ("240.0.0.0/4", "reserved"),
)

_V6_RANGES = (
    ("::/128", "unspecified"),
    ("::1/128", "loopback"),
    ("64:ff9b:1::/48", "local NAT64"),
    ("100::/64", "discard-only"),
    ("2001::/32", "Teredo"),
    ("2001::/23", "protocol assignments"),
    ("2001:db8::/32", "documentation"),
    ("2002::/16", "6to4"),
    ("3fff::/20", "documentation"),
    ("5f00::/16", "segment routing"),
    ("fc00::/7", "private"),
    ("fe80::/10", "link-local"),
    ("fec0::/10", "site-local"),
    ("ff00::/8", "multicast"),
)

# The last 32 bits of these are an IPv4 address, which is where the packets would go.
_EMBEDDING_RANGES = (
    "::/96",  # v4-compatible
    "::ffff:0:0/96",  # v4-mapped
    "::ffff:0:0:0/96",  # v4-translated
    "64:ff9b::/96",  # NAT64
)

_Span = tuple[int, int, str]


def _span(network: str, name: str) -> _Span:
    parsed = ip_network(network)
    return int(parsed.network_address), int(parsed.broadcast_address), name


_V4_SPANS = tuple(_span(network, name) for network, name in _V4_RANGES)
_V6_SPANS = tuple(_span(network, name) for network, name in _V6_RANGES)
_EMBEDDING_SPANS = tuple(_span(network, "embedding") for network in _EMBEDDING_RANGES)
_GLOBAL_UNICAST = _span("2000::/3", "global unicast")


@lru_cache(maxsize=65_536)
def is_forbidden(address: str) -> str | None:
    """Return the name of the special range that contains the address; None if the address is public.

    Anything that is not an address in its usual notation is forbidden, too.
    """
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return "not an address"
    return _find_v4(parsed) if isinstance(parsed, IPv4Address) else _find_v6(parsed)


def _find_v4(address: IPv4Address) -> str | None:
    return _find_span(int(address), _V4_SPANS)


def _find_v6(address: IPv6Address) -> str | None:
    number = int(address)
    name = _find_span(number, _V6_SPANS)
    if name is not None:
        return name
    if _find_span(number, _EMBEDDING_SPANS) is not None:
        return _find_v4(IPv4Address(number & 0xFFFF_FFFF))
    first, last, _ = _GLOBAL_UNICAST
    return None if first <= number <= last else "reserved"


def _find_span(number: int, spans: tuple[_Span, ...]) -> str | None:
    for first, last, name in spans:
        if first <= number <= last:
            return name
    return None


class Guard:
    """Refuses addresses that are not public, unless a setting of the administrator allows them."""

    def __init__(self, allow_private: bool) -> None:
        self._allow_private = allow_private

    def check(self, address: str) -> str | None:
        """Return the name of the range if the address is forbidden, else None."""
        return None if self._allow_private else is_forbidden(address)
