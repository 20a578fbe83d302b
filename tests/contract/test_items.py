"""Items: settled with the pages that show them, once for each version of a page."""

import asyncio
from dataclasses import replace
from functools import partial
from typing import Any

import orjson
import pytest

from tenax.records.items import FoundItem
from tenax.records.visits import Gone, Redirected, Unchanged
from tenax.stores.access import Access
from tenax.stores.commands.purge import PurgeSelection, purge_pages
from tenax.stores.commands.retention import (
    ERRORS_KEPT_S,
    STATS_KEPT_S,
    prune_errors,
    prune_parser_stats,
)
from tests.support.clock import START, FakeClock
from tests.support.items import (
    PARSED_BY,
    ItemWorker,
    failed_parsing,
    find_untrue_items,
    found_item,
    parsing,
)
from tests.support.store import (
    LEASE_S,
    StoreUnderTest,
    StoreWorker,
    find_wrong_counters,
    make_failed,
)

A, A2 = "https://a.example/", "https://a.example/2"
B = "https://b.example/"


@pytest.fixture
def shop(worker: StoreWorker, runner: asyncio.Runner) -> ItemWorker:
    return runner.run(ItemWorker(worker).begin(A, A2, B))


def list_items(store: StoreUnderTest, columns: str = "kind, key, data, gone_at") -> list[tuple[Any, ...]]:
    return store.query(f"SELECT {columns} FROM items ORDER BY kind, key")


def list_changes(store: StoreUnderTest) -> list[tuple[str, Any]]:
    rows = store.query("SELECT kind, fields FROM item_changes ORDER BY id")
    return [(kind, None if fields is None else orjson.loads(fields)) for kind, fields in rows]


def list_kinds(store: StoreUnderTest) -> list[str]:
    return [kind for kind, _ in list_changes(store)]


async def test_an_item_is_stored_with_the_page_that_shows_it(shop: ItemWorker, store: StoreUnderTest) -> None:
    await shop.show(A, found_item("x", confidence=0.5, price=1))
    columns = "source_id, kind, key, run_id, parser, parser_version, data, confidence, changes"
    run_id = shop.worker.run_id
    assert list_items(store, columns) == [(0, "product", "x", run_id, "products", "1", '{"price":1}', 0.5, 1)]
    times = "url_id, first_seen_at, last_seen_at, changed_at, gone_at"
    assert list_items(store, times) == [(shop.targets[A].id, START, START, START, None)]
    assert list_changes(store) == [("new", {"price": [None, 1]})]
    assert store.query("SELECT items FROM runs") == [(1,)]


