"""Pydantic models as schemas: the values that a model makes are those of the item."""

from collections.abc import Mapping
from datetime import date
from typing import Any

import orjson
import pytest
from pydantic import BaseModel, ConfigDict, Field, HttpUrl, RootModel, computed_field, model_validator

from tenax.items.page import parse_page
from tenax.items.parser import FunctionParser, Item
from tenax.items.running import ParserLimits, prepare_parsers, run_parsers
from tenax.records.items import FoundItem, Parsing


def parse(schema: Any, yielded: Any) -> Parsing:
    parser = FunctionParser(lambda page: yielded, name="product", version="1", schema=schema)
    page = parse_page(b"<title>A kettle</title>", url="https://shop.example/p/1")
    (parsed,) = run_parsers(page, prepare_parsers([parser]), (), ParserLimits(item_bytes=1_000))
    return parsed.parsing


def found(schema: Any, yielded: Any) -> FoundItem:
    parsing = parse(schema, yielded)
    assert parsing.error is None, parsing.error
    return parsing.items[0]


def data_of(schema: Any, yielded: Any) -> Any:
    item = found(schema, yielded)
    assert item.faults == ()
    return orjson.loads(item.data)


class Maker(BaseModel):
    name: str
    founded: int | None = None


class Product(BaseModel):
    price: float
    stock: int = 0
    maker: Maker | None = None
    sold_until: date | None = None


def test_the_values_of_the_model_are_kept() -> None:
    assert data_of(Product, {"price": "12.50", "sold_until": "2026-01-02"}) == {
        "price": 12.5,
        "stock": 0,
        "maker": None,
        "sold_until": "2026-01-02",
    }


def test_the_hash_is_that_of_what_is_kept() -> None:
    one, other = found(Product, {"price": "12.50"}), found(Product, {"price": 12.5, "stock": "0"})
    assert (one.data, one.content_hash) == (other.data, other.content_hash)
    assert found(Product, {"price": 13}).content_hash != one.content_hash


def test_models_in_the_model_coerce_too() -> None:
    said = {"price": 1, "maker": {"name": "Ola", "founded": "1900"}}
    assert data_of(Product, said)["maker"] == {"name": "Ola", "founded": 1900}


def test_fields_that_the_model_ignores_are_kept() -> None:
    kept = data_of(Product, {"price": "1", "sku": "10"})
    assert (kept["price"], kept["sku"]) == (1, "10")


def test_models_in_the_model_keep_what_they_declare() -> None:
    said = {"price": "1", "maker": {"name": "Ola", "town": "Bergen"}}
    assert data_of(Product, said)["maker"] == {"name": "Ola", "founded": None}


def test_fields_that_the_model_forbids_are_faults() -> None:
    class Strict(Product):
        model_config = ConfigDict(extra="forbid")

    item = found(Strict, {"price": "1", "sku": "10"})
    assert item.faults == ('The field sku: extra inputs are not permitted (got "10").',)


def test_an_invalid_item_is_kept_as_it_was_yielded() -> None:
    item = found(Product, {"price": "cheap", "stock": "1"})
    assert (len(item.faults), orjson.loads(item.data)) == (1, {"price": "cheap", "stock": "1"})


class Renamed(BaseModel):
    price: float = Field(alias="Price")


@pytest.mark.parametrize("yielded", [{"Price": "1.5"}, Renamed(Price=1.5), Item(Renamed(Price=1.5), key="a")])
def test_an_alias_is_a_name_in_what_the_model_reads_only(yielded: Any) -> None:
    assert data_of(Renamed, yielded) == {"price": 1.5}


def test_a_model_may_keep_its_aliases() -> None:
    class Aliased(Renamed):
        model_config = ConfigDict(serialize_by_alias=True)

    assert data_of(Aliased, {"Price": "1.5"}) == {"Price": 1.5}


def test_values_that_json_lacks_are_written_as_text() -> None:
    class Linked(BaseModel):
        url: HttpUrl

    assert data_of(Linked, {"url": "https://shop.example/a"}) == {"url": "https://shop.example/a"}
    assert data_of(None, Linked(url=HttpUrl("https://shop.example/a"))) == {"url": "https://shop.example/a"}


def test_a_model_that_has_made_the_item_does_not_judge_what_it_adds() -> None:
    class Sum(BaseModel):
        model_config = ConfigDict(extra="forbid")
        net: float

        @computed_field  # type: ignore[prop-decorator]
        @property
        def gross(self) -> float:
            return self.net * 2

    assert data_of(Sum, Sum(net=1)) == {"net": 1, "gross": 2}
    assert data_of(Sum, {"net": "1"}) == {"net": 1, "gross": 2}


def test_a_validator_may_take_what_it_gets_apart() -> None:
    class Greedy(BaseModel):
        amount: float

        @model_validator(mode="before")
        @classmethod
        def _flatten(cls, data: dict[str, Any]) -> Mapping[str, Any]:
            price: Mapping[str, Any] = data.pop("price")
            return price

    assert data_of(Greedy, {"price": {"amount": "3"}}) == {"amount": 3}


def test_a_validator_may_refuse_fields_that_it_does_not_know() -> None:
    class Picky(BaseModel):
        name: str

        @model_validator(mode="after")
        def _has_nothing_else(self) -> "Picky":
            if self.model_extra:
                raise ValueError("there is more")
            return self

    assert data_of(Picky, {"name": "x", "sku": 1}) == {"name": "x"}


def test_a_model_that_makes_no_object_makes_no_item() -> None:
    class Names(RootModel[Any]):
        @model_validator(mode="after")
        def _list(self) -> "Names":
            self.root = ["a"]
            return self

    error = parse(Names, {"name": "a"}).error
    assert error is not None
    assert error.message.startswith("The data of an item must be a dict")


def test_what_a_model_makes_has_the_limit_of_items() -> None:
    class Long(BaseModel):
        text: str = "x" * 2_000

    error = parse(Long, {}).error
    assert error is not None
    assert "parsers.item_bytes" in error.message
