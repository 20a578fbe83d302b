"""The next visit of a page goes by its items, which the store keeps for that."""

import asyncio

import pytest

from tenax.records.items import FoundItem
from tenax.records.visits import Unchanged
from tests.support.items import ItemWorker, failed_parsing, found_item, parsing
from tests.support.store import StoreUnderTest, StoreWorker, make_fetched

A = "https://a.example/"


@pytest.fixture
def shop(worker: StoreWorker, runner: asyncio.Runner) -> ItemWorker:
    return runner.run(ItemWorker(worker).begin(A))


async def revisit(shop: ItemWorker, text: str, *items: FoundItem) -> None:
    await shop.visit_again(A)
    await shop.settle(shop.make_visit(A, parsing(*items), outcome=make_fetched(text)))


def find_count(store: StoreUnderTest) -> int:
    ((count,),) = store.query("SELECT unchanged_count FROM urls")
    return int(count)


async def test_a_page_with_the_same_items_is_unchanged_whatever_its_text(
    shop: ItemWorker, store: StoreUnderTest
) -> None:
    for text in ("one", "two", "three"):
        await revisit(shop, text, found_item("x", price=1))
    assert find_count(store) == 2
    await revisit(shop, "three", found_item("x", price=2))
    await revisit(shop, "three", found_item("x", price=3))
    assert find_count(store) == -1


async def test_what_a_page_showed_is_known_at_its_next_visit(shop: ItemWorker) -> None:
    items = found_item("x", price=1), found_item("z", kind="offer", price=1)
    await shop.show(A, *items)
    await shop.visit_again(A)
    shown = shop.targets[A].shown
    assert shown is not None
    assert shown.kinds == ("offer", "product")
    await shop.settle(shop.make_visit(A, outcome=Unchanged()))
    await shop.visit_again(A)
    assert shop.targets[A].shown == shown


async def test_what_a_page_showed_is_forgotten_if_a_parser_fails(shop: ItemWorker) -> None:
    await shop.show(A, found_item("x", price=1))
    await shop.visit_again(A)
    await shop.settle(shop.make_visit(A, failed_parsing(), parsed_by=None))
    await shop.visit_again(A)
    assert shop.targets[A].shown is None
