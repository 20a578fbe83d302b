"""The store in a few numbers: remaining work and what blocks it."""

from tenax.clock import Instant
from tenax.record import record
from tenax.stores.contracts.leftovers import Leftover


@record
class RemainingWork:
    """The remaining work of a run, as the store sees it."""

    next_avail_at: Instant | None  # when the next domain can be claimed; None: no domain waits
    can_claim: bool  # that instant is over, by the store's clock
    is_leased_elsewhere: bool  # other live workers hold domains


@record
class NextDomain:
    """The domain that can be claimed next, and what it waits for."""

    domain: str
    avail_at: Instant
    backoff_until: Instant | None
    breaker_reopen_at: Instant | None
    claimed_by: int | None


@record
class ForeignTransaction:
    """A transaction of another program in the store's database: it is old, or others wait for its locks."""

    session: str  # "process 123 (role, program)"
    is_blocking: bool
    age_s: float | None  # None: not visible to this user


@record
class Overview:
    """The store in a few numbers, cheap enough to query every second."""

    queued: int
    domains: int
    domains_blocked: int  # blocked or unreachable
    domains_queued: int  # with urls that wait
    politeness_s: float  # the longest queue × delay over the domains that may be requested
    slowest_domain: str | None  # whose queue that is
    next_waiting: NextDomain | None
    robots_failed: int = 0  # domains that rest because their robots.txt failed
    robots_until: Instant | None = None  # the latest end of such a rest
    foreign_transaction: ForeignTransaction | None = None  # the one that matters most


@record
class TroubledDomain:
    """A domain whose urls are blocked, and why."""

    domain: str
    queued: int
    reason: str
    until: Instant | None  # None: the next run, or a user
    is_for_good: bool = False  # blocked until a user unblocks it
    is_inactive: bool = False  # until a user makes it active again


@record
class Summary:
    """What a source has, for the end of a crawl. It counts every url: too expensive for every second."""

    fates: dict[str, int]
    pages: int
    pages_there: int  # of the domains that the caller named
    leftover: Leftover
    troubled: tuple[TroubledDomain, ...]  # the largest queues first
