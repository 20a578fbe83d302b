"""Jobs over HTTP: created, changed, executed, rebalanced."""

import asyncio
import time
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest

from tenax.accounts.permissions import Role
from tenax.runtime.actions import write_store
from tests.support.api import ApiServer, run_api
from tests.support.copying import KINDS, empty_store, fill
from tests.support.jobs import RowLauncher
from tests.support.service_rows import fill_service_rows

API = "/api/v1"
SOURCE = 2  # the first: the crawl of the store has a row before it
HOURLY = {"source_id": SOURCE, "interval_minutes": 1, "interval_type": "hours", "schedule_enabled": True}


@pytest.fixture(params=KINDS)
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ApiServer]:
    """With a source, three jobs that repeat, and a scheduler that seldom looks by itself."""
    with empty_store(request.param, tmp_path / "crawl") as store:
        fill(store)
        fill_service_rows(store.place)
        with run_api(
            store.place,
            make_launch=lambda server_runtime: (
                RowLauncher(server_runtime.access, server_runtime.stores.clock).launch
            ),
            jobs={"poll_s": 3600},
        ) as server:
            yield server


@pytest.fixture
def admin(server: ApiServer) -> Iterator[httpx.Client]:
    with server.client(Role.ADMIN) as client:
        yield client


def create(admin: httpx.Client, **values: Any) -> dict[str, Any]:
    answer = admin.post(f"{API}/jobs", json=values)
    assert answer.status_code == 201, answer.text
    job: dict[str, Any] = answer.json()
    return job


def wait_for_status(admin: httpx.Client, job_id: int, status: str) -> dict[str, Any]:
    deadline = time.monotonic() + 10
    while True:
        job: dict[str, Any] = admin.get(f"{API}/jobs/{job_id}").json()
        if job["status"] == status:
            return job
        assert time.monotonic() < deadline, job
        time.sleep(0.02)


def test_a_job_is_kept_as_it_was_given(admin: httpx.Client) -> None:
    given = {
        **HOURLY,
        "url": "https://news.example/front",
        "active_hours": {"days": ["mon", "fri"], "from": "08:00", "until": "18:00"},
        "timezone": "Europe/Vienna",
        "metadata": {"team": "küche", "big": 1 << 80},
        "retry_backoff_seconds": 5,
    }
    job = create(admin, **given)
    assert {name: job[name] for name in given} == given
    assert (job["status"], job["version"]) == ("scheduled", 1)
    found = admin.get(f"{API}/jobs/{job['id']}").json()
    assert {**found, "next_runs": None} == {**job, "next_runs": None}


def test_a_job_names_its_next_times_by_the_hours_of_its_timezone(admin: httpx.Client) -> None:
    hours = {"days": ["mon"], "from": "08:00", "until": "09:00"}
    job = create(admin, **HOURLY, active_hours=hours, timezone="Europe/Vienna")
    found = admin.get(f"{API}/jobs/{job['id']}").json()["next_runs"]
    shown = [datetime.fromisoformat(each).astimezone(ZoneInfo("Europe/Vienna")) for each in found]
    assert found[0] == job["next_run_at"]
    assert len(set(shown)) == 8
    assert {(each.weekday(), each.hour) for each in shown} == {(0, 8)}


def test_a_job_that_runs_once_begins_within_a_second(admin: httpx.Client) -> None:
    job = create(admin, source_id=SOURCE)
    running = wait_for_status(admin, job["id"], "running")
    assert running["lock_heartbeat_at"] is not None
    executions = admin.get(f"{API}/jobs/{job['id']}/executions").json()["items"]
    assert [(each["execution_number"], each["trigger"]) for each in executions] == [(1, "schedule")]


def test_a_job_is_forced_and_cancelled_with_its_run(admin: httpx.Client) -> None:
    job = create(admin, **HOURLY)
    assert admin.post(f"/api/v2/jobs/{job['id']}/force-run").json()["status"] == "running"
    deadline = time.monotonic() + 10
    while (execution := admin.get(f"{API}/jobs/{job['id']}/executions").json()["items"][0])["run_id"] is None:
        assert time.monotonic() < deadline
    assert admin.post(f"{API}/jobs/{job['id']}/cancel").json()["status"] == "cancelled"
    ended = admin.get(f"{API}/executions/{execution['id']}").json()
    assert (ended["status"], ended["error_message"]) == ("cancelled", "The job was cancelled.")
    assert ended["duration_ms"] >= 0
    assert admin.get(f"{API}/runs/{execution['run_id']}").json()["state"] == "stopped"


def test_actions_follow_the_states_and_refusals_say_why(admin: httpx.Client) -> None:
    job = create(admin, **HOURLY)
    path = f"{API}/jobs/{job['id']}"
    assert admin.post(f"{path}/pause").json()["status"] == "paused"
    refused = admin.post(f"{path}/pause")
    assert (refused.status_code, refused.json()["detail"]) == (
        409,
        f"Job {job['id']} is paused: only a scheduled job can be paused.",
    )
    assert admin.post(f"{path}/force-run").status_code == admin.post(f"{path}/retry").status_code == 409
    assert admin.post(f"{path}/resume").json()["status"] == "scheduled"
    assert admin.post(f"{API}/jobs/99/pause").status_code == 404
    notes = admin.get(f"{API}/audit", params={"limit": 20}).json()["items"]
    noted = {(note["action"], note["target"], note["outcome"]) for note in notes}
    target = f"job {job['id']}"
    assert {
        ("job.create", target, "done"),
        ("job.pause", target, "done"),
        ("job.pause", target, "refused"),
    } <= noted


