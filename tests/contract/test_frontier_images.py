"""Images: each is kept once, and the counters say what is there."""

import asyncio
from collections.abc import Sequence

import pytest

from tenax.records.pages import PageImage
from tenax.records.urls import RefusalReason
from tenax.records.visits import Gone, Refused, Unchanged
from tenax.stores.contracts.batches import DomainWork
from tenax.stores.contracts.refresh import RefreshBudget
from tenax.stores.hot.packing import unpack_images
from tests.support.clock import FakeClock
from tests.support.store import (
    ACTIVE,
    StoreUnderTest,
    StoreWorker,
    find_wrong_counters,
    make_fetched,
    make_visit,
)

A, B = "https://a.example/", "https://b.example/"
WEEKS_S = 40 * 86_400.0


def image(path: str, alt: str = "") -> PageImage:
    return (f"https://cdn.example/{path}", alt, "img")


LOGO = image("logo.png", "Logo")


async def settle_page(worker: StoreWorker, url: str, images: Sequence[PageImage]) -> None:
    await worker.add(url)
    await worker.settle(await make_work(worker, images))


async def make_work(worker: StoreWorker, images: Sequence[PageImage], text: str = "text") -> DomainWork:
    """A page of the domain that comes next, which is held from then on."""
    lease = await worker.claim_one()
    target = (await worker.head(lease)).targets[0]
    visit = make_visit(target, make_fetched(text + target.url, images=images), at=worker.clock.now())
    return DomainWork(lease=lease, state=ACTIVE, visits=[visit])


def counts_of(store: StoreUnderTest, name: str) -> tuple[int, int]:
    """(found, stored)"""
    assert find_wrong_counters(store.query) == []
    (row,) = store.query(f"SELECT images_found, images_stored FROM domains WHERE name = '{name}'")
    return (row[0], row[1])


async def test_an_image_is_kept_with_its_page_and_alt(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await settle_page(worker, A, [LOGO])
    rows = store.query(
        "SELECT i.url, i.alt, i.discovery, i.run_id, i.first_seen_at, u.url, d.name FROM images i"
        " JOIN urls u ON u.id = i.url_id JOIN domains d ON d.id = i.domain_id"
    )
    assert rows == [(LOGO[0], "Logo", "discovery", worker.run_id, clock.now(), A, "a.example")]
    ((images_count, content),) = store.query("SELECT images_count, content FROM pages")
    assert (images_count, unpack_images(content)) == (1, [list(LOGO)])
    assert counts_of(store, "a.example") == (1, 1)


async def test_a_page_without_images_counts_none(worker: StoreWorker, store: StoreUnderTest) -> None:
    await settle_page(worker, A, [])
    assert store.query("SELECT images_count FROM pages") == [(0,)]
    assert counts_of(store, "a.example") == (0, 0)


async def test_an_image_that_two_domains_show_is_the_first_ones(
    worker: StoreWorker, store: StoreUnderTest
) -> None:
    await settle_page(worker, A, [LOGO])
    await settle_page(worker, B, [LOGO, image("b.jpg")])
    assert counts_of(store, "a.example") == (1, 1)
    assert counts_of(store, "b.example") == (2, 1)


async def test_pages_of_one_batch_share_their_images(worker: StoreWorker, store: StoreUnderTest) -> None:
    await worker.add(A, A + "1")
    lease = await worker.claim_one()
    targets = (await worker.head(lease)).targets
    fetched = [make_fetched(target.url, images=[LOGO, image(str(target.id))]) for target in targets]
    await worker.settle_visits(
        lease,
        [make_visit(target, page, at=1.0) for target, page in zip(targets, fetched, strict=True)],
    )
    assert counts_of(store, "a.example") == (4, 3)


@pytest.mark.parametrize(
    ("again", "found", "stored"),
    [
        (make_fetched("other", images=[image("2"), image("3"), image("4")]), 3, 4),
        (make_fetched("other"), 0, 2),
        (make_fetched("text", images=[LOGO]), 1, 2),
        (Unchanged(), 2, 2),
        (Gone(status=404), 2, 2),
        (Refused(reason=RefusalReason.NOINDEX, detail="asks not to be kept"), 0, 2),
    ],
    ids=["others", "none", "fewer", "unchanged", "gone", "not to be kept"],
)
async def test_a_second_visit_replaces_what_the_page_counted(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock, again: object, found: int, stored: int
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    await worker.visit_next(lease, make_fetched("text", images=[LOGO, image("2")]))
    await worker.release(lease)
    clock.advance(WEEKS_S)
    assert (
        await store.refresh.promote(RefreshBudget(domains=10, per_domain=10, limit=10, idle_s=1.0))
    ).urls == 1
    lease = await worker.claim_one()
    await worker.visit_next(lease, again)  # type: ignore[arg-type]
    assert counts_of(store, "a.example") == (found, stored)


async def test_images_of_a_second_visit_were_found_by_refreshing(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    await worker.visit_next(lease, make_fetched("text", images=[LOGO]))
    await worker.release(lease)
    clock.advance(WEEKS_S)
    await store.refresh.promote(RefreshBudget(domains=10, per_domain=10, limit=10, idle_s=1.0))
    await worker.visit_next(await worker.claim_one(), make_fetched("new", images=[LOGO, image("2")]))
    assert store.query("SELECT discovery FROM images ORDER BY id") == [("discovery",), ("refresh",)]


async def test_a_batch_that_comes_again_stores_no_image_twice(
    worker: StoreWorker, store: StoreUnderTest
) -> None:
    await worker.add(A)
    batch = worker.make_batch(await make_work(worker, [LOGO, image("2")]))
    await worker.frontier.settle(batch)
    await worker.frontier.settle(batch)
    assert counts_of(store, "a.example") == (2, 2)


async def test_a_stale_fence_stores_no_image(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await worker.add(A)
    work = await make_work(worker, [LOGO])
    await store.domains.reset("a.example", "to lift the fence")
    assert (await worker.settle(work)).lost
    assert store.query("SELECT * FROM images") == []
    assert counts_of(store, "a.example") == (0, 0)


async def test_workers_that_find_the_same_images_at_once_keep_each_once(
    store: StoreUnderTest, clock: FakeClock
) -> None:
    others = [await store.connect() for _ in range(3)]
    workers = [await StoreWorker(each.frontier, each.runs, clock).start() for each in (store, *others)]
    images = [image(str(number)) for number in range(300)]
    await workers[0].add(*(f"https://d{number}.example/" for number in range(len(workers))))
    works = [
        await make_work(worker, images if number % 2 else images[::-1])
        for number, worker in enumerate(workers)
    ]
    await asyncio.gather(*(worker.settle(work) for worker, work in zip(workers, works, strict=True)))
    assert find_wrong_counters(store.query) == []
    assert store.query("SELECT count(*), count(DISTINCT key) FROM images") == [(300, 300)]
    assert store.query("SELECT sum(images_found), sum(images_stored) FROM domains") == [(1200, 300)]
