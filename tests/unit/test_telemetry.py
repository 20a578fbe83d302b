import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tenax.telemetry import configure_logging, log


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
