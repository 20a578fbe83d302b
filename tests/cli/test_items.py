"""`tenax items` and `tenax export items`."""

import asyncio
import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tenax.runtime.actions import write_store
from tenax.stores.place import Place
from tests.support.command import run_tenax
from tests.support.item_rows import ItemRows, add_shop, find_source
from tests.support.stores import SHOP, fill_store


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("items") / "crawl"
    fill_store(folder)

    def add(connection: Any) -> None:
        rows = ItemRows(connection, find_source(connection, "shop.example"), run_id=1, start=1.76e9)
        add_shop(rows, f"{SHOP}/", f"{SHOP}/a")

    asyncio.run(write_store(Place(folder=folder), add))
    return folder


def list_keys(shop: Path, *options: str) -> list[str]:
    ended = run_tenax("items", *options, "--json", "--data", shop)
    assert ended.code == 0
    return [json.loads(line)["key"] for line in ended.out.splitlines()]


@pytest.mark.parametrize(
    ("options", "keys"),
    [
        ((), ["car", "boat"]),
        (("--kind", "product", "--state", "present"), ["boat"]),
        (("--kind", "article"), []),
        (("--where", "price>10", "--where", "name=Boat"), ["boat"]),
        (("--matching", "CAR"), ["car"]),
        (("--domain", "shop.example", "--parser", "shop"), ["car", "boat"]),
        (("--since", "2001-01-01"), ["boat", "car"]),
        (("--limit", "1"), ["car"]),
    ],
)
def test_items_are_filtered(shop: Path, options: tuple[str, ...], keys: list[str]) -> None:
    assert list_keys(shop, *options) == keys


def test_items_are_listed_with_their_data(shop: Path) -> None:
    ended = run_tenax("items", "--data", shop)
    assert ended.out.splitlines() == [
        "2  product car  (gone)",
        '    {"name":"Car","price":9}',
        "1  product boat",
        '    {"name":"Boat","price":12.5,"sku":"10","sold":false}',
        "2 items.",
    ]


def test_a_list_that_goes_on_says_so(shop: Path) -> None:
    ended = run_tenax("items", "--limit", "1", "--data", shop)
    assert ended.out.splitlines()[-1] == "The first 1; use --limit for more."


def test_a_crawl_without_items_says_so(data: Path) -> None:
    assert run_tenax("items", "--data", data).out == "No items.\n"


@pytest.mark.parametrize("named", [("1",), ("product", "boat")])
def test_one_item_is_shown_with_where_it_was_seen(shop: Path, named: tuple[str, ...]) -> None:
    ended = run_tenax("items", "show", *named, "--data", shop)
    assert ended.code == 0
    lines = ended.out.splitlines()
    assert lines[:3] == ["product boat", "  name   Boat", "  price  12.5"]
    assert "confidence  0.90" in lines
    assert "shown by 2 urls:" in lines
    assert lines[-1].endswith(f'{SHOP}/a  with other data: {{"name":"Boat","price":10}}')


def test_one_item_as_json_has_its_observations(shop: Path) -> None:
    shown = json.loads(run_tenax("items", "show", "1", "--json", "--data", shop).out)
    assert (shown["key"], shown["observations_count"]) == ("boat", 2)
    assert shown["observations"][0]["at"].startswith("20")
    assert shown["changed_at"].startswith("20")


@pytest.mark.parametrize(
    ("named", "code", "error"),
    [
        (("99",), 1, "There is no item 99 in"),
        (("product", "plane"), 1, "There is no item product plane in"),
        (("product",), 2, "Give the number of an item, or its kind and its key."),
        (("a", "b", "c"), 2, "Give the number of an item, or its kind and its key."),
    ],
)
def test_what_names_no_item_is_refused(shop: Path, named: tuple[str, ...], code: int, error: str) -> None:
    ended = run_tenax("items", "show", *named, "--data", shop)
    assert (ended.code, ended.out) == (code, "")
    assert error in ended.err


def test_the_history_says_what_changed(shop: Path) -> None:
    lines = run_tenax("items", "history", "product", "boat", "--data", shop).out.splitlines()
    assert [line.partition("UTC  ")[2].split()[0] for line in lines if "UTC" in line] == ["changed", "new"]
    assert lines[1::2] == ["    price: 10 → 12.5", "    price: – → 10"]


def test_invalid_items_are_listed_with_their_faults(shop: Path) -> None:
    lines = run_tenax("items", "invalid", "--data", shop).out.splitlines()
    assert f"product bike  {SHOP}/a" in lines[0]
    assert lines[1:] == ["    parser shop 2", "    price: is not a number.", "1 invalid item."]


def test_a_wrong_comparison_is_refused(shop: Path) -> None:
    ended = run_tenax("items", "--where", "price", "--data", shop)
    assert (ended.code, ended.out) == (2, "")
    assert "'price' is not a comparison: write, for example, price>10 or name=Boat." in ended.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--where", "prise>3"), "No item has a field prise.\n"),
        (
            ("--kind", "product", "--where", "price.amount>3"),
            "No item of the kind product has a field price.amount.\n",
        ),
        (("--kind", "car", "--where", "prise>3"), "There is no item of the kind car; there are: product.\n"),
        (("--where", "price>99"), ""),
    ],
)
def test_an_empty_list_names_what_no_item_has(shop: Path, options: tuple[str, ...], said: str) -> None:
    ended = run_tenax("items", *options, "--data", shop)
    assert (ended.code, ended.out, ended.err) == (0, "No items.\n", said)


