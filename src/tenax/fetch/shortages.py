"""What this machine can be short of, by the errors of its system calls. None of it is a site's fault."""

import errno
from typing import Final

NO_MEMORY: Final = "this machine has no memory left"
_NO_DESCRIPTOR: Final = "this machine has no file descriptor left"
_DISK_FULL: Final = "a disk of this machine is full"

_SHORTAGES: Final = {
    errno.EMFILE: _NO_DESCRIPTOR,
    errno.ENFILE: _NO_DESCRIPTOR,
    errno.ENOMEM: NO_MEMORY,
    errno.ENOBUFS: "this machine has no buffer left for its network",
    errno.ENETDOWN: "the network of this machine is down",
    errno.ENOSPC: _DISK_FULL,
    errno.EDQUOT: _DISK_FULL,
}

# A connection that finds no port left, and one from a machine without an address of that family.
PORTS_OR_ROUTE: Final = {errno.EADDRNOTAVAIL: "this machine has no port left for another connection"}
# The kernel's words for an address that it knows no way to; routers use most of them as well.
UNROUTED: Final = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EAFNOSUPPORT, *PORTS_OR_ROUTE})


def describe_shortage(number: int | None) -> str | None:
    """In words, what this errno says that the machine is short of; None: it says nothing of the kind."""
    return None if number is None else _SHORTAGES.get(number)
