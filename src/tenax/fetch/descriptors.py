"""File descriptors: raises their limit and plans how the fetcher uses them."""

import contextlib
import os
import resource
from typing import Final

from tenax.record import record

UNLIMITED: Final = 1_000_000  # more than any process needs
_OPEN_MAX: Final = 10_240
# Connecting may try two addresses concurrently (RFC 8305), and handing a socket over takes one more.
SOCKETS_PER_REQUEST: Final = 2
# One part in this many of the free descriptors is left for the store's files, logs, DNS and child processes.
_LEFT_SHARE: Final = 4
_LEAST_LEFT: Final = 8


@record
class DescriptorPlan:
    requests: int  # concurrent
    connections: int  # open, in use or idle
    kept: int  # of these, idle

    def count_connections(self, requests: int) -> int:
        """Number of connections that may be open for a number of requests; all of them for
        `self.requests`."""
        return self.connections if requests >= self.requests else requests * SOCKETS_PER_REQUEST


def raise_limit() -> None:
    """Raise the soft limit of this process and its children to the hard limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = UNLIMITED if hard == resource.RLIM_INFINITY else min(hard, UNLIMITED)
    if soft == resource.RLIM_INFINITY or soft >= most:
        return
    # macOS reports no limit, but grants this many.
    for wanted in (most, _OPEN_MAX):
        if wanted > soft:
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
                return


def plan_descriptors(kept: int) -> DescriptorPlan:
    """Divide up the descriptors that are free now. `kept`: maximum number of idle connections."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = (UNLIMITED if soft == resource.RLIM_INFINITY else min(soft, UNLIMITED)) - count_open()
    connections = max(free - max(free // _LEFT_SHARE, _LEAST_LEFT), 1)
    return DescriptorPlan(
        requests=max(connections // SOCKETS_PER_REQUEST, 1),
        connections=connections,
        kept=max(min(kept, connections), 1),
    )


def count_open() -> int:
    """Number of open descriptors of this process; a guess if the system does not report it."""
    for folder in ("/proc/self/fd", "/dev/fd"):
        try:
            return len(os.listdir(folder))
        except OSError:
            continue
    return 32
