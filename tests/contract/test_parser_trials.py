"""Trials: how a candidate version of a parser compares with the current one, field by field."""

import asyncio

import pytest

from tenax.records.items import ErrorCategory, LoggedError, Trial
from tests.support.items import ItemWorker, parsing
from tests.support.store import StoreUnderTest, StoreWorker

A, A2 = "https://a.example/", "https://a.example/2"
COLUMNS = "field, same, different, only_current, only_candidate"


@pytest.fixture
def shop(worker: StoreWorker, runner: asyncio.Runner) -> ItemWorker:
    return runner.run(ItemWorker(worker).begin(A, A2))


def trial(*differences: tuple[str, str | None, str | None], equal: tuple[str, ...] = ()) -> Trial:
    return Trial(parser="products", version="1", candidate="2", differences=differences, equal_fields=equal)


async def test_fields_are_counted_by_how_they_compare(shop: ItemWorker, store: StoreUnderTest) -> None:
    first = trial(("price", "1", "2"), ("brand", None, '"B"'), equal=("name",))
    second = trial(("price", "1", None), equal=("name",))
    third = trial(equal=("name", "price"))
    for url, each in ((A, first), (A2, second), (A, third)):
        await shop.settle(shop.make_visit(url, parsing(), trials=[each]))
    assert store.query(f"SELECT {COLUMNS} FROM parser_trials ORDER BY field") == [
        ("", 1, 2, 0, 0),
        ("brand", 0, 0, 0, 1),
        ("name", 3, 0, 0, 0),
        ("price", 1, 1, 1, 0),
    ]


async def test_the_newest_difference_is_the_example(shop: ItemWorker, store: StoreUnderTest) -> None:
    for url, each in ((A, trial(("price", "1", "2"))), (A2, trial(("price", "3", "4"))), (A, trial())):
        await shop.settle(shop.make_visit(url, parsing(), trials=[each]))
    columns = "example_url_id, example_current, example_candidate"
    assert store.query(f"SELECT {columns} FROM parser_trials WHERE field = 'price'") == [
        (shop.targets[A2].id, "3", "4")
    ]


async def test_a_candidate_that_fails_is_counted_and_its_error_kept(
    shop: ItemWorker, store: StoreUnderTest
) -> None:
    error = LoggedError(category=ErrorCategory.HANDLER, type="KeyError", message="'price'", parser="products")
    failed = Trial(parser="products", version="1", candidate="2", error=error)
    await shop.settle(shop.make_visit(A, parsing(), trials=[failed]))
    assert store.query(f"SELECT {COLUMNS} FROM parser_trials") == [("", 0, 0, 1, 0)]
    assert store.query("SELECT parser, parser_version FROM errors") == [("products", "2")]


async def test_the_fields_of_a_hostile_page_are_few_and_short(
    shop: ItemWorker, store: StoreUnderTest
) -> None:
    many = trial(*((f"{number} {'x' * 1000}", "1", "2" * 10_000) for number in range(1000)))
    await shop.settle(shop.make_visit(A, parsing(), trials=[many]))
    longest = "max(length(field)), max(length(example_candidate))"
    assert store.query(f"SELECT count(*), {longest} FROM parser_trials") == [(201, 200, 2000)]
