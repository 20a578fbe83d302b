"""`tenax tasks`: lists of tasks, and the replay of a failed one."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tenax.runtime.actions import write_store
from tenax.stores.jobs.tasks import add_task, fail_task
from tenax.stores.place import Place
from tests.support.command import run_tenax
from tests.support.stores import fill_store

USAGE = 2
ERROR = 1


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    """An active run whose task has failed."""
    folder = tmp_path / "crawl"
    fill_store(folder, is_ended=False)
    write(folder, lambda connection: add_task(connection, 1, "crawl", 5, 1000.0))
    write(folder, lambda connection: fail_task(connection, 1, "Nobody can.", 1001.0))
    return folder


def write(folder: Path, work: Callable[[Any], object]) -> None:
    asyncio.run(write_store(Place(folder=folder), work))


def test_a_crawl_without_a_broker_has_no_tasks(data: Path) -> None:
    assert run_tenax("tasks", "--data", data).out == "No tasks.\n"


def test_tasks_are_listed_with_their_states_and_errors(crawl: Path) -> None:
    header, row = run_tenax("tasks", "--data", crawl).out.splitlines()
    assert header.split() == ["TASK", "RUN", "QUEUE", "STATE", "QUEUED", "STARTED", "ENDED", "ERROR"]
    assert row.split()[:4] == ["1", "1", "crawl", "failed"]
    assert row.endswith("Nobody can.")


def test_a_program_gets_a_line_for_each_task_in_a_state(crawl: Path) -> None:
    (line,) = run_tenax("tasks", "--json", "--state", "failed", "--data", crawl).out.splitlines()
    assert json.loads(line)["error"] == "Nobody can."
    assert run_tenax("tasks", "--json", "--state", "queued", "--data", crawl).out == ""


def test_a_failed_task_is_replayed_once(crawl: Path) -> None:
    assert run_tenax("tasks", "replay", "1", "--data", crawl).out == "Task 1 will be published again.\n"
    again = run_tenax("tasks", "replay", "1", "--data", crawl)
    assert again.code == USAGE
    assert "this one is pending" in again.err


def test_a_task_that_is_not_there_is_named(crawl: Path) -> None:
    ended = run_tenax("tasks", "replay", "9", "--data", crawl)
    assert ended.code == ERROR
    assert "There is no task 9" in ended.err


@pytest.mark.parametrize(
    ("broker", "sentence"), [(None, "needs a broker"), ("redis://localhost", "is not a broker URL")]
)
def test_a_worker_without_a_good_broker_says_what_is_missing(
    tmp_path: Path, broker: str | None, sentence: str
) -> None:
    options = ("--broker", broker) if broker else ()
    ended = run_tenax("worker", "--queue", "crawl", "--data", tmp_path, *options)
    assert ended.code == USAGE
    assert sentence in ended.err
