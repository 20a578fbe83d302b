"""`HOST:IP` pairs from the settings that replace DNS lookups."""

from collections.abc import Iterable, Mapping
from ipaddress import ip_address

from tenax.errors import ConfigError
from tenax.record import record


@record
class Overrides:
    by_host: Mapping[str, tuple[str, ...]]
    by_suffix: Mapping[str, tuple[str, ...]]  # ".example.com", the longest first
    for_all: tuple[str, ...]

    def find(self, host: str) -> tuple[str, ...] | None:
        """Find the addresses given for a host; exact names win over wildcards, longer wildcards over
        shorter."""
        exact = self.by_host.get(host)
        if exact is not None:
            return exact
        for suffix, addresses in self.by_suffix.items():
            if host.endswith(suffix):
                return addresses
        return self.for_all or None


def parse_resolve(pairs: Iterable[str]) -> Overrides:
    """Parse HOST:IP pairs. HOST may be `*` or `*.suffix`; a HOST that is given twice has both addresses."""
    found: dict[str, tuple[str, ...]] = {}
    for pair in pairs:
        host, address = _parse_pair(pair)
        found[host] = (*found.get(host, ()), address)
    suffixes = sorted((host for host in found if host.startswith("*.")), key=len, reverse=True)
    return Overrides(
        by_host={host: ips for host, ips in found.items() if not host.startswith("*")},
        by_suffix={host[1:]: found[host] for host in suffixes},
        for_all=found.get("*", ()),
    )


def _parse_pair(pair: str) -> tuple[str, str]:
    host, _, address = pair.strip().partition(":")
    host = host.lower().removesuffix(".")
    if not _is_host_pattern(host):
        raise ConfigError(f'"{pair}" has no host. Write HOST:IP, for example shop.example:192.0.2.7.')
    bare = address.removeprefix("[").removesuffix("]") if address.startswith("[") else address
    try:
        return host, str(ip_address(bare))
    except ValueError as error:
        raise ConfigError(
            f'"{pair}" is not a HOST:IP pair. Write, for example, shop.example:192.0.2.7'
            " or *:[2001:db8::7], without a port."
        ) from error


def _is_host_pattern(host: str) -> bool:
    if host == "*":
        return True
    labels = host.removeprefix("*.")
    return bool(labels) and labels.isascii() and "*" not in labels and not set(labels) & set("[]/ ")
