"""The memory and CPU time that a process has used."""

import resource
from pathlib import Path


def read_peak_rss_bytes() -> int:
    """Read the peak of this program alone: getrusage includes the process that started it."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    peaks = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(peaks[0].split()[1]) * 1024


def read_cpu_s() -> float:
    """Read the CPU time of this process and of the children it has waited for."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime
