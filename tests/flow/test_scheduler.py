"""Jobs of sources on real servers: two of them on one database, and one is killed."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.command import run_tenax
from tests.support.redis_server import RedisServer
from tests.support.service import Service, log_in, set_up, wait_for
from tests.support.web import TestWeb

API = "/api/v1"
QUICK = {"TENAX_JOBS__POLL_S": "0.5", "TENAX_JOBS__STALE_LOCK_S": "10"}

MakeService = Callable[..., Service]


@pytest.fixture
def make_service(tmp_path: Path) -> Iterator[MakeService]:
    services: list[Service] = []

    def make(name: str, store: str | None = None) -> Service:
        services.append(Service(tmp_path / name / "data", store=store))
        return services[-1]

    yield make
    for service in services:
        service.close()


def add_source(client: httpx.Client, name: str, seeds: list[str], delay_s: float) -> int:
    """Enabled and without a schedule: its job runs once. Returns the number of the job."""
    body = {"name": name, "seeds": seeds, "delay_s": delay_s, "limits": {"max_depth": 20}}
    answer = client.post(f"{API}/sources", json=body)
    assert answer.status_code == 201, answer.text
    return int(answer.json()["job"]["id"])


def list_executions(client: httpx.Client, job_id: int) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = client.get(f"{API}/jobs/{job_id}/executions").json()["items"]
    return items


def wait_for_status(client: httpx.Client, job_id: int, status: str) -> None:
    wait_for(client, f"{API}/jobs/{job_id}", lambda job: job["status"] == status)


def wait_for_pages(client: httpx.Client, job_id: int, pages: int) -> None:
    (execution,) = wait_for(
        client,
        f"{API}/jobs/{job_id}/executions",
        lambda found: found["items"] and found["items"][0]["run_id"],
    )["items"]
    wait_for(client, f"{API}/runs/{execution['run_id']}", lambda run: run["pages"] >= pages)


def test_the_job_of_a_server_that_was_killed_is_ended_by_another_and_not_repeated(
    make_service: MakeService, url: str
) -> None:
    with TestWeb(hosts=1, pages_per_host=40) as web:
        first = make_service("first", url).start(**QUICK)
        with set_up(first) as client:
            job = add_source(client, "slow", web.seeds(), delay_s=0.2)
            wait_for_pages(client, job, 3)
        second = make_service("second", url).start(**QUICK)
        first.kill()
        with log_in(second) as client:
            wait_for_status(client, job, "completed")
            (execution,) = list_executions(client, job)
            assert (execution["status"], execution["items_crawled"]) == (
                "completed",
                len(web.expected_urls()),
            )
            assert len(client.get(f"{API}/runs").json()["items"]) == 1
            assert client.get(f"{API}/scheduler/metrics").json()["stale_locks_cleared"] == 1


def test_two_servers_execute_each_job_once_side_by_side(make_service: MakeService, url: str) -> None:
    with TestWeb(hosts=4, pages_per_host=5) as web:
        first = make_service("first", url).start(**QUICK)
        with set_up(first) as client:
            make_service("second", url).start(**QUICK)
            jobs = [add_source(client, f"source {n}", [seed], 0.0) for n, seed in enumerate(web.seeds())]
            for job in jobs:
                wait_for_status(client, job, "completed")
            assert [len(list_executions(client, job)) for job in jobs] == [1, 1, 1, 1]
            assert len(client.get(f"{API}/runs").json()["items"]) == 4
        paths = [(request.host, request.path) for request in web.requests() if request.path != "/robots.txt"]
        assert len(paths) == len(set(paths))


def test_slow_sources_do_not_wait_for_each_other_on_one_machine(make_service: MakeService) -> None:
    with TestWeb(hosts=3, pages_per_host=8) as web:
        with set_up(make_service("only").start(**QUICK)) as client:
            jobs = [add_source(client, f"source {n}", [seed], 0.5) for n, seed in enumerate(web.seeds())]
            for job in jobs:
                wait_for_status(client, job, "completed")
        by_host: dict[str, list[float]] = {}
        for request in web.requests():
            by_host.setdefault(request.host, []).append(request.started_at)
    assert len(by_host) == 3
    assert max(map(min, by_host.values())) < min(map(max, by_host.values())), "all at once at some time"


def test_a_cancelled_job_stops_within_seconds(make_service: MakeService) -> None:
    with TestWeb(hosts=1, pages_per_host=300) as web:
        with set_up(make_service("only").start(**QUICK)) as client:
            job = add_source(client, "long", web.seeds(), delay_s=0.1)
            wait_for_pages(client, job, 2)
            assert client.post(f"{API}/jobs/{job}/cancel").json()["status"] == "cancelled"
            (execution,) = list_executions(client, job)
            run = f"{API}/runs/{execution['run_id']}"
            stopped = wait_for(
                client, run, lambda run: not any(worker["is_alive"] for worker in run["workers"])
            )
            assert stopped["state"] == "stopped"
        asked = len(list(web.requests()))
        assert asked < 200


def test_a_source_that_is_added_elsewhere_is_heard_of_at_once(
    make_service: MakeService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with TestWeb(hosts=1, pages_per_host=3) as web, RedisServer() as redis:
        monkeypatch.setenv("TENAX_REDIS__URL", redis.url)
        # The next look is far away.
        with set_up(make_service("only").start(TENAX_JOBS__POLL_S="3600")) as client:
            data = tmp_path / "only" / "data"
            assert run_tenax("sources", "add", "news", *web.seeds(), "--data", data).code == 0
            (job,) = client.get(f"{API}/jobs").json()["items"]
            wait_for_status(client, job["id"], "completed")
