"""The store in a few numbers: remaining work and what blocks it."""

from tenax.clock import Instant
from tenax.record import record
from tenax.stores.contracts.leftovers import Leftover


@record
class RemainingWork:
    """What is left for a run, seen from the store."""

    next_avail_at: Instant | None  # when the next domain can be claimed; None: no domain waits
    can_claim: bool  # that instant has come, by the store's clock
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
    """Of another program, in the database of the store: it is old, or what it has locked is waited for."""

    session: str  # "process 123 (role, program)"
    is_blocking: bool
    age_s: float | None  # None: not to be seen


@record
class Overview:
    """The store in a few numbers, cheap enough to ask every second."""

    queued: int
    domains: int
    domains_blocked: int  # blocked or unreachable
    domains_queued: int  # with urls that wait
    politeness_s: float  # the longest queue x delay over the domains that may be asked
    slowest_domain: str | None  # whose queue that is
    next_waiting: NextDomain | None
    robots_failed: int = 0  # domains at rest because their robots.txt failed
    robots_until: Instant | None = None  # the latest end of such a rest
    foreign_transaction: ForeignTransaction | None = None  # the one that matters most


@record
class TroubledDomain:
    """A domain that holds urls back, and why."""

    domain: str
    queued: int
    reason: str
    until: Instant | None  # None: the next run, or a person
    is_for_good: bool = False  # blocked until a person unblocks it
    is_inactive: bool = False  # until a person makes it active again


@record
class Summary:
    """What a source has, for the end of a crawl. Counts every url: not for every second."""

    fates: dict[str, int]
    pages: int
    pages_there: int  # of the domains that were asked about
    leftover: Leftover
    troubled: tuple[TroubledDomain, ...]  # the largest queues first
