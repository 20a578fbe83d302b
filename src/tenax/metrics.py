"""What is measured, in Prometheus's words, and values of it in Prometheus's text format.

A client library would cost every start 30 ms.
"""

import contextlib
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path

from tenax.part_files import replace_file
from tenax.private_files import FILE_MODE
from tenax.record import record

INFINITE = "+Inf"


class MetricKind(StrEnum):
    COUNTER = "counter"  # only rises, or begins anew
    GAUGE = "gauge"  # as it is now
    HISTOGRAM = "histogram"  # how many lie below which bound
    SUMMARY = "summary"  # how many, and their sum


@record
class Metric:
    """A definition. Its values stand in a Readings."""

    kind: MetricKind
    name: str
    meaning: str
    labels: tuple[str, ...] = ()
    bounds: tuple[float, ...] = ()  # of a histogram's buckets, ascending; one without bound is added

    @property
    def bucket_names(self) -> tuple[str, ...]:
        return (*(f"{bound:g}" for bound in self.bounds), INFINITE)


# The seconds that a request takes, of the crawler or of its server.
_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)

PAGES_FETCHED = Metric(
    kind=MetricKind.COUNTER, name="crawler_pages_fetched_total", meaning="Pages fetched and stored."
)
PAGES_PER_SECOND = Metric(
    kind=MetricKind.GAUGE, name="crawler_pages_per_second", meaning="Current crawl rate of all live workers."
)
SUCCESS_RATE = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_fetch_success_rate",
    meaning="Share of visits that did not fail: in the last five minutes; in metrics.prom, in the crawl.",
)
HTTP_STATUS = Metric(
    kind=MetricKind.COUNTER,
    name="crawler_http_status_total",
    meaning="Answers by HTTP status.",
    labels=("code",),
)
ROBOTS_DENIALS = Metric(
    kind=MetricKind.COUNTER, name="crawler_robots_denials_total", meaning="Urls refused by robots.txt."
)
BYTES_DOWNLOADED = Metric(
    kind=MetricKind.COUNTER, name="crawler_bytes_downloaded_total", meaning="Body bytes as sent."
)
REQUESTS = Metric(
    kind=MetricKind.COUNTER, name="crawler_requests_total", meaning="Requests made, for robots.txt too."
)
VISITS = Metric(
    kind=MetricKind.COUNTER,
    name="crawler_visits_total",
    meaning="Visits by outcome: fetched, unchanged, redirected, skipped, gone, refused or failed.",
    labels=("outcome",),
)
FAILURES = Metric(
    kind=MetricKind.COUNTER,
    name="crawler_fetch_failures_total",
    meaning="Requests that failed, for robots.txt too, by kind: dns, connect, tls, timeout, http_status, …",
    labels=("kind",),
)
LOCAL_FAILURES = Metric(
    kind=MetricKind.COUNTER,
    name="crawler_local_failures_total",
    meaning="Requests that a worker's machine could not make, short of descriptors, memory, ports or its"
    " network: they are made later, and no site is blamed.",
)
READ_APART = Metric(
    kind=MetricKind.COUNTER,
    name="crawler_documents_read_apart_total",
    meaning="Documents that were read beside a worker: too large for it, or one died over them. Only in"
    " metrics.prom.",
)
DISCOVERED = Metric(
    kind=MetricKind.COUNTER,
    name="crawler_urls_discovered_total",
    meaning="Urls that pages named for the first time.",
)
FETCH_DURATION = Metric(
    kind=MetricKind.HISTOGRAM,
    name="crawler_fetch_duration_seconds",
    meaning="What requests took, from connecting to the last byte.",
    bounds=_SECONDS,
)
DNS_LOOKUP = Metric(
    kind=MetricKind.SUMMARY,
    name="crawler_dns_lookup_seconds",
    meaning="What answered requests waited for the address of a host that was not known already.",
)
FRONTIER_SIZE = Metric(
    kind=MetricKind.GAUGE, name="crawler_frontier_size", meaning="Urls that wait in the frontier."
)
FRONTIER_DUE = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_frontier_due",
    meaning="Urls that wait in domains that may be claimed now and nobody has claimed.",
)
FRONTIER_DUE_AGE = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_frontier_due_age_seconds",
    meaning="For how long the first of these domains could have been claimed; 0: there is none.",
)
DOMAINS = Metric(
    kind=MetricKind.GAUGE, name="crawler_domains", meaning="Domains by status.", labels=("status",)
)
SILENT_DOMAINS = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_silent_domains",
    meaning="Domains with a request under way that has not been answered for more than a second.",
)
LEASES = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_leases",
    meaning="Domains that a worker has leased, by state: held, or expired and to be taken over.",
    labels=("state",),
)
RUNS = Metric(kind=MetricKind.GAUGE, name="crawler_runs", meaning="Runs by state.", labels=("state",))
JOBS = Metric(kind=MetricKind.GAUGE, name="crawler_jobs", meaning="Jobs by state.", labels=("state",))
SCHEDULER_DUE = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_scheduler_due_jobs",
    meaning="Jobs whose time has come and that no scheduler has taken.",
)
SCHEDULER_LAG = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_scheduler_lag_seconds",
    meaning="How long the first of them has waited.",
)
STALE_LOCKS = Metric(
    kind=MetricKind.COUNTER,
    name="crawler_scheduler_stale_locks_total",
    meaning="How often the scheduler of a job was found dead, over all jobs that are there.",
)
ACTIVE_WORKERS = Metric(
    kind=MetricKind.GAUGE, name="crawler_active_workers", meaning="Workers that crawl now."
)
WORKERS = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_workers",
    meaning="Workers that have not left, by state: working, hungry, idle, silent, dead, lost.",
    labels=("state",),
)
WORKER_HEARTBEAT_AGE = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_worker_heartbeat_age_seconds",
    meaning="Since when nothing was heard of a worker that has not left; not said of one that is lost.",
    labels=("worker", "host"),
)
STORE_CLOCK_DRIFT = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_store_clock_drift_seconds",
    meaning="What the calendar is ahead of the store's clock; other than 0 once somebody has set it.",
)
WORKER_RSS = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_worker_rss_bytes",
    meaning="Memory of a worker's process, as it said with its last heartbeat.",
    labels=("worker", "host"),
)
STORE_UP = Metric(
    kind=MetricKind.GAUGE, name="crawler_store_up", meaning="1 while the store answers, else 0."
)
STORE_BYTES = Metric(kind=MetricKind.GAUGE, name="crawler_store_bytes", meaning="Bytes that the store takes.")
DISK_FREE = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_disk_free_bytes",
    meaning="Bytes that are free where the data directory is: the store's file, or the logs.",
)
SERVICE_TROUBLE = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_service_trouble",
    meaning="1 while a service does not do its part.",
    labels=("service",),
)
BREAKERS_OPEN = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_breakers_open",
    meaning="Breakers that are not closed: of workers for store, redis and machine, of domains for robots.",
    labels=("service",),
)
BREAKERS_UNTIL = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_breakers_until_seconds",
    meaning="The latest instant that one of them stays open until, in seconds since the epoch; 0: none.",
    labels=("service",),
)
FOREIGN_TRANSACTION = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_foreign_transaction_seconds",
    meaning="Age of another program's transaction that the store suffers from; 0: there is none.",
)

