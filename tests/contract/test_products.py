"""Products: their rows are settled with their items, and say what prices and stock did."""

import asyncio
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from tenax.records.items import FoundItem
from tenax.records.products import from_millionths
from tenax.records.visits import Gone, Unchanged
from tenax.stores.access import Access
from tenax.stores.commands.purge import PurgeSelection, purge_pages
from tests.support.clock import START, FakeClock
from tests.support.items import ItemWorker, find_untrue_items, found_item, parsing
from tests.support.store import StoreUnderTest, StoreWorker

A, A2 = "https://a.example/", "https://a.example/2"
B = "https://b.example/"


@pytest.fixture
def shop(worker: StoreWorker, runner: asyncio.Runner) -> ItemWorker:
    return runner.run(ItemWorker(worker).begin(A, A2, B))


def lamp(price: object = 20, **fields: Any) -> FoundItem:
    data: dict[str, Any] = {"name": "Lamp", "price": price, "currency": "EUR", **fields}
    return found_item("lamp", **data)


def list_rows(store: StoreUnderTest, columns: str, table: str = "products") -> list[tuple[Any, ...]]:
    order = "item_id" if table == "products" else "id"
    return [tuple(row) for row in store.query(f"SELECT {columns} FROM {table} ORDER BY {order}")]


def read_prices(store: StoreUnderTest, columns: str, table: str = "products") -> list[tuple[Any, ...]]:
    """Prices as the database has them: NUMERIC, or millionths."""
    return [tuple(map(_read_price, row)) for row in list_rows(store, columns, table)]


def _read_price(value: Any) -> Any:
    return from_millionths(value) if isinstance(value, int) else value


async def test_a_product_is_stored_with_its_item(shop: ItemWorker, store: StoreUnderTest) -> None:
    await shop.show(
        A,
        lamp(
            2879.2,
            list_price=3000,
            availability="in_stock",
            rating=4.256,
            review_count=12,
            brand="  Ångström ",
            category="Home > LAMPS",
            sku="L-1",
            gtin="4006381333931",
        ),
    )
    columns = "name, name_key, currency, availability, rating, review_count, brand, brand_key, category_key"
    assert list_rows(store, columns) == [
        ("Lamp", "lamp", "EUR", "in_stock", 4.26, 12, "Ångström", "ångström", "home > lamps")
    ]
    assert read_prices(store, "price, list_price, known_price, lowest_price, highest_price") == [
        tuple(map(Decimal, ("2879.2", "3000", "2879.2", "2879.2", "2879.2")))
    ]
    assert list_rows(store, "sku, gtin, created_at, updated_at, lowest_at, gone_at, price_changed_at") == [
        ("L-1", "4006381333931", START, START, START, None, None)
    ]
    assert not find_untrue_items(store.query)


async def test_items_of_other_kinds_are_no_products(shop: ItemWorker, store: StoreUnderTest) -> None:
    await shop.show(A, found_item("x", kind="article", price=1))
    assert list_rows(store, "*") == list_rows(store, "*", "product_changes") == []


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"name": 5, "price": "12,50", "currency": "€", "list_price": True, "availability": "maybe"},
        {"price": 0, "rating": 6, "review_count": -1, "brand": ["x"], "category": {}, "sku": "s" * 101},
        {"price": -3.5, "rating": "5", "review_count": 2.5, "gtin": 4006381333931, "name": " "},
        {"price": 1e15, "rating": True, "review_count": 1 << 40, "gtin": "12"},
        {"price": 1e-9, "list_price": 10**18, "currency": "euro", "brand": "", "category": [1]},
        {"price": {"amount": "twelve", "currency": 5}, "list_price": {"value": 3}, "availability": "InShop"},
        {"price": " ", "list_price": "-1", "availability": ["in_stock"]},
        {"price": "1e3", "list_price": "1_000", "availability": "https://schema.example/InStock"},
        {"price": "1" * 100_000, "list_price": "٤٥"},
    ],
)
async def test_what_does_not_fit_is_left_out(
    data: dict[str, Any], shop: ItemWorker, store: StoreUnderTest
) -> None:
    await shop.show(A, found_item("x", **data))
    columns = "name, price, currency, list_price, availability, rating, review_count, brand, category, gtin"
    assert list_rows(store, columns) == [(None,) * 10]
    assert list_rows(store, "name_key, sku") == [("", None)]
    assert not find_untrue_items(store.query)


