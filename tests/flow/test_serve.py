"""The service as its users have it: real processes, a real web, orders over HTTP."""

import contextlib
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil  # type: ignore[import-untyped]
import pytest

from tenax.workers.process import ORPHANED
from tests.support.crawler import Process, assert_sound, query, wait_until
from tests.support.processes import is_running
from tests.support.redis_server import RedisServer
from tests.support.service import Service, find_url, list_children, log_in, open_client, set_up, wait_for
from tests.support.site import HostBehavior
from tests.support.web import TestWeb

RUNS = "/api/v1/runs"

MakeService = Callable[..., Service]


@pytest.fixture
def make_service(tmp_path: Path) -> Iterator[MakeService]:
    services: list[Service] = []

    def make(*options: str, name: str = "crawl", store: str | None = None, workers: int = 1) -> Service:
        services.append(Service(tmp_path / name / "data", *options, store=store, workers=workers))
        return services[-1]

    yield make
    for service in services:
        service.close()


def start_crawl(client: httpx.Client, web: TestWeb, delay_s: float = 0.0) -> int:
    answer = client.post(RUNS, json={"urls": web.seeds(), "delay_s": delay_s})
    assert answer.status_code == 201, answer.text
    return int(answer.json()["id"])


@contextlib.contextmanager
def crawling(service: Service) -> Iterator[Process]:
    """A server whose crawl has begun, and would take a while; so does a request that is under way."""
    slow = {"h0.test": HostBehavior(delay_s=2)}
    with TestWeb(hosts=2, pages_per_host=400, behaviors=slow) as web:
        process = service.start()
        with set_up(process) as client:
            run = start_crawl(client, web, delay_s=0.1)
            wait_for(client, f"{RUNS}/{run}", lambda found: found["pages"] > 3)
        yield process


def assert_given_back(service: Service) -> None:
    """Nobody holds a domain, and the run waits for whoever comes."""
    assert query(service.folder, "SELECT count(*) FROM domains WHERE claimed_by IS NOT NULL") == [(0,)]
    assert query(service.folder, "SELECT state FROM runs") == [("running",)]
    assert_sound(service.folder)


def wait_for_end(client: httpx.Client, run: int) -> None:
    wait_for(client, f"{RUNS}/{run}", lambda found: found["state"] == "done")


def is_left(run: dict[str, Any]) -> bool:
    """Nobody works on it any more."""
    return not any(worker["is_alive"] for worker in run["workers"])


def list_pages(client: httpx.Client) -> set[str]:
    return {page["url"] for page in client.get("/api/v1/pages", params={"limit": 500}).json()["items"]}


def test_a_crawl_is_started_watched_and_read_over_http(make_service: MakeService) -> None:
    service = make_service(workers=2)
    with TestWeb(hosts=2, pages_per_host=20) as web:
        process = service.start()
        with set_up(process) as client:
            run = start_crawl(client, web)
            wait_for_end(client, run)
            assert list_pages(client) == web.expected_urls()
            assert client.get("/api/v1/stats").json()["pages"] == len(web.expected_urls())
            log = client.get(f"{RUNS}/{run}/log/download").text
            assert log.count("fetched") == len(web.expected_urls())
        assert_sound(service.folder)


def test_a_crawl_goes_through_postgres_and_redis(make_service: MakeService, url: str) -> None:
    with TestWeb(hosts=2, pages_per_host=20) as web, RedisServer() as redis:
        service = make_service("--redis", redis.url, store=url, workers=2)
        with set_up(service.start()) as client:
            wait_for_end(client, start_crawl(client, web))
            assert list_pages(client) == web.expected_urls()
            assert client.get("/health").json() == {
                "status": "ok",
                "version": client.get("/health").json()["version"],
                "store": "ok",
                "redis": "ok",
                "broker": None,
                "network": "ok",
                "network_down_since": None,
            }


