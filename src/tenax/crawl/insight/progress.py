"""The progress of a crawl at one moment: figures, a realistic forecast, and what it waits for."""

from collections.abc import Mapping, Sequence
from dataclasses import field

from tenax.clock import Instant
from tenax.crawl.page_rate import PageRate
from tenax.crawl.tally import WorkerTally
from tenax.policy.stalls import Stall
from tenax.record import record
from tenax.stores.contracts.overview import ForeignTransaction, Overview
from tenax.stores.contracts.vitals import BackingService, ServiceBreaker


@record
class WorkerSnapshot:
    """What one worker sees of a crawl."""

    tally: WorkerTally = field(default_factory=WorkerTally)
    in_flight: int = 0
    domains_active: int = 0  # with a request in flight
    domains_silent: int = 0  # of these, without an answer for more than a second
    trouble: str | None = None  # why the store cannot be written at the moment
    waiting_for: str | None = None  # None: it moves
    notice: str | None = None  # what it currently works without
    breakers: tuple[ServiceBreaker, ...] = ()  # that are not closed
    stall: Stall | None = None  # it does nothing although something is due
    overview: Overview | None = None  # of the store; None: not loaded


@record
class Progress:
    elapsed_s: float
    workers: int
    requests: int
    pages: int
    pages_per_s: float
    wire_bytes: int
    in_flight: int
    queued: int
    outcomes: dict[str, int]
    domains_active: int  # with a request in flight
    domains_silent: int  # of these, without an answer for more than a second
    domains_resting: int  # with queued urls, and waiting for their turn
    domains_blocked: int
    forecast_s: float | None  # None: nothing to base it on yet
    slowest_domain: str | None
    waiting_for: str | None  # None: it moves
    notice: str | None  # what it currently works without
    breakers: tuple[ServiceBreaker, ...] = ()  # of all workers, that are not closed
    robots_failed: int = 0  # domains at rest because their robots.txt failed
    robots_until: Instant | None = None  # the latest end of such a rest
    foreign_transaction: ForeignTransaction | None = None  # of another program, in the store's way
    items: int = 0  # that parsers made
    invalid_items: int = 0
    parser_errors: int = 0
    stalled: int = 0  # workers that do nothing although something is due
    deaths: Mapping[str, int] = field(default_factory=dict)  # workers that died, by how


class ProgressMeter:
    """Adds up what the workers of a crawl see."""

    def __init__(self, now: Instant) -> None:
        self._started_at = now
        self._rate = PageRate(now)
        self._overview = Overview(
            queued=0,
            domains=0,
            domains_blocked=0,
            domains_queued=0,
            politeness_s=0.0,
            slowest_domain=None,
            next_waiting=None,
        )

    def measure(self, now: Instant, snapshots: Sequence[WorkerSnapshot], tally: WorkerTally) -> Progress:
        """`snapshots`: of the active workers; `tally` also counts what others did before they left."""
        self._overview = next(
            (snapshot.overview for snapshot in snapshots if snapshot.overview), self._overview
        )
        overview = self._overview
        active = sum(snapshot.domains_active for snapshot in snapshots)
        pages_per_s = self._rate.measure(now, tally.pages)
        return Progress(
            elapsed_s=now - self._started_at,
            workers=len(snapshots),
            requests=tally.requests,
            pages=tally.pages,
            pages_per_s=pages_per_s,
            items=tally.items,
            invalid_items=tally.invalid_items,
            parser_errors=tally.parser_errors,
            wire_bytes=tally.wire_bytes,
            in_flight=sum(snapshot.in_flight for snapshot in snapshots),
            queued=overview.queued,
            outcomes=dict(tally.outcomes),
            domains_active=active,
            domains_silent=sum(snapshot.domains_silent for snapshot in snapshots),
            domains_resting=max(overview.domains_queued - overview.domains_blocked - active, 0),
            domains_blocked=overview.domains_blocked,
            forecast_s=forecast(overview, pages_per_s),
            slowest_domain=overview.slowest_domain,
            waiting_for=find_hindrance(snapshots),
            notice=next((snapshot.notice for snapshot in snapshots if snapshot.notice), None),
            breakers=tuple(breaker for snapshot in snapshots for breaker in snapshot.breakers),
            robots_failed=overview.robots_failed,
            robots_until=overview.robots_until,
            foreign_transaction=overview.foreign_transaction,
            stalled=sum(snapshot.stall is not None for snapshot in snapshots),
        )


def find_hindrance(snapshots: Sequence[WorkerSnapshot]) -> str | None:
    """What all of them wait for; None: some request is in flight and may be answered at any moment."""
    if stall := next((snapshot.stall for snapshot in snapshots if snapshot.stall), None):
        return describe_stall(stall)
    if trouble := next((snapshot.trouble for snapshot in snapshots if snapshot.trouble), None):
        return trouble
    if waiting := next(filter(_waits_for_network, snapshots), None):
        return waiting.waiting_for
    silent = sum(snapshot.domains_silent for snapshot in snapshots)
    if any(snapshot.in_flight for snapshot in snapshots):
        is_heard = any(snapshot.domains_active > snapshot.domains_silent for snapshot in snapshots)
        return None if is_heard or not silent else describe_silence(silent)
    # A snapshot with an overview covers domains of other workers, which know better what those wait for.
    knowing = sorted(snapshots, key=lambda snapshot: snapshot.overview is not None)
    return next((snapshot.waiting_for for snapshot in knowing if snapshot.waiting_for), None)


def _waits_for_network(snapshot: WorkerSnapshot) -> bool:
    return any(each.service is BackingService.NETWORK for each in snapshot.breakers)


def describe_stall(stall: Stall) -> str:
    return f"Stall detected ({stall.cause}): {stall.sentence}"


def describe_silence(domains: int) -> str:
    return f"{domains:,} silent domains" if domains > 1 else "a silent domain"


def forecast(overview: Overview, pages_per_s: float) -> float | None:
    """Time left for the urls that are known now: politeness sets a lower bound that no speed can beat, and
    the rate of the last seconds another one. An average over the domains would promise too much."""
    if not overview.queued:
        return 0.0
    if pages_per_s <= 0:
        return overview.politeness_s or None
    return max(overview.politeness_s, overview.queued / pages_per_s)
