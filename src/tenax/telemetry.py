"""Logs and metrics. Logs are JSON lines in a file of the data directory; metrics are Prometheus's.

Neither is written per page: the visits table is the crawl log, counters move once per batch.
"""

import contextlib
import json
import logging
import logging.handlers
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

LOG_BYTES = 10_000_000
LOG_FILES = 5
_FIELDS = "fields"


class Metric:
    """A counter or a gauge, with at most one label. A client library would cost every start 30 ms."""

    def __init__(self, kind: str, name: str, meaning: str, label: str | None = None) -> None:
        self._kind = kind
        self._name = name
        self._meaning = meaning
        self._label = label
        self._values: dict[str, float] = {} if label else {"": 0.0}
        METRICS.append(self)

    def inc(self, amount: float, of: str = "") -> None:
        self._values[of] = self._values.get(of, 0.0) + amount

    def set(self, value: float, of: str = "") -> None:
        self._values[of] = value

    def format(self) -> str:
        """In Prometheus's text format."""
        lines = [f"# HELP {self._name} {self._meaning}", f"# TYPE {self._name} {self._kind}"]
        for of, value in self._values.items():
            label = f'{{{self._label}="{of}"}}' if self._label else ""
            lines.append(f"{self._name}{label} {float(value)!r}")
        return "\n".join(lines)


METRICS: list[Metric] = []
PAGES_FETCHED = Metric("counter", "crawler_pages_fetched_total", "Pages fetched and stored.")
PAGES_PER_SECOND = Metric("gauge", "crawler_pages_per_second", "Current crawl rate.")
SUCCESS_RATE = Metric("gauge", "crawler_fetch_success_rate", "Share of visits that did not fail.")
HTTP_STATUS = Metric("counter", "crawler_http_status_total", "Answers by HTTP status.", label="code")
FRONTIER_SIZE = Metric("gauge", "crawler_frontier_size", "Urls that wait in the frontier.")
ROBOTS_DENIALS = Metric("counter", "crawler_robots_denials_total", "Urls refused by robots.txt.")
ACTIVE_WORKERS = Metric("gauge", "crawler_active_workers", "Workers that crawl now.")
SERVICE_TROUBLE = Metric(
    "gauge", "crawler_service_trouble", "1 while a service does not do its part.", label="service"
)
BREAKERS_OPEN = Metric(
    "gauge",
    "crawler_breakers_open",
    "Breakers that are not closed: of workers for store and redis, of domains for robots.",
    label="service",
)
BREAKERS_UNTIL = Metric(
    "gauge",
    "crawler_breakers_until_seconds",
    "The latest instant that one of them stays open until, in seconds since the epoch; 0: none.",
    label="service",
)
FOREIGN_TRANSACTION = Metric(
    "gauge",
    "crawler_foreign_transaction_seconds",
    "Age of another program's transaction that the store suffers from; 0: there is none.",
)
BYTES_DOWNLOADED = Metric("counter", "crawler_bytes_downloaded_total", "Body bytes as sent.")


class Log:
    """Events with fields. A library for this would cost every start 40 ms."""

    def __init__(self, logger: logging.Logger) -> None:
        self._logger = logger

    def info(self, event: str, **fields: object) -> None:
        self._logger.info(event, extra={_FIELDS: fields})

    def warning(self, event: str, **fields: object) -> None:
        self._logger.warning(event, extra={_FIELDS: fields})

    def error(self, event: str, *, exc_info: BaseException | None = None, **fields: object) -> None:
        self._logger.error(event, exc_info=exc_info, extra={_FIELDS: fields})


log = Log(logging.getLogger("tenax"))


class _JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        fields = {
            "event": record.getMessage(),
            **getattr(record, _FIELDS, {}),
            "level": record.levelname.lower(),
            "timestamp": datetime.fromtimestamp(record.created, UTC).isoformat(),
        }
        if record.exc_info:
            fields["exception"] = self.formatException(record.exc_info)
        return json.dumps(fields, default=str)


class _QuietRotatingHandler(logging.handlers.RotatingFileHandler):
    """A full disk must not end a crawl for want of a log line."""

    def handleError(self, record: logging.LogRecord) -> None:
        pass


def configure_logging(folder: Path) -> None:
    """Write the log to a rotated file in `folder`, one JSON object a line."""
    folder.mkdir(parents=True, exist_ok=True)
    handler = _QuietRotatingHandler(
        folder / "tenax.log", maxBytes=LOG_BYTES, backupCount=LOG_FILES, delay=True, encoding="utf-8"
    )
    handler.setFormatter(_JsonFormatter())
    root = logging.getLogger()
    for earlier in root.handlers:
        if isinstance(earlier, _QuietRotatingHandler):
            earlier.close()
    root.handlers = [handler]
    root.setLevel(logging.INFO)


def count_statuses(statuses: Mapping[int, int]) -> None:
    for status, count in statuses.items():
        HTTP_STATUS.inc(count, of=str(status))


def format_metrics() -> str:
    return "\n".join(metric.format() for metric in METRICS) + "\n"


def write_metrics(path: Path) -> None:
    """Save the metrics in Prometheus's text format, for a collector that reads files."""
    hidden = path.with_suffix(f".{os.getpid()}")
    try:
        hidden.write_text(format_metrics())
        hidden.rename(path)
    except OSError:
        # Metrics are a courtesy; a full disk is reported by the store.
        with contextlib.suppress(OSError):
            hidden.unlink()