TASKS = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_tasks",
    meaning="Runs that go through a broker, by where they are on their way.",
    labels=("state",),
)

SERVER_REQUESTS = Metric(
    kind=MetricKind.COUNTER,
    name="tenax_http_requests_total",
    meaning="Requests that this server has answered, by operation id; none: pages, and what is not there.",
    labels=("operation", "status"),
)
SERVER_DURATION = Metric(
    kind=MetricKind.HISTOGRAM,
    name="tenax_http_request_duration_seconds",
    meaning="What it took to begin the answer, by operation id.",
    labels=("operation",),
    bounds=_SECONDS,
)
SERVER_STREAMS = Metric(
    kind=MetricKind.GAUGE,
    name="tenax_event_streams",
    meaning="Streams of events that somebody listens to here.",
)
SERVER_RSS = Metric(
    kind=MetricKind.GAUGE, name="tenax_server_rss_bytes", meaning="Memory of the server's process."
)
BROKER_UP = Metric(
    kind=MetricKind.GAUGE,
    name="tenax_broker_up",
    meaning="1: the broker answers this server; only where runs go through one.",
)
PUBLISH_FAILURES = Metric(
    kind=MetricKind.COUNTER,
    name="tenax_publish_failures_total",
    meaning="Messages that the broker did not confirm to this server; they are sent again.",
)


