"""Stores to copy from and to, of either kind, and copying without a command."""

import asyncio
import contextlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

from pysqlite3 import dbapi2 as sqlite

from tenax.clock import SystemClock
from tenax.records.products import to_millionths
from tenax.records.runs import RunState
from tenax.runtime.backends import find_backend
from tenax.stores.change_log import LogEntry, LogPosition, read_log
from tenax.stores.copy.copier import Copier, Report, TableCheck
from tenax.stores.copy.rows import SHAPES
from tenax.stores.databases.access import open_access
from tenax.stores.databases.copying import open_rows
from tenax.stores.place import Place
from tenax.stores.schema.items import product_changes, products
from tests.support.clock import FakeClock
from tests.support.items import ItemWorker, found_item
from tests.support.postgres import Console, fresh_database, use_fake_clock, use_real_clock
from tests.support.postgres_store import Lagging
from tests.support.store import Rows, SharedStore, StoreWorker
from tests.support.stores import CRAWL, fill_place

KINDS = ["sqlite", "postgres"]
ITEM_URL = "https://items.example/"


@contextlib.contextmanager
def empty_store(kind: str, folder: Path) -> Iterator[SharedStore]:
    if kind == "postgres":
        with fresh_database() as url, closing(Console(url)) as console:
            yield SharedStore(place=Place(folder=folder, url=url), query=console.query)
    else:
        place = Place(folder=folder)
        find_backend(place).migrate(place)
        with closing(sqlite.connect(folder / "tenax.db", isolation_level=None)) as connection:
            yield SharedStore(place=place, query=lambda sql: connection.execute(sql).fetchall())


def fill(store: SharedStore, *, is_ended: bool = True) -> None:
    """Fill it with the crawl of stores.py, long ago."""
    with long_ago(store) as clock:
        fill_place(store.place, clock, is_ended=is_ended)


@contextlib.contextmanager
def long_ago(store: SharedStore) -> Iterator[FakeClock]:
    """Make the store use this clock meanwhile."""
    clock = FakeClock()
    if store.place.url is None:
        store.query("DELETE FROM store_clock")
        yield clock
        return
    with closing(Console(store.place.url)) as console:
        use_fake_clock(console, clock)
        yield clock
        use_real_clock(console)


def go_on(store: SharedStore) -> StoreWorker:
    """Start a worker that joins the crawl now and stays."""
    return asyncio.run(_go_on(store.place))


async def _go_on(place: Place) -> StoreWorker:
    async with find_backend(place).open_stores(place, SystemClock()) as stores:
        own = stores.of_source((await stores.crawls.ensure(CRAWL)).id)
        worker = await StoreWorker(own.frontier, own.runs, stores.clock).start()
        await worker.add("https://new.example/")
        return worker


def show_items(store: SharedStore, *prices: float) -> None:
    """A run with a page that shows an item with one price after the other."""
    asyncio.run(_show_items(store.place, prices))


async def _show_items(place: Place, prices: Sequence[float]) -> None:
    async with find_backend(place).open_stores(place, SystemClock()) as stores:
        worker = await StoreWorker(stores.frontier, stores.runs, Lagging(stores.clock)).start()
        await worker.add_seeds(ITEM_URL)
        shop = await ItemWorker(worker).begin(ITEM_URL)
        for price in prices:
            await shop.visit_again(ITEM_URL)
            await shop.show(ITEM_URL, found_item("x", price=price))
        for lease in shop.leases.values():
            await worker.release(lease)
        await stores.runs.end_run(worker.run_id, RunState.STOPPED, worker.id)


async def read_whole_log(place: Place, after: LogPosition) -> list[LogEntry]:
    async with open_access(place) as access:
        return await access.read(partial(read_log, after=after, limit=100))


def no_report(step: str, table: str, done: int, total: int) -> None:
    pass


def copy(
    source: SharedStore, destination: SharedStore, report: Report = no_report, rows_at_once: int = 3
) -> list[TableCheck]:
    return asyncio.run(_copy(source.place, destination.place, report, rows_at_once))


async def _copy(source: Place, destination: Place, report: Report, rows_at_once: int) -> list[TableCheck]:
    clock = SystemClock()
    async with open_rows(source, clock) as there, open_rows(destination, clock) as here:
        return await Copier(there, here, report, rows_at_once).copy()


def compare(source: SharedStore, destination: SharedStore) -> list[TableCheck]:
    return asyncio.run(_compare(source.place, destination.place))


async def _compare(source: Place, destination: Place) -> list[TableCheck]:
    clock = SystemClock()
    async with open_rows(source, clock) as there, open_rows(destination, clock) as here:
        return await Copier(there, here, no_report).compare()


def read_products(store: SharedStore) -> list[tuple[Any, ...]]:
    """All columns of products and their history, with prices in millionths."""
    found = []
    for table in (products, product_changes):
        rows = store.query(f"SELECT {', '.join(table.c.keys())} FROM {table.name} ORDER BY 1")
        found += [tuple(map(_to_millionths, row)) for row in rows]
    return found


def _to_millionths(value: Any) -> Any:
    return to_millionths(value) if isinstance(value, Decimal) else value


def read_rows(store: SharedStore) -> dict[str, Rows]:
    """Read all rows of the crawl without the code under test; entries of the change log without the numbers
    of their transactions, which mean nothing in another store."""
    rows = {
        shape.name: sorted(
            store.query(f"SELECT {', '.join(shape.columns)} FROM {shape.name}"),
            key=lambda row, place=shape.columns.index(shape.key): row[place],  # type: ignore[misc]
        )
        for shape in SHAPES
    }
    rows["change_log"] = [(row[0], *row[2:]) for row in rows["change_log"]]
    return rows
