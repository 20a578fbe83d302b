"""Stored pages are deleted; their urls stay."""

import pytest

from tenax.records.domains import Lease
from tenax.stores.access import Access
from tenax.stores.commands import purge
from tenax.stores.commands.purge import PurgeSelection, purge_pages
from tenax.stores.hot.similarity import split_bands
from tests.support.clock import FakeClock
from tests.support.learned import SIMHASH, learn, read_learned
from tests.support.store import StoreUnderTest, StoreWorker, find_wrong_counters, make_fetched

A, B = "https://a.example/", "https://b.example/"
IMAGE = (f"{A}boat.jpg", "A boat", "img")


async def fetch(worker: StoreWorker, *urls: str) -> None:
    await worker.add(*urls)
    for lease in await worker.claim():
        while (await worker.head(lease)).targets:
            await worker.visit_next(lease, make_fetched(f"text of {lease.domain}", images=[IMAGE]))
        await worker.release(lease)


async def revisit(worker: StoreWorker, store: StoreUnderTest, name: str, text: str) -> Lease:
    await store.domains.reset(name, "again")
    (lease,) = await worker.claim()
    await worker.visit_next(lease, make_fetched(text))
    return lease


def count_rows(store: StoreUnderTest) -> dict[str, int]:
    return {
        name: store.query(f"SELECT count(*) FROM {name}")[0][0] for name in ("pages", "changes", "images")
    }


async def test_pages_go_with_their_changes_and_images(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await fetch(worker, A, A + "x", B)
    await worker.release(await revisit(worker, store, "b.example", "another text"))
    assert count_rows(store) == {"pages": 3, "changes": 1, "images": 1}
    assert await purge_pages(access, clock, PurgeSelection()) == 3
    assert count_rows(store) == {"pages": 0, "changes": 0, "images": 0}
    assert find_wrong_counters(store.query) == []
    assert await purge_pages(access, clock, PurgeSelection()) == 0


async def test_urls_keep_their_fate_and_lose_their_validators(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await fetch(worker, A)
    ((revisit_at,),) = store.query("SELECT revisit_at FROM urls")
    await purge_pages(access, clock, PurgeSelection())
    rows = store.query("SELECT fate, due_at, content_hash, etag, last_modified, revisit_at FROM urls")
    assert rows == [("fetched", None, None, None, None, revisit_at)]


async def test_one_domain_is_purged_alone(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await fetch(worker, A, B)
    ((domain_id,),) = store.query("SELECT id FROM domains WHERE name = 'a.example'")
    assert await purge_pages(access, clock, PurgeSelection(domain_id=domain_id)) == 1
    assert store.query(f"SELECT count(*) FROM pages WHERE domain_id = {domain_id}") == [(0,)]
    assert count_rows(store)["pages"] == 1
    assert find_wrong_counters(store.query) == []


async def test_only_what_was_last_seen_before_an_instant_is_purged(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await fetch(worker, A)
    border = clock.advance(100)
    await fetch(worker, B)
    assert await purge_pages(access, clock, PurgeSelection(before=border)) == 1
    assert store.query("SELECT d.name FROM pages p JOIN domains d ON d.id = p.domain_id") == [("b.example",)]
    assert find_wrong_counters(store.query) == []


async def test_it_is_done_in_steps(
    worker: StoreWorker,
    store: StoreUnderTest,
    access: Access,
    clock: FakeClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(purge, "PAGES_AT_ONCE", 2)
    monkeypatch.setattr(purge, "ROWS_AT_ONCE", 1)
    await fetch(worker, *(f"{A}{number}" for number in range(5)), B)
    assert await purge_pages(access, clock, PurgeSelection()) == 6
    assert find_wrong_counters(store.query) == []


async def test_a_purged_page_is_stored_again(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await fetch(worker, A)
    await purge_pages(access, clock, PurgeSelection())
    await revisit(worker, store, "a.example", "back again")
    assert count_rows(store)["pages"] == 1
    assert find_wrong_counters(store.query) == []


async def test_a_worker_that_is_about_to_visit_a_page_again_loses_it(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await fetch(worker, A)
    await store.domains.reset("a.example", "again")
    lease = await worker.claim_one()
    await purge_pages(access, clock, PurgeSelection())
    assert (await worker.settle_visits(lease, [])).lost == {lease.domain_id}
    assert find_wrong_counters(store.query) == []


async def test_a_worker_keeps_a_domain_whose_other_pages_are_purged(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await worker.add(A, A + "x")
    lease = await worker.claim_one()
    await worker.visit_next(lease, make_fetched())
    await purge_pages(access, clock, PurgeSelection())
    await worker.visit_next(lease, make_fetched())
    assert count_rows(store)["pages"] == 1
    assert find_wrong_counters(store.query) == []


async def test_a_page_whose_original_is_purged_stands_for_itself(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await fetch(worker, A)
    border = clock.advance(100)
    await fetch(worker, A + "x")
    learn(store.query, "a.example")
    assert await purge_pages(access, clock, PurgeSelection(before=border)) == 1
    bands = ", ".join(f"band_{number}" for number in (1, 2, 3, 4))
    left = store.query(f"SELECT near_url_id, {bands} FROM pages")
    assert left == [(None, *split_bands(SIMHASH))], "and is found by others"


async def test_what_was_learned_about_a_domain_stays(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await fetch(worker, A, A + "x")
    learn(store.query, "a.example")
    before = read_learned(store.query)
    await purge_pages(access, clock, PurgeSelection())
    after = read_learned(store.query)
    assert after == {**before, "pages": [], "yields": after["yields"]}
    assert find_wrong_counters(store.query) == []
