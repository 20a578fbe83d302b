"""Rows of the hot tables as records, and back.

A row that is read is a named tuple whose fields are its columns: statements get their column lists from it.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from tenax.clock import Instant
from tenax.records.domains import (
    Breaker,
    BreakerState,
    DomainRules,
    DomainState,
    DomainStatus,
    Lease,
    Pace,
    RobotsRecord,
)
from tenax.records.urls import FoundBy, Target
from tenax.stores.hot.column_lists import join_names

# What a domain starts again with when a user asks for it.
FRESH_START = """
    status = 'pending',
    block_code = NULL,
    block_reason = NULL,
    first_blocked_at = NULL,
    next_crawl_after = NULL,
    retries = 0,
    login_streak = 0,
    backoff_level = 0,
    backoff_until = NULL,
    pushback_streak = 0,
    forbidden_streak = 0,
    breaker_state = 'closed',
    breaker_failures = 0,
    breaker_successes = 0,
    breaker_trips = 0,
    breaker_reopen_at = NULL,
    soft_404 = NULL
"""

BLOCKED_FOR_GOOD = "(status IN ('blocked', 'unreachable') AND next_crawl_after IS NULL)"
# It must not be requested until a user changes that.
LEFT_ALONE = f"(is_active = 0 OR {BLOCKED_FOR_GOOD})"
PARKED = f"queued > 0 AND avail_at IS NULL AND claimed_by IS NULL AND NOT {LEFT_ALONE}"
# Urls that wait for nothing, and about which another visit may find out something.
VISITED = (
    "due_at IS NULL AND fate IN ('fetched', 'read', 'duplicate', 'gone', 'redirected', 'skipped', 'rejected')"
)
CAN_BE_ASKED_AGAIN = """
    (status = 'unreachable' OR status = 'blocked' AND block_code = 'robots_denied')
    AND claimed_by IS NULL
    AND queued > 0
