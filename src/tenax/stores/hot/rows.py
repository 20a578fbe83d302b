"""Rows of the hot tables as records, and back. The column lists stand beside what reads them."""

from typing import Any

from tenax.records import (
    Breaker,
    BreakerState,
    DomainRules,
    DomainState,
    DomainStatus,
    Fate,
    Lease,
    Pace,
    RobotsRecord,
    Target,
)
from tenax.stores.base import DomainRow, TroubledDomain, UrlRow

STATE_COLUMNS = (
    "status, block_code, block_reason, next_crawl_after, robots_delay_s, last_start_at,"
    " last_answer_at, last_response_s, backoff_level, backoff_until, last_backoff_at,"
    " pushback_streak, forbidden_streak, breaker_state, breaker_failures, breaker_successes, breaker_trips,"
    " breaker_reopen_at, retries, login_streak"
)

# What a domain starts anew with when a person wants it.
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
    breaker_reopen_at = NULL
"""

BLOCKED_FOR_GOOD = "(status IN ('blocked', 'unreachable') AND next_crawl_after IS NULL)"
# Nobody may ask it before a person says so.
LEFT_ALONE = f"(is_active = 0 OR {BLOCKED_FOR_GOOD})"
PARKED = f"queued > 0 AND avail_at IS NULL AND claimed_by IS NULL AND NOT {LEFT_ALONE}"
# Urls that wait for nothing, and that another visit may tell something about.
VISITED = "due_at IS NULL AND fate IN ('fetched', 'duplicate', 'gone', 'redirected', 'skipped')"
CAN_BE_ASKED_AGAIN = """
    (status = 'unreachable' OR status = 'blocked' AND block_code = 'robots_denied')
    AND claimed_by IS NULL
    AND queued > 0
"""

TARGET_COLUMNS = (
    "id, url, key, depth, priority, attempts, hops, crashes, is_seed, etag, last_modified, content_hash,"
    " unchanged_count, misses"
)


def state_values(state: DomainState) -> tuple[Any, ...]:
    """In the order of STATE_COLUMNS."""
    pace, breaker = state.pace, state.breaker
    return (
        state.status,
        state.block_code,
        state.block_reason,
        state.next_crawl_after,
        pace.robots_delay_s,
        pace.last_start_at,
        pace.last_answer_at,
        pace.last_response_s,
        pace.backoff_level,
        pace.backoff_until,
        pace.last_backoff_at,
        pace.pushback_streak,
        pace.forbidden_streak,
        breaker.state,
        breaker.failures,
        breaker.successes,
        breaker.trips,
        breaker.reopen_at,
        state.retries,
        state.login_streak,
    )


def read_state(row: tuple[Any, ...], run_pages: int) -> DomainState:
    return DomainState(
        status=DomainStatus(row[0]),
        block_code=row[1],
        block_reason=row[2],
        next_crawl_after=row[3],
        pace=Pace(
            robots_delay_s=row[4],
            last_start_at=row[5],
            last_answer_at=row[6],
            last_response_s=row[7],
            backoff_level=row[8],
            backoff_until=row[9],
            last_backoff_at=row[10],
            pushback_streak=row[11],
            forbidden_streak=row[12],
        ),
        breaker=Breaker(
            state=BreakerState(row[13]), failures=row[14], successes=row[15], trips=row[16], reopen_at=row[17]
        ),
        retries=row[18],
        login_streak=row[19],
        run_pages=run_pages,
    )


RULE_COLUMNS = "rule_delay_s, rule_per_domain, rule_pages, is_active"
_RULES = len(RULE_COLUMNS.split(","))


def read_rules(row: tuple[Any, ...]) -> DomainRules:
    """From RULE_COLUMNS."""
    return DomainRules(delay_s=row[0], per_domain=row[1], pages_per_run=row[2], is_active=bool(row[3]))


LEASE_COLUMNS = (
    "id, name, version, pages_discovered, last_run_id, run_pages, pages_crawled, mixed,"
    f" {RULE_COLUMNS}, {STATE_COLUMNS}"
)


def read_lease(row: tuple[Any, ...], *, expires_at: float, run_id: int) -> Lease:
    """From LEASE_COLUMNS as the claim left them."""
    run_pages = row[5] if row[4] == run_id else 0
    return Lease(
        domain_id=row[0],
        domain=row[1],
        version=row[2],
        expires_at=expires_at,
        known_urls=row[3],
        stored_pages=row[6],
        is_mixed=bool(row[7]),
        rules=read_rules(row[8 : 8 + _RULES]),
        state=read_state(row[8 + _RULES :], run_pages),
    )


def read_target(row: tuple[Any, ...]) -> Target:
    return Target(
        id=row[0],
        url=row[1],
        key=row[2],
        depth=row[3],
        priority=row[4],
        attempts=row[5],
        hops=row[6],
        crashes=row[7],
        is_seed=bool(row[8]),
        etag=row[9],
        last_modified=row[10],
        content_hash=row[11],
        unchanged_count=row[12],
        misses=row[13],
    )


ROBOTS_COLUMNS = "origin, status, body, fetched_at, expires_at, error"


def read_robots(row: tuple[Any, ...]) -> RobotsRecord:
    return RobotsRecord(
        origin=row[0], status=row[1], body=row[2], fetched_at=row[3], expires_at=row[4], error=row[5]
    )


URL_ROW_COLUMNS = """
    u.id,
    u.url,
    u.fate,
    u.reason,
    u.detail,
    u.to_url,
    u.depth,
    u.priority,
    u.attempts,
    u.crashes,
    u.is_seed,
    u.status,
    u.due_at,
    u.discovered_at,
    u.fetched_at,
    parent.url,
    p.title,
    u.revisit_at,
    u.unchanged_count,
    u.misses,
    p.url_id,
    (
        SELECT t.url
        FROM pages q
        JOIN urls t ON t.id = q.url_id
        WHERE q.domain_id = p.domain_id
            AND q.content_hash = p.content_hash
            AND q.url_id <> p.url_id
            AND t.fate = 'fetched'
        LIMIT 1
    )
