"""Whether a process is still there."""

import contextlib

import psutil  # type: ignore[import-untyped]


def is_running(pid: int) -> bool:
    """A zombie is not: in a container without an init process nobody buries orphans."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    return False
