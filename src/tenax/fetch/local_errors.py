"""Resources that this machine can lack, by the errors of its system calls. The site is never at fault."""

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

# Raised when no port is left, and on a machine without an address of that family.
PORTS_OR_ROUTE: Final = {errno.EADDRNOTAVAIL: "this machine has no port left for another connection"}
# The kernel's errors for an address without a route; routers send most of them as well.
UNROUTED: Final = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EAFNOSUPPORT, *PORTS_OR_ROUTE})


def describe_local_error(number: int | None) -> str | None:
    """Describe which resource the machine lacks according to an errno; None: the errno means something
    else."""
    return None if number is None else _SHORTAGES.get(number)
