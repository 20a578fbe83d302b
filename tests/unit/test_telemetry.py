import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tenax import telemetry
from tenax.telemetry import Metric, configure_logging, log


@pytest.fixture
def lines(tmp_path: Path) -> Iterator[Path]:
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    configure_logging(tmp_path)
    yield tmp_path / "tenax.log"
    root.handlers[0].close()
    root.handlers, root.level = handlers, level


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_an_event_is_one_line_of_json_with_its_fields(lines: Path) -> None:
    log.info("run_joined", run=3, worker="\ud800\n")
    (entry,) = read(lines)
    assert entry.pop("timestamp").endswith("+00:00")
    assert entry == {"event": "run_joined", "run": 3, "worker": "\ud800\n", "level": "info"}


def test_an_error_carries_its_traceback(lines: Path) -> None:
    try:
        raise ValueError("of the test")
    except ValueError as error:
        log.error("visit_failed", exc_info=error)
    (entry,) = read(lines)
    assert entry["level"] == "error"
    assert "ValueError: of the test" in entry["exception"]


def test_what_libraries_log_goes_to_the_same_file(lines: Path) -> None:
    logging.getLogger("somebody").warning("%d things", 2)
    assert read(lines)[0]["event"] == "2 things"


def test_metrics_are_in_the_text_format(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telemetry, "METRICS", [])
    pages = Metric("counter", "pages_total", "Pages.")
    statuses = Metric("counter", "statuses_total", "Answers.", label="code")
    assert telemetry.format_metrics() == (
        "# HELP pages_total Pages.\n# TYPE pages_total counter\npages_total 0.0\n"
        "# HELP statuses_total Answers.\n# TYPE statuses_total counter\n"
    )
    pages.inc(2)
    statuses.inc(1, of="404")
    statuses.inc(1, of="404")
    assert "pages_total 2.0\n" in telemetry.format_metrics()
    assert 'statuses_total{code="404"} 2.0\n' in telemetry.format_metrics()
