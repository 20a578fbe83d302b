"""File descriptors: as many as the system allows, and a plan for what the fetcher does with them."""

import contextlib
import os
import resource
from typing import Final

from tenax.record import record

UNLIMITED: Final = 1_000_000  # nobody needs more
_OPEN_MAX: Final = 10_240
# A connection being made may try two addresses at once (RFC 8305), and handing a socket over takes one more.
SOCKETS_PER_REQUEST: Final = 2
# Of what is free when the fetcher opens: for the store's files, logs, name servers and children.
_LEFT_SHARE: Final = 4
_LEAST_LEFT: Final = 8


@record
class DescriptorPlan:
    requests: int  # at the same time
    connections: int  # open, in use or kept
    kept: int  # of these, not in use

    def count_connections(self, requests: int) -> int:
        """That may be open for so many requests: all that were planned for as many as were planned."""
        return self.connections if requests >= self.requests else requests * SOCKETS_PER_REQUEST


def raise_limit() -> None:
    """Have the system allow this process and its children as many descriptors as it does on demand."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = UNLIMITED if hard == resource.RLIM_INFINITY else min(hard, UNLIMITED)
    if soft == resource.RLIM_INFINITY or soft >= most:
        return
    # macOS says that there is no limit, and grants this many.
    for wanted in (most, _OPEN_MAX):
        if wanted > soft:
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
                return


def plan_descriptors(kept: int) -> DescriptorPlan:
    """What is free now, shared out. `kept`: connections to be kept at most."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = (UNLIMITED if soft == resource.RLIM_INFINITY else min(soft, UNLIMITED)) - count_open()
    connections = max(free - max(free // _LEFT_SHARE, _LEAST_LEFT), 1)
    return DescriptorPlan(
        requests=max(connections // SOCKETS_PER_REQUEST, 1),
        connections=connections,
        kept=max(min(kept, connections), 1),
    )


def count_open() -> int:
    """Descriptors of this process; a guess where the system does not tell."""
    for folder in ("/proc/self/fd", "/dev/fd"):
        try:
            return len(os.listdir(folder))
        except OSError:
            continue
    return 32
