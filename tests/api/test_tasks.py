"""Tasks over HTTP: runs that go through a broker, and replaying a failed one."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tenax.accounts.permissions import Role
from tenax.runtime.actions import write_store
from tenax.stores.jobs.tasks import add_task, fail_task
from tests.support.api import ApiServer, run_api
from tests.support.copying import KINDS, empty_store, fill
from tests.support.rabbitmq import find_broker

API = "/api/v1"


@pytest.fixture(params=KINDS)
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ApiServer]:
    """With an active run whose task has failed."""

    def add(connection: Any) -> None:
        add_task(connection, 1, "crawl", 5, 1000.0)
        fail_task(connection, 1, "No worker can.", 1001.0)

    with empty_store(request.param, tmp_path / "crawl") as store:
        fill(store, is_ended=False)
        asyncio.run(write_store(store.place, add))
        with run_api(store.place) as server:
            yield server


@pytest.fixture
def admin(server: ApiServer) -> Iterator[httpx.Client]:
    with server.client(Role.ADMIN) as client:
        yield client


def test_a_failed_task_is_shown_with_its_error(admin: httpx.Client) -> None:
    (task,) = admin.get(f"{API}/tasks", params={"state": "failed"}).json()["items"]
    assert (task["run_id"], task["error"]) == (1, "No worker can.")
    assert admin.get(f"{API}/tasks/1").json() == task
    assert admin.get(f"{API}/tasks", params={"state": "queued"}).json()["items"] == []


def test_a_failed_task_is_replayed_once_and_that_is_noted(admin: httpx.Client) -> None:
    replayed = admin.post(f"{API}/tasks/1/replay")
    assert (replayed.status_code, replayed.json()["state"]) == (200, "pending")
    refused = admin.post(f"{API}/tasks/1/replay")
    assert (refused.status_code, "is pending" in refused.json()["detail"]) == (409, True)
    notes = admin.get(f"{API}/audit", params={"action": "task"}).json()["items"]
    assert [(note["action"], note["outcome"]) for note in notes] == [
        ("task.replay", "refused"),
        ("task.replay", "done"),
    ]


def test_a_task_whose_run_is_over_is_not_replayed(admin: httpx.Client) -> None:
    assert admin.post(f"{API}/runs/1/cancel").status_code == 200
    refused = admin.post(f"{API}/tasks/1/replay")
    assert (refused.status_code, "has ended" in refused.json()["detail"]) == (409, True)


def test_a_task_that_is_not_there_is_not_found(admin: httpx.Client) -> None:
    assert admin.get(f"{API}/tasks/9").status_code == 404
    assert admin.post(f"{API}/tasks/9/replay").status_code == 404


def test_without_a_broker_there_are_no_dead_letters(admin: httpx.Client) -> None:
    assert admin.get(f"{API}/dead-letters").json() == []
    assert admin.get("/health").json()["broker"] is None


def test_a_server_with_a_broker_reports_its_state(tmp_path: Path) -> None:
    dispatch = {"kind": "celery", "broker": find_broker()}
    with (
        empty_store("sqlite", tmp_path / "crawl") as store,
        run_api(store.place, dispatch=dispatch) as server,
        server.client(Role.ADMIN) as admin,
    ):
        assert admin.get("/health").json()["broker"] == "ok"
        assert admin.get(f"{API}/dead-letters").status_code == 200
        assert "tenax_broker_up 1.0" in admin.get("/metrics").text


def test_a_server_whose_broker_is_away_works_and_says_so(tmp_path: Path) -> None:
    dispatch = {"kind": "celery", "broker": "amqp://127.0.0.1:1//"}
    with (
        empty_store("sqlite", tmp_path / "crawl") as store,
        run_api(store.place, dispatch=dispatch) as server,
        server.client(Role.ADMIN) as admin,
    ):
        answer = admin.get(f"{API}/dead-letters")
        assert (answer.status_code, answer.json()["status"]) == (503, 503)
        assert admin.get("/ready").json()["store"] == "ok"
