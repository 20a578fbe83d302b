"""Metrics of a store: the same from every process that collects them.

Counters are sums of `stats` and of runs; gauges come from `domains`, `workers` and `runs`. No url or visit is
read.
"""

import contextlib
import shutil
from collections import Counter
from collections.abc import Sequence
from typing import Any, get_args

from sqlalchemy import Connection, Row, func, select

from tenax import metrics
from tenax.clock import Instant
from tenax.metrics import Readings
from tenax.records.domains import BreakerState, DomainStatus
from tenax.records.requests import FailureKind
from tenax.records.runs import RunState
from tenax.records.traps import TrapState
from tenax.records.urls import RefusalReason, RejectionReason
from tenax.records.visits import Outcome
from tenax.stores.clock import LEAST_DRIFT_S
from tenax.stores.contracts.vitals import BackingService, find_down_since
from tenax.stores.hot.stats import StatsCounts
from tenax.stores.jobs.tasks import count_tasks
from tenax.stores.layout import WORKERS_NAME
from tenax.stores.place import Place
from tenax.stores.presence import find_signs
from tenax.stores.queries.bodies import BodyTotals
from tenax.stores.queries.bodies import load_totals as load_body_totals
from tenax.stores.queries.jobs import load_scheduler_metrics
from tenax.stores.queries.parsers import count_open_alerts
from tenax.stores.queries.settings import load_last_settings
from tenax.stores.queries.stats import load_since, load_totals
from tenax.stores.queries.traps import count_traps
from tenax.stores.queries.workers import WorkerState, WorkerSummary, list_workers
from tenax.stores.reading import StoreLoad
from tenax.stores.schema.domains import domains
from tenax.stores.schema.runs import runs

LATELY_S = 300.0
# All outcomes, including those that never occurred: a rate starts with a zero.
OUTCOMES = tuple(kind.__name__.lower() for kind in get_args(Outcome))


def gather_metrics(
    connection: Connection, *, place: Place, now: Instant, wall: Instant, load: StoreLoad
) -> Readings:
    """`now`: by the store's clock; `wall`: by its calendar. One pass over `domains` is most of it: 0.15 s for
    200,000."""
    readings = Readings()
    _set_counts(readings, load_totals(connection), load_since(connection, wall - LATELY_S))
    _set_domains(readings, connection, now)
    _set_workers(readings, _load_workers(connection, place, now), now)
    drift_s = wall - now
    readings.set(metrics.STORE_CLOCK_DRIFT, drift_s if abs(drift_s) >= LEAST_DRIFT_S else 0.0)
    _set_runs(readings, connection)
    _set_jobs(readings, connection, wall)
    readings.set_all(metrics.TASKS, count_tasks(connection))
    clusters = count_traps(connection)
    readings.set_all(metrics.TRAPS, {state: clusters.get(state, 0) for state in TrapState})
    readings.set_all(metrics.PARSERS_DEGRADED, count_open_alerts(connection))
    _set_bodies(readings, load_body_totals(connection))
    _set_store(readings, load, place)
    return readings


def report_outage() -> Readings:
    """The only metric that can be reported while the store does not answer."""
    readings = Readings()
    readings.set(metrics.STORE_UP, 0)
    return readings


def _set_counts(readings: Readings, totals: StatsCounts, lately: StatsCounts) -> None:
    readings.set(metrics.PAGES_FETCHED, totals.pages)
    readings.set(metrics.SUCCESS_RATE, 1 - lately.failed / lately.visits if lately.visits else 1.0)
    readings.set(metrics.REQUESTS, totals.requests)
    readings.set_all(metrics.VISITS, {name: totals.outcomes[name] for name in OUTCOMES})
    readings.set_all(metrics.HTTP_STATUS, totals.statuses)
    readings.set_all(metrics.FAILURES, {kind: totals.failures[kind] for kind in FailureKind})
    readings.set_all(metrics.REJECTIONS, {reason: totals.rejections[reason] for reason in RejectionReason})
    readings.set(metrics.LOCAL_FAILURES, totals.failures[FailureKind.LOCAL])
    readings.set(metrics.ROBOTS_DENIALS, totals.robots_denials)
    readings.set(metrics.BYTES_DOWNLOADED, totals.wire_bytes)
    readings.set(metrics.DISCOVERED, totals.discovered)
    readings.set(metrics.NEAR_DUPLICATES, totals.near_duplicates)
    readings.set_distribution(metrics.FETCH_DURATION, totals.durations, totals.duration_s)
    readings.set_distribution(metrics.DNS_LOOKUP, {metrics.INFINITE: totals.dns_lookups}, totals.dns_s)


def _set_domains(readings: Readings, connection: Connection, now: Instant) -> None:
    rows = _load_domains(connection, now)
    by_status = {row.status: row for row in rows}
    for status in DomainStatus:
        readings.set(metrics.DOMAINS, by_status[status].number if status in by_status else 0, status)
    readings.set(metrics.FRONTIER_SIZE, sum(row.queued for row in rows))
    readings.set(metrics.FRONTIER_DUE, sum(row.due for row in rows))
    due_since = min((row.due_since for row in rows if row.due_since is not None), default=now)
    readings.set(metrics.FRONTIER_DUE_AGE, now - due_since)
    readings.set(metrics.LEASES, sum(row.held for row in rows), "held")
    readings.set(metrics.LEASES, sum(row.expired for row in rows), "expired")
    readings.set(metrics.BREAKERS_OPEN, sum(row.silent for row in rows), BackingService.ROBOTS)
    silent_until = max((row.silent_until for row in rows if row.silent_until is not None), default=0.0)
    readings.set(metrics.BREAKERS_UNTIL, silent_until, BackingService.ROBOTS)


