"""How the breakers of one worker or of all are shown."""

from collections.abc import Iterable

from tenax.cli.show.render import format_distance, format_duration, tidy
from tenax.clock import Instant
from tenax.records.domains import BreakerState
from tenax.stores.contracts.vitals import BackingService, ServiceBreaker
from tenax.stores.queries.workers import BreakerSummary
from tenax.wording import count_of

REASON_CHARS = 200
_STATES = {
    BreakerState.CLOSED: "closed",
    BreakerState.OPEN: "open",
    BreakerState.HALF_OPEN: "half open",
}
_HOLDERS = {
    BackingService.STORE: "worker",
    BackingService.REDIS: "worker",
    BackingService.MACHINE: "worker",
    BackingService.NETWORK: "worker",
    BackingService.ROBOTS: "domain",
}


def format_breaker(breaker: ServiceBreaker, now: Instant) -> str:
    """Format a breaker of one worker."""
    when = f"{_format_since(breaker.since, now)}{_format_next_try(breaker.retry_at, now)}"
    return f"{breaker.service} {_STATES[breaker.state]}{when}: {tidy(breaker.reason, REASON_CHARS)}"


def format_breakers(found: Iterable[BreakerSummary], now: Instant) -> str:
    return ", ".join(_format_summary(each, now) for each in found)


def _format_summary(found: BreakerSummary, now: Instant) -> str:
    if not found.count:
        return f"{found.service} {_STATES[found.state]}"
    holders = count_of(found.count, _HOLDERS[found.service])
    when = f"{_format_since(found.since, now)}{_format_next_try(found.retry_at, now)}"
    reason = tidy(found.reason or "", REASON_CHARS)
    return f"{found.service} {_STATES[found.state]}{when} ({holders}: {reason})"


def _format_since(since: Instant | None, now: Instant) -> str:
    return "" if since is None else f" for {format_duration(max(now - since, 0.0))}"


def _format_next_try(retry_at: Instant | None, now: Instant) -> str:
    return f", next try {format_distance(retry_at, now)}" if retry_at is not None and retry_at > now else ""
