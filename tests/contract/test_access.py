"""The contract of stores/access.py, for both databases."""

import asyncio
import time

import pytest
from sqlalchemy import Connection, insert, select, text, update

from tenax.errors import StoreBusy, StoreError, StoreSlow
from tenax.stores.access import Lane
from tenax.stores.databases.access import open_access
from tenax.stores.deadlines import iter_in_time
from tenax.stores.schema.seeds import seeds
from tests.support.store import SharedStore

pytestmark = pytest.mark.usefixtures("runner")

COUNT_LONG = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"


def add_seed(connection: Connection, url: str = "https://a.example/", rank: int = 0) -> None:
    connection.execute(insert(seeds).values(url=url, cause="user", added_at=0.0, rank=rank))


def list_seeds(connection: Connection) -> list[str]:
    return list(connection.scalars(select(seeds.c.url)))


async def test_what_was_written_can_be_read(shared: SharedStore) -> None:
    async with open_access(shared.place) as access:
        await access.write(add_seed)
        assert await access.read(list_seeds) == ["https://a.example/"]
    assert shared.query("SELECT url FROM seeds")[0][0] == "https://a.example/"


async def test_a_write_that_raises_leaves_nothing(shared: SharedStore) -> None:
    def fail(connection: Connection) -> None:
        add_seed(connection)
        raise RuntimeError("no")

    async with open_access(shared.place) as access:
        with pytest.raises(RuntimeError):
            await access.write(fail)
        assert await access.read(list_seeds) == []


async def test_a_reader_cannot_write(shared: SharedStore) -> None:
    async with open_access(shared.place) as access:
        with pytest.raises(StoreError):
            await access.read(add_seed)


async def test_a_question_that_takes_too_long_is_ended_and_others_are_answered(shared: SharedStore) -> None:
    async with open_access(shared.place, readers=1, read_s=0.3) as access:
        with pytest.raises(StoreSlow):
            await access.read(lambda connection: connection.execute(text(COUNT_LONG)).scalar())
        assert await access.read(list_seeds) == []


async def test_orders_at_the_same_time_all_count(shared: SharedStore) -> None:
    def raise_rank(connection: Connection) -> None:
        connection.execute(update(seeds).values(rank=seeds.c.rank + 1))

    async with open_access(shared.place) as access:
        await access.write(add_seed)
        await asyncio.gather(*(access.write(raise_rank) for _ in range(40)))
        assert await access.read(lambda connection: connection.scalar(select(seeds.c.rank))) == 40


async def test_more_questions_than_readers_wait_for_their_turn(shared: SharedStore) -> None:
    async with open_access(shared.place, readers=2) as access:
        found = await asyncio.gather(*(access.read(list_seeds) for _ in range(50)))
    assert found == [[]] * 50


async def test_a_caller_that_leaves_does_not_take_its_order_back(shared: SharedStore) -> None:
    async with open_access(shared.place) as access:
        task = asyncio.create_task(access.write(add_seed))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert len(shared.query("SELECT url FROM seeds")) == 1


async def test_many_short_statements_are_ended_together(shared: SharedStore) -> None:
    def ask_forever(connection: Connection) -> None:
        while True:
            connection.execute(text("SELECT 1")).all()

    async with open_access(shared.place, readers=1, read_s=0.3) as access:
        with pytest.raises(StoreSlow):
            await access.read(ask_forever)
        assert await access.read(list_seeds) == []


async def test_python_between_rows_is_ended(shared: SharedStore) -> None:
    def work_through(connection: Connection) -> None:
        rows = [1] * 1_000_000
        for _ in iter_in_time(connection, rows):
            time.sleep(0.0001)

    async with open_access(shared.place, readers=1, read_s=0.3) as access:
        with pytest.raises(StoreSlow):
            await access.read(work_through)
        assert await access.read(list_seeds) == []


async def test_the_wait_for_a_reader_ends_too(shared: SharedStore) -> None:
    async with open_access(shared.place, readers=1, read_s=0.5) as access:
        slow = [lambda connection: connection.execute(text(COUNT_LONG)).scalar()] * 20
        found = await asyncio.gather(*map(access.read, slow), return_exceptions=True)
        assert {type(each) for each in found} <= {StoreSlow, StoreBusy}
        assert await access.read(list_seeds) == []


async def test_who_asks_at_the_door_waits_for_no_question(shared: SharedStore) -> None:
    async with open_access(shared.place, readers=2, read_s=3.0) as access:
        slow = [
            asyncio.create_task(access.read(lambda connection: connection.execute(text(COUNT_LONG)).scalar()))
            for _ in range(6)
        ]
        await asyncio.sleep(0.1)
        assert await access.read(list_seeds, Lane.DOOR) == []
        assert not any(task.done() for task in slow)
        for task in slow:
            task.cancel()
        await asyncio.gather(*slow, return_exceptions=True)
