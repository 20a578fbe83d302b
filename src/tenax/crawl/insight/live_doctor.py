"""Names what a running worker waits for when nothing moves, from what it holds in memory.

store_doctor.py judges a whole crawl from its store, for observers of any process.
"""

from tenax.clock import Instant
from tenax.crawl.domains.leased_domain import LeasedDomain
from tenax.crawl.domains.pool import Pool
from tenax.crawl.insight.waiting import describe_pause, describe_waiting, format_wait
from tenax.records.domains import BreakerState
from tenax.stores.contracts.overview import Overview


def find_wait(*, now: Instant, pool: Pool, overview: Overview | None) -> str | None:
    """None: nothing worth reporting; the next request is due within a moment."""
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
    next_try = f"next try in {format_wait(wait_s)}"
    backoff_until, breaker = domain.state.pace.backoff_until, domain.state.breaker
    if backoff_until is not None and backoff_until >= domain.ready_at:
        return describe_pause(domain.name, wait_s)
    if domain.spared_until >= domain.ready_at:
        return f"this machine could not send a request to {domain.name}; {next_try}"
    if domain.not_before >= domain.ready_at:
        return f"robots.txt of {domain.name} is unavailable; {next_try}"
    if breaker.state is BreakerState.OPEN:
        return f"{domain.name} failed {breaker.failures} times in a row; {next_try}"
    others = f" and {count - 1} more" if count > 1 else ""
    pace = f", one request every {format_wait(domain.delay_s)}" if domain.delay_s >= 0.05 else ""
    return f"politeness: {domain.name}{others}{pace}"
