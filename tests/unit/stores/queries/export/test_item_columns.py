"""Columns for the fields of items."""

from typing import Any

import orjson
import pytest

from tenax.stores.queries.export.fields import FieldKind
from tenax.stores.queries.export.item_columns import (
    MOST_FIELDS,
    MOST_INNER,
    _list_columns,
    _Shape,
    split_data,
)

KINDS: dict[tuple[str, ...], FieldKind] = {
    ("flag",): FieldKind.FLAG,
    ("number",): FieldKind.NUMBER,
    ("text",): FieldKind.TEXT,
    ("whole",): FieldKind.INTEGER,
    ("list",): FieldKind.JSON,
}


def split(**data: object) -> list[object]:
    return split_data(orjson.dumps(data).decode(), KINDS)


def test_values_are_in_the_columns_of_their_fields() -> None:
    values = split(flag=True, number=2, text="a", whole=3, list=[1])
    assert values == [True, 2.0, "a", 3, "[1]", None]


def test_missing_fields_are_empty() -> None:
    assert split(text=None) == [None] * 6


@pytest.mark.parametrize(
    ("data", "rest"),
    [
        ({"other": 1}, '{"other":1}'),
        ({"whole": "three"}, '{"whole":"three"}'),
        ({"whole": 1 << 63}, '{"whole":9223372036854775808}'),
        ({"flag": 1}, '{"flag":1}'),
    ],
)
def test_what_does_not_fit_is_in_the_last_column(data: dict[str, object], rest: str) -> None:
    assert split(**data) == [None] * 5 + [rest]


def test_a_field_of_any_type_is_json() -> None:
    assert split(list="a")[4] == '"a"'


PRICES = {("price", "amount"): FieldKind.NUMBER, ("price", "by", "name"): FieldKind.TEXT}


@pytest.mark.parametrize(
    ("price", "values"),
    [
        ({"amount": 2, "by": {"name": "Ola"}}, [2.0, "Ola", None]),
        ({"amount": 2}, [2.0, None, None]),
        ({"amount": 2, "old": 3}, [2.0, None, '{"price":{"old":3}}']),
        ({"amount": "two"}, [None, None, '{"price":{"amount":"two"}}']),
        ({"by": {"name": "Ola", "age": 1}}, [None, "Ola", '{"price":{"by":{"age":1}}}']),
        ({"by": "Ola"}, [None, None, '{"price":{"by":"Ola"}}']),
        ("free", [None, None, '{"price":"free"}']),
        ({}, [None, None, '{"price":{}}']),
        (None, [None, None, None]),
    ],
)
def test_values_in_objects_have_columns(price: object, values: list[object]) -> None:
    assert split_data(orjson.dumps({"price": price}).decode(), PRICES) == values


def columns_of(*items: dict[str, Any]) -> dict[str, FieldKind]:
    shapes: dict[str, _Shape] = {}
    for data in items:
        for name, value in data.items():
            shapes.setdefault(name, _Shape()).note(value)
    return {".".join(path): kind for path, kind in _list_columns(shapes).items()}


def test_an_object_has_a_column_for_each_field() -> None:
    one = {"name": "a", "price": {"amount": 1, "currency": "EUR"}}
    other = {"name": "b", "price": {"amount": 1.5, "by": {"name": "Ola"}}}
    assert columns_of(one, other, {"name": "c", "price": None}) == {
        "name": FieldKind.TEXT,
        "price.amount": FieldKind.NUMBER,
        "price.by.name": FieldKind.TEXT,
        "price.currency": FieldKind.TEXT,
    }


@pytest.mark.parametrize(
    "items",
    [
        [{"a": {"b": 1}}, {"a": "b"}],
        [{"a": {str(number): 1}} for number in range(MOST_INNER + 1)],
        [{"a": {"b" * 101: 1}}],
        [{"a": {}}],
        [{"a": [{"b": 1}]}],
    ],
)
def test_what_is_no_small_object_is_json(items: list[dict[str, Any]]) -> None:
    assert columns_of(*items) == {"a": FieldKind.JSON}


def test_names_are_not_used_twice() -> None:
    assert columns_of({"a": {"b": 1}, "a.b": "x"}) == {"a": FieldKind.JSON, "a.b": FieldKind.TEXT}


def test_objects_have_no_columns_where_there_is_no_room() -> None:
    many = {f"field{number}": 1 for number in range(MOST_FIELDS - 1)}
    assert columns_of({**many, "z": {"a": 1, "b": 2}})["z"] is FieldKind.JSON
    assert len(columns_of({**many, "z": {"a": 1}})) == MOST_FIELDS


def test_columns_go_to_a_depth() -> None:
    assert columns_of({"a": {"b": {"c": {"d": {"e": 1}}}}}) == {"a.b.c.d": FieldKind.JSON}
