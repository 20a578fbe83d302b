"""Time as a dependency, so that tests can move it.

Inside Tenax an instant is a float: seconds since the epoch, UTC. The CLI and the API convert it to ISO 8601.
Waiting and comparing use a clock that cannot be set; the wall clock is for times that users read and plan.
"""

import contextlib
import os
import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import Protocol

Instant = float


class Clock(Protocol):
    def now(self) -> Instant:
        """The current instant, for everything that waits or expires. It advances steadily even if the
        machine's clock is set. It may be earlier than an instant written by another or an earlier process."""
        ...

    def wall(self) -> Instant:
        """The wall-clock time, for times that users read and plan. It may jump when the clock is set."""
        ...


class MachineClock(Clock, Protocol):
    """What a store needs to know about the machine that it is used on."""

    @property
    def boot(self) -> str:
        """Id of the current boot: values of `uptime` from different boots cannot be compared."""
        ...

    def uptime(self) -> float:
        """Seconds since boot, including time asleep. It cannot be set."""
        ...


_measure_uptime = partial(time.clock_gettime, getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


@cache
def _name_boot() -> str:
    name = ""
    with contextlib.suppress(OSError):
        name = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        # A container may have its own uptime.
        name += f":{os.stat('/proc/self/ns/time').st_ino}"
    return name or str(uuid.uuid4())


class SystemClock:
    """The machine's clock. `now` starts at the wall-clock time of construction and advances steadily."""

    def __init__(
        self,
        wall: Callable[[], float] = time.time,
        uptime: Callable[[], float] = _measure_uptime,
        boot: str | None = None,
    ) -> None:
        self.wall = wall
        self.uptime = uptime
        self.boot = _name_boot() if boot is None else boot
        self._started_at = wall() - uptime()

    def now(self) -> Instant:
        return self._started_at + self.uptime()


def format_instant(instant: Instant | None) -> str | None:
    """Format as ISO 8601 with milliseconds and a Z; None stays None."""
    if instant is None:
        return None
    moment = datetime.fromtimestamp(instant, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