def list_metrics() -> list[Metric]:
    """All that are defined here."""
    return [each for each in globals().values() if isinstance(each, Metric)]


class Distribution:
    """Counts by bucket, and the sum of what was counted."""

    def __init__(self, buckets: int) -> None:
        self.counts = [0] * buckets
        self.sum = 0.0


class Readings:
    """Values of metrics, each by the values of its labels."""

    def __init__(self) -> None:
        self._values: dict[str, tuple[Metric, dict[tuple[str, ...], float]]] = {}
        self._distributions: dict[str, tuple[Metric, dict[tuple[str, ...], Distribution]]] = {}

    def set(self, metric: Metric, value: float, *labels: str) -> None:
        self._find_values(metric)[labels] = float(value)

    def inc(self, metric: Metric, amount: float = 1.0, *labels: str) -> None:
        values = self._find_values(metric)
        values[labels] = values.get(labels, 0.0) + amount

    def set_all(self, metric: Metric, values: Mapping[str, float]) -> None:
        """Of a metric with one label."""
        self._find_values(metric).update({(of,): float(value) for of, value in values.items()})

    def observe(self, metric: Metric, value: float, *labels: str) -> None:
        """Count one into a histogram or a summary."""
        found = self._find_distribution(metric, labels)
        found.counts[bisect_left(metric.bounds, value)] += 1
        found.sum += value

    def set_distribution(self, metric: Metric, counts: Mapping[str, int], total: float) -> None:
        """`counts`: by the names of the buckets."""
        found = self._find_distribution(metric, ())
        found.counts = [counts.get(name, 0) for name in metric.bucket_names]
        found.sum = total

    def format(self) -> str:
        """In Prometheus's text format."""
        lines = [line for metric, values in self._values.values() for line in _format_values(metric, values)]
        for metric, found in self._distributions.values():
            lines += _format_distributions(metric, found)
        return "".join(f"{line}\n" for line in lines)

    def list_names(self) -> list[str]:
        return [*self._values, *self._distributions]

    def _find_values(self, metric: Metric) -> dict[tuple[str, ...], float]:
        return self._values.setdefault(metric.name, (metric, {}))[1]

    def _find_distribution(self, metric: Metric, labels: tuple[str, ...]) -> Distribution:
        found = self._distributions.setdefault(metric.name, (metric, {}))[1]
        if labels not in found:
            found[labels] = Distribution(len(metric.bounds) + 1)
        return found[labels]


def _format_values(metric: Metric, values: Mapping[tuple[str, ...], float]) -> Iterator[str]:
    yield from _format_head(metric)
    for labels, value in values.items():
        yield f"{metric.name}{_format_labels(metric.labels, labels)} {value!r}"


def _format_distributions(metric: Metric, found: Mapping[tuple[str, ...], Distribution]) -> Iterator[str]:
    yield from _format_head(metric)
    for labels, each in found.items():
        total = 0
        for bound, count in zip(metric.bucket_names, each.counts, strict=True):
            total += count
            if metric.kind is MetricKind.HISTOGRAM:
                shown = _format_labels((*metric.labels, "le"), (*labels, bound))
                yield f"{metric.name}_bucket{shown} {total}"
        shown = _format_labels(metric.labels, labels)
        yield f"{metric.name}_sum{shown} {each.sum!r}"
        yield f"{metric.name}_count{shown} {total}"


def _format_head(metric: Metric) -> tuple[str, str]:
    meaning = metric.meaning.replace("\\", "\\\\").replace("\n", "\\n")
    return f"# HELP {metric.name} {meaning}", f"# TYPE {metric.name} {metric.kind}"


def _format_labels(names: tuple[str, ...], values: tuple[str, ...]) -> str:
    pairs = zip(names, values, strict=True)
    inner = ",".join(f'{name}="{value.translate(_ESCAPES)}"' for name, value in pairs)
    return f"{{{inner}}}" if inner else ""


_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


def write_metrics(path: Path, readings: Readings) -> None:
    """Save them in Prometheus's text format, for a collector that reads files."""
    # Metrics are a courtesy; a full disk is reported by the store.
    with contextlib.suppress(OSError), replace_file(path, mode=FILE_MODE, is_durable=False) as file:
        file.write(readings.format().encode())
