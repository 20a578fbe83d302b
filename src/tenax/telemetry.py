"""The log: JSON lines in a file in the data directory.

Nothing is written per page: the visits table is the crawl log.
"""

import json
import logging
import logging.handlers
from datetime import UTC, datetime
from io import TextIOWrapper
from pathlib import Path

from tenax.private_files import make_folder, touch_file

LOG_BYTES = 10_000_000
LOG_FILES = 5
_FIELDS = "fields"


class Log:
    """Logs events with fields. A library for this would add 40 ms to every start."""

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
    """A handler that ignores errors: a full disk must not end a crawl because of a log line."""

    def _open(self) -> TextIOWrapper:
        touch_file(Path(self.baseFilename))
        return super()._open()

    def handleError(self, record: logging.LogRecord) -> None:
        pass


def configure_logging(folder: Path) -> None:
    """Write the log to a rotated file in `folder`, one JSON object per line."""
    make_folder(folder)
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