"""


def read_url_row(row: tuple[Any, ...], *, ahead: int) -> UrlRow:
    return UrlRow(
        id=row[0],
        url=row[1],
        fate=Fate(row[2]),
        reason=row[3],
        detail=row[4],
        to_url=row[5],
        depth=row[6],
        priority=row[7],
        attempts=row[8],
        crashes=row[9],
        is_seed=bool(row[10]),
        status=row[11],
        due_at=row[12],
        discovered_at=row[13],
        fetched_at=row[14],
        discovered_from=row[15],
        title=row[16],
        revisit_at=row[17],
        unchanged_count=row[18],
        misses=row[19],
        has_page=row[20] is not None,
        twin=row[21],
        ahead=ahead,
    )


DOMAIN_ROW_COLUMNS = (
    "d.name, d.queued, d.avail_at, d.claim_expires_at, w.pid, w.host, d.last_run_id, d.run_pages,"
    " d.rules_by, d.rules_at, "
) + ", ".join(f"d.{name.strip()}" for name in f"{RULE_COLUMNS}, {STATE_COLUMNS}".split(","))


def read_domain_row(row: tuple[Any, ...]) -> DomainRow:
    return DomainRow(
        name=row[0],
        queued=row[1],
        avail_at=row[2],
        claim_expires_at=row[3],
        claimed_by=f"process {row[4]} on {row[5]}" if row[4] is not None else None,
        last_run_id=row[6],
        rules_by=row[8],
        rules_at=row[9],
        rules=read_rules(row[10 : 10 + _RULES]),
        state=read_state(row[10 + _RULES :], row[7]),
    )


INACTIVE = "it was made inactive"

TROUBLED_COLUMNS = "name, queued, block_reason, next_crawl_after, backoff_until, avail_at, is_active"


def read_troubled(row: tuple[Any, ...]) -> TroubledDomain:
    name, queued, block_reason, next_crawl_after, backoff_until, avail_at, is_active = row
    if not is_active:
        return TroubledDomain(domain=name, queued=queued, reason=INACTIVE, until=None, is_inactive=True)
    if block_reason is not None and next_crawl_after is None:
        return TroubledDomain(domain=name, queued=queued, reason=block_reason, until=None, is_for_good=True)
    if block_reason is not None:
        reason, until = block_reason, next_crawl_after
    elif avail_at is None:
        reason, until = "its page budget of this run is used up", None
    elif backoff_until is not None:
        reason, until = "it asked for rest", avail_at
    else:
        reason, until = "it failed several times in a row", avail_at
    return TroubledDomain(domain=name, queued=queued, reason=reason, until=until)