def test_a_run_is_paused_resumed_and_cancelled_over_http(make_service: MakeService) -> None:
    service = make_service()
    with TestWeb(hosts=1, pages_per_host=60) as web, set_up(service.start()) as client:
        run = start_crawl(client, web, delay_s=0.1)
        wait_for(client, f"{RUNS}/{run}", lambda found: found["pages"] > 3)
        assert client.post(f"{RUNS}/{run}/pause").json() == {"id": run, "state": "paused"}
        wait_for(
            client, f"{RUNS}/{run}", lambda found: not any(each["is_alive"] for each in found["workers"])
        )
        asked = len(web.requests())
        assert client.post(f"{RUNS}/{run}/pause").status_code == 409
        assert client.post(RUNS, json={"urls": web.seeds()}).status_code == 409
        assert len(web.requests()) == asked
        client.post(f"{RUNS}/{run}/resume").raise_for_status()
        wait_until(lambda: len(web.requests()) > asked + 3, "it goes on")
        assert client.post(f"{RUNS}/{run}/cancel").json()["state"] == "stopped"
        wait_for(
            client, f"{RUNS}/{run}", lambda found: not any(each["is_alive"] for each in found["workers"])
        )
        assert client.post(f"{RUNS}/{run}/resume").status_code == 409
        actions = [entry["action"] for entry in client.get("/api/v1/audit").json()["items"]]
        assert actions[:4] == ["run.resume", "run.cancel", "run.resume", "run.start"]


def test_what_was_answered_survives_the_servers_death(make_service: MakeService) -> None:
    service = make_service()
    with TestWeb(hosts=2, pages_per_host=20) as web:
        process = service.start()
        with set_up(process) as client:
            run = start_crawl(client, web)
            process.kill()
        with log_in(service.start()) as client:
            wait_for_end(client, run)
            assert list_pages(client) == web.expected_urls()
        assert_sound(service.folder)


def test_workers_end_with_the_server_that_was_killed(make_service: MakeService) -> None:
    process = make_service().start()
    shifts = list_children(process)
    assert len(shifts) == 1
    process.kill()
    wait_until(lambda: not any(is_running(shift.pid) for shift in shifts), "the workers are gone")


def test_workers_of_a_server_that_was_killed_give_everything_back(make_service: MakeService) -> None:
    """The system may tell them as often as the server had threads."""
    service = make_service()
    with crawling(service) as process:
        orphans = [each for shift in list_children(process) for each in (shift, *shift.children())]
        process.kill()
        for _ in range(5):
            for orphan in orphans:
                with contextlib.suppress(psutil.NoSuchProcess):
                    orphan.send_signal(ORPHANED)
            time.sleep(0.02)
        wait_until(
            lambda: query(service.folder, "SELECT count(*) FROM workers WHERE ended_at IS NULL") == [(0,)],
            "they have left",
        )
        assert_given_back(service)


def test_a_shift_that_dies_is_replaced(make_service: MakeService) -> None:
    process = make_service().start()
    (shift,) = list_children(process)
    shift.kill()
    wait_until(
        lambda: any(each.pid != shift.pid and each.is_running() for each in list_children(process)),
        "another one",
    )


def test_a_server_that_is_stopped_releases_everything(make_service: MakeService) -> None:
    service = make_service()
    with crawling(service) as process:
        process.send(signal.SIGTERM)
        assert process.wait().code == 0
        assert_given_back(service)


def test_two_servers_on_one_database_behave_as_one(make_service: MakeService, url: str) -> None:
    with RedisServer() as redis, TestWeb(hosts=1, pages_per_host=60) as web:
        first = make_service("--redis", redis.url, name="a", store=url).start()
        with set_up(first) as client:
            second = make_service("--redis", redis.url, name="b", store=url, workers=0).start()
            elsewhere = httpx.Client(
                base_url=find_url(second), cookies=client.cookies, headers=client.headers
            )
            with elsewhere:
                assert elsewhere.get("/api/v1/auth/session").json()["name"] == "root"
                run = start_crawl(elsewhere, web, delay_s=0.05)
                wait_for(client, f"{RUNS}/{run}", lambda found: found["pages"] > 3)
                client.post(f"{RUNS}/{run}/cancel").raise_for_status()
                assert elsewhere.get(f"{RUNS}/{run}").json()["state"] == "stopped"
                client.post("/api/v1/auth/logout").raise_for_status()
                assert elsewhere.get("/api/v1/runs").status_code == 401


def test_limits_hold_over_all_servers(make_service: MakeService, url: str) -> None:
    with RedisServer() as redis:
        processes = [
            make_service("--redis", redis.url, name=name, store=url, workers=0).start() for name in ("a", "b")
        ]
        clients = [open_client(process) for process in processes]
        statuses = [client.get("/api/v1/stats").status_code for client in clients * 6]
        for client in clients:
            client.close()
    assert statuses == [200] * 10 + [429] * 2


def test_other_machines_are_refused_without_an_administrator(tmp_path: Path) -> None:
    process = Process(
        ["--data", str(tmp_path / "crawl"), "--host", "0.0.0.0", "--port", "0"], {}, tmp_path, "serve"
    )
    ended = process.wait()
    assert ended.code == 2
    assert ended.stderr.count("\n") == 1
    assert "users add" in ended.stderr
