"""Audits that servers make by themselves: once per interval, by one server, whatever dies."""

import asyncio
from functools import partial

import pytest

from tenax.jobs.sources.audits import audit_due_sources, list_due
from tenax.stores.access import Access
from tenax.stores.commands.item_audits import CLAIM_S, claim_audit, end_audit
from tenax.stores.connection import Connection
from tenax.stores.schema.items import items
from tenax.stores.schema.jobs import sources
from tests.support.audits import make_audit
from tests.support.clock import FakeClock
from tests.support.items import ItemWorker, found_item
from tests.support.store import StoreUnderTest, StoreWorker

URL = "https://a.example/"
HOUR_S = 3_600.0
DEFINITION = '{"name": "Cars", "seeds": ["https://a.example/"], "audit_every_h": 2}'


class Server:
    def __init__(self, access: Access, clock: FakeClock, usual_h: float = 0) -> None:
        self.access, self.clock, self.usual_h = access, clock, usual_h

    async def look(self) -> None:
        now = self.clock.now()
        await audit_due_sources(self.access, lambda connection: now, self.usual_h)

    async def claim(self, source_id: int) -> int | None:
        now = self.clock.now()
        return await self.access.write(lambda connection: claim_audit(connection, source_id, 2 * HOUR_S, now))

    async def end(self, source_id: int, claim: int) -> bool:
        audit = make_audit(self.clock.now())
        return await self.access.write(partial(end_audit, source_id=source_id, claim=claim, audit=audit))


@pytest.fixture
def server(access: Access, clock: FakeClock) -> Server:
    return Server(access, clock)


@pytest.fixture
def cars(access: Access, worker: StoreWorker, runner: asyncio.Runner) -> int:
    """A source with an item."""
    shop = runner.run(ItemWorker(worker).begin(URL))
    runner.run(shop.show(URL, found_item("x", name="x")))
    return runner.run(access.write(add_source))


def add_source(connection: Connection, definition: str = DEFINITION) -> int:
    values = {"name": "Cars", "key": "cars", "kind": "source", "enabled": 1, "definition": definition}
    added = sources.insert().values(**values, created_at=1.0, updated_at=1.0).returning(sources.c.id)
    source_id = connection.scalar(added)
    assert source_id is not None
    connection.execute(items.update().values(source_id=source_id))
    found: int = source_id
    return found


def count_kept(store: StoreUnderTest, source_id: int) -> int:
    ((number,),) = store.query(f"SELECT count(*) FROM item_audits WHERE source_id = {source_id}")
    assert isinstance(number, int)
    return number


async def test_a_source_is_audited_once_per_interval(
    server: Server, cars: int, store: StoreUnderTest, clock: FakeClock
) -> None:
    await server.look()
    await server.look()
    assert store.query("SELECT source_id, items, since - at FROM item_audits") == [(cars, 1, -7 * 86_400.0)]
    clock.advance(2 * HOUR_S - 1)
    await server.look()
    assert count_kept(store, cars) == 1
    clock.advance(1)
    await server.look()
    assert count_kept(store, cars) == 2
    assert store.query("SELECT name FROM marks WHERE name LIKE 'item_audit.%'") == []


async def test_of_several_servers_one_audits(server: Server, cars: int, store: StoreUnderTest) -> None:
    await asyncio.gather(*(server.look() for _ in range(4)))
    assert count_kept(store, cars) == 1


async def test_a_server_that_dies_at_it_is_replaced_when_its_claim_ends(
    server: Server, cars: int, store: StoreUnderTest, clock: FakeClock
) -> None:
    claim = await server.claim(cars)
    assert claim is not None
    await server.look()
    assert count_kept(store, cars) == 0
    clock.advance(CLAIM_S + 1)
    await server.look()
    assert count_kept(store, cars) == 1
    assert not await server.end(cars, claim)
    assert count_kept(store, cars) == 1


async def test_a_server_that_was_slow_keeps_nothing_beside_its_successor(
    server: Server, cars: int, store: StoreUnderTest, clock: FakeClock
) -> None:
    slow = await server.claim(cars)
    clock.advance(CLAIM_S + 1)
    other = await server.claim(cars)
    assert slow is not None
    assert other is not None
    assert not await server.end(cars, slow)
    assert await server.end(cars, other)
    assert not await server.end(cars, other)
    assert count_kept(store, cars) == 1


async def test_who_looked_before_another_server_kept_its_result_claims_nothing(
    server: Server, cars: int, access: Access, clock: FakeClock
) -> None:
    now = clock.now()
    (due,) = await access.read(lambda connection: list_due(connection, now, 0))
    await server.look()
    assert await server.claim(due.source_id) is None


@pytest.mark.parametrize(
    ("values", "usual_h", "number"),
    [
        ({"definition": '{"name": "Cars", "seeds": ["https://a.example/"]}'}, 0, 0),
        ({"definition": '{"name": "Cars", "seeds": ["https://a.example/"]}'}, 3, 1),
        ({"definition": DEFINITION.replace("2}", "0}")}, 3, 0),
        ({"enabled": 0}, 3, 0),
        ({"definition": "{}"}, 3, 0),
    ],
)
async def test_the_source_or_else_the_server_says_how_often(
    values: dict[str, object],
    usual_h: float,
    number: int,
    access: Access,
    cars: int,
    store: StoreUnderTest,
    clock: FakeClock,
) -> None:
    await access.write(lambda connection: connection.execute(sources.update().values(**values)))
    await Server(access, clock, usual_h).look()
    assert count_kept(store, cars) == number


async def test_a_crawl_by_hand_has_the_setting_of_its_last_run(
    server: Server, cars: int, access: Access, store: StoreUnderTest
) -> None:
    await access.write(lambda connection: connection.execute(sources.update().values(kind="crawl")))
    await server.look()
    assert count_kept(store, cars) == 0
    settings = '{"parsers": {"audit_every_h": 24}}'

    def set_settings(connection: Connection) -> None:
        connection.exec_driver_sql(f"UPDATE runs SET settings = '{settings}', source_id = {cars}")

    await access.write(set_settings)
    await server.look()
    assert count_kept(store, cars) == 1


async def test_a_source_without_items_is_not_audited(
    server: Server, access: Access, store: StoreUnderTest, worker: StoreWorker
) -> None:
    source_id = await access.write(add_source)
    await server.look()
    assert count_kept(store, source_id) == 0
