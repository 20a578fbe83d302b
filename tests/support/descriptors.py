"""Limits the number of files that the process may open."""

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager

from tenax.fetch.descriptors import count_open


@contextmanager
def descriptors(more: int) -> Iterator[None]:
    """Allow only `more` further files to be opened."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(int(name) for name in os.listdir("/proc/self/fd"))
    holes = highest + 1 - count_open()
    fillers = [os.open("/dev/null", os.O_RDONLY) for _ in range(max(holes, 0) + 1)]
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(fillers) + 1 + more, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for filler in fillers:
            os.close(filler)
