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

from prometheus_client import CollectorRegistry, Counter, Gauge
from prometheus_client import generate_latest as _format

LOG_BYTES = 10_000_000
LOG_FILES = 5
_FIELDS = "fields"

registry = CollectorRegistry()
PAGES_FETCHED = Counter("crawler_pages_fetched", "Pages fetched and stored.", registry=registry)
PAGES_PER_SECOND = Gauge("crawler_pages_per_second", "Current crawl rate.", registry=registry)
SUCCESS_RATE = Gauge("crawler_fetch_success_rate", "Share of visits that did not fail.", registry=registry)
HTTP_STATUS = Counter("crawler_http_status", "Answers by HTTP status.", ["code"], registry=registry)
FRONTIER_SIZE = Gauge("crawler_frontier_size", "Urls that wait in the frontier.", registry=registry)
ROBOTS_DENIALS = Counter("crawler_robots_denials", "Urls refused by robots.txt.", registry=registry)
ACTIVE_WORKERS = Gauge("crawler_active_workers", "Workers that crawl now.", registry=registry)
SERVICE_TROUBLE = Gauge(
    "crawler_service_trouble", "1 while a service does not do its part.", ["service"], registry=registry
)
BYTES_DOWNLOADED = Counter("crawler_bytes_downloaded", "Body bytes as sent.", registry=registry)


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
        HTTP_STATUS.labels(str(status)).inc(count)


def write_metrics(path: Path) -> None:
    """Save the metrics in Prometheus's text format, for a collector that reads files."""
    hidden = path.with_suffix(f".{os.getpid()}")
    try:
        hidden.write_bytes(_format(registry))
        hidden.rename(path)
    except OSError:
        # Metrics are a courtesy; a full disk is reported by the store.
        with contextlib.suppress(OSError):
            hidden.unlink()
