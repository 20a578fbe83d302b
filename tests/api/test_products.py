"""Products over HTTP."""

import asyncio
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tenax.accounts.permissions import Role
from tenax.clock import SystemClock
from tenax.runtime.actions import write_store
from tests.support.api import ApiServer, run_api
from tests.support.copying import empty_store, fill
from tests.support.item_rows import ItemRows, find_source
from tests.support.product_rows import add_offers
from tests.support.stores import SHOP

PRODUCTS = "/api/v1/products"


@pytest.fixture(scope="module")
def offers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    with empty_store("sqlite", tmp_path_factory.mktemp("products") / "crawl") as store:
        fill(store)

        def add(connection: Any) -> None:
            start = SystemClock().wall() - 3_600.0 - 4_000.0
            rows = ItemRows(connection, find_source(connection, "shop.example"), run_id=1, start=start)
            add_offers(rows, f"{SHOP}/", f"{SHOP}/a")

        asyncio.run(write_store(store.place, add))
        with run_api(store.place) as server:
            yield server


@pytest.fixture
def shop(offers: ApiServer) -> Iterator[httpx.Client]:
    with offers.client(Role.USER) as client:
        yield client


def list_names(shop: httpx.Client, **filters: Any) -> list[str]:
    answer = shop.get(PRODUCTS, params=filters)
    assert answer.status_code == 200, answer.text
    return [each["name"].split()[0] for each in answer.json()["items"]]


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ({}, ["Desk", "Sofa", "Chair", "floor"]),
        ({"currency": "eur", "price_min": "12.80", "price_max": "59.9", "sort": "price"}, ["Desk", "Chair"]),
        ({"currency": "EUR", "sort": "-price", "state": "present"}, ["Chair", "Desk"]),
        ({"q": "lamp", "sort": "name"}, ["Desk", "floor"]),
        ({"brand": "Lumen", "rating_min": 4}, ["Desk"]),
        ({"category": "Home > Lamps", "sort": "-rating"}, ["Desk", "floor"]),
        ({"availability": "in_stock", "domain": "shop.example"}, ["Desk"]),
        ({"reduced_since": "2026-01-01T00:00:00Z", "sort": "-drop", "drop_min": 0.15}, ["Desk"]),
        ({"gtin": "4006381333931"}, ["Desk"]),
        ({"sku": "none"}, []),
        ({"domain": "news.example"}, []),
    ],
)
def test_products_are_filtered_and_sorted(shop: httpx.Client, filters: Any, names: list[str]) -> None:
    assert list_names(shop, **filters) == names


@pytest.mark.parametrize(
    ("filters", "said"),
    [
        ({"price_min": 5}, "Prices are only compared in one currency: choose one of EUR, USD."),
        ({"sort": "price"}, "Prices are only compared in one currency: choose one of EUR, USD."),
        ({"currency": "EUR", "price_min": 5, "price_max": 4}, "The lowest price must not be higher"),
        ({"currency": "euro"}, "query.currency"),
        ({"price_min": "1e400", "currency": "EUR"}, "query.price_min"),
        ({"price_min": "NaN", "currency": "EUR"}, "query.price_min"),
        ({"price_min": "-1", "currency": "EUR"}, "query.price_min"),
        ({"drop_min": 2}, "query.drop_min"),
        ({"availability": "maybe"}, "query.availability"),
        ({"reduced_since": "5"}, "query.reduced_since"),
        ({"source": "unknown"}, "unknown"),
        ({"run": 1}, "query.run"),
    ],
)
def test_mistakes_are_named(shop: httpx.Client, filters: Any, said: str) -> None:
    answer = shop.get(PRODUCTS, params=filters)
    assert answer.status_code in (400, 422)
    assert said in answer.text


def test_a_cursor_of_prices_goes_through_json(shop: httpx.Client) -> None:
    wanted: dict[str, Any] = {"currency": "EUR", "sort": "price", "limit": 1}
    names, cursor = [], None
    while True:
        part = shop.get(PRODUCTS, params=wanted | ({"cursor": cursor} if cursor else {})).json()
        names += [each["name"].split()[0] for each in part["items"]]
        if (cursor := part["next"]) is None:
            break
    assert names == ["Desk", "Chair", "Sofa"]


