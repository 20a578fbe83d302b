"""Domains: status, pace, breaker, rules, leases, robots.txt."""

from dataclasses import field
from enum import StrEnum

from tenax.clock import Instant
from tenax.record import record


class DomainStatus(StrEnum):
    PENDING = "pending"  # known, never crawled
    ACTIVE = "active"  # partly crawled, more urls wait
    EXHAUSTED = "exhausted"  # every known url has its final fate
    BLOCKED = "blocked"  # it turns us away; rests until next_crawl_after
    UNREACHABLE = "unreachable"  # no connection; rests until next_crawl_after


class Cause(StrEnum):
    """Why a domain changed its status. policy/domain_states.py says which cause may lead where."""

    ANSWERED = "answered"  # its first answer of this turn, good or bad
    ALL_DONE = "all_done"  # every known url has its fate
    NEW_URLS = "new_urls"  # more urls of it were found
    REFRESH = "refresh"  # pages of it are to be visited again
    # it turns us away
    LOGIN_REQUIRED = "login_required"
    RATE_LIMITED = "rate_limited"
    FORBIDDEN = "forbidden"
    ROBOTS_DENIED = "robots_denied"  # robots.txt forbids all of it
    MANUAL = "manual"  # a person blocked it
    # it does not answer
    DNS_FAILURE = "dns_failure"
    CONNECTION_FAILED = "connection_failed"
    SERVER_ERROR = "server_error"  # 5xx and nothing else
    ROBOTS_UNREACHABLE = "robots_unreachable"  # 5xx for robots.txt, so nothing may be asked
    # it gets another try
    COOLDOWN_OVER = "cooldown_over"
    ASKED_AGAIN = "asked_again"  # a person named it as a seed again
    UNBLOCKED = "unblocked"  # a person lifted the block
    RESET = "reset"  # a person wants all of it again


class BreakerState(StrEnum):
    CLOSED = "closed"  # requests flow
    OPEN = "open"  # no request until reopen_at
    HALF_OPEN = "half_open"  # trial requests decide


@record
class Breaker:
    """A domain's circuit breaker, a value; policy/breaker.py moves it."""

    state: BreakerState = BreakerState.CLOSED
    failures: int = 0  # in a row
    successes: int = 0  # in a row, while half open
    trips: int = 0  # openings since the last time it closed
    reopen_at: Instant | None = None


@record
class Pace:
    """How fast one domain may be asked, a value; policy/politeness.py moves it."""

    robots_delay_s: float | None = None  # Crawl-delay, already capped
    last_start_at: Instant | None = None  # of the last request
    last_answer_at: Instant | None = None  # its first byte, or its failure
    last_response_s: float = 0.0  # how long the last good answer took
    backoff_level: int = 0  # doublings in force
    backoff_until: Instant | None = None
    last_backoff_at: Instant | None = None
    pushback_streak: int = 0  # rests in a row without a good answer between
    forbidden_streak: int = 0  # 403s in a row


@record
class Transition:
    """A domain changed its status."""

    at: Instant
    from_status: DomainStatus
    to_status: DomainStatus
    cause: Cause
    detail: str  # the cause in words


@record
class DomainState:
    """What a worker knows of a domain and writes back with every batch."""

    status: DomainStatus = DomainStatus.PENDING
    block_code: str | None = None
    block_reason: str | None = None
    next_crawl_after: Instant | None = None  # blocked or unreachable, and None: until a person says so
    retries: int = 0  # cooldowns in a row that ended without a page
    login_streak: int = 0  # answers in a row that ask to log in
    pace: Pace = field(default_factory=Pace)
    breaker: Breaker = field(default_factory=Breaker)
    run_pages: int = 0  # pages of this domain in the current run
    transitions: tuple[Transition, ...] = ()  # those that are not in the store yet


@record
class DomainRules:
    """What a person wants of one domain, whoever crawls it; None: as its source has it."""

    delay_s: float | None = None  # least time between two requests
    per_domain: int | None = None  # requests at the same time
    pages_per_run: int | None = None  # 0: no limit
    is_active: bool = True  # False: nothing is requested of it, its urls wait


NO_RULES = DomainRules()


@record
class Lease:
    """A worker's exclusive claim on a domain. Every write names the version: the fence."""

    domain_id: int
    domain: str
    version: int
    expires_at: Instant
    state: DomainState
    known_urls: int  # how many urls of the domain the store holds
    stored_pages: int = 0  # and how many pages
    rules: DomainRules = NO_RULES
    is_mixed: bool = False  # some of its urls may be set aside for others: they are known and still new


@record
class RobotsRecord:
    """What the store keeps of one origin's robots.txt."""

    origin: str
    status: int | None  # None: no answer
    body: bytes
    fetched_at: Instant
    expires_at: Instant
    error: str | None = None
