"""Workers that wait for their network, as the API tells it."""

import asyncio
from pathlib import Path

import pytest

from tenax.accounts.permissions import Role
from tenax.clock import SystemClock
from tenax.records.domains import BreakerState
from tenax.runtime.backends import find_backend
from tenax.stores.contracts.vitals import BackingService, ServiceBreaker, Vitals
from tenax.stores.place import Place
from tests.api.test_events import listening
from tests.support.api import run_api
from tests.support.copying import KINDS, empty_store
from tests.support.store import LEASE_S, StoreWorker

DOWN = ServiceBreaker(
    service=BackingService.NETWORK,
    state=BreakerState.OPEN,
    retry_at=None,
    reason="no name server answers",
    since=1_700_000_000.0,
)
SINCE = "2023-11-14T22:13:20"


async def join(place: Place) -> StoreWorker:
    async with find_backend(place).open_stores(place, SystemClock()) as stores:
        worker = await StoreWorker(stores.frontier, stores.runs, SystemClock()).start()
        await worker.frontier.renew(worker.id, worker.run_id, [], LEASE_S, Vitals(breakers=(DOWN,)))
        return worker


async def recover(place: Place, worker: StoreWorker) -> None:
    async with find_backend(place).open_stores(place, SystemClock()) as stores:
        await stores.frontier.renew(worker.id, worker.run_id, [], LEASE_S, Vitals())


@pytest.mark.parametrize("kind", KINDS)
def test_the_health_says_since_when_a_worker_waits_for_its_network(kind: str, tmp_path: Path) -> None:
    with empty_store(kind, tmp_path / "crawl") as store:
        asyncio.run(join(store.place))
        with run_api(store.place) as server, server.client(Role.ADMIN) as client:
            health = client.get("/health").json()
            assert (health["status"], health["network"]) == ("degraded", "down")
            assert health["network_down_since"].startswith(SINCE)
            (worker,) = client.get("/api/v1/workers").json()["items"]
            assert worker["breakers"][0]["since"].startswith(SINCE)
            assert client.get("/ready").status_code == 200, "the server itself works"


def test_the_network_is_well_while_nobody_waits_for_it(tmp_path: Path) -> None:
    with (
        empty_store("sqlite", tmp_path / "crawl") as store,
        run_api(store.place) as server,
        server.client(Role.ADMIN) as client,
    ):
        health = client.get("/health").json()
    assert (health["network"], health["network_down_since"]) == ("ok", None)


def test_an_event_tells_when_the_network_goes_and_when_it_is_back(tmp_path: Path) -> None:
    with (
        empty_store("sqlite", tmp_path / "crawl") as store,
        run_api(store.place) as server,
        listening(server, "crawler") as events,
    ):
        next(event for event in events if event["event"] == "progress")
        worker = asyncio.run(join(store.place))
        gone = next(event for event in events if event["event"] == "network")
        assert gone["data"]["down_since"].startswith(SINCE)
        shown = next(event for event in events if event["event"] == "progress")
        assert shown["data"]["network_down_since"].startswith(SINCE)
        asyncio.run(recover(store.place, worker))
        back = next(event for event in events if event["event"] == "network")
        assert back["data"]["down_since"] is None
