"""What the kernel knows about addresses: routes, gateways, which are this machine's own. Nothing is sent."""

import contextlib
import socket
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path

from tenax.fetch.local_errors import UNROUTED

_ANY_PORT = 9
_ARP_COMPLETE = 0x2


def has_route(ip: str) -> bool:
    family = socket.AF_INET6 if ":" in ip else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((ip, _ANY_PORT))
    except OSError as error:
        return error.errno not in UNROUTED
    return True


def is_own_address(ip: str) -> bool:
    """Whether the address is this machine's own, loopback included: no network lies in between."""
    family = socket.AF_INET6 if ":" in ip else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((ip, 0))
    except OSError:
        return False
    return True


def list_gateways() -> tuple[str, ...]:
    """The default gateways; none where the system does not say."""
    return (*_list_v4_gateways(), *_list_v6_gateways())


def is_neighbor(ip: str) -> bool:
    """Whether a machine with this IPv4 address has made itself known on a local link."""
    rows = _read_table("/proc/net/arp")[1:]
    return any(len(row) > 2 and row[0] == ip and int(row[2], 16) & _ARP_COMPLETE for row in rows)


def _list_v4_gateways() -> list[str]:
    rows = _read_table("/proc/net/route")[1:]
    found = [row[2] for row in rows if len(row) > 2 and int(row[1], 16) == 0 and int(row[2], 16)]
    return [str(IPv4Address(int(number, 16).to_bytes(4, "little"))) for number in dict.fromkeys(found)]


def _list_v6_gateways() -> list[str]:
    rows = _read_table("/proc/net/ipv6_route")
    found = [row[4] for row in rows if len(row) > 4 and row[1] == "00" and int(row[4], 16)]
    # A link-local gateway cannot be connected to without naming its interface.
    gateways = [IPv6Address(int(number, 16)) for number in dict.fromkeys(found)]
    return [str(each) for each in gateways if not each.is_link_local]


def _read_table(path: str) -> list[list[str]]:
    with contextlib.suppress(OSError):
        return [line.split() for line in Path(path).read_text().splitlines()]
    return []
