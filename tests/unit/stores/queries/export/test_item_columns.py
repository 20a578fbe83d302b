"""Columns for the fields of items."""

import orjson
import pytest

from tenax.stores.queries.export.item_columns import split_data
from tenax.stores.queries.export.rows import FieldKind

KINDS = {
    "flag": FieldKind.FLAG,
    "number": FieldKind.NUMBER,
    "text": FieldKind.TEXT,
    "whole": FieldKind.INTEGER,
    "list": FieldKind.JSON,
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
