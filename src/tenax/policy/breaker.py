"""A domain's circuit breaker: after several failures in a row it stops requests for a while, then tries
again.

A failure is no response at all or a 5xx; the caller decides which event an outcome is.

    closed ──failures in a row──▶ open ──reopen_at──▶ half open ──successes──▶ closed
                                    ▲                     │
                                    └──────a failure──────┘
"""

from tenax.clock import Instant
from tenax.config.crawl import BreakerSettings
from tenax.record import replace
from tenax.records.domains import Breaker, BreakerState

_OPEN, _CLOSED = BreakerState.OPEN, BreakerState.CLOSED  # used for every page; see roots.py
_INITIAL = Breaker()


def on_time(breaker: Breaker, now: Instant) -> Breaker:
    """Half-open the breaker when its time is over. Call it before the request whose outcome should count."""
    if breaker.state is not _OPEN or not _is_over(breaker, now):
        return breaker
    return replace(breaker, state=BreakerState.HALF_OPEN, successes=0, reopen_at=None)


def on_success(breaker: Breaker, settings: BreakerSettings) -> Breaker:
    if breaker.state is _CLOSED:
        return replace(breaker, failures=0) if breaker.failures else breaker
    if breaker.state is _OPEN:
        return breaker  # of a request from before it opened: it stays open
    successes = breaker.successes + 1
    if successes >= settings.successes:
        return _INITIAL
    return replace(breaker, successes=successes, failures=0)


def on_failure(breaker: Breaker, now: Instant, settings: BreakerSettings) -> Breaker:
    if breaker.state is _OPEN:
        return breaker  # of a request from before it opened: nothing new
    failures = breaker.failures + 1
    if breaker.state is _CLOSED and failures < settings.failures:
        return replace(breaker, failures=failures)
    return Breaker(
        state=_OPEN,
        failures=failures,
        trips=breaker.trips + 1,
        reopen_at=now + settings.open_s,
    )


def is_unreachable(breaker: Breaker, settings: BreakerSettings) -> bool:
    """Whether it has opened so often without closing that the domain counts as unreachable."""
    return breaker.trips >= settings.trips


def clamp(breaker: Breaker, now: Instant, settings: BreakerSettings) -> Breaker:
    """Limit the time it stays open: a clock that was set back would prolong it."""
    if breaker.reopen_at is None or breaker.reopen_at <= now + settings.open_s:
        return breaker
    return replace(breaker, reopen_at=now + settings.open_s)


def _is_over(breaker: Breaker, now: Instant) -> bool:
    return breaker.reopen_at is None or now >= breaker.reopen_at
