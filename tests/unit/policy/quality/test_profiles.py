from typing import Any

import pytest

from tenax.policy.quality.profiles import (
    LEAST_ITEMS,
    MOST_FIELDS,
    Profile,
    ShiftKind,
    describe_shift,
    find_gaps,
    find_shifts,
)


def profile(*items: dict[str, Any], times: int = 100) -> Profile:
    made = Profile()
    for _ in range(times // len(items)):
        for item in items:
            made.add(item)
    return made


def list_kinds(before: Profile, now: Profile) -> list[tuple[str, str]]:
    return [(shift.field, shift.kind) for shift in find_shifts(before, now)]


def test_a_field_that_fewer_items_have_has_shifted() -> None:
    before, now = profile({"price": 1}), profile({"price": 1}, {"price": None})
    (shift,) = find_shifts(before, now)
    assert (shift.kind, shift.before, shift.now) == (ShiftKind.PRESENCE, 1.0, 0.5)
    assert describe_shift(shift) == "50 % of items have the field price, after 100 %"


@pytest.mark.parametrize("value", [None, "", [], {}])
def test_an_empty_value_is_a_missing_one(value: Any) -> None:
    assert list_kinds(profile({"a": 1}), profile({"a": value})) == [("a", "presence")]


@pytest.mark.parametrize("value", [0, False, 0.0])
def test_zero_and_false_are_values(value: Any) -> None:
    assert find_gaps(profile({"a": value})) == {}
    assert profile({"a": value}).fields["a"].present == 100


def test_numbers_that_become_texts_are_a_shift() -> None:
    assert list_kinds(profile({"price": 5}), profile({"price": "5 €"})) == [("price", "type")]


def test_a_price_in_cents_is_a_shift() -> None:
    before = profile({"price": 10}, {"price": 20})
    now = profile({"price": 1000}, {"price": 2000})
    assert list_kinds(before, now) == [("price", "level")]


def test_a_few_outliers_are_none() -> None:
    before = profile({"price": 10}, {"price": 12})
    now = profile({"price": 10}, {"price": 12})
    now.add({"price": 2000})
    assert find_shifts(before, now) == []


def test_a_sale_of_a_tenth_is_none() -> None:
    assert find_shifts(profile({"price": 100}), profile({"price": 90})) == []


def test_few_items_never_shift() -> None:
    before, now = profile({"a": 1}, times=LEAST_ITEMS - 1), profile({"b": 1}, times=1000)
    assert find_shifts(before, now) == []
    assert find_shifts(now, before) == []


def test_a_field_that_nearly_all_items_have_is_missing_in_the_others() -> None:
    made = profile({"name": "x", "price": 1}, times=95)
    for _ in range(5):
        made.add({"name": "x", "color": "red"})
    assert find_gaps(made) == {"price": 5}


def test_numbers_beyond_all_bounds_do_not_fail() -> None:
    huge = profile({"n": 1e308})
    assert find_shifts(profile({"n": 1}), huge) == []


def test_many_names_are_cut() -> None:
    made = Profile()
    made.add({f"f{number}": 1 for number in range(MOST_FIELDS + 5)})
    assert len(made.fields) == MOST_FIELDS


def test_the_parts_of_a_value_are_fields_too() -> None:
    before = profile({"price": {"amount": 10, "currency": "EUR"}})
    now = profile({"price": {"amount": 1000, "currency": "EUR"}})
    assert list_kinds(before, now) == [("price.amount", "level")]
