"""Lists of stock changes: the same on both databases, newest first, from an index of their own."""

from typing import Any

import pytest
from sqlalchemy import Connection, event

from tenax.errors import UsageError
from tenax.records.products import Availability
from tenax.stores import paging
from tenax.stores.access import Access
from tenax.stores.paging import ListPosition, SliceRequest
from tenax.stores.queries.items import ItemState
from tenax.stores.queries.stock_changes import StockChange, StockFilter, slice_stock_changes
from tests.support.item_rows import ItemRows
from tests.support.product_rows import ProductRows, add_offers
from tests.support.store import StoreWorker

A, B = "https://a.example/", "https://b.example/"
BIKE: dict[str, Any] = {"name": "Bike", "price": 300, "currency": "EUR", "availability": "preorder"}
OUT = {"availability": "out_of_stock"}


class Stock:
    def __init__(self, access: Access) -> None:
        self.access = access

    async def fill(self, worker: StoreWorker) -> None:
        await worker.add(A, B)

        def add(connection: Any) -> None:
            rows = ItemRows(connection, 0, 1)
            add_offers(rows, A, B)
            unnamed = {name: value for name, value in BIKE.items() if name != "availability"}
            steps = [
                (1000.0, BIKE),
                (1100.0, unnamed),
                (1200.0, BIKE),
                (1300.0, unnamed | OUT),
                (1400.0, None),
            ]
            ProductRows(rows).add(B, "bike", *steps)

        await self.access.write(add)

    async def slice(self, only: StockFilter, limit: int = 10, after: Any = None, sort: str = "-at") -> Any:
        wanted = SliceRequest(key="at", is_descending=sort == "-at", after=after, limit=limit)
        return await self.access.read(lambda connection: slice_stock_changes(connection, wanted, only))

    async def list(self, **values: Any) -> list[tuple[str, float]]:
        return [tell(each) for each in (await self.slice(StockFilter(**values))).items]


def tell(change: StockChange) -> tuple[str, float]:
    assert change.name is not None
    return change.name.split()[0], change.at


@pytest.fixture
def stock(access: Access, worker: StoreWorker, runner: Any) -> Stock:
    stock = Stock(access)
    runner.run(stock.fill(worker))
    return stock


ALL = [("Desk", 4000.0), ("Desk", 3000.0), ("Bike", 1300.0)]


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ({}, ALL),
        ({"since": 3000.0}, ALL[:2]),
        ({"until": 3000.0}, ALL[2:]),
        ({"since": 1300.5, "until": 4000.0}, ALL[1:2]),
        ({"availability": Availability.OUT_OF_STOCK}, ALL[1:]),
        ({"availability": Availability.DISCONTINUED}, []),
        ({"state": ItemState.PRESENT}, ALL[:2]),
        ({"state": ItemState.GONE}, ALL[2:]),
        ({"domain": "b.example"}, ALL[2:]),
        ({"domain": "unknown.example"}, []),
    ],
)
async def test_stock_changes_are_filtered(values: dict[str, Any], found: Any, stock: Stock) -> None:
    """A page that names no availability, a new product and one that goes are no changes of stock."""
    assert await stock.list(**values) == found


async def test_a_change_says_what_became_of_what(stock: Stock) -> None:
    back, _, sold_out = (await stock.slice(StockFilter())).items
    assert (back.old_availability, back.availability) == ("out_of_stock", "in_stock")
    assert (float(back.price), back.currency, back.url, back.domain) == (12.8, "EUR", A, "a.example")
    assert (sold_out.old_availability, sold_out.availability) == ("preorder", "out_of_stock")
    assert (back.state, sold_out.state) == (ItemState.PRESENT, ItemState.GONE)


@pytest.mark.parametrize("sort", ["at", "-at"])
async def test_a_cursor_misses_and_repeats_nothing(
    sort: str, stock: Stock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also of changes of the same instant, and while few rows are examined at once."""
    monkeypatch.setattr(paging, "FEWEST_ROWS", 2)

    def add(connection: Any) -> None:
        rows = ProductRows(ItemRows(connection, 0, 1))
        for number in range(4):
            rows.add(A, f"p{number}", (1.0, BIKE | {"name": f"p{number}"}), (1300.0, BIKE | OUT))

    await stock.access.write(add)
    seen, after = [], None
    while True:
        part = await stock.slice(StockFilter(), limit=2, after=after, sort=sort)
        seen += [each.id for each in part.items]
        if part.next is None:
            break
        after = ListPosition(*part.next)
    assert seen == [each.id for each in (await stock.slice(StockFilter(), sort=sort)).items]
    assert len(set(seen)) == 7


async def test_mistakes_are_named(stock: Stock) -> None:
    with pytest.raises(UsageError, match="no source or crawl 'unknown'"):
        await stock.list(source="unknown")
    with pytest.raises(UsageError, match="time span is empty"):
        await stock.list(since=2.0, until=1.0)
    with pytest.raises(UsageError, match="cursor"):
        await stock.slice(StockFilter(), after=ListPosition("x", 1))


async def test_the_index_of_stock_changes_answers(stock: Stock) -> None:
    """Whatever else happened to products: only their changes of stock are read."""

    def explain(connection: Connection) -> list[str]:
        asked: list[tuple[str, Any]] = []
        event.listen(
            connection,
            "before_cursor_execute",
            lambda *given: asked.append((given[2], given[3])),
        )
        wanted = SliceRequest(key="at", is_descending=True, after=None, limit=10)
        slice_stock_changes(connection, wanted, StockFilter(since=5.0))
        is_sqlite = connection.dialect.name == "sqlite"
        if not is_sqlite:
            connection.exec_driver_sql("SET LOCAL enable_seqscan = off")  # so few rows need no index
        explained = "EXPLAIN QUERY PLAN" if is_sqlite else "EXPLAIN"
        statements = [each for each in asked if "product_changes" in each[0]]
        return [
            str(connection.exec_driver_sql(f"{explained} {sql}", values).all()) for sql, values in statements
        ]

    plans = await stock.access.read(explain)
    assert len(plans) == 2
    assert all("product_changes_stock" in plan for plan in plans)