def test_an_export_of_an_unknown_kind_says_so(shop: Path) -> None:
    ended = run_tenax("export", "items", "--kind", "car", "--data", shop)
    assert (ended.code, ended.out) == (0, "")
    assert ended.err == "There is no item of the kind car; there are: product.\n"


def test_two_signs_are_refused(shop: Path) -> None:
    ended = run_tenax("items", "--where", "price>>3", "--data", shop)
    assert (ended.code, ended.out) == (2, "")
    assert "'price>>3' is not a comparison: it has two signs." in ended.err


def test_items_are_exported_with_a_column_for_each_field(shop: Path) -> None:
    ended = run_tenax("export", "items", "--kind", "product", "--format", "csv", "--data", shop)
    (row,) = csv.DictReader(io.StringIO(ended.out))
    assert (row["key"], row["data.price"], row["data.sold"], row["data.*"]) == ("boat", "12.5", "false", "")


def test_items_are_exported_as_json_lines(shop: Path) -> None:
    (line,) = run_tenax("export", "items", "--data", shop).out.splitlines()
    row = json.loads(line)
    assert (row["kind"], row["key"], row["data"]["price"]) == ("product", "boat", 12.5)


def test_only_items_have_a_kind(shop: Path) -> None:
    ended = run_tenax("export", "pages", "--kind", "product", "--data", shop)
    assert (ended.code, ended.out) == (2, "")
    assert "Pages cannot be filtered by kind; only items can." in ended.err


# --- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "types"),
    [
        ((), ["timeout", "KeyError", "KeyError", "no_such_host", "http_status"]),
        (("--category", "network"), ["timeout", "no_such_host", "http_status"]),
        (("--parser", "shop", "--type", "KeyError"), ["KeyError", "KeyError"]),
        (("--domain", "shop.example", "--run", "1"), ["timeout", "KeyError", "KeyError", "http_status"]),
        (("--fingerprint", "000000000000004d"), ["KeyError", "KeyError"]),
        (("--since", "1h"), []),
    ],
)
def test_errors_are_filtered(shop: Path, options: tuple[str, ...], types: list[str]) -> None:
    ended = run_tenax("errors", *options, "--json", "--data", shop)
    assert (ended.code, ended.err) == (0, "")
    assert [json.loads(line)["type"] for line in ended.out.splitlines()] == types


def test_errors_are_listed_with_their_urls(shop: Path) -> None:
    lines = run_tenax("errors", "--type", "timeout", "--data", shop).out.splitlines()
    assert lines[0].endswith(f"network: timeout  {SHOP}/")
    assert lines[1:] == ["    No answer within 30 s.", "1 error."]


def test_groups_are_counted(shop: Path) -> None:
    lines = run_tenax("errors", "--groups", "--data", shop).out.splitlines()
    assert lines[0].startswith("2 × handler: KeyError in shop  000000000000004d  ")
    assert lines[2].endswith(f", {SHOP}/")
    assert lines[-1] == "4 groups."


def test_an_error_is_shown_with_its_stack_trace(shop: Path) -> None:
    listed = run_tenax("errors", "--parser", "shop", "--json", "--data", shop).out.splitlines()
    ended = run_tenax("errors", "show", str(json.loads(listed[0])["id"]), "--data", shop)
    assert ended.out.startswith("handler: KeyError in shop\n'price'\n\nTraceback (most recent call last):\n")
    assert "similar errors  2 since" in ended.out


@pytest.mark.parametrize(
    ("options", "code", "error"),
    [
        (("show", "99"), 1, "There is no error 99 in"),
        (("--fingerprint", "x"), 2, "'x' is no fingerprint: it has 16 hexadecimal digits."),
        (("--groups", "--run", "1"), 2, "Groups are not counted by domain or run"),
        (("--source", "typo"), 2, "There is no source or crawl 'typo'"),
    ],
)
def test_what_is_wrong_is_refused(shop: Path, options: tuple[str, ...], code: int, error: str) -> None:
    ended = run_tenax("errors", *options, "--data", shop)
    assert (ended.code, ended.out) == (code, "")
    assert error in ended.err


def test_the_urls_of_an_item_can_be_visited_again(shop: Path) -> None:
    ended = run_tenax("retry", "--item", "1", "--dry-run", "--data", shop)
    assert (ended.code, ended.out) == (0, "2 urls would be queued for another visit: 2 fetched.\n")
    ended = run_tenax("retry", "--invalid", "--dry-run", "--data", shop)
    assert (ended.code, ended.out) == (0, "1 url would be queued for another visit: 1 fetched.\n")
    assert run_tenax("retry", "--kind", "x", "--data", shop).out == "No url shows such an item.\n"
