"""How many processes can compute at the same time here."""

import os
from pathlib import Path

CGROUP_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def count_cores(quota: Path = CGROUP_QUOTA) -> int:
    """The cores that this process may use; a container's limit counts, and part of a core as one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        allowed, period = quota.read_text().split()
        return max(min(cores, -(-int(allowed) // int(period))), 1)
    except (OSError, ValueError):  # no cgroup, or "max": no limit
        return cores
