"""Politeness receipts of domains with a long log: counted once for all callers."""

import asyncio
import threading
import time
from collections.abc import Iterator
from functools import partial

import httpx
import pytest

from tenax.accounts.permissions import Role
from tenax.api import receipts
from tenax.runtime.backends import find_backend
from tenax.stores.databases.access import open_access
from tenax.stores.place import Place
from tenax.stores.queries.receipts import count_on
from tests.support.api import TIMEOUT_S, ApiServer, run_api
from tests.support.clock import START
from tests.support.copying import KINDS, empty_store
from tests.support.visits import add_visited

NAME = "long.example"
VISITS = 5000
PATH = f"/api/v1/domains/{NAME}/receipt"


async def fill(place: Place, number: int) -> None:
    async with open_access(place) as access:
        await access.write(partial(add_visited, name=NAME, starts=[START + each for each in range(number)]))


@pytest.fixture(params=KINDS)
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ApiServer]:
    monkeypatch.setattr(receipts, "STEP", 500)
    with empty_store(request.param, tmp_path_factory.mktemp("receipts") / "crawl") as store:
        find_backend(store.place).migrate(store.place)
        asyncio.run(fill(store.place, VISITS))
        with run_api(store.place) as server:
            yield server


def test_it_is_counted_once_for_all_who_ask(server: ApiServer, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = []

    def count_noted(*given: object, **named: object) -> object:
        steps.append(threading.current_thread())
        return count_on(*given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(receipts, "count_on", count_noted)
    found: list[httpx.Response] = []

    def ask() -> None:
        with server.client(Role.USER) as client:
            found.append(client.get(PATH))

    askers = [threading.Thread(target=ask) for _ in range(8)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join(TIMEOUT_S)
    assert {answer.status_code for answer in found} == {200}
    assert {answer.text for answer in found} == {found[0].text}
    receipt = found[0].json()
    assert (receipt["requests"], receipt["smallest_gap_s"], receipt["median_gap_s"]) == (VISITS, 1.0, 1.0)
    assert len(steps) == VISITS // 500 + 1
    with server.client() as client:
        assert client.get(PATH).json()["requests"] == VISITS
    assert len(steps) == VISITS // 500 + 1


def test_a_caller_that_would_wait_too_long_gets_the_progress(
    server: ApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receipts, "LONGEST_WAIT_S", 0.0)
    until = time.monotonic() + TIMEOUT_S
    with server.client(Role.USER) as client:
        first = client.get(PATH)
        assert (first.status_code, first.headers["retry-after"]) == (503, "5")
        assert f"is being counted: 0 of {VISITS:,} requests so far." in first.json()["detail"]
        while (answer := client.get(PATH)).status_code == 503:
            assert time.monotonic() < until
            time.sleep(0.05)
    assert answer.json()["requests"] == VISITS
