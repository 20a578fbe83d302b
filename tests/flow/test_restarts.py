"""A run that was ordered over HTTP outlives every process that works on it: it ends when it is done, out of
budget or cancelled, and never because somebody went away."""

import contextlib
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import psutil  # type: ignore[import-untyped]
import pytest

from tenax.errors import InternalError, StoreDamaged, StoreFull, StoreGivenUp
from tenax.stores.contracts.batches import Batch, Settled
from tenax.stores.sqlite.frontier.frontier import SqliteFrontier
from tests.flow.conftest import MakeMachine
from tests.support.crawler import Where, assert_complete, query, wait_until
from tests.support.running import crawl
from tests.support.scripted import ScriptedWeb, page
from tests.support.service import Service, log_in, set_up, wait_for
from tests.support.web import TestWeb

RUNS = "/api/v1/runs"
HOSTS, PAGES = 2, 40
DELAY_S = 0.05
STOPPED = 3

MakeService = Callable[..., Service]


@pytest.fixture
def make_service(tmp_path: Path) -> Iterator[MakeService]:
    services: list[Service] = []

    def make(store: str | None = None, workers: int = 1) -> Service:
        services.append(Service(tmp_path / "crawl" / "data", store=store, workers=workers))
        return services[-1]

    yield make
    for service in services:
        service.close()


@pytest.fixture
def web() -> Iterator[TestWeb]:
    with TestWeb(hosts=HOSTS, pages_per_host=PAGES) as web:
        yield web


def order_crawl(client: httpx.Client, web: TestWeb, delay_s: float = DELAY_S) -> int:
    answer = client.post(RUNS, json={"urls": web.seeds(), "delay_s": delay_s})
    assert answer.status_code == 201, answer.text
    run = int(answer.json()["id"])
    wait_for(client, f"{RUNS}/{run}", lambda found: found["pages"] > 3)
    return run


def assert_left_open(where: Where, state: str = "running") -> None:
    """Nobody is at it, much is left, and it waits for whoever comes."""
    wait_until(
        lambda: query(where, "SELECT 1 FROM workers WHERE ended_at IS NULL") == [], "the workers have left"
    )
    assert query(where, "SELECT state, ended_at FROM runs") == [(state, None)]
    assert query(where, "SELECT count(*) > 20 FROM urls WHERE due_at IS NOT NULL") in ([(True,)], [(1,)])


def wait_for_end(client: httpx.Client, run: int, where: Where, web: TestWeb) -> None:
    wait_for(client, f"{RUNS}/{run}", lambda found: found["state"] != "running")
    assert_complete(where, web)
    assert query(where, "SELECT state FROM runs") == [("done",)], "one run, which has come to its end"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("backend", ["sqlite", "postgres"])
def test_a_run_goes_on_when_its_server_is_back(
    make_service: MakeService, web: TestWeb, url: str, backend: str, number: signal.Signals
) -> None:
    service = make_service(store=url if backend == "postgres" else None)
    where: Where = url if backend == "postgres" else service.folder
    process = service.start()
    with set_up(process) as client:
        run = order_crawl(client, web)
    process.send(number)  # to the server alone
    process.wait()
    assert_left_open(where)
    asked = len(web.requests())
    with log_in(service.start()) as client:
        wait_for_end(client, run, where, web)
    assert len(web.requests()) > asked


def test_a_run_nobody_is_at_is_running_and_the_doctor_says_so(
    make_service: MakeService, web: TestWeb
) -> None:
    service = make_service()
    process = service.start()
    with set_up(process) as client:
        run = order_crawl(client, web)
    process.send(signal.SIGTERM)
    assert process.wait().code == 0
    assert_left_open(service.folder)
    idle = Service(service.folder, workers=0)
    try:
        with log_in(idle.start()) as client:
            found = client.get(f"{RUNS}/{run}").json()
            assert (found["state"], found["ended_at"]) == ("running", None)
            assert [each["workers"] for each in client.get(f"{RUNS}/under-way").json()["runs"]] == [0]
            assert client.get("/api/v1/doctor").json()["code"] == "no_worker"
    finally:
        idle.close()