async def test_the_same_page_again_changes_nothing_but_when_it_was_seen(
    shop: ItemWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await shop.show(A, found_item("x", price=1))
    clock.advance(10)
    await shop.show(A, found_item("x", price=1))
    assert list_items(store, "last_seen_at, changed_at, changes") == [(START + 10, START, 1)]
    assert store.query("SELECT at FROM observations") == [(START + 10,)]
    assert list_kinds(store) == ["new"]
    assert store.query("SELECT items FROM runs") == [(2,)]


async def test_a_change_is_kept_field_by_field(
    shop: ItemWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await shop.show(A, found_item("x", name="Lamp", price=1, old=True))
    clock.advance(10)
    await shop.show(A, found_item("x", name="Lamp", price=2, new=[1]))
    changed = {"new": [None, [1]], "old": [True, None], "price": [1, 2]}
    assert list_changes(store)[1:] == [("changed", changed)]
    assert list_items(store, "changed_at, changes") == [(START + 10, 2)]


async def test_true_is_not_one(shop: ItemWorker, store: StoreUnderTest) -> None:
    await shop.show(A, found_item("x", stock=True))
    await shop.show(A, found_item("x", stock=1))
    assert list_changes(store)[1:] == [("changed", {"stock": [True, 1]})]


async def test_two_urls_with_one_key_keep_an_observation_each_and_the_item_is_the_newest(
    shop: ItemWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await shop.show(A, found_item("x", price=1))
    clock.advance(10)
    await shop.show(B, found_item("x", price=2))
    assert list_items(store, "data, url_id") == [('{"price":2}', shop.targets[B].id)]
    rows = store.query("SELECT url_id, data FROM observations ORDER BY at")
    assert rows == [(shop.targets[A].id, '{"price":1}'), (shop.targets[B].id, None)]
    assert list_kinds(store) == ["new", "changed"]


async def test_when_the_newest_is_withdrawn_the_next_newest_counts(
    shop: ItemWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    for url, price in ((A, 1), (A2, 2), (B, 3)):
        await shop.show(url, found_item("x", price=price))
        clock.advance(10)
    await shop.show(B)
    assert list_items(store, "data, url_id, gone_at") == [('{"price":2}', shop.targets[A2].id, None)]
    assert list_changes(store)[-1] == ("changed", {"price": [3, 2]})
    assert list_items(store, "changed_at, last_seen_at") == [(START + 30, START + 20)]


async def test_an_item_is_gone_when_no_url_shows_it_and_back_when_one_does(
    shop: ItemWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await shop.show(A, found_item("x", price=1))
    clock.advance(10)
    await shop.show(A)
    assert list_items(store) == [("product", "x", '{"price":1}', START + 10)]
    clock.advance(10)
    await shop.show(B, found_item("x", price=2))
    assert list_items(store) == [("product", "x", '{"price":2}', None)]
    assert list_changes(store)[1:] == [("gone", None), ("back", {"price": [1, 2]})]


async def test_an_item_that_is_back_as_it_was_says_so(shop: ItemWorker, store: StoreUnderTest) -> None:
    await shop.show(A, found_item("x", price=1))
    await shop.show(A)
    await shop.show(A, found_item("x", price=1))
    assert list_changes(store)[1:] == [("gone", None), ("back", {})]
    assert list_items(store) == [("product", "x", '{"price":1}', None)]


@pytest.mark.parametrize("outcome", [Gone(status=410), Redirected(status=301, to_url=B)])
async def test_a_url_without_a_page_withdraws_what_it_showed(
    outcome: Gone | Redirected, shop: ItemWorker, store: StoreUnderTest
) -> None:
    await shop.show(A, found_item("x", price=1))
    await shop.settle(shop.make_visit(A, outcome=outcome))
    assert list_kinds(store) == ["new", "gone"]
    assert store.query("SELECT count(*) FROM observations") == [(0,)]
    assert store.query("SELECT count(*) FROM parsed_urls") == [(0,)]


async def test_a_page_that_is_missing_once_keeps_its_items(shop: ItemWorker, store: StoreUnderTest) -> None:
    await shop.show(A, found_item("x", price=1))
    shop.targets[A] = replace(shop.targets[A], content_hash=1)
    await shop.settle(shop.make_visit(A, outcome=Gone(status=404)))
    assert list_kinds(store) == ["new"]
    shop.targets[A] = replace(shop.targets[A], misses=1)
    await shop.settle(shop.make_visit(A, outcome=Gone(status=404)))
    assert list_kinds(store) == ["new", "gone"]


async def test_an_unchanged_page_touches_its_items(
    shop: ItemWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await shop.show(A, found_item("x", price=1))
    clock.advance(10)
    await shop.settle(shop.make_visit(A, outcome=Unchanged()))
    assert list_items(store, "last_seen_at, changed_at") == [(START + 10, START)]
    assert store.query("SELECT at FROM observations") == [(START + 10,)]
    assert list_kinds(store) == ["new"]


async def test_an_unchanged_page_that_is_now_the_newest_decides_what_the_item_is(
    shop: ItemWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await shop.show(A, found_item("x", price=1))
    clock.advance(10)
    await shop.show(B, found_item("x", price=2))
    clock.advance(10)
    await shop.settle(shop.make_visit(A, outcome=Unchanged()))
    assert list_items(store, "data, url_id") == [('{"price":1}', shop.targets[A].id)]
    assert list_changes(store)[-1] == ("changed", {"price": [2, 1]})
    rows = store.query("SELECT data FROM observations WHERE url_id = " + str(shop.targets[B].id))
    assert rows == [('{"price":2}',)]


async def test_a_page_that_was_read_earlier_is_not_the_newest(
    shop: ItemWorker, store: StoreUnderTest
) -> None:
    await shop.show(A, found_item("x", price=1), at=START + 10)
    await shop.show(B, found_item("x", price=2), at=START + 5)
    assert list_items(store, "data, url_id") == [('{"price":1}', shop.targets[A].id)]
    assert store.query("SELECT count(*) FROM observations") == [(2,)]
    assert list_kinds(store) == ["new"]
    await shop.show(A, at=START + 20)
    assert list_items(store, "data, gone_at") == [('{"price":2}', None)]


async def test_two_urls_of_a_batch_with_one_new_key_make_one_item(
    shop: ItemWorker, store: StoreUnderTest
) -> None:
    await shop.settle(
        shop.make_visit(A, parsing(found_item("x", price=1)), at=START),
        shop.make_visit(B, parsing(found_item("x", price=2)), at=START + 1),
    )
    assert list_items(store, "data, changes") == [('{"price":2}', 1)]
    assert store.query("SELECT data FROM observations ORDER BY at") == [('{"price":1}',), (None,)]
    await shop.show(B, at=START + 2)
    assert list_items(store) == [("product", "x", '{"price":1}', None)]


async def test_an_item_that_moves_to_another_url_within_a_batch_is_never_gone(
    shop: ItemWorker, store: StoreUnderTest
) -> None:
    await shop.show(A, found_item("x", price=1))
    await shop.settle(
        shop.make_visit(A, parsing(), at=START + 2),
        shop.make_visit(B, parsing(found_item("x", price=1)), at=START + 1),
    )
    assert list_kinds(store) == ["new"]
    assert list_items(store, "url_id, gone_at") == [(shop.targets[B].id, None)]


async def test_a_parser_that_fails_changes_nothing(shop: ItemWorker, store: StoreUnderTest) -> None:
    await shop.show(A, found_item("x", price=1))
    await shop.settle(shop.make_visit(A, failed_parsing(), parsed_by=None))
    assert list_items(store) == [("product", "x", '{"price":1}', None)]
    assert list_kinds(store) == ["new"]
    assert store.query("SELECT count(*) FROM parsed_urls") == [(0,)]  # it gets the page again


async def test_a_visit_that_fails_changes_nothing(shop: ItemWorker, store: StoreUnderTest) -> None:
    await shop.show(A, found_item("x", price=1))
    await shop.settle(shop.make_visit(A, outcome=make_failed(), parsed_by=None))
    assert list_kinds(store) == ["new"]
    assert store.query("SELECT parsed_by FROM parsed_urls") == [(PARSED_BY,)]


async def test_a_parser_replaces_only_what_it_saw_itself(shop: ItemWorker, store: StoreUnderTest) -> None:
    others = parsing(found_item("y", kind="review", stars=5), parser="reviews")
    await shop.settle(shop.make_visit(A, parsing(found_item("x", price=1)), others))
    await shop.settle(shop.make_visit(A, parsing()))
    assert list_items(store, "kind, gone_at IS NULL") == [("product", False), ("review", True)]


async def test_an_invalid_item_is_kept_apart_with_its_faults(shop: ItemWorker, store: StoreUnderTest) -> None:
    wrong = found_item("x", faults=("price is missing",), name="Lamp")
    await shop.show(A, wrong, found_item("y", price=2))
    assert list_items(store, "key") == [("y",)]
    columns = "key, parser, parser_version, data, faults, url_id"
    assert store.query(f"SELECT {columns} FROM invalid_items") == [
        ("x", "products", "1", '{"name":"Lamp"}', '["price is missing"]', shop.targets[A].id)
    ]
    await shop.show(A, found_item("x", price=1))
    assert store.query("SELECT count(*) FROM invalid_items") == [(0,)]


async def test_an_item_that_becomes_invalid_is_withdrawn(shop: ItemWorker, store: StoreUnderTest) -> None:
    await shop.show(A, found_item("x", price=1))
    await shop.show(A, found_item("x", faults=("price is missing",)))
    assert list_kinds(store) == ["new", "gone"]


async def test_a_batch_that_is_settled_twice_counts_once(shop: ItemWorker, store: StoreUnderTest) -> None:
    batch = shop.make_batch(shop.make_visit(A, parsing(found_item("x", price=1)), failed_parsing(parser="p")))
    await shop.worker.frontier.settle(batch)
    await shop.worker.frontier.settle(batch)
    assert list_kinds(store) == ["new"]
    assert store.query("SELECT items FROM runs") == [(1,)]
    assert store.query("SELECT count FROM error_groups") == [(1,)]
    assert store.query("SELECT sum(pages) FROM parser_stats") == [(2,)]


async def test_a_stale_fence_writes_nothing(
    shop: ItemWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    clock.advance(LEASE_S + 1)
    other = await StoreWorker(store.frontier, store.runs, clock).start()
    taken = {lease.domain_id for lease in await other.claim()}
    visit = shop.make_visit(A, parsing(found_item("x", price=1)), failed_parsing(parser="p"))
    settled = await shop.settle(visit)
    assert settled.lost == taken & {shop.leases["a.example"].domain_id}
    for table in ("items", "observations", "item_changes", "change_log", "errors", "parser_stats"):
        assert store.query(f"SELECT count(*) FROM {table}") == [(0,)]


@pytest.mark.parametrize("table", ["items", "observations", "item_changes", "change_log", "errors"])
async def test_a_batch_that_breaks_off_writes_nothing_and_can_be_repeated(
    table: str, shop: ItemWorker, store: StoreUnderTest
) -> None:
    visit = shop.make_visit(A, parsing(found_item("x", price=1)), failed_parsing(parser="p"))
    batch = shop.make_batch(visit)
    with store.broken("INSERT", table), pytest.raises(Exception, match="fault"):
        await shop.worker.frontier.settle(batch)
    assert list_items(store) == []
    await shop.worker.frontier.settle(batch)
    assert list_kinds(store) == ["new"]
    assert find_wrong_counters(store.query) == []


def hostile(text: str) -> FoundItem:
    return replace(found_item("x", price=1), key=text, kind=text)


@pytest.mark.parametrize("text", ["nul \0 nul", "half \ud800 pair", "é" * 5000, ""])
async def test_a_name_that_a_database_would_refuse_costs_no_batch(
    text: str, shop: ItemWorker, store: StoreUnderTest
) -> None:
    await shop.show(A, hostile(text))
    await shop.show(A, hostile(text))
    assert list_kinds(store) == ["new"]


async def test_what_parsers_need_to_know_comes_with_the_urls(shop: ItemWorker, store: StoreUnderTest) -> None:
    await shop.show(A, found_item("x", price=1))
    await store.frontier.requeue([A])
    await shop.load()
    assert shop.targets[A].parsed_by == PARSED_BY
    assert shop.targets[A2].parsed_by is None
    (loaded,) = await store.frontier.load([shop.leases["a.example"]], 10, 100, has_parsers=True)
    assert {target.url: target.parsed_by for target in loaded.head.targets} == {A: PARSED_BY, A2: None}


async def test_a_run_without_parsers_does_not_load_it(shop: ItemWorker, store: StoreUnderTest) -> None:
    await shop.show(A, found_item("x", price=1))
    await store.frontier.requeue([A])
    head = await shop.worker.head(shop.leases["a.example"])
    assert [target.parsed_by for target in head.targets] == [None, None]


async def test_a_run_without_parsers_leaves_items_alone(shop: ItemWorker, store: StoreUnderTest) -> None:
    await shop.show(A, found_item("x", price=1))
    batch = replace(shop.make_batch(shop.make_visit(A, outcome=Gone(status=410))), has_parsers=False)
    await store.frontier.settle(batch)
    assert list_kinds(store) == ["new"]


async def test_how_parsers_do_is_counted_by_hour(
    shop: ItemWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    items = (found_item("x", confidence=0.5, price=1), found_item("y", faults=("no price",)))
    await shop.show(A, *items)
    await shop.show(A2)
    await shop.settle(shop.make_visit(A2, failed_parsing()))
    await shop.settle(shop.make_visit(A2, replace(parsing(), follows=2)))
    columns = "hour, parser, parser_version, pages, items, invalid, empty, errors, confidence_sum, rated"
    hour = int(START // 3600) * 3600
    assert store.query(f"SELECT {columns} FROM parser_stats") == [
        (hour, "products", "1", 4, 1, 1, 1, 1, 0.5, 1)
    ]


async def test_pages_that_are_purged_take_their_items_with_them(
    shop: ItemWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await shop.show(A, found_item("x", price=1), found_item("y", faults=("no price",)))
    await shop.settle(shop.make_visit(A2, failed_parsing()))
    assert await purge_pages(access, clock, PurgeSelection()) == 2
    for table in ("items", "observations", "item_changes", "invalid_items", "parsed_urls", "errors"):
        assert store.query(f"SELECT count(*) FROM {table}") == [(0,)]
    assert store.query("SELECT count(*) FROM error_groups") == [(0,)]


async def test_an_item_that_another_page_shows_outlives_a_purge(
    shop: ItemWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    for url, price in ((B, 1), (A2, 2), (A, 3)):
        await shop.show(url, found_item("x", price=price))
        clock.advance(10)
    domain_id = shop.leases["a.example"].domain_id
    assert await purge_pages(access, clock, PurgeSelection(domain_id=domain_id)) == 2
    assert list_items(store, "data, url_id, changes") == [('{"price":1}', shop.targets[B].id, 4)]
    assert list_changes(store)[-1] == ("changed", {"price": [3, 1]})
    assert store.query("SELECT count(*) FROM change_log") == [(4,)]


async def test_old_errors_and_counts_are_deleted(
    shop: ItemWorker, store: StoreUnderTest, access: Access
) -> None:
    await shop.settle(shop.make_visit(A, failed_parsing()))
    await access.write(partial(prune_errors, now=START + ERRORS_KEPT_S))
    await access.write(partial(prune_parser_stats, now=START + ERRORS_KEPT_S))
    assert store.query("SELECT count(*) FROM errors") == [(1,)]
    await access.write(partial(prune_errors, now=START + ERRORS_KEPT_S + 1))
    await access.write(partial(prune_parser_stats, now=START + STATS_KEPT_S + 1))
    for table in ("errors", "error_groups", "parser_stats"):
        assert store.query(f"SELECT count(*) FROM {table}") == [(0,)]


async def test_a_page_with_thousands_of_items_is_settled(shop: ItemWorker, store: StoreUnderTest) -> None:
    keys = [f"{number:04}" for number in range(2_500)]
    for price in (1, 2):
        await shop.show(A, *(found_item(key, price=price) for key in keys))
    await shop.show(A)
    assert store.query("SELECT count(*), count(gone_at), sum(changes) FROM items") == [(2500, 2500, 7500)]
    assert find_untrue_items(store.query) == []
