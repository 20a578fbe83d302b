"""Lists of products: filters, orders and cursors are the same on both databases, and prices are exact."""

from decimal import Decimal
from typing import Any

import pytest

from tenax.errors import UsageError
from tenax.records.products import Availability
from tenax.stores.access import Access
from tenax.stores.paging import ListPosition, SliceRequest
from tenax.stores.queries import products as queries
from tenax.stores.queries.items import ItemState
from tenax.stores.queries.products import (
    ProductFilter,
    find_product,
    find_shown_products,
    list_currencies,
    slice_product_history,
    slice_products,
)
from tests.support.item_rows import ItemRows
from tests.support.product_rows import ProductRows, add_offers
from tests.support.store import StoreWorker

A, B = "https://a.example/", "https://b.example/"
EUR: dict[str, Any] = {"currency": "EUR"}
USD: dict[str, Any] = {"currency": "USD"}


class Offers:
    def __init__(self, access: Access) -> None:
        self.access = access

    async def fill(self, worker: StoreWorker) -> None:
        await worker.add(A, B)

        def add(connection: Any) -> None:
            self.lamp, self.floor, self.chair, self.sofa = add_offers(ItemRows(connection, 0, 1), A, B)

        await self.access.write(add)

    async def add_prices(self, *prices: float) -> None:
        def add(connection: Any) -> None:
            rows = ProductRows(ItemRows(connection, 0, 1))
            for number, price in enumerate(prices):
                data = {"name": f"p{number}", "price": price, "currency": "GBP"}
                rows.add(A, f"p{number}", (1000.0 + number, data))

        await self.access.write(add)

    async def slice(self, only: ProductFilter, sort: str = "id", limit: int = 10, after: Any = None) -> Any:
        key = sort.lstrip("-")
        wanted = SliceRequest(key=key, is_descending=sort[0] == "-", after=after, limit=limit)
        return await self.access.read(lambda connection: slice_products(connection, wanted, only))

    async def names(self, only: ProductFilter, sort: str = "id") -> list[str]:
        return [each.name.split()[0] for each in (await self.slice(only, sort)).items]


@pytest.fixture
def offers(access: Access, worker: StoreWorker, runner: Any) -> Offers:
    offers = Offers(access)
    runner.run(offers.fill(worker))
    return offers


FILTERS: list[tuple[dict[str, Any], list[str]]] = [
    ({}, ["Desk", "floor", "Chair", "Sofa"]),
    (EUR, ["Desk", "Chair", "Sofa"]),
    ({**EUR, "price_min": Decimal("12.8"), "price_max": Decimal("59.9")}, ["Desk", "Chair"]),
    ({**EUR, "price_max": Decimal("12.799999")}, []),
    ({**USD, "price_min": Decimal("2879.20")}, ["floor"]),
    ({"availability": Availability.IN_STOCK}, ["Desk"]),
    ({"brand": "lumen"}, ["Desk", "floor"]),
    ({"category": "home"}, ["Desk", "floor", "Chair"]),
    ({"category": "Home>Lamps"}, ["Desk", "floor"]),
    ({"category": "lamps"}, []),
    ({"category": "%"}, []),
    ({"domain": "a.example"}, ["Desk"]),
    ({"domain": "unknown.example"}, []),
    ({"rating_min": 3.5}, ["Desk"]),
    ({"text": "ÅNGSTRÖM desk"}, ["Desk"]),
    ({"text": "LAMP"}, ["Desk", "floor"]),
    ({"text": "lamp chair"}, []),
    ({"text": "_"}, []),
    ({"sku": "L-1"}, ["Desk"]),
    ({"gtin": "4006381333931"}, ["Desk"]),
    ({"state": ItemState.GONE}, ["Sofa"]),
    ({"state": ItemState.PRESENT}, ["Desk", "floor", "Chair"]),
    ({"reduced_since": 1500.0}, ["Desk", "Sofa"]),
    ({"reduced_since": 1501.0}, ["Desk"]),
    ({"drop_min": 0.15}, ["Desk"]),
    ({"since": 1500.0, "until": 1600.0}, ["Chair"]),
]


