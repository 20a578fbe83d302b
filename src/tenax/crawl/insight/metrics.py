"""The metrics of a crawl on this machine."""

import contextlib
from pathlib import Path

from tenax import metrics
from tenax.crawl.insight.progress import Progress
from tenax.crawl.tally import WorkerTally
from tenax.metrics import Readings
from tenax.part_files import replace_file
from tenax.private_files import FILE_MODE
from tenax.records.domains import BreakerState
from tenax.records.urls import RejectionReason
from tenax.stores.contracts.vitals import BackingService, find_down_since


def measure_crawl(tally: WorkerTally, progress: Progress) -> Readings:
    readings = Readings()
    readings.set(metrics.PAGES_FETCHED, tally.pages)
    readings.set(metrics.PAGES_PER_SECOND, progress.pages_per_s)
    readings.set(metrics.SUCCESS_RATE, success_rate(tally))
    readings.set_all(metrics.HTTP_STATUS, {str(status): count for status, count in tally.statuses.items()})
    readings.set(metrics.FRONTIER_SIZE, progress.queued)
    readings.set(metrics.ROBOTS_DENIALS, tally.robots_denials)
    readings.set_all(metrics.REJECTIONS, {reason: tally.rejections[reason] for reason in RejectionReason})
    readings.set(metrics.ACTIVE_WORKERS, progress.workers)
    readings.set(metrics.SILENT_DOMAINS, progress.domains_silent)
    readings.set(metrics.SERVICE_TROUBLE, progress.notice is not None, BackingService.REDIS)
    for service in (BackingService.MACHINE, BackingService.NETWORK):
        is_short = any(each.service is service for each in progress.breakers)
        readings.set(metrics.SERVICE_TROUBLE, is_short, service)
    readings.set(metrics.NETWORK_DOWN_SINCE, find_down_since(progress.breakers) or 0.0)
    readings.set(metrics.LOCAL_FAILURES, tally.local_failures)
    readings.set(metrics.READ_APART, tally.read_apart)
    readings.set(metrics.ITEMS, tally.items)
    readings.set(metrics.PARSER_ERRORS, tally.parser_errors)
    readings.set(metrics.PARSER_SECONDS, tally.parse_s)
    readings.set(metrics.STALLED_WORKERS, progress.stalled)
    readings.set_all(metrics.WORKER_DEATHS, progress.deaths)
    _measure_breakers(readings, progress)
    foreign = progress.foreign_transaction
    readings.set(metrics.FOREIGN_TRANSACTION, (foreign and foreign.age_s) or 0.0)
    readings.set(metrics.BYTES_DOWNLOADED, tally.wire_bytes)
    return readings


def _measure_breakers(readings: Readings, progress: Progress) -> None:
    for service in (
        BackingService.STORE,
        BackingService.REDIS,
        BackingService.MACHINE,
        BackingService.NETWORK,
    ):
        found = [
            each
            for each in progress.breakers
            if each.service is service and each.state is not BreakerState.CLOSED
        ]
        until = max((each.retry_at or 0.0 for each in found), default=0.0)
        readings.set(metrics.BREAKERS_OPEN, len(found), service)
        readings.set(metrics.BREAKERS_UNTIL, until, service)
    readings.set(metrics.BREAKERS_OPEN, progress.robots_failed, BackingService.ROBOTS)
    readings.set(metrics.BREAKERS_UNTIL, progress.robots_until or 0.0, BackingService.ROBOTS)


def success_rate(tally: WorkerTally) -> float:
    visits = tally.outcomes.total()
    return 1 - tally.outcomes["failed"] / visits if visits else 1.0


def write_metrics(path: Path, readings: Readings) -> None:
    """Write a file in Prometheus's text format, for a collector that reads files."""
    # Metrics are best effort; the store reports a full disk.
    with contextlib.suppress(OSError), replace_file(path, mode=FILE_MODE, is_durable=False) as file:
        file.write(readings.format().encode())
