"""Domains: status, pace, breaker, rules, leases, robots.txt."""

from dataclasses import field
from enum import StrEnum

from tenax.clock import Instant
from tenax.record import record


class DomainStatus(StrEnum):
    PENDING = "pending"  # known, never crawled
    ACTIVE = "active"  # partly crawled, more urls are queued
    EXHAUSTED = "exhausted"  # every known url has its final fate
    BLOCKED = "blocked"  # it turns the crawler away; not crawled until next_crawl_after
    UNREACHABLE = "unreachable"  # no connection; not crawled until next_crawl_after


class Cause(StrEnum):
    """Why a domain changed its status. policy/domain_states.py lists the status that each may lead to."""

    ANSWERED = "answered"  # it has responded for the first time in this turn, well or badly
    ALL_DONE = "all_done"  # every known url has its final fate
    NEW_URLS = "new_urls"  # more of its urls were found
    REFRESH = "refresh"  # some of its pages are due for a revisit
    # It turns the crawler away:
    LOGIN_REQUIRED = "login_required"
    RATE_LIMITED = "rate_limited"
    FORBIDDEN = "forbidden"
    BOT_WALL = "bot_wall"  # a bot check of a known vendor
    ROBOTS_DENIED = "robots_denied"  # robots.txt disallows all of it
    MANUAL = "manual"  # a user blocked it
    # It does not respond:
    DNS_FAILURE = "dns_failure"
    CONNECTION_FAILED = "connection_failed"
    SERVER_ERROR = "server_error"  # 5xx and nothing else
    ROBOTS_UNREACHABLE = "robots_unreachable"  # 5xx for robots.txt, so nothing may be requested
    # It gets another try:
    COOLDOWN_OVER = "cooldown_over"
    ASKED_AGAIN = "asked_again"  # a user gave it as a seed again
    UNBLOCKED = "unblocked"  # a user lifted the block
    RESET = "reset"  # a user wants all of it crawled again


class BreakerState(StrEnum):
    CLOSED = "closed"  # requests are made
    OPEN = "open"  # no requests until reopen_at
    HALF_OPEN = "half_open"  # trial requests decide whether it closes


@record
class Breaker:
    """The state of a domain's circuit breaker; policy/breaker.py computes its changes."""

    state: BreakerState = BreakerState.CLOSED
    failures: int = 0  # in a row
    successes: int = 0  # in a row, while half open
    trips: int = 0  # openings since the last time it closed
    reopen_at: Instant | None = None


@record
class Pace:
    """How fast requests to a domain may follow each other; policy/politeness.py computes its changes."""

    robots_delay_s: float | None = None  # Crawl-delay, already capped
    last_start_at: Instant | None = None  # of the last request
    last_answer_at: Instant | None = None  # its first byte, or its failure
    last_response_s: float = 0.0  # response time of the last good answer
    backoff_level: int = 0  # current number of doublings
    backoff_until: Instant | None = None
    last_backoff_at: Instant | None = None
    pushback_streak: int = 0  # backoffs in a row without a good answer in between
    forbidden_streak: int = 0  # 403s in a row


@record
class Transition:
    """A change of a domain's status."""

    at: Instant
    from_status: DomainStatus
    to_status: DomainStatus
    cause: Cause
    detail: str  # the cause in words


@record
class DomainState:
    """What a worker knows about a domain and writes back with every batch."""

    status: DomainStatus = DomainStatus.PENDING
    block_code: str | None = None
    block_reason: str | None = None
    next_crawl_after: Instant | None = None  # None while blocked or unreachable: until a user lifts it
    retries: int = 0  # cooldowns in a row that ended without a page
    login_streak: int = 0  # login walls in a row
    pace: Pace = field(default_factory=Pace)
    breaker: Breaker = field(default_factory=Breaker)
    soft_404: str | None = None  # how it answers where there is no page: policy/guards/soft_404.py, as JSON
    run_pages: int = 0  # pages of this domain in the current run
    transitions: tuple[Transition, ...] = ()  # not in the store yet


@record
class DomainRules:
    """A user's rules for one domain, for all crawls; None: the settings of the source or crawl apply."""

    delay_s: float | None = None  # minimum time between two requests
    per_domain: int | None = None  # maximum number of concurrent requests
    pages_per_run: int | None = None  # 0: no limit
    is_active: bool = True  # False: no requests are made, its urls stay queued


NO_RULES = DomainRules()


@record
class Lease:
    """A worker's exclusive claim on a domain. Every write includes the version, which is the fence."""

    domain_id: int
    domain: str
    version: int
    expires_at: Instant
    state: DomainState
    known_urls: int  # number of urls of the domain in the store
    stored_pages: int = 0  # number of pages
    rules: DomainRules = NO_RULES
    is_mixed: bool = False  # some urls may be set aside by merge rules: known, but still new


@record
class RobotsRecord:
    """The robots.txt of an origin, as the store keeps it."""

    origin: str
    status: int | None  # None: no answer
    body: bytes
    fetched_at: Instant
    expires_at: Instant
    error: str | None = None