@pytest.mark.parametrize(
    "data",
    [
        {"price": {"amount": 12.5, "currency": "eur"}, "list_price": {"amount": 15, "currency": "EUR"}},
        {"price": {"amount": "12.50"}, "list_price": 15, "currency": "EUR"},
        {"price": {"amount": 12.5, "currency": "EUR"}, "list_price": {"amount": 15}, "currency": "USD"},
        {"price": "12.50", "list_price": " 15 ", "currency": "EUR"},
    ],
)
async def test_prices_fit_as_parsers_make_them(
    data: dict[str, Any], shop: ItemWorker, store: StoreUnderTest
) -> None:
    await shop.show(A, found_item("x", **data))
    assert read_prices(store, "price, list_price") == [(Decimal("12.5"), Decimal(15))]
    assert list_rows(store, "currency") == [("EUR",)]
    assert not find_untrue_items(store.query)


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("https://schema.org/InStock", "in_stock"),
        ("http://schema.org/OutOfStock", "out_of_stock"),
        ("schema:PreOrder", "preorder"),
        ("LimitedAvailability", "limited"),
        ("SoldOut", "out_of_stock"),
        ("InStoreOnly", "in_store_only"),
    ],
)
async def test_words_of_schema_org_say_what_can_be_had(
    said: str, known: str, shop: ItemWorker, store: StoreUnderTest
) -> None:
    await shop.show(A, lamp(availability=said))
    assert list_rows(store, "availability") == [(known,)]


async def test_prices_in_text_are_the_same_however_they_are_written(
    shop: ItemWorker, store: StoreUnderTest
) -> None:
    for price in ("2879.2", "2879.20", {"amount": 2879.2, "currency": "EUR"}):
        await shop.show(A, lamp(price))
    assert len(list_rows(store, "id", "product_changes")) == 1


async def test_texts_of_any_length_and_with_any_character_fit(
    shop: ItemWorker, store: StoreUnderTest
) -> None:
    await shop.show(A, lamp(name="\ufdfa\0" * 600, brand="b" * 600, category="a\0>" * 600))
    assert list_rows(store, "length(name), length(name_key), length(brand), length(category_key)") == [
        (512, 512, 255, 254)
    ]
    await shop.show(A, lamp())
    assert list_rows(store, "name, brand") == [("Lamp", None)]


async def test_history_begins_with_the_first_price(shop: ItemWorker, store: StoreUnderTest) -> None:
    await shop.show(A, lamp(availability="in_stock"))
    assert list_rows(store, "kind, at, availability, currency, old_price", "product_changes") == [
        ("new", START, "in_stock", "EUR", None)
    ]


