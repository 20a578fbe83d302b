"""Time as a dependency, so that tests can move it.

Inside Tenax an instant is a float: seconds since the epoch, UTC. Doors turn it into ISO 8601.
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Protocol

Instant = float


class Clock(Protocol):
    def now(self) -> Instant:
        """The current instant. It may be earlier than what another process or an earlier one has written."""
        ...


# Seconds, also those in which the machine slept.
_measure_uptime = partial(time.clock_gettime, getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class SystemClock:
    """The machine's clock, which goes on at its pace when it is set back: whatever was planned would be far
    away otherwise. It follows when it is set forward."""

    def __init__(
        self, wall: Callable[[], float] = time.time, uptime: Callable[[], float] = _measure_uptime
    ) -> None:
        self._wall = wall
        self._uptime = uptime
        self._started_at = wall() - uptime()

    def now(self) -> Instant:
        wall, steady = self._wall(), self._started_at + self._uptime()
        if wall <= steady:
            return steady
        self._started_at += wall - steady
        return wall


def format_instant(instant: Instant | None) -> str | None:
    """ISO 8601 with a Z, to the millisecond; None stays None."""
    if instant is None:
        return None
    moment = datetime.fromtimestamp(instant, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