def _load_domains(connection: Connection, now: Instant) -> Sequence[Row[*tuple[Any, ...]]]:
    """Figures by status, in one pass."""
    of = domains.c
    is_due = of.avail_at <= now
    is_held = of.claim_expires_at > now
    is_silent = (of.block_code == RefusalReason.ROBOTS_UNREACHABLE) & (of.next_crawl_after > now)
    return connection.execute(
        select(
            of.status,
            func.count().label("number"),
            func.sum(of.queued).label("queued"),
            func.coalesce(func.sum(of.queued).filter(is_due), 0).label("due"),
            func.min(of.avail_at).filter(is_due).label("due_since"),
            func.count(of.claimed_by).filter(is_held).label("held"),
            func.count(of.claimed_by).filter(~is_held).label("expired"),
            func.count().filter(is_silent).label("silent"),
            func.max(of.next_crawl_after).filter(is_silent).label("silent_until"),
        ).group_by(of.status)
    ).all()


def _load_workers(connection: Connection, place: Place, now: Instant) -> list[WorkerSummary]:
    signs = find_signs(place.folder / WORKERS_NAME)
    lease_s = load_last_settings(connection).worker.lease_s
    return list(list_workers(connection, signs=signs, lease_s=lease_s, now=now))


def _set_workers(readings: Readings, found: Sequence[WorkerSummary], now: Instant) -> None:
    live = [worker for worker in found if worker.is_alive]
    readings.set(metrics.ACTIVE_WORKERS, len(live))
    readings.set(metrics.PAGES_PER_SECOND, sum(worker.pages_per_min for worker in live) / 60)
    readings.set(metrics.STALLED_WORKERS, sum(worker.stall is not None for worker in live))
    readings.set(metrics.SILENT_DOMAINS, sum(worker.silent_domains for worker in live))
    states = Counter(worker.state for worker in found)
    readings.set_all(
        metrics.WORKERS, {state: states[state] for state in WorkerState if state is not WorkerState.ENDED}
    )
    for worker in found:
        if worker.state is not WorkerState.LOST:
            name = (str(worker.id), worker.host)
            readings.set(metrics.WORKER_HEARTBEAT_AGE, max(now - worker.heartbeat_at, 0.0), *name)
            readings.set(metrics.WORKER_RSS, worker.rss_bytes, *name)
    for service in (BackingService.REDIS, BackingService.MACHINE, BackingService.NETWORK):
        _set_service(readings, live, service)
    down_since = find_down_since(each for worker in live for each in worker.breakers)
    readings.set(metrics.NETWORK_DOWN_SINCE, down_since or 0.0)


def _set_service(readings: Readings, live: Sequence[WorkerSummary], service: BackingService) -> None:
    reported = [each for worker in live for each in worker.breakers if each.service is service]
    open_breakers = [each for each in reported if each.state is not BreakerState.CLOSED]
    readings.set(metrics.SERVICE_TROUBLE, bool(reported), service)
    readings.set(metrics.BREAKERS_OPEN, len(open_breakers), service)
    until = max((each.retry_at or 0.0 for each in open_breakers), default=0.0)
    readings.set(metrics.BREAKERS_UNTIL, until, service)


def _set_runs(readings: Readings, connection: Connection) -> None:
    statement = select(runs.c.state, func.count(), func.sum(runs.c.postponed)).group_by(runs.c.state)
    rows = connection.execute(statement).all()
    found = {row[0]: row[1] for row in rows}
    readings.set_all(metrics.RUNS, {state: found.get(state, 0) for state in RunState})
    readings.set(metrics.POSTPONED, sum(int(row[2]) for row in rows))


def _set_jobs(readings: Readings, connection: Connection, now: Instant) -> None:
    found = load_scheduler_metrics(connection, now)
    readings.set_all(metrics.JOBS, {state.value: count for state, count in found.jobs.items()})
    readings.set(metrics.SCHEDULER_DUE, found.due)
    readings.set(metrics.SCHEDULER_LAG, found.lag_s)
    readings.set(metrics.STALE_LOCKS, found.stale_locks_cleared)


def _set_bodies(readings: Readings, totals: BodyTotals) -> None:
    readings.set(metrics.BODIES, totals.bodies)
    readings.set(metrics.BODY_BYTES, totals.bytes)


def _set_store(readings: Readings, load: StoreLoad, place: Place) -> None:
    readings.set(metrics.STORE_UP, 1)
    readings.set(metrics.STORE_BYTES, load.size_bytes)
    foreign = load.foreign
    readings.set(metrics.FOREIGN_TRANSACTION, (foreign and foreign.age_s) or 0.0)
    with contextlib.suppress(OSError):
        readings.set(metrics.DISK_FREE, shutil.disk_usage(place.folder).free)
