"""How many requests one client may run concurrently, whatever they cost."""

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from sqlalchemy import text

from tenax.accounts.permissions import Role
from tenax.api import turns
from tenax.api.errors import Problem
from tenax.api.routes import domains
from tenax.api.turns import WAITING, ClientTurns
from tenax.stores.queries.domains import slice_domains
from tests.support.api import TIMEOUT_S, ApiServer, run_api
from tests.support.copying import KINDS, empty_store

# A second or two, in the database alone.
SLOW = (
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT max(i) FROM n"
)


async def hold(waiting: ClientTurns, who: str, leave: asyncio.Event, entered: list[str]) -> None:
    async with waiting.take(who):
        entered.append(who)
        await leave.wait()


async def start_many(
    waiting: ClientTurns, who: str, number: int, leave: asyncio.Event, entered: list[str]
) -> Any:
    tasks = [asyncio.create_task(hold(waiting, who, leave, entered)) for _ in range(number)]
    for _ in range(5):
        await asyncio.sleep(0)
    return tasks


async def check_bounds() -> None:
    waiting, leave, entered = ClientTurns(3), asyncio.Event(), []  # type: ignore[var-annotated]
    tasks = await start_many(waiting, "bob", 3 + WAITING, leave, entered)
    assert entered == ["bob"] * 3
    with pytest.raises(Problem) as caught:
        await hold(waiting, "bob", leave, entered)
    assert (caught.value.status, caught.value.headers) == (503, {"Retry-After": "5"})
    others = await start_many(waiting, "alice", 1, leave, entered)
    assert entered[-1] == "alice"
    leave.set()
    await asyncio.gather(*tasks, *others)
    assert entered.count("bob") == 3 + WAITING
    assert waiting._clients == {}


async def check_patience() -> None:
    waiting, leave, entered = ClientTurns(1), asyncio.Event(), []  # type: ignore[var-annotated]
    tasks = await start_many(waiting, "bob", 1, leave, entered)
    with pytest.raises(Problem, match="1 run at a time"):
        await hold(waiting, "bob", leave, entered)
    leave.set()
    await asyncio.gather(*tasks)
    assert waiting._clients == {}


def test_some_run_some_wait_and_more_are_refused() -> None:
    asyncio.run(check_bounds())


def test_no_call_waits_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "LONGEST_WAIT_S", 0.01)
    asyncio.run(check_patience())


@pytest.fixture(params=KINDS)
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ApiServer]:
    """Whose lists of domains take long."""
    slice_plainly = slice_domains

    def slice_slowly(connection: Any, *given: Any) -> Any:
        connection.execute(text(SLOW)).scalar()
        return slice_plainly(connection, *given)

    monkeypatch.setattr(domains, "slice_domains", slice_slowly)
    folder = tmp_path_factory.mktemp("turns") / "crawl"
    with empty_store(request.param, folder) as store, run_api(store.place) as server:
        yield server


@contextlib.contextmanager
def asking_slowly(server: ApiServer, number: int) -> Iterator[list[httpx.Response]]:
    found: list[httpx.Response] = []

    def ask() -> None:
        with server.client(Role.USER) as client:
            client.timeout = httpx.Timeout(180.0)
            found.append(client.get("/api/v1/domains"))

    askers = [threading.Thread(target=ask) for _ in range(number)]
    for asker in askers:
        asker.start()
    yield found
    for asker in askers:
        asker.join(180.0)


def test_slow_queries_of_one_user_do_not_block_others(server: ApiServer) -> None:
    with server.client(Role.ADMIN) as admin, asking_slowly(server, 12) as found:
        for path in ("/health", "/api/v1/users", "/api/v1/urls", "/health"):
            assert admin.get(path, timeout=TIMEOUT_S).status_code == 200
        assert len(found) < 12
    assert {answer.status_code for answer in found} <= {200, 503}
    assert all(answer.status_code == 200 or int(answer.headers["retry-after"]) > 0 for answer in found)