def test_a_paused_run_is_paused_when_its_server_is_back(make_service: MakeService, web: TestWeb) -> None:
    service = make_service()
    process = service.start()
    with set_up(process) as client:
        run = order_crawl(client, web)
        client.post(f"{RUNS}/{run}/pause").raise_for_status()
    # At once: its workers may not have heard of the pause yet.
    process.send(signal.SIGTERM)
    assert process.wait().code == 0
    assert_left_open(service.folder, "paused")
    asked = len(web.requests())
    with log_in(service.start()) as client:
        assert client.get(f"{RUNS}/{run}").json()["state"] == "paused"
        assert len(web.requests()) == asked
        client.post(f"{RUNS}/{run}/resume").raise_for_status()
        wait_for_end(client, run, service.folder, web)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_run_outlives_the_processes_beside_the_server(
    make_service: MakeService, number: signal.Signals
) -> None:
    """From the shift that the server keeps to the workers at the run, each by itself."""
    service = make_service()
    process = service.start()
    # More than a busy machine can be done with meanwhile.
    with TestWeb(hosts=2, pages_per_host=800) as web, set_up(process) as client:
        run = order_crawl(client, web, delay_s=0.2)
        for depth in range(3):
            pages = query(service.folder, "SELECT pages FROM runs")[0][0]
            wait_until(
                lambda depth=depth: find_descendants(process.pid, depth),  # type: ignore[misc]
                "somebody is there",
            )
            for each in find_descendants(process.pid, depth):
                with contextlib.suppress(psutil.NoSuchProcess):
                    each.send_signal(number)
            wait_for(
                client,
                f"{RUNS}/{run}",
                lambda found, pages=pages: found["pages"] > pages + 3,  # type: ignore[misc]
            )
        assert query(service.folder, "SELECT state FROM runs") == [("running",)]
        client.post(f"{RUNS}/{run}/cancel").raise_for_status()


def find_descendants(pid: int, depth: int) -> list[psutil.Process]:
    """The shift, the hand that has the run, or its workers."""
    found = list(psutil.Process(pid).children())
    # One that has just ended has none.
    with contextlib.suppress(psutil.NoSuchProcess):
        for _ in range(depth):
            found = [child for each in found for child in each.children()]
        return found
    return []


def test_a_run_goes_on_when_the_only_machine_is_back(
    make_service: MakeService, make_machine: MakeMachine, web: TestWeb, url: str
) -> None:
    with set_up(make_service(store=url, workers=0).start()) as client:
        machine = make_machine("machine", url)
        process = machine.start()
        run = order_crawl(client, web)
        process.send(signal.SIGINT)
        assert process.wait().code == STOPPED
        assert_left_open(url)
        machine.start()
        wait_for_end(client, run, url, web)


@pytest.mark.parametrize(
    ("error", "raised", "state"),
    [
        (StoreFull(), StoreGivenUp, "running"),
        (StoreDamaged(), StoreDamaged, "failed"),
        (ZeroDivisionError(), InternalError, "failed"),
    ],
)
def test_trouble_that_may_pass_leaves_the_run_open(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    raised: type[Exception],
    state: str,
) -> None:
    async def fail(self: SqliteFrontier, batch: Batch) -> Settled:
        raise error

    with ScriptedWeb({"a.test": {"/": page("Home", "/p"), "/p": page("Page")}}) as web:
        with monkeypatch.context() as patched:
            patched.setattr(SqliteFrontier, "settle", fail)
            with pytest.raises(raised):
                crawl(tmp_path, [web.url("a.test")], worker={"disk_full_wait_s": 0.2, "drain_s": 0.2})
        assert query(tmp_path, "SELECT state FROM runs") == [(state,)]
        assert crawl(tmp_path, [web.url("a.test")]).tally.pages == 2
    runs = [("done",)] if state == "running" else [(state,), ("done",)]
    assert query(tmp_path, "SELECT state FROM runs ORDER BY id") == runs
