"""What a worker reports of itself with every heartbeat."""

from enum import StrEnum

from tenax.clock import Instant
from tenax.policy.stalls import Stall
from tenax.record import record
from tenax.records.domains import BreakerState


class BackingService(StrEnum):
    """Services that a crawl needs besides the web, each behind a breaker."""

    STORE = "store"  # PostgreSQL, or the file; opens after three failures, tried again every second
    REDIS = "redis"  # opens after five failures, tried again every five seconds
    ROBOTS = "robots"  # of a domain: opens after three failures, and the domain rests
    MACHINE = "machine"  # descriptors, memory, ports, the network; open while no request can be made at all


@record
class ServiceBreaker:
    """A breaker that is open, or whose service does not work as it should."""

    service: BackingService
    state: BreakerState
    retry_at: Instant | None  # the next trial; None: it is being tried, or closed
    reason: str


@record
class LongestVisit:
    """The visit under way that started first."""

    url: str
    started_at: Instant


@record
class Vitals:
    pages: int = 0  # settled by the worker
    pages_per_min: float = 0.0  # over the last minute
    # Without the store's own: a worker that is heard here has reached it.
    breakers: tuple[ServiceBreaker, ...] = ()
    rss_bytes: int = 0
    peak_rss_bytes: int = 0
    cpu_ms: int = 0  # of its process so far
    silent_domains: int = 0  # with a request that has not been answered for more than a second
    longest: LongestVisit | None = None  # None: no visit is under way
    stall: Stall | None = None  # None: it is not stalled
