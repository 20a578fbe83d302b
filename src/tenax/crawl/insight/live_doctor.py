"""Names what holds a crawl back when nothing moves, in one sentence."""

from tenax.clock import Instant
from tenax.crawl.domains.leased_domain import LeasedDomain
from tenax.crawl.domains.pool import Pool
from tenax.records import BreakerState
from tenax.stores.base import ForeignTransaction, NextDomain, Overview


def diagnose(*, now: Instant, pool: Pool, overview: Overview | None) -> str | None:
    """None: nothing worth saying; the next request is due within a moment."""
    resting = [domain for domain in pool if domain.queue and domain.ready_at > now]
    if resting:
        first = min(resting, key=lambda domain: domain.ready_at)
        return _describe_rest(first, len(resting), now)
    waiting = overview.next_waiting if overview is not None else None
    if waiting is None or waiting.avail_at <= now or any(domain.name == waiting.domain for domain in pool):
        return None
    return describe_waiting(waiting, now)


def _describe_rest(domain: LeasedDomain, count: int, now: Instant) -> str:
    wait_s = domain.ready_at - now
    backoff_until, breaker = domain.state.pace.backoff_until, domain.state.breaker
    if backoff_until is not None and backoff_until >= domain.ready_at:
        return f"{domain.name} asked for rest; next request in {format_wait(wait_s)}"
    if domain.spared_until >= domain.ready_at:
        return f"this machine could not ask {domain.name}; next try in {format_wait(wait_s)}"
    if domain.not_before >= domain.ready_at:
        return f"robots.txt of {domain.name} gave no answer; next try in {format_wait(wait_s)}"
    if breaker.state is BreakerState.OPEN:
        return f"{domain.name} failed {breaker.failures} times in a row; next try in {format_wait(wait_s)}"
    others = f" and {count - 1} more" if count > 1 else ""
    pace = f", one request every {format_wait(domain.delay_s)}" if domain.delay_s >= 0.05 else ""
    return f"politeness: {domain.name}{others}{pace}"


def describe_waiting(waiting: NextDomain, now: Instant) -> str:
    wait = format_wait(waiting.avail_at - now)
    if waiting.claimed_by is not None:
        return f"another process crawls {waiting.domain}"
    if waiting.backoff_until is not None and waiting.backoff_until > now:
        return f"{waiting.domain} asked for rest; next request in {wait}"
    if waiting.breaker_reopen_at is not None and waiting.breaker_reopen_at > now:
        return f"{waiting.domain} keeps failing; next try in {wait}"
    return f"{waiting.domain} is due again in {wait}"


def describe_foreign(foreign: ForeignTransaction) -> str:
    lasts = "" if foreign.age_s is None else f", open for {format_wait(foreign.age_s)},"
    if foreign.is_blocking:
        return f"a transaction of {foreign.session}{lasts} has locked what is to be written"
    return f"a transaction of {foreign.session}{lasts} keeps the database from clearing up: claims get slower"


def format_wait(seconds: float) -> str:
    if seconds < 0.05:
        return "a moment"
    if seconds < 10:
        return f"{seconds:.1f} s"
    for limit, size, unit in ((120, 1, "s"), (7200, 60, "min"), (172_800, 3600, "h")):
        if seconds < limit:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds / 86_400:.0f} days"
