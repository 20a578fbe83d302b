"""Errors are kept with the visits that had them, each and in groups."""

import asyncio

import pytest

from tenax.records.requests import FailureKind
from tests.support.clock import START, FakeClock
from tests.support.items import ItemWorker, failed_parsing, found_item, parsing
from tests.support.store import StoreUnderTest, StoreWorker, make_failed

A, A2 = "https://a.example/", "https://a.example/2"


@pytest.fixture
def shop(worker: StoreWorker, runner: asyncio.Runner) -> ItemWorker:
    return runner.run(ItemWorker(worker).begin(A, A2))


async def test_a_failed_visit_leaves_an_error_also_without_parsers(
    worker: StoreWorker, store: StoreUnderTest
) -> None:
    await worker.add(A)
    target = await worker.visit_next(await worker.claim_one(), make_failed())
    columns = "at, run_id, source_id, url_id, category, type, message, stack, parser"
    assert store.query(f"SELECT {columns} FROM errors") == [
        (START, worker.run_id, 0, target.id, "network", "http_status", "the server answered 500", None, None)
    ]


@pytest.mark.parametrize(
    ("kind", "category"), [(FailureKind.CONTENT, "parse"), (FailureKind.TIMEOUT, "network")]
)
async def test_a_document_that_cannot_be_read_is_no_trouble_of_the_network(
    kind: FailureKind, category: str, worker: StoreWorker, store: StoreUnderTest
) -> None:
    await worker.add(A)
    await worker.visit_next(await worker.claim_one(), make_failed(kind=kind))
    assert store.query("SELECT category, type FROM errors") == [(category, kind.value)]


async def test_the_error_of_a_parser_is_kept_with_its_stack(shop: ItemWorker, store: StoreUnderTest) -> None:
    await shop.settle(shop.make_visit(A, failed_parsing("no price")))
    columns = "category, type, message, stack, fingerprint, parser, parser_version"
    assert store.query(f"SELECT {columns} FROM errors") == [
        ("handler", "ValueError", "no price", "shop.py:3 product", 5, "products", "1")
    ]


async def test_the_invalid_items_of_a_page_are_one_error(shop: ItemWorker, store: StoreUnderTest) -> None:
    wrong = [found_item(key, faults=("price is missing",)) for key in "xy"]
    await shop.show(A, *wrong, found_item("z", price=1))
    columns = "category, type, message, parser"
    assert store.query(f"SELECT {columns} FROM errors") == [
        ("validation", "product", "2 of 3 items: price is missing", "products")
    ]


async def test_errors_that_are_alike_are_one_group(
    shop: ItemWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    visits = [shop.make_visit(url, failed_parsing(f"no price on {url}")) for url in (A, A2)]
    await shop.settle(*visits)
    clock.advance(10)
    await shop.settle(shop.make_visit(A, failed_parsing("no price at all")))
    await shop.settle(shop.make_visit(A2, failed_parsing("another", fingerprint=-6)))
    columns = "fingerprint, count, first_at, last_at, message"
    assert store.query(f"SELECT {columns} FROM error_groups ORDER BY fingerprint DESC") == [
        (5, 3, START, START + 10, "no price at all"),
        (-6, 1, START + 10, START + 10, "another"),
    ]
    last = "SELECT e.message FROM error_groups g JOIN errors e ON e.id = g.last_error_id ORDER BY 1"
    assert store.query(last) == [("another",), ("no price at all",)]


async def test_failures_of_different_hosts_are_one_group(worker: StoreWorker, store: StoreUnderTest) -> None:
    await worker.add(A, "https://b.example/")
    for lease in await worker.claim():
        await worker.visit_next(lease, make_failed())
    assert store.query("SELECT count FROM error_groups") == [(2,)]


async def test_an_error_with_a_hostile_text_costs_no_batch(shop: ItemWorker, store: StoreUnderTest) -> None:
    await shop.settle(shop.make_visit(A, failed_parsing("\0 \ud800 " + "x" * 100_000)))
    ((message,),) = store.query("SELECT message FROM errors")
    assert len(message) == 2_000


async def test_a_page_without_trouble_leaves_no_error(shop: ItemWorker, store: StoreUnderTest) -> None:
    await shop.settle(shop.make_visit(A, parsing(found_item("x", price=1))))
    assert store.query("SELECT count(*) FROM errors") == [(0,)]
