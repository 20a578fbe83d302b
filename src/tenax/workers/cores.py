"""How many processes can compute in parallel on this machine."""

import os
from pathlib import Path

CGROUP_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def count_cores(quota: Path = CGROUP_QUOTA) -> int:
    """Count the cores this process may use. A container's limit applies; part of a core counts as one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        allowed, period = quota.read_text().split()
        return max(min(cores, -(-int(allowed) // int(period))), 1)
    except (OSError, ValueError):  # no cgroup, or "max": no limit
        return cores
