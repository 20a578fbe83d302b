"""Checks with the kernel whether this machine has a route to an address. Nothing is sent."""

import socket

from tenax.fetch.local_errors import UNROUTED

_ANY_PORT = 9


def has_route(ip: str) -> bool:
    family = socket.AF_INET6 if ":" in ip else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((ip, _ANY_PORT))
    except OSError as error:
        return error.errno not in UNROUTED
    return True