@pytest.mark.parametrize("is_narrow", [True, False])
async def test_products_are_filtered(
    is_narrow: bool, offers: Offers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether few rows match, which are sorted, or many, which are examined in the order of the list."""
    monkeypatch.setattr(queries, "MOST_SORTED", 5_000 if is_narrow else -1)
    for values, names in FILTERS:
        only = ProductFilter(**values)
        assert (values, await offers.names(only)) == (values, names)
        assert (values, set(await offers.names(only, "-updated_at"))) == (values, set(names))


@pytest.mark.parametrize(
    ("sort", "values", "names"),
    [
        ("-updated_at", {}, ["Desk", "Sofa", "Chair", "floor"]),
        ("name", {}, ["Chair", "Desk", "floor", "Sofa"]),
        ("price", EUR, ["Desk", "Chair", "Sofa"]),
        ("-price", {**EUR, "state": ItemState.PRESENT}, ["Chair", "Desk"]),
        ("-rating", {}, ["Desk", "floor"]),
        ("-drop", {}, ["Desk", "Sofa"]),
        ("created_at", {}, ["Desk", "floor", "Chair", "Sofa"]),
    ],
)
async def test_products_are_sorted(
    sort: str, values: dict[str, Any], names: list[str], offers: Offers
) -> None:
    assert await offers.names(ProductFilter(**values), sort) == names


@pytest.mark.parametrize(
    ("sort", "values"), [("price", {}), ("id", {"price_min": Decimal(1)}), ("id", {"price_max": Decimal(1)})]
)
async def test_prices_are_only_compared_in_one_currency(
    sort: str, values: dict[str, Any], offers: Offers
) -> None:
    with pytest.raises(UsageError, match=r"in one currency: choose one of EUR, USD\."):
        await offers.slice(ProductFilter(**values), sort)
    with pytest.raises(UsageError, match="must not be higher"):
        await offers.slice(ProductFilter(**EUR, price_min=Decimal(2), price_max=Decimal(1)))


async def test_prices_sort_and_compare_exactly(offers: Offers) -> None:
    await offers.add_prices(0.1, 0.2, 0.3, 999_999_999_999.0, 0.300001, 100.0, 9.0)
    pounds = ProductFilter(currency="GBP")
    found = await offers.slice(pounds, "price")
    written = ["0.1", "0.2", "0.3", "0.300001", "9", "100", "999999999999"]
    assert [each.price for each in found.items] == [Decimal(text) for text in written]
    exact = ProductFilter(currency="GBP", price_min=Decimal("0.3"), price_max=Decimal("0.3"))
    assert [each.price for each in (await offers.slice(exact)).items] == [Decimal("0.3")]


@pytest.mark.parametrize("sort", ["id", "price", "-price", "name", "-updated_at"])
async def test_a_cursor_misses_and_repeats_nothing(sort: str, offers: Offers) -> None:
    await offers.add_prices(3, 1, 3, 2, 3)
    only, seen, after = ProductFilter(currency="GBP"), [], None
    while True:
        part = await offers.slice(only, sort, limit=2, after=after)
        seen += [each.id for each in part.items]
        if part.next is None:
            break
        # As a client gives it back: JSON has no decimals.
        value = str(part.next.value) if isinstance(part.next.value, Decimal) else part.next.value
        after = ListPosition(value, part.next.number)
    assert seen == [each.id for each in (await offers.slice(only, sort)).items]
    assert len(seen) == 5


@pytest.mark.parametrize("value", ["1e5", "x", 1, "1" * 40, "-1", "٣"])
async def test_a_forged_price_in_a_cursor_is_refused(value: Any, offers: Offers) -> None:
    with pytest.raises(UsageError, match="cursor"):
        await offers.slice(ProductFilter(**EUR), "price", after=ListPosition(value, 1))


async def test_a_product_has_its_prices(offers: Offers, access: Access) -> None:
    lamp = await access.read(lambda connection: find_product(connection, offers.lamp))
    assert lamp is not None
    assert (lamp.price, lamp.previous_price, lamp.reduced_by) == (Decimal("12.8"), Decimal(16), 0.2)
    assert (lamp.lowest_price, lamp.lowest_at, lamp.highest_price) == (Decimal("12.8"), 4000.0, Decimal(20))
    assert (lamp.url, lamp.domain, lamp.state) == (A, "a.example", ItemState.PRESENT)
    assert await access.read(lambda connection: find_product(connection, 999)) is None


async def test_products_are_found_by_their_url(offers: Offers, access: Access) -> None:
    async def find(url: str) -> list[int]:
        found = await access.read(lambda connection: find_shown_products(connection, url))
        return [each.id for each in found]

    assert await find(A) == [offers.lamp]
    assert await find(B) == [offers.floor, offers.chair, offers.sofa]
    assert await find("https://unknown.example/") == []


async def test_history_is_the_series_of_prices_and_stock(offers: Offers, access: Access) -> None:
    async def read(after: Any = None, limit: int = 10) -> Any:
        wanted = SliceRequest(key="id", is_descending=False, after=after, limit=limit)
        return await access.read(lambda found: slice_product_history(found, wanted, offers.lamp))

    series = [(each.at, each.price, each.availability) for each in (await read()).items]
    assert series == [
        (1000.0, Decimal(20), "in_stock"),
        (2000.0, Decimal(16), "in_stock"),
        (3000.0, Decimal(16), "out_of_stock"),
        (4000.0, Decimal("12.8"), "in_stock"),
    ]
    first = await read(limit=3)
    rest = await read(after=first.next, limit=3)
    assert [each.at for each in (*first.items, *rest.items)] == [1000.0, 2000.0, 3000.0, 4000.0]
    assert (rest.next, first.items[0].url, first.items[0].currency) == (None, A, "EUR")


async def test_currencies_are_counted(offers: Offers, access: Access) -> None:
    found = await access.read(list_currencies)
    assert [(each.currency, each.products) for each in found] == [("EUR", 3), ("USD", 1)]
