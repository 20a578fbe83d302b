"""The metrics and their values, in Prometheus's text format: a client library would slow down every start."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from enum import StrEnum

from tenax.record import record

INFINITE = "+Inf"


class MetricKind(StrEnum):
    COUNTER = "counter"  # only increases, or restarts at 0
    GAUGE = "gauge"  # the current value
    HISTOGRAM = "histogram"  # counts by bucket
    SUMMARY = "summary"  # count and sum


@record
class Metric:
    """The definition of a metric. Its values are in a Readings."""

    kind: MetricKind
    name: str
    meaning: str
    labels: tuple[str, ...] = ()
    bounds: tuple[float, ...] = ()  # of a histogram's buckets, ascending; +Inf is added

    @property
    def bucket_names(self) -> tuple[str, ...]:
        return (*(f"{bound:g}" for bound in self.bounds), INFINITE)


# Buckets for the duration of a request, of the crawler or of the server.
_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)

PAGES_FETCHED = Metric(
    kind=MetricKind.COUNTER, name="crawler_pages_fetched_total", meaning="Pages fetched and stored."
)
PAGES_PER_SECOND = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_pages_per_second",
    meaning="Current crawl rate of all live workers, in pages per second.",
)
SUCCESS_RATE = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_fetch_success_rate",
    meaning="Fraction of visits that did not fail, in the last five minutes (in metrics.prom: in the crawl).",
)
HTTP_STATUS = Metric(
    kind=MetricKind.COUNTER,
    name="crawler_http_status_total",
    meaning="Responses by HTTP status.",
    labels=("code",),
)
ROBOTS_DENIALS = Metric(
    kind=MetricKind.COUNTER, name="crawler_robots_denials_total", meaning="URLs refused by robots.txt."
)
BYTES_DOWNLOADED = Metric(
    kind=MetricKind.COUNTER,
    name="crawler_bytes_downloaded_total",
    meaning="Bytes of response bodies, before decoding.",
)
REQUESTS = Metric(
    kind=MetricKind.COUNTER, name="crawler_requests_total", meaning="Requests made, including robots.txt."
)
VISITS = Metric(
    kind=MetricKind.COUNTER,
    name="crawler_visits_total",
    meaning="Visits by outcome: fetched, unchanged, redirected, skipped, gone, rejected, refused, merged,"
    " trapped or failed.",
    labels=("outcome",),
)
FAILURES = Metric(
    kind=MetricKind.COUNTER,
    name="crawler_fetch_failures_total",
    meaning="Failed requests, including robots.txt, by kind: dns, connect, tls, timeout, http_status, …",
    labels=("kind",),
)
REJECTIONS = Metric(
    kind=MetricKind.COUNTER,
    name="crawler_rejections_total",
    meaning="Answers that looked like pages and were none, by reason: bot_check, needs_rendering, parked, …",
    labels=("reason",),
)
LOCAL_FAILURES = Metric(
    kind=MetricKind.COUNTER,
    name="crawler_local_failures_total",
    meaning="Requests that a worker's machine could not make because it lacked file descriptors, memory,"
    " ports or a network, or that an outage of its network ended. They are made later and do not count"
    " against the site.",
)
READ_APART = Metric(
    kind=MetricKind.COUNTER,
    name="crawler_documents_read_apart_total",
    meaning="Documents parsed in a separate process because they were too large for a worker or had crashed"
    " one. Only in metrics.prom.",
)
ITEMS = Metric(
    kind=MetricKind.COUNTER, name="crawler_items_total", meaning="Items made. Only in metrics.prom."
)
PARSER_ERRORS = Metric(
    kind=MetricKind.COUNTER, name="crawler_parser_errors_total", meaning="Failures. Only in metrics.prom."
)
PARSER_SECONDS = Metric(
    kind=MetricKind.COUNTER,
    name="crawler_parser_seconds_total",
    meaning="Time of parsers, in seconds. Only in metrics.prom.",
)
PRODUCT_ALERTS = Metric(
    kind=MetricKind.COUNTER, name="crawler_product_alerts_total", meaning="Alerts sent.", labels=("event",)
)
NEAR_DUPLICATES = Metric(
    kind=MetricKind.COUNTER,
    name="crawler_near_duplicates_total",
    meaning="Fetched pages that nearly repeat another page of their domain.",
)
DISCOVERED = Metric(
    kind=MetricKind.COUNTER, name="crawler_urls_discovered_total", meaning="New URLs found on pages."
)
POSTPONED = Metric(
    kind=MetricKind.COUNTER,
    name="crawler_urls_postponed_total",
    meaning="New URLs that had to wait because of limits.new_urls_per_s.",
)
FETCH_DURATION = Metric(
    kind=MetricKind.HISTOGRAM,
    name="crawler_fetch_duration_seconds",
    meaning="Duration of requests, from connecting to the last byte.",
    bounds=_SECONDS,
)
DNS_LOOKUP = Metric(
    kind=MetricKind.SUMMARY,
    name="crawler_dns_lookup_seconds",
    meaning="DNS lookup time of requests that got a response, to hosts whose address was not cached.",
)
FRONTIER_SIZE = Metric(
    kind=MetricKind.GAUGE, name="crawler_frontier_size", meaning="URLs queued in the frontier."
)
FRONTIER_DUE = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_frontier_due",
    meaning="Queued URLs of domains that can be claimed now and are not claimed.",
)
FRONTIER_DUE_AGE = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_frontier_due_age_seconds",
    meaning="How long the oldest of these domains has been waiting to be claimed; 0 if there is none.",
)
DOMAINS = Metric(
    kind=MetricKind.GAUGE, name="crawler_domains", meaning="Domains by status.", labels=("status",)
)
TRAPS = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_url_clusters",
    meaning="Clusters of similar URLs that were found to bring little, and learned merge rules, by state:"
    " open, slowed, closed or merged.",
    labels=("state",),
)
PARSERS_DEGRADED = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_parsers_degraded",
    meaning="Figures of parsers that dropped against their own past and have not recovered, by parser.",
    labels=("parser",),
)
SILENT_DOMAINS = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_silent_domains",
    meaning="Domains with an active request that has had no response for more than a second.",
)
LEASES = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_leases",
    meaning="Leased domains by state: held, or expired and about to be taken over.",
    labels=("state",),
)
RUNS = Metric(kind=MetricKind.GAUGE, name="crawler_runs", meaning="Runs by state.", labels=("state",))
JOBS = Metric(kind=MetricKind.GAUGE, name="crawler_jobs", meaning="Jobs by state.", labels=("state",))
SCHEDULER_DUE = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_scheduler_due_jobs",
    meaning="Due jobs that no scheduler has claimed.",
)
SCHEDULER_LAG = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_scheduler_lag_seconds",
    meaning="How long the oldest of them has been due.",
)
STALE_LOCKS = Metric(
    kind=MetricKind.COUNTER,
    name="crawler_scheduler_stale_locks_total",
    meaning="How often the scheduler of a job was found dead, over all existing jobs.",
)
ACTIVE_WORKERS = Metric(
    kind=MetricKind.GAUGE, name="crawler_active_workers", meaning="Workers that are crawling."
)
WORKERS = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_workers",
    meaning="Workers that have not exited, by state: working, hungry, idle, silent, dead, lost.",
    labels=("state",),
)
STALLED_WORKERS = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_stalled_workers",
    meaning="Workers that have done nothing for watchdog.stall_s although something is due.",
)
WORKER_DEATHS = Metric(
    kind=MetricKind.COUNTER,
    name="crawler_worker_deaths_total",
    meaning="Worker processes that died and were replaced, by signal or exit code. Only in metrics.prom.",
    labels=("how",),
)
WORKER_HEARTBEAT_AGE = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_worker_heartbeat_age_seconds",
    meaning="Time since the last heartbeat of a worker that has not exited. Absent for lost workers.",
    labels=("worker", "host"),
)
STORE_CLOCK_DRIFT = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_store_clock_drift_seconds",
    meaning="How far the system clock is ahead of the store's clock. Not 0 after the system clock was set.",
)
WORKER_RSS = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_worker_rss_bytes",
    meaning="Memory of a worker process, as of its last heartbeat.",
    labels=("worker", "host"),
)
STORE_UP = Metric(kind=MetricKind.GAUGE, name="crawler_store_up", meaning="1 if the store responds, else 0.")
STORE_BYTES = Metric(kind=MetricKind.GAUGE, name="crawler_store_bytes", meaning="Size of the store.")
BODIES = Metric(kind=MetricKind.GAUGE, name="crawler_stored_bodies", meaning="Stored bodies of pages.")
BODY_BYTES = Metric(kind=MetricKind.GAUGE, name="crawler_body_bytes", meaning="Size of the stored bodies.")
DISK_FREE = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_disk_free_bytes",
    meaning="Free disk space of the data directory, which holds the store's file or the logs.",
)
SERVICE_TROUBLE = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_service_trouble",
    meaning="1 while a service is not working.",
    labels=("service",),
)
BREAKERS_OPEN = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_breakers_open",
    meaning="Circuit breakers that are not closed: of workers for store, redis, machine and network; of"
    " domains for robots.",
    labels=("service",),
)
BREAKERS_UNTIL = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_breakers_until_seconds",
    meaning="Latest time until which one of them stays open, in seconds since the epoch; 0 if none is open.",
    labels=("service",),
)
NETWORK_DOWN_SINCE = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_network_down_since_seconds",
    meaning="Since when a worker has been waiting for the network of its machine, in seconds since the"
    " epoch; 0 if none is.",
)
FOREIGN_TRANSACTION = Metric(
    kind=MetricKind.GAUGE,
    name="crawler_foreign_transaction_seconds",
    meaning="Age of another program's transaction that holds up the store; 0 if there is none.",
)
TASKS = Metric(
    kind=MetricKind.GAUGE, name="crawler_tasks", meaning="Dispatched runs, by state.", labels=("state",)
)

SERVER_REQUESTS = Metric(
    kind=MetricKind.COUNTER,
    name="tenax_http_requests_total",
    meaning="Requests answered by this server, by operation id (none: pages and unknown paths).",
    labels=("operation", "status"),
)
SERVER_DURATION = Metric(
    kind=MetricKind.HISTOGRAM,
    name="tenax_http_request_duration_seconds",
    meaning="Time until the response starts, by operation id.",
    labels=("operation",),
    bounds=_SECONDS,
)
SERVER_STREAMS = Metric(
    kind=MetricKind.GAUGE, name="tenax_event_streams", meaning="Open event streams of this server."
)
SERVER_RSS = Metric(
    kind=MetricKind.GAUGE, name="tenax_server_rss_bytes", meaning="Memory of the server process."
)
BROKER_UP = Metric(
    kind=MetricKind.GAUGE,
    name="tenax_broker_up",
    meaning="1 if the broker responds to this server, else 0. Absent if runs do not go through a broker.",
)
PUBLISH_FAILURES = Metric(
    kind=MetricKind.COUNTER,
    name="tenax_publish_failures_total",
    meaning="Messages of this server that the broker did not confirm. They are sent again.",
)


def list_metrics() -> list[Metric]:
    """List all metrics defined in this module."""
    return [each for each in globals().values() if isinstance(each, Metric)]


class Distribution:
    """Counts by bucket, and the sum of all observations."""

    def __init__(self, buckets: int) -> None:
        self.counts = [0] * buckets
        self.sum = 0.0


class Readings:
    """Values of metrics, by the values of their labels."""

    def __init__(self) -> None:
        self._values: dict[str, tuple[Metric, dict[tuple[str, ...], float]]] = {}
        self._distributions: dict[str, tuple[Metric, dict[tuple[str, ...], Distribution]]] = {}

    def set(self, metric: Metric, value: float, *labels: str) -> None:
        self._find_values(metric)[labels] = float(value)

    def inc(self, metric: Metric, amount: float = 1.0, *labels: str) -> None:
        values = self._find_values(metric)
        values[labels] = values.get(labels, 0.0) + amount

    def set_all(self, metric: Metric, values: Mapping[str, float]) -> None:
        """Set several values of a metric that has one label."""
        self._find_values(metric).update({(of,): float(value) for of, value in values.items()})

    def observe(self, metric: Metric, value: float, *labels: str) -> None:
        """Add an observation to a histogram or a summary."""
        found = self._find_distribution(metric, labels)
        found.counts[bisect_left(metric.bounds, value)] += 1
        found.sum += value

    def set_distribution(self, metric: Metric, counts: Mapping[str, int], total: float) -> None:
        """Set a whole histogram or summary. `counts`: by bucket name."""
        found = self._find_distribution(metric, ())
        found.counts = [counts.get(name, 0) for name in metric.bucket_names]
        found.sum = total

    def format(self) -> str:
        """Format all values in Prometheus's text format."""
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
