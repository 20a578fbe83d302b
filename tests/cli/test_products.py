"""`tenax products`, and what an export of products looks like."""

import asyncio
import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tenax.clock import SystemClock
from tenax.runtime.actions import write_store
from tenax.stores.place import Place
from tests.support.command import run_tenax
from tests.support.item_rows import ItemRows, find_source
from tests.support.product_rows import add_offers
from tests.support.stores import SHOP, fill_store


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("products") / "crawl"
    fill_store(folder)

    def add(connection: Any) -> None:
        # An hour ago, so that the drops are recent.
        start = SystemClock().wall() - 3_600.0 - 4_000.0
        add_offers(
            ItemRows(connection, find_source(connection, "shop.example"), run_id=1, start=start),
            f"{SHOP}/",
            f"{SHOP}/a",
        )

    asyncio.run(write_store(Place(folder=folder), add))
    return folder


def list_names(shop: Path, *options: str) -> list[str]:
    ended = run_tenax("products", *options, "--json", "--data", shop)
    assert (ended.code, ended.err) == (0, "")
    return [json.loads(line)["name"].split()[0] for line in ended.out.splitlines()]


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ((), ["Desk", "Sofa", "Chair", "floor"]),
        (("--currency", "eur", "--max-price", "59.90", "--sort", "price"), ["Desk", "Chair"]),
        (("--currency", "EUR", "--min-price", "0", "--sort=-price"), ["Sofa", "Chair", "Desk"]),
        (("--matching", "LAMP", "--sort", "name"), ["Desk", "floor"]),
        (("--brand", "lumen", "--min-rating", "4"), ["Desk"]),
        (("--category", "Home > Lamps", "--sort", "rating"), ["Desk", "floor"]),
        (("--state", "gone"), ["Sofa"]),
        (("--availability", "in_stock"), ["Desk"]),
        (("--limit", "1"), ["Desk"]),
    ],
)
def test_products_are_filtered_and_sorted(shop: Path, options: tuple[str, ...], names: list[str]) -> None:
    assert list_names(shop, *options) == names


def test_products_are_listed_with_price_and_drop(shop: Path) -> None:
    ended = run_tenax("products", "--matching", "desk", "--data", shop)
    name, facts, end = ended.out.splitlines()
    assert name == "1  Desk Lamp Ångström"
    assert facts.startswith("    12.80 EUR, was 16.00, 20 % less since 20")
    assert facts.endswith(f"UTC, in stock  {SHOP}/")
    assert end == "1 product."


def test_drops_are_listed_with_the_largest_first(shop: Path) -> None:
    assert list_names(shop, "drops", "--since", "1d") == ["Desk"]
    assert list_names(shop, "drops", "--min-drop", "0.3") == []
    ended = run_tenax("products", "drops", "--since", "1m", "--data", shop)
    assert (ended.code, ended.out) == (0, "No products.\n")


def test_stock_changes_are_listed_with_the_last_first(shop: Path) -> None:
    ended = run_tenax("products", "stock", "--data", shop)
    name, back, _, sold_out, end = ended.out.splitlines()
    assert name == "1  Desk Lamp Ångström"
    assert back.startswith("    out of stock → in stock at 20")
    assert back.endswith(f"UTC, 12.80 EUR  {SHOP}/")
    assert sold_out.startswith("    in stock → out of stock at 20")
    assert end == "2 stock changes."


def test_stock_changes_are_filtered(shop: Path) -> None:
    ended = run_tenax("products", "stock", "--availability", "out_of_stock", "--json", "--data", shop)
    (change,) = map(json.loads, ended.out.splitlines())
    assert (change["product_id"], change["old_availability"], change["price"]) == (1, "in_stock", 16.0)
    assert change["at"].endswith("Z")
    ended = run_tenax("products", "stock", "--since", "1m", "--data", shop)
    assert (ended.code, ended.out) == (0, "No stock changes.\n")


