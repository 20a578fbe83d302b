"""What a crawl looks like at one moment: numbers, an honest forecast, and what it waits for."""

from collections import deque
from dataclasses import dataclass

from tenax.clock import Instant
from tenax.crawl.doctor import diagnose
from tenax.crawl.pool import Pool
from tenax.crawl.tally import Tally
from tenax.stores.base import Overview

RATE_WINDOW_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    at: Instant
    elapsed_s: float
    requests: int
    pages: int
    pages_per_s: float
    wire_bytes: int
    in_flight: int
    queued: int
    outcomes: dict[str, int]
    domains_active: int  # with a request under way
    domains_resting: int  # with urls that wait for their turn
    domains_blocked: int
    forecast_s: float | None  # None: nothing to base it on yet
    slowest_domain: str | None
    waiting_for: str | None  # None: it moves
    notice: str | None  # what it does without for now


class Rate:
    """Pages per second over the last seconds."""

    def __init__(self, now: Instant) -> None:
        self._marks: deque[tuple[Instant, int]] = deque([(now, 0)])

    def measure(self, now: Instant, pages: int) -> float:
        self._marks.append((now, pages))
        while len(self._marks) > 2 and self._marks[0][0] < now - RATE_WINDOW_S:
            self._marks.popleft()
        since, then = self._marks[0]
        return (pages - then) / (now - since) if now > since else 0.0


def take_progress(
    *, now: Instant, started_at: Instant, tally: Tally, rate: Rate, pool: Pool, overview: Overview,
    in_flight: int, trouble: str | None, notice: str | None,
) -> Progress:  # fmt: skip
    active = sum(domain.is_busy for domain in pool)
    pages_per_s = rate.measure(now, tally.pages)
    return Progress(
        at=now,
        elapsed_s=now - started_at,
        requests=tally.requests,
        pages=tally.pages,
        pages_per_s=pages_per_s,
        wire_bytes=tally.wire_bytes,
        in_flight=in_flight,
        queued=overview.queued,
        outcomes=dict(tally.outcomes),
        domains_active=active,
        domains_resting=max(overview.domains_queued - overview.domains_blocked - active, 0),
        domains_blocked=overview.domains_blocked,
        forecast_s=forecast(overview, pages_per_s),
        slowest_domain=overview.slowest_domain,
        waiting_for=diagnose(now=now, pool=pool, overview=overview, trouble=trouble)
        if trouble or not in_flight
        else None,
        notice=notice,
    )


def forecast(overview: Overview, pages_per_s: float) -> float | None:
    """Time left for what is known now: politeness sets a floor that no speed can pass, and the rate of
    the last seconds another one. An average over the domains would promise too much."""
    if not overview.queued:
        return 0.0
    if pages_per_s <= 0:
        return overview.politeness_s or None
    return max(overview.politeness_s, overview.queued / pages_per_s)