def test_a_change_needs_the_version_that_was_seen(admin: httpx.Client) -> None:
    job = create(admin, **HOURLY)
    path = f"{API}/jobs/{job['id']}"
    changed = admin.put(path, json={**HOURLY, "priority": 1, "version": 1}).json()
    assert (changed["priority"], changed["version"], changed["next_run_at"]) == (1, 2, job["next_run_at"])
    assert admin.put(path, json={**HOURLY, "version": 1}).status_code == 409


def test_a_running_job_is_not_deleted(admin: httpx.Client) -> None:
    job = create(admin, source_id=SOURCE)
    wait_for_status(admin, job["id"], "running")
    assert admin.delete(f"{API}/jobs/{job['id']}").status_code == 409
    admin.post(f"{API}/jobs/{job['id']}/cancel")
    assert admin.delete(f"{API}/jobs/{job['id']}").status_code == 204
    assert admin.get(f"{API}/jobs/{job['id']}").status_code == 404


@pytest.mark.parametrize(
    "wrong",
    [
        {"source_id": 99},
        {"interval_minutes": 0},
        {"interval_minutes": 400, "interval_type": "days"},
        {"interval_type": "weeks"},
        {"timezone": "Mars/Olympus"},
        {"active_hours": {"from": "8"}},
        {"active_hours": {"days": []}},
        {"url": "ftp://news.example/"},
        {"url": "http://localhost/"},
        {"next_run_at": "2026-01-01T00:00:00"},
        {"next_run_at": "9999-01-01T00:00:00Z"},
        {"priority": 11},
        {"metadata": {"x": "y" * 20_000}},
        {"colour": "red"},
    ],
    ids=str,
)
def test_what_cannot_be_is_refused(admin: httpx.Client, wrong: dict[str, Any]) -> None:
    answer = admin.post(f"{API}/jobs", json={**HOURLY, **wrong})
    assert answer.status_code == 422
    assert answer.json()["detail"]


def test_jobs_are_counted_and_filtered(admin: httpx.Client) -> None:
    create(admin, source_id=SOURCE, interval_minutes=5)
    counts = admin.get(f"{API}/jobs/status-counts").json()
    assert (counts["scheduled"], counts["pending"], counts["failed"]) == (3, 1, 0)
    items = admin.get(f"{API}/jobs", params={"status": "pending"}).json()["items"]
    assert [item["interval_minutes"] for item in items] == [5]
    assert admin.get(f"{API}/jobs", params={"source_id": SOURCE + 1}).json()["items"] == []


def test_executions_are_summed_up(admin: httpx.Client) -> None:
    stats = admin.get(f"{API}/jobs/1/stats").json()
    assert (stats["total"], stats["completed"], stats["items_crawled"]) == (4, 4, 10)
    assert (stats["success_rate"], stats["average_duration_ms"]) == (1.0, 60_000)
    metrics = admin.get(f"{API}/scheduler/metrics").json()
    assert (metrics["jobs"]["scheduled"], metrics["executions"]["success_rate"]) == (3, 1.0)
    assert (metrics["due"], metrics["lag_s"], metrics["stale_locks_cleared"]) == (0, 0.0, 0)
    assert 'crawler_jobs{state="scheduled"} 3' in admin.get("/metrics").text


def test_the_slots_of_the_day_are_shown_and_rebalanced(server: ApiServer, admin: httpx.Client) -> None:
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() // 900 * 900 + 9 * 900))
    daily = {**HOURLY, "interval_type": "days", "next_run_at": at}
    ids = {create(admin, **daily)["id"] for _ in range(5)}
    # A first time given by a user is never moved: pretend that it has passed.
    asyncio.run(
        write_store(
            server.place,
            lambda connection: connection.exec_driver_sql("UPDATE jobs SET phase_at = next_run_at") and None,
        )
    )
    shown = admin.get(f"{API}/scheduler/distribution").json()
    assert (len(shown["slots"]), shown["total"], shown["peak"]) == (97, 8, 5)
    preview = admin.post(f"{API}/scheduler/rebalance/preview").json()
    assert admin.get(f"{API}/scheduler/distribution").json() == shown
    done = admin.post(f"{API}/scheduler/rebalance").json()
    assert len(done["moves"]) == len(preview["moves"]) == 4
    assert {move["job_id"] for move in done["moves"]} < ids
    assert (
        done["score_after"] == admin.get(f"{API}/scheduler/distribution").json()["distribution_score"] == 1.0
    )
    assert admin.post(f"{API}/scheduler/rebalance").json()["moves"] == []


def test_the_log_of_a_job_is_that_of_its_newest_run(admin: httpx.Client) -> None:
    log = admin.get(f"{API}/jobs/1/logs", params={"limit": 3}).json()
    assert len(log["items"]) == 3
    assert log == admin.get(f"{API}/runs/1/log", params={"limit": 3}).json()
    assert "fetched" in admin.get(f"{API}/jobs/1/logs/download").text
    with admin.stream("GET", f"{API}/jobs/1/logs/stream/v2") as answer:
        assert any(line == "event: line" for line in islice(answer.iter_lines(), 5))
    missing = admin.get(f"{API}/jobs/2/logs")
    assert (missing.status_code, missing.json()["detail"]) == (404, "Job 2 has not run yet.")
