"""Moves the Prometheus metrics to where the tally of a crawl is."""

from tenax import telemetry
from tenax.crawl.progress import Progress
from tenax.crawl.tally import Tally
from tenax.records import BreakerState
from tenax.stores.vitals import Service


class MetricsPublisher:
    """Counters only know `inc`: it remembers what it has counted already."""

    def __init__(self) -> None:
        self._published = Tally()

    def publish(self, tally: Tally, progress: Progress) -> None:
        last = self._published
        telemetry.PAGES_FETCHED.inc(tally.pages - last.pages)
        telemetry.BYTES_DOWNLOADED.inc(tally.wire_bytes - last.wire_bytes)
        telemetry.ROBOTS_DENIALS.inc(tally.robots_denials - last.robots_denials)
        telemetry.count_statuses(tally.statuses - last.statuses)
        telemetry.PAGES_PER_SECOND.set(progress.pages_per_s)
        telemetry.FRONTIER_SIZE.set(progress.queued)
        telemetry.SUCCESS_RATE.set(success_rate(tally))
        telemetry.ACTIVE_WORKERS.set(progress.workers)
        telemetry.SERVICE_TROUBLE.set(progress.notice is not None, of="redis")
        publish_breakers(progress)
        foreign = progress.foreign_transaction
        telemetry.FOREIGN_TRANSACTION.set((foreign and foreign.age_s) or 0.0)
        self._published = Tally.sum([tally])


def publish_breakers(progress: Progress) -> None:
    for service in (Service.STORE, Service.REDIS):
        found = [
            each
            for each in progress.breakers
            if each.service is service and each.state is not BreakerState.CLOSED
        ]
        telemetry.BREAKERS_OPEN.set(len(found), of=service)
        telemetry.BREAKERS_UNTIL.set(max((each.retry_at or 0.0 for each in found), default=0.0), of=service)
    telemetry.BREAKERS_OPEN.set(progress.robots_failed, of=Service.ROBOTS)
    telemetry.BREAKERS_UNTIL.set(progress.robots_until or 0.0, of=Service.ROBOTS)


def success_rate(tally: Tally) -> float:
    visits = tally.outcomes.total()
    return 1 - tally.outcomes["failed"] / visits if visits else 1.0
