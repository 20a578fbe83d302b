"""Exports of items as tables, whatever their data is."""

import asyncio
import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from tenax.runtime.actions import write_store
from tenax.stores.place import Place
from tests.support.article_rows import add_articles
from tests.support.command import run_tenax
from tests.support.item_rows import ItemRows, find_source
from tests.support.stores import SHOP, fill_store

ODD: dict[str, Any] = {
    "name": '=HYPERLINK("http://e.example")',
    "=cmd|name": "@SUM(1)",
    "price": 12.5,
    "stock": 3,
    "sold": False,
    "size": {"width": 1, "unit": "-2+3"},
    "tags": ["=1+1", "b"],
    "offers": [{"seller": "=1"}],
    "nothing": None,
}


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("export") / "crawl"
    fill_store(folder)

    def add(connection: Any) -> None:
        rows = ItemRows(connection, find_source(connection, "shop.example"), run_id=1)
        rows.add_item(f"{SHOP}/", "odd", ODD)
        add_articles(rows, f"{SHOP}/a")

    asyncio.run(write_store(Place(folder=folder), add))
    return folder


def export(crawl: Path, *options: Any) -> str:
    ended = run_tenax("export", "items", *options, "--data", crawl)
    assert ended.code == 0
    return ended.out


def test_a_table_of_one_kind_has_the_fields_of_no_other(crawl: Path) -> None:
    products, articles = (
        next(csv.reader(io.StringIO(export(crawl, "--kind", kind, "--format", "csv"))))
        for kind in ("product", "article")
    )
    assert "data.price" in products
    assert "data.markdown" in articles
    assert "data.markdown" not in products
    assert "data.price" not in articles


def test_no_field_is_a_formula(crawl: Path) -> None:
    (odd,) = csv.DictReader(io.StringIO(export(crawl, "--kind", "product", "--format", "csv")))
    assert odd["data.name"] == f"'{ODD['name']}"
    assert odd["data.=cmd|name"] == "'@SUM(1)"
    assert odd["data.size.unit"] == "'-2+3"
    assert not any(name.startswith(("=", "+", "-", "@")) for name in odd)


def test_lists_are_json_and_objects_have_columns(crawl: Path) -> None:
    (odd,) = csv.DictReader(io.StringIO(export(crawl, "--kind", "product", "--format", "csv")))
    assert (json.loads(odd["data.tags"]), json.loads(odd["data.offers"])) == (ODD["tags"], ODD["offers"])
    assert (odd["data.size.width"], odd["data.sold"], odd["data.nothing"]) == ("1", "false", "")


def test_parquet_has_the_types_of_the_fields(crawl: Path, tmp_path: Path) -> None:
    path = tmp_path / "products.parquet"
    export(crawl, "--kind", "product", "--format", "parquet", "--output", path)
    table = parquet.read_table(path)
    types = {field.name.removeprefix("data."): str(field.type) for field in table.schema}
    assert (types["price"], types["stock"], types["sold"]) == ("double", "int64", "bool")
    assert (types["tags"], types["size.width"], types["changed_at"]) == (
        "string",
        "int64",
        "timestamp[us, tz=UTC]",
    )
    (row,) = table.to_pylist()
    assert (row["data.name"], row["data.price"]) == (ODD["name"], 12.5)
