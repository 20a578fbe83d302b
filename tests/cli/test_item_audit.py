"""`tenax items audit`, with the rules of a crawl and of a source."""

import asyncio
import json
from pathlib import Path

import pytest

from tenax.runtime.actions import write_store
from tenax.runtime.backends import find_backend
from tenax.stores.connection import Connection
from tenax.stores.place import Place
from tests.support.clock import FakeClock
from tests.support.command import run_tenax
from tests.support.item_rows import ItemRows, find_source
from tests.support.stores import SHOP, fill_place


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    place = Place(folder=tmp_path / "crawl")
    find_backend(place).migrate(place)
    fill_place(place, FakeClock())
    return place.folder


def add_items(connection: Connection) -> None:
    rows = ItemRows(connection, find_source(connection, "shop.example"), 1)
    for key, price in (("a", 5), ("b", -1)):
        rows.show(f"{SHOP}/", rows.add_item(f"{SHOP}/", key, {"name": key, "price": price}))


def test_what_is_wrong_is_shown(crawl: Path) -> None:
    asyncio.run(write_store(Place(folder=crawl), add_items))
    rules = json.dumps({"product": {"properties": {"price": {"minimum": 0}}}})

    def set_rules(connection: Connection) -> None:
        settings = json.dumps({"parsers": {"item_rules": json.loads(rules)}})
        connection.exec_driver_sql("UPDATE runs SET settings = ?", (settings,))

    asyncio.run(write_store(Place(folder=crawl), set_rules))
    lines = run_tenax("items", "audit", "--data", crawl).out.splitlines()
    assert lines[0].split() == ["SOURCE", "DOMAIN", "KIND", "ITEMS", "NEW", "CHANGED", "GONE", "INVALID"]
    assert "shop.example" in lines[1]
    assert any("1 item: The field price must be at least 0." in line for line in lines)
    found = json.loads(run_tenax("items", "audit", "--json", "--data", crawl).out)
    assert [each["code"] for each in found["findings"]] == ["rule"]
    assert found["findings"][0]["examples"] == [f"{SHOP}/"]


def test_without_items_it_says_so(crawl: Path) -> None:
    assert run_tenax("items", "audit", "--data", crawl).out == "No items.\n"


def test_an_unknown_source_is_refused(crawl: Path) -> None:
    ended = run_tenax("items", "audit", "--source", "Cars", "--data", crawl)
    assert ended.code == 2
    assert "There is no source or crawl 'Cars'" in ended.err


def test_results_are_kept_and_listed(crawl: Path) -> None:
    assert run_tenax("items", "audit", "--history", "--data", crawl).out == (
        "No audits were kept: 'tenax items audit' keeps one.\n"
    )
    run_tenax("items", "audit", "--data", crawl)
    asyncio.run(write_store(Place(folder=crawl), add_items))
    for more in (["--no-keep"], ["--kind", "product"], [], ["--source", "shop"]):
        run_tenax("items", "audit", "--data", crawl, *more)
    lines = run_tenax("items", "audit", "--history", "--data", crawl).out.splitlines()
    assert [line.split("  ", 1)[1] for line in lines] == [
        "shop  2 items  nothing is wrong",
        "all sources  2 items  nothing is wrong",
    ]
    (line,) = run_tenax(
        "items", "audit", "--history", "--limit", "1", "--json", "--data", crawl
    ).out.splitlines()
    assert json.loads(line)["source"] == "shop"


def test_the_history_of_a_kind_is_refused(crawl: Path) -> None:
    ended = run_tenax("items", "audit", "--history", "--kind", "product", "--data", crawl)
    assert ended.code == 2
    assert "leave out --kind and --domain" in ended.err
