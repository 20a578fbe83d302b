"""Comparisons with fields of items, as users write them."""

from decimal import Decimal

import pytest

from tenax.errors import UsageError
from tenax.stores.queries.item_fields import Comparator, parse_comparison


@pytest.mark.parametrize(
    ("written", "field", "comparator", "value"),
    [
        ("price>10", "price", ">", Decimal(10)),
        ("price >= -1.50", "price", ">=", Decimal("-1.50")),
        ("name=Boat", "name", "=", "Boat"),
        ('sku="10"', "sku", "=", "10"),
        ("formula=a=b", "formula", "=", "a=b"),
        ("sold!=true", "sold", "!=", True),
        ("name=", "name", "=", ""),
        ("unit price<5", "unit price", "<", Decimal(5)),
        ("size=1e5", "size", "=", "1e5"),
        ("price.amount>20", "price.amount", ">", Decimal(20)),
        ('mark=">3"', "mark", "=", ">3"),
    ],
)
def test_a_comparison_is_read(written: str, field: str, comparator: str, value: str | Decimal | bool) -> None:
    read = parse_comparison(written)
    assert (read.field, read.comparator, read.value) == (field, Comparator(comparator), value)


@pytest.mark.parametrize(
    "written", ["", "price", ">10", " =1", "sold>true", "a=" + "b" * 400, "a\0=1", "a.b" * 9 + "=1"]
)
def test_what_is_no_comparison_is_refused(written: str) -> None:
    with pytest.raises(UsageError):
        parse_comparison(written)


@pytest.mark.parametrize("written", ["price>>3", "price==3", "price=>3", "price<>3", "price = < 3"])
def test_two_signs_are_refused(written: str) -> None:
    with pytest.raises(UsageError, match="two signs"):
        parse_comparison(written)


@pytest.mark.parametrize("written", ["price>", "price<= "])
def test_no_order_with_nothing(written: str) -> None:
    with pytest.raises(UsageError, match="compares with nothing"):
        parse_comparison(written)
