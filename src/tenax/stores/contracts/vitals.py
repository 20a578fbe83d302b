"""What a worker reports of itself with every heartbeat."""

from enum import StrEnum

from tenax.clock import Instant
from tenax.record import record
from tenax.records import BreakerState


class BackingService(StrEnum):
    """What a crawl needs beside the web, each behind a breaker."""

    STORE = "store"  # PostgreSQL, or the file; opens after three failures, tried again every second
    REDIS = "redis"  # opens after five failures, tried again every five seconds
    ROBOTS = "robots"  # of a domain: opens after three failures, and the domain rests
    MACHINE = "machine"  # descriptors, memory, ports, the network; open while nothing at all can be asked


@record
class ServiceBreaker:
    """A breaker that is open, or whose service does not do its part."""

    service: BackingService
    state: BreakerState
    retry_at: Instant | None  # the next trial; None: it is being tried, or closed
    reason: str


@record
class Vitals:
    pages: int = 0  # settled by the worker
    pages_per_min: float = 0.0  # over the last minute
    # The store's own is not among them: who can be heard here has reached it.
    breakers: tuple[ServiceBreaker, ...] = ()
    rss_bytes: int = 0
    peak_rss_bytes: int = 0
    cpu_ms: int = 0  # of its process so far
    silent_domains: int = 0  # that have not answered a request under way for more than a second
