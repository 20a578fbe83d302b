"""How breakers are shown, of one worker or of all."""

from collections.abc import Iterable

from tenax.cli.show.render import format_distance, tidy
from tenax.clock import Instant
from tenax.records import BreakerState
from tenax.stores.contracts.vitals import BackingService, ServiceBreaker
from tenax.stores.queries.workers import BreakerSummary
from tenax.wording import count_of

REASON_CHARS = 200
_STATES = {
    BreakerState.CLOSED: "closed",
    BreakerState.OPEN: "open",
    BreakerState.HALF_OPEN: "being tried",
}
_HOLDERS = {
    BackingService.STORE: "worker",
    BackingService.REDIS: "worker",
    BackingService.MACHINE: "worker",
    BackingService.ROBOTS: "domain",
}


def format_breaker(breaker: ServiceBreaker, now: Instant) -> str:
    """One of a worker."""
    trial = _format_trial(breaker.retry_at, now)
    return f"{breaker.service} {_STATES[breaker.state]}{trial}: {tidy(breaker.reason, REASON_CHARS)}"


def format_breakers(found: Iterable[BreakerSummary], now: Instant) -> str:
    return ", ".join(_format_summary(each, now) for each in found)


def _format_summary(found: BreakerSummary, now: Instant) -> str:
    if not found.count:
        return f"{found.service} {_STATES[found.state]}"
    holders = count_of(found.count, _HOLDERS[found.service])
    trial = _format_trial(found.retry_at, now)
    return (
        f"{found.service} {_STATES[found.state]}{trial} ({holders}: {tidy(found.reason or '', REASON_CHARS)})"
    )


def _format_trial(retry_at: Instant | None, now: Instant) -> str:
    return f", next trial {format_distance(retry_at, now)}" if retry_at is not None and retry_at > now else ""