async def test_a_drop_a_rise_and_what_they_leave(
    shop: ItemWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    for price in (20, 15, 24, 18):
        await shop.show(A, lamp(price))
        clock.advance(10)
    assert read_prices(store, "price, previous_price, lowest_price, highest_price") == [
        tuple(map(Decimal, (18, 24, 15, 24)))
    ]
    assert list_rows(store, "reduced_by, price_changed_at, lowest_at, highest_at") == [
        (0.25, START + 30, START + 10, START + 20)
    ]
    told = read_prices(store, "old_price, price, lowest_price", "product_changes")
    assert told[1:] == [tuple(map(Decimal, row)) for row in ((20, 15, 20), (15, 24, 15), (24, 18, 15))]


async def test_equal_prices_are_no_change_however_they_are_written(
    shop: ItemWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    first = lamp(2879.2)
    await shop.show(A, first)
    clock.advance(10)
    same = replace(first, data=first.data.replace("2879.2", "2879.20"), content_hash=5)
    await shop.show(A, same)
    assert [kind for (kind,) in store.query("SELECT kind FROM product_changes")] == ["new"]
    assert list_rows(store, "price_changed_at") == [(None,)]


async def test_other_fields_change_the_row_but_not_the_history(
    shop: ItemWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await shop.show(A, lamp())
    clock.advance(10)
    await shop.show(A, lamp(name="Desk lamp", rating=3))
    assert list_rows(store, "name, rating, updated_at, price_changed_at") == [
        ("Desk lamp", 3.0, START + 10, None)
    ]
    assert store.query("SELECT kind FROM product_changes") == [("new",)]


async def test_a_page_without_a_price_does_not_make_the_last_one_forgotten(
    shop: ItemWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await shop.show(A, lamp(20, availability="in_stock"))
    clock.advance(10)
    await shop.show(A, found_item("lamp", name="Lamp", availability="out_of_stock"))
    assert read_prices(store, "price, known_price") == [(None, Decimal(20))]
    clock.advance(10)
    await shop.show(A, found_item("lamp", name="Lamp", price=10))
    assert read_prices(store, "price, previous_price") == [(Decimal(10), Decimal(20))]
    assert list_rows(store, "reduced_by, currency, known_availability") == [(0.5, "EUR", "out_of_stock")]
    told = "kind, availability, old_availability, currency, old_currency"
    assert list_rows(store, told, "product_changes")[1:] == [
        ("changed", "out_of_stock", "in_stock", "EUR", "EUR"),
        ("changed", None, "out_of_stock", "EUR", "EUR"),
    ]
    assert read_prices(store, "price, old_price", "product_changes")[1:] == [(None, 20), (10, 20)]


async def test_prices_of_two_currencies_are_not_compared(
    shop: ItemWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await shop.show(A, lamp(20))
    clock.advance(10)
    await shop.show(A, lamp(10, currency="usd"))
    assert read_prices(store, "price, previous_price, lowest_price") == [(10, None, 10)]
    assert list_rows(store, "currency, reduced_by, price_changed_at") == [("USD", None, START + 10)]
    assert list_rows(store, "old_currency, lowest_price", "product_changes")[1] == ("EUR", None)


async def test_a_product_that_goes_and_comes_back_cheaper(
    shop: ItemWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await shop.show(A, lamp(20))
    clock.advance(10)
    await shop.show(A)
    assert list_rows(store, "gone_at, updated_at") == [(START + 10, START + 10)]
    clock.advance(10)
    await shop.show(B, lamp(15))
    assert list_rows(store, "gone_at, reduced_by") == [(None, 0.25)]
    assert read_prices(store, "price, old_price", "product_changes") == [(20, None), (None, 20), (15, 20)]
    assert not find_untrue_items(store.query)


async def test_the_row_follows_the_url_that_shows_the_item(
    shop: ItemWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await shop.show(A, lamp())
    clock.advance(10)
    await shop.show(B, lamp())
    assert list_rows(store, "url_id, domain_id, updated_at") == [
        (shop.targets[B].id, shop.leases["b.example"].domain_id, START)
    ]
    clock.advance(10)
    await shop.settle(shop.make_visit(B, outcome=Gone(status=410)))
    assert list_rows(store, "url_id, gone_at") == [(shop.targets[A].id, None)]
    await shop.settle(shop.make_visit(A, outcome=Unchanged()))
    assert store.query("SELECT kind FROM product_changes") == [("new",)]
    assert not find_untrue_items(store.query)


async def test_a_batch_that_is_settled_twice_is_settled_once(shop: ItemWorker, store: StoreUnderTest) -> None:
    await shop.show(A, lamp(20))
    batch = shop.make_batch(shop.make_visit(A, parsing(lamp(15))))
    await store.frontier.settle(batch)
    await store.frontier.settle(batch)
    assert [kind for (kind,) in store.query("SELECT kind FROM product_changes ORDER BY id")] == [
        "new",
        "changed",
    ]
    assert not find_untrue_items(store.query)


async def test_a_worker_that_lost_its_domain_writes_no_product(
    shop: ItemWorker, store: StoreUnderTest
) -> None:
    stale = {name: replace(lease, version=lease.version - 1) for name, lease in shop.leases.items()}
    shop.leases = stale
    await shop.show(A, lamp(20))
    assert store.query("SELECT item_id FROM products") == []


async def test_a_purge_takes_products_and_their_history(
    shop: ItemWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await shop.show(A, lamp(20))
    await shop.show(A, lamp(15))
    assert await purge_pages(access, clock, PurgeSelection()) == 1
    assert store.query("SELECT item_id FROM products") == []
    assert store.query("SELECT id FROM product_changes") == []


async def test_a_product_that_another_page_shows_outlives_a_purge(
    shop: ItemWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    for url, price in ((B, 10), (A2, 15), (A, 20)):
        await shop.show(url, lamp(price))
        clock.advance(10)
    await shop.show(B, lamp(20))  # the newest, as A says
    clock.advance(10)
    await shop.show(A, lamp(20))
    domain_id = shop.leases["a.example"].domain_id
    assert await purge_pages(access, clock, PurgeSelection(domain_id=domain_id)) == 2
    assert list_rows(store, "url_id, domain_id") == [(shop.targets[B].id, shop.leases["b.example"].domain_id)]
    assert read_prices(store, "price, lowest_price") == [(20, 10)]
    assert not find_untrue_items(store.query)


async def test_a_purge_that_changes_what_a_product_costs_says_so(
    shop: ItemWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    for url, price in ((B, 10), (A, 20)):
        await shop.show(url, lamp(price))
        clock.advance(10)
    domain_id = shop.leases["a.example"].domain_id
    await purge_pages(access, clock, PurgeSelection(domain_id=domain_id))
    assert read_prices(store, "price, previous_price") == [(10, 20)]
    assert read_prices(store, "price, old_price", "product_changes")[-1] == (10, 20)
    assert not find_untrue_items(store.query)
