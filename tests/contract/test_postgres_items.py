"""Items on PostgreSQL while several workers write the same ones."""

import asyncio
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from tenax.records.visits import Visit
from tenax.stores.change_log import START, LogPosition, adopt_log, find_end, find_log_cursor, read_log
from tenax.stores.databases.access import open_access
from tenax.stores.place import Place
from tests.support.items import ItemWorker, found_item, parsing
from tests.support.postgres import Console
from tests.support.postgres_store import open_worker, wait_until_blocked

pytestmark = pytest.mark.usefixtures("runner")

A, B = "https://a.example/", "https://b.example/"
KEYS = [f"{number:03}" for number in range(60)]


async def split(one: ItemWorker, two: ItemWorker) -> None:
    """The first worker keeps a.example, the second one gets b.example."""
    await one.begin(A)
    await two.begin(B)


def show_all(worker: ItemWorker, url: str, keys: list[str], price: int) -> Visit:
    return worker.make_visit(url, parsing(*(found_item(key, price=price) for key in keys)))


async def wait_for_waiting(console: Console, number: int) -> None:
    """Wait until so many sessions wait for locks."""
    waiting = (
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE datname = current_database() AND wait_event_type = 'Lock'"
    )
    async with asyncio.timeout(10):
        while console.query(waiting) != [(number,)]:  # noqa: ASYNC110, the server does not notify
            await asyncio.sleep(0.01)


async def test_workers_that_save_the_same_items_in_opposite_order_do_not_wait_for_each_other(
    url: str, console: Console
) -> None:
    async with open_worker(url) as first, open_worker(url) as second:
        one, two = ItemWorker(first), ItemWorker(second)
        await split(one, two)
        for price in range(6):
            await asyncio.gather(
                one.settle(show_all(one, A, KEYS, price)), two.settle(show_all(two, B, KEYS[::-1], -price))
            )
    assert console.query("SELECT count(*) FROM items") == [(len(KEYS),)]
    assert console.query("SELECT count(*) FROM observations") == [(2 * len(KEYS),)]
    assert console.query("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()") == [
        (0,)
    ]
    # Each item's history leads to what it is now.
    rows = console.query(
        "SELECT i.changes, count(*), count(*) FILTER (WHERE c.kind = 'new'),"
        " i.data::jsonb -> 'price' = (array_agg(c.fields::jsonb -> 'price' -> 1 ORDER BY c.id DESC))[1]"
        " FROM items i JOIN item_changes c ON c.item_id = i.id GROUP BY i.id"
    )
    assert all(row == (row[1], row[1], 1, True) for row in rows)


async def test_an_item_that_another_worker_adds_meanwhile_is_one_item(url: str, console: Console) -> None:
    async with open_worker(url) as first, open_worker(url) as second:
        one, two = ItemWorker(first), ItemWorker(second)
        await split(one, two)
        # The first worker stops at the run's row, after it has written its items.
        console.execute("BEGIN; SELECT 1 FROM runs FOR UPDATE")
        settling = asyncio.create_task(one.settle(show_all(one, A, ["x"], 1)))
        await wait_until_blocked(console)
        waiting = asyncio.create_task(two.settle(show_all(two, B, ["x"], 2)))
        with closing(Console(url)) as other:
            await wait_for_waiting(other, 2)
        console.execute("COMMIT")
        await asyncio.gather(settling, waiting)
    assert console.query("SELECT kind FROM item_changes ORDER BY id") == [("new",), ("changed",)]
    assert console.query("SELECT data, changes FROM items") == [('{"price":2}', 2)]


async def test_no_entry_is_missed_although_commits_come_out_of_order(
    url: str, console: Console, tmp_path: Path
) -> None:
    insert = (
        "INSERT INTO change_log (xid, at, topic, source_id, subject_id)"
        " VALUES (pg_current_xact_id()::text::bigint, 0, 'item', 0, {})"
    )
    got: list[int] = []
    position = START
    async with open_access(Place(folder=tmp_path, url=url)) as access:

        async def read() -> list[int]:
            nonlocal position
            entries = await access.read(partial(read_log, after=position, limit=10))
            if entries:
                position = entries[-1].position
            return [entry.subject_id for entry in entries]

        with closing(Console(url)) as early, closing(Console(url)) as late:
            early.execute("BEGIN; " + insert.format(1))
            late.execute("BEGIN; " + insert.format(2))
            late.execute("COMMIT")
            # The second one is committed, but the first one could still come before it.
            assert await read() == []
            assert await access.read(find_end) == START
            early.execute(insert.format(3))
            early.execute("COMMIT")
            got += await read()
            assert got == [1, 3, 2]
            early.execute("BEGIN; " + insert.format(4))
            early.execute("ROLLBACK")
            late.execute(insert.format(5))
            got += await read()
    assert got == [1, 3, 2, 5]
    assert position > LogPosition(0, 0)


async def test_the_log_of_a_restored_dump_is_read_on(url: str, console: Console, tmp_path: Path) -> None:
    """Another server numbers its transactions otherwise: here, they are in the future."""
    entry = "INSERT INTO change_log (xid, at, topic, source_id, subject_id) VALUES ({}, 0, 'item', 0, {})"
    for xid, subject in ((9 * 10**15 + 5, 1), (9 * 10**15 + 7, 2), (9 * 10**15 + 6, 3)):
        console.execute(entry.format(xid, subject))
    console.execute(f"INSERT INTO log_cursors VALUES ('sync', {9 * 10**15 + 6}, 3)")
    console.execute(entry.format("pg_current_xact_id()::text::bigint", 4))
    async with open_access(Place(folder=tmp_path, url=url)) as access:
        await access.write(partial(adopt_log, now=0.0))
        await access.write(partial(adopt_log, now=0.0))
        entries = await access.read(partial(read_log, after=START, limit=10))
        assert [entry.subject_id for entry in entries] == [1, 2, 3, 4]
        cursor = await access.read(partial(find_log_cursor, name="sync"))
        assert cursor is not None
        left = await access.read(partial(read_log, after=cursor, limit=10))
    assert [entry.subject_id for entry in left] == [2, 3, 4]