@pytest.mark.parametrize("named", ["1", f"{SHOP}/"])
def test_history_is_found_by_number_and_by_url(shop: Path, named: str) -> None:
    ended = run_tenax("products", "history", named, "--data", shop)
    lines = [" ".join(line.split()[3:]) for line in ended.out.splitlines()]
    assert lines == [
        "20.00 EUR in stock",
        "16.00 EUR in stock",
        "16.00 EUR out of stock",
        "12.80 EUR in stock",
    ]


def test_history_as_json_has_prices_as_numbers(shop: Path) -> None:
    ended = run_tenax("products", "history", "1", "--json", "--limit", "2", "--data", shop)
    points = [json.loads(line) for line in ended.out.splitlines()]
    assert [(each["price"], each["currency"]) for each in points] == [(20.0, "EUR"), (16.0, "EUR")]
    assert points[0]["at"].endswith("Z")


def test_a_product_is_shown_with_its_lowest_price(shop: Path) -> None:
    ended = run_tenax("products", "show", "1", "--data", shop)
    facts = dict(line.strip().split("  ", 1) for line in ended.out.splitlines()[1:])
    assert facts["lowest price"].strip().startswith("12.80 EUR, 20")
    assert facts["list price"].strip() == "25.50 EUR"
    assert facts["rating"].strip() == "4.5 of 5 (12 reviews)"
    shown = json.loads(run_tenax("products", "show", "1", "--json", "--data", shop).out)
    assert (shown["price"], shown["lowest_price"], shown["reduced_by"]) == (12.8, 12.8, 0.2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--max-price", "5"), "Prices are only compared in one currency: choose one of EUR, USD."),
        (("--sort", "price"), "Prices are only compared in one currency: choose one of EUR, USD."),
        (("--currency", "euro"), "'euro' is not a currency: write its three letters, such as EUR."),
        (
            ("--currency", "EUR", "--min-price", "12,80"),
            "--min-price: '12,80' is not a price: write a number such as 19.99.",
        ),
        (
            ("--currency", "EUR", "--min-price", "2", "--max-price", "1"),
            "The lowest price must not be higher than the highest price.",
        ),
        (("drops", "--since", "soon"), "'soon' is not a time"),
        (("stock", "--since", "soon"), "'soon' is not a time"),
        (("stock", "--source", "unknown"), "There is no source or crawl 'unknown' in this store"),
        (("stock", "--availability", "maybe"), "'maybe' is not one of"),
        (("history", "shop"), "'shop' is not a URL; did you mean https://shop/?"),
        (
            ("history", f"{SHOP}/a"),
            "There are several such products: choose one by its number: 2 (floor lamp)",
        ),
    ],
)
def test_mistakes_are_named(shop: Path, arguments: tuple[str, ...], message: str) -> None:
    ended = run_tenax("products", *arguments, "--data", shop)
    assert ended.code == 2
    assert message in ended.err
    assert "Traceback" not in ended.err


def test_a_product_is_named_by_its_key(shop: Path) -> None:
    ended = run_tenax("products", "history", "lamp", "--data", shop)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == run_tenax("products", "history", "1", "--data", shop).out != ""
    unknown = run_tenax("products", "show", "4006381333931", "--data", shop)
    assert (unknown.code, "There is no product 4006381333931" in unknown.err) == (1, True)


def test_an_unknown_product_is_named(shop: Path) -> None:
    ended = run_tenax("products", "show", "999", "--data", shop)
    assert ended.code != 0
    assert "There is no product 999" in ended.err


def test_an_export_has_a_column_for_each_field_and_images_as_a_list(shop: Path) -> None:
    ended = run_tenax("export", "items", "--kind", "product", "--format", "csv", "--data", shop)
    rows = list(csv.DictReader(io.StringIO(ended.out)))
    lamp = next(row for row in rows if row["key"] == "lamp")
    assert (lamp["data.price"], lamp["data.currency"], lamp["data.gtin"]) == ("12.8", "EUR", "4006381333931")
    assert json.loads(lamp["data.images"]) == [
        "https://shop.example/lamp.jpg",
        "https://shop.example/lamp-2.jpg",
    ]
    assert lamp["data.*"] == ""
