"""Time as a dependency, so that tests can move it.

Inside Tenax an instant is a float: seconds since the epoch, UTC. Doors turn it into ISO 8601.
"""

import time
from datetime import UTC, datetime
from typing import Protocol

Instant = float


class Clock(Protocol):
    def now(self) -> Instant:
        """The current instant. Successive calls may go backwards: machines' clocks do."""
        ...


class SystemClock:
    def now(self) -> Instant:
        return time.time()


def format_instant(instant: Instant | None) -> str | None:
    """ISO 8601 with a Z, to the millisecond; None stays None."""
    if instant is None:
        return None
    moment = datetime.fromtimestamp(instant, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
