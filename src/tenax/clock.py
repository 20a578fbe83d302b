"""Time as a dependency, so that tests can move it.

Inside Tenax an instant is a float: seconds since the epoch, UTC. Doors turn it into ISO 8601. Whoever waits
or compares goes by a clock that nobody can set; the calendar is for what people read and plan.
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
        """The current instant, for all that waits or expires. It goes on at its pace, whoever sets the
        machine's clock; it may be earlier than what another process or an earlier one has written."""
        ...

    def wall(self) -> Instant:
        """What the calendar says, for what people read and plan. It may have been set meanwhile."""
        ...


class MachineClock(Clock, Protocol):
    """What a store needs to know of the machine that it is used on."""

    @property
    def boot(self) -> str:
        """The name of the time since the machine was started: `uptime` of one says nothing of another."""
        ...

    def uptime(self) -> float:
        """Seconds, also those in which the machine slept. Nobody can set it."""
        ...


_measure_uptime = partial(time.clock_gettime, getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


@cache
def _name_boot() -> str:
    name = ""
    with contextlib.suppress(OSError):
        name = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        # Containers may have been given an uptime of their own.
        name += f":{os.stat('/proc/self/ns/time').st_ino}"
    return name or str(uuid.uuid4())


class SystemClock:
    """The machine's clock. `now` was the calendar's when this object was made, and goes on at its pace."""

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
    """ISO 8601 with a Z, to the millisecond; None stays None."""
    if instant is None:
        return None
    moment = datetime.fromtimestamp(instant, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