def test_a_product_has_its_prices_as_numbers_and_all_that_was_found(shop: httpx.Client) -> None:
    lamp = shop.get(f"{PRODUCTS}/1").json()
    assert (lamp["price"], lamp["previous_price"], lamp["reduced_by"]) == (12.8, 16.0, 0.2)
    assert (lamp["lowest_price"], lamp["highest_price"], lamp["currency"]) == (12.8, 20.0, "EUR")
    assert (lamp["key"], lamp["state"], lamp["domain"]) == ("lamp", "present", "shop.example")
    assert lamp["data"]["images"][0] == "https://shop.example/lamp.jpg"


def test_history_is_a_series(shop: httpx.Client) -> None:
    points = shop.get(f"{PRODUCTS}/1/history").json()["items"]
    assert [(each["price"], each["availability"], each["change"]) for each in points] == [
        (20.0, "in_stock", "new"),
        (16.0, "in_stock", "changed"),
        (16.0, "out_of_stock", "changed"),
        (12.8, "in_stock", "changed"),
    ]
    newest = shop.get(f"{PRODUCTS}/1/history", params={"sort": "-id", "limit": 1}).json()
    assert newest["items"] == points[-1:]


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({}, [("out_of_stock", "in_stock"), ("in_stock", "out_of_stock")]),
        ({"availability": "out_of_stock"}, [("in_stock", "out_of_stock")]),
        ({"sort": "at", "limit": 1}, [("in_stock", "out_of_stock")]),
        ({"since": "2026-01-01T00:00:00Z", "state": "present", "domain": "shop.example"}, 2),
        ({"until": "2026-01-01T00:00:00Z"}, []),
        ({"domain": "news.example"}, []),
    ],
)
def test_stock_changes_are_listed(shop: httpx.Client, filters: Any, found: Any) -> None:
    answer = shop.get(f"{PRODUCTS}/stock-changes", params=filters)
    assert answer.status_code == 200, answer.text
    changes = [(each["old_availability"], each["availability"]) for each in answer.json()["items"]]
    assert (len(changes) if isinstance(found, int) else changes) == found


def test_a_stock_change_names_its_product(shop: httpx.Client) -> None:
    part = shop.get(f"{PRODUCTS}/stock-changes", params={"limit": 1}).json()
    (change,) = part["items"]
    assert (change["product_id"], change["price"], change["currency"]) == (1, 12.8, "EUR")
    assert (change["url"], change["state"], change["at"][-1]) == (f"{SHOP}/", "present", "Z")
    rest = shop.get(f"{PRODUCTS}/stock-changes", params={"cursor": part["next"]}).json()
    assert [each["availability"] for each in rest["items"]] == ["out_of_stock"]


@pytest.mark.parametrize(
    ("filters", "said"),
    [
        ({"availability": "maybe"}, "query.availability"),
        ({"since": "5"}, "query.since"),
        ({"sort": "price"}, "query.sort"),
        ({"source": "unknown"}, "unknown"),
        ({"cursor": "x"}, "cursor"),
    ],
)
def test_mistakes_in_lists_of_stock_changes_are_named(shop: httpx.Client, filters: Any, said: str) -> None:
    answer = shop.get(f"{PRODUCTS}/stock-changes", params=filters)
    assert answer.status_code in (400, 422)
    assert said in answer.text


@pytest.mark.parametrize("path", ["999", "999/history"])
def test_an_unknown_product_is_not_found(shop: httpx.Client, path: str) -> None:
    assert shop.get(f"{PRODUCTS}/{path}").status_code == 404


def test_currencies_are_counted(shop: httpx.Client) -> None:
    assert shop.get(f"{PRODUCTS}/currencies").json() == {
        "currencies": [{"currency": "EUR", "products": 3}, {"currency": "USD", "products": 1}]
    }


def test_a_webhook_keeps_its_least_drop(offers: ApiServer) -> None:
    hook = {"name": "deals", "url": "https://receiver.example/", "events": ["product.price_dropped"]}
    with offers.client(Role.ADMIN) as admin:
        made = admin.post("/api/v1/webhooks", json={**hook, "min_drop": 0.1}).json()
        assert (made["events"], made["min_drop"]) == (["product.price_dropped"], 0.1)
        path = f"/api/v1/webhooks/{made['id']}"
        assert admin.put(path, json=hook).json()["min_drop"] is None
        assert admin.put(path, json={**hook, "min_drop": 1.5}).status_code == 422


def test_alerts_are_a_metric(offers: ApiServer) -> None:
    with offers.client(Role.ADMIN) as admin:
        assert 'crawler_product_alerts_total{event="product.new_low"} 0' in admin.get("/metrics").text