"""


class StateColumns(NamedTuple):
    """The state of a domain, in `domains`."""

    status: str
    block_code: str | None
    block_reason: str | None
    next_crawl_after: Instant | None
    robots_delay_s: float | None
    last_start_at: Instant | None
    last_answer_at: Instant | None
    last_response_s: float
    backoff_level: int
    backoff_until: Instant | None
    last_backoff_at: Instant | None
    pushback_streak: int
    forbidden_streak: int
    breaker_state: str
    breaker_failures: int
    breaker_successes: int
    breaker_trips: int
    breaker_reopen_at: Instant | None
    retries: int
    login_streak: int
    soft_404: str | None


STATE_COLUMNS = join_names(StateColumns._fields)


def state_values(state: DomainState) -> StateColumns:
    pace, breaker = state.pace, state.breaker
    return StateColumns(
        status=state.status,
        block_code=state.block_code,
        block_reason=state.block_reason,
        next_crawl_after=state.next_crawl_after,
        robots_delay_s=pace.robots_delay_s,
        last_start_at=pace.last_start_at,
        last_answer_at=pace.last_answer_at,
        last_response_s=pace.last_response_s,
        backoff_level=pace.backoff_level,
        backoff_until=pace.backoff_until,
        last_backoff_at=pace.last_backoff_at,
        pushback_streak=pace.pushback_streak,
        forbidden_streak=pace.forbidden_streak,
        breaker_state=breaker.state,
        breaker_failures=breaker.failures,
        breaker_successes=breaker.successes,
        breaker_trips=breaker.trips,
        breaker_reopen_at=breaker.reopen_at,
        retries=state.retries,
        login_streak=state.login_streak,
        soft_404=state.soft_404,
    )


def read_state(row: Sequence[Any], run_pages: int) -> DomainState:
    """From STATE_COLUMNS."""
    found = StateColumns._make(row)
    return DomainState(
        status=DomainStatus(found.status),
        block_code=found.block_code,
        block_reason=found.block_reason,
        next_crawl_after=found.next_crawl_after,
        pace=Pace(
            robots_delay_s=found.robots_delay_s,
            last_start_at=found.last_start_at,
            last_answer_at=found.last_answer_at,
            last_response_s=found.last_response_s,
            backoff_level=found.backoff_level,
            backoff_until=found.backoff_until,
            last_backoff_at=found.last_backoff_at,
            pushback_streak=found.pushback_streak,
            forbidden_streak=found.forbidden_streak,
        ),
        breaker=Breaker(
            state=BreakerState(found.breaker_state),
            failures=found.breaker_failures,
            successes=found.breaker_successes,
            trips=found.breaker_trips,
            reopen_at=found.breaker_reopen_at,
        ),
        retries=found.retries,
        login_streak=found.login_streak,
        soft_404=found.soft_404,
        run_pages=run_pages,
    )


class RuleColumns(NamedTuple):
    """The rules of a domain, in `domains`."""

    rule_delay_s: float | None
    rule_per_domain: int | None
    rule_pages: int | None
    is_active: int


RULE_COLUMNS = join_names(RuleColumns._fields)
_RULES = len(RuleColumns._fields)


def read_rules(row: Sequence[Any]) -> DomainRules:
    """From RULE_COLUMNS."""
    found = RuleColumns._make(row)
    return DomainRules(
        delay_s=found.rule_delay_s,
        per_domain=found.rule_per_domain,
        pages_per_run=found.rule_pages,
        is_active=bool(found.is_active),
    )


class LeaseColumns(NamedTuple):
    """A domain as a claim returns it, without its rules and its state."""

    id: int
    name: str
    version: int
    pages_discovered: int
    last_run_id: int | None
    run_pages: int
    pages_crawled: int
    mixed: int


LEASE_COLUMNS = join_names((*LeaseColumns._fields, *RuleColumns._fields, *StateColumns._fields))
_LEASE = len(LeaseColumns._fields)


def read_lease(row: Sequence[Any], *, expires_at: Instant, run_id: int) -> Lease:
    """From LEASE_COLUMNS as the claim left them."""
    found = LeaseColumns._make(row[:_LEASE])
    run_pages = found.run_pages if found.last_run_id == run_id else 0
    return Lease(
        domain_id=found.id,
        domain=found.name,
        version=found.version,
        expires_at=expires_at,
        known_urls=found.pages_discovered,
        stored_pages=found.pages_crawled,
        is_mixed=bool(found.mixed),
        rules=read_rules(row[_LEASE : _LEASE + _RULES]),
        state=read_state(row[_LEASE + _RULES :], run_pages),
    )


class TargetColumns(NamedTuple):
    """A url that is to be visited, in `urls`."""

    id: int
    url: str
    key: int
    depth: int
    priority: int
    attempts: int
    hops: int
    crashes: int
    is_seed: int
    etag: str | None
    last_modified: str | None
    content_hash: int | None
    unchanged_count: int
    misses: int
    found_by: int
    is_sitemap: int


# A list is read faster than an enum is called.
_FOUND_BY = list(FoundBy)
TARGET_COLUMNS = join_names(TargetColumns._fields)


def read_target(row: Sequence[Any]) -> Target:
    """From TARGET_COLUMNS."""
    found = TargetColumns._make(row)
    return Target(
        id=found.id,
        url=found.url,
        key=found.key,
        depth=found.depth,
        priority=found.priority,
        attempts=found.attempts,
        hops=found.hops,
        crashes=found.crashes,
        is_seed=bool(found.is_seed),
        etag=found.etag,
        last_modified=found.last_modified,
        content_hash=found.content_hash,
        unchanged_count=found.unchanged_count,
        misses=found.misses,
        found_by=_FOUND_BY[found.found_by],
        is_sitemap=bool(found.is_sitemap),
    )


class RobotsColumns(NamedTuple):
    """A robots.txt, in `robots`."""

    origin: str
    status: int | None
    body: bytes
    fetched_at: Instant
    expires_at: Instant
    error: str | None


ROBOTS_COLUMNS = join_names(RobotsColumns._fields)


def read_robots(row: Sequence[Any]) -> RobotsRecord:
    """From ROBOTS_COLUMNS."""
    found = RobotsColumns._make(row)
    return RobotsRecord(
        origin=found.origin,
        status=found.status,
        body=found.body,
        fetched_at=found.fetched_at,
        expires_at=found.expires_at,
        error=found.error,
    )
