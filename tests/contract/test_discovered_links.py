"""Domains out of scope: counted with the batches, listed, hidden, and promoted to seeds."""

import asyncio
from collections.abc import Sequence
from functools import partial

import pytest

from tenax.crawl.run.promotion import promote
from tenax.records.domains import Lease
from tenax.records.pages import Outside
from tenax.stores.access import Access
from tenax.stores.contracts.batches import DomainWork
from tenax.stores.hot.discovery import discovered
from tenax.stores.paging import ListPosition, ListSlice, SliceRequest
from tenax.stores.queries.discovered import (
    ORDER,
    DiscoveredFilter,
    DiscoveredLink,
    hide_discovered,
    slice_discovered,
)
from tests.support.clock import FakeClock
from tests.support.store import ACTIVE, StoreUnderTest, StoreWorker, make_fetched, make_visit

A, B = "https://a.example/", "https://b.example/"
X: Outside = ("x.example", "https://x.example/1", 2)
Y: Outside = ("y.example", "https://y.example/", 1)


async def make_work(worker: StoreWorker, lease: Lease, *outside: Outside) -> DomainWork:
    target = (await worker.head(lease)).targets[0]
    visit = make_visit(target, make_fetched(outside=outside), at=worker.clock.now())
    return DomainWork(lease=lease, state=ACTIVE, visits=[visit])


async def see(worker: StoreWorker, lease: Lease, *outside: Outside) -> None:
    """A page names these domains."""
    await worker.settle(await make_work(worker, lease, *outside))


async def start(worker: StoreWorker, pages: int = 3) -> Lease:
    await worker.add(*(f"{A}{number}" for number in range(pages)))
    return await worker.claim_one()


async def load_slice(
    access: Access, wanted: SliceRequest, only: DiscoveredFilter
) -> ListSlice[DiscoveredLink]:
    return await access.read(partial(slice_discovered, wanted=wanted, only=only))


async def load(
    access: Access, *, with_hidden: bool = False, contains: str | None = None, limit: int = 10
) -> Sequence[DiscoveredLink]:
    wanted = SliceRequest(key="links", is_descending=True, after=None, limit=limit)
    return (await load_slice(access, wanted, DiscoveredFilter(text=contains, with_hidden=with_hidden))).items


def names(found: Sequence[DiscoveredLink]) -> list[str]:
    return [link.domain for link in found]


async def test_pages_and_links_are_counted_for_each_domain(
    worker: StoreWorker, access: Access, clock: FakeClock
) -> None:
    lease = await start(worker)
    first_at = clock.now()
    await see(worker, lease, X, Y)
    last_at = clock.advance(10)
    await see(worker, lease, ("x.example", "https://x.example/9", 3))
    first, second = await load(access)
    assert (first.domain, first.url, first.links, first.pages) == ("x.example", "https://x.example/1", 5, 2)
    assert (first.first_seen_at, first.last_seen_at) == (first_at, last_at)
    assert first.discovered_from is not None
    assert first.discovered_from.startswith(A)
    assert (second.domain, second.links, second.pages) == ("y.example", 1, 1)


async def test_a_repeated_batch_counts_nothing_twice(worker: StoreWorker, access: Access) -> None:
    lease = await start(worker)
    batch = worker.make_batch(await make_work(worker, lease, X))
    await worker.frontier.settle(batch)
    await worker.frontier.settle(batch)
    assert [(link.links, link.pages) for link in await load(access)] == [(2, 1)]


async def test_links_found_under_a_lost_lease_are_not_counted(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    lease = await start(worker)
    work = await make_work(worker, lease, X)
    clock.advance(100)
    heir = await StoreWorker(store.frontier, store.runs, clock).start()
    await heir.claim_one()
    assert (await worker.settle(work)).lost == {lease.domain_id}
    assert await load(access) == []


async def test_a_batch_writes_a_bounded_number_of_domains(
    worker: StoreWorker, access: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(discovered, "DOMAINS_AT_ONCE", 2)
    await see(worker, await start(worker), X, Y, ("z.example", "https://z.example/", 1))
    assert sorted(names(await load(access))) == ["x.example", "y.example"]


async def test_workers_that_add_the_same_domains_at_once_do_not_block_each_other(
    store: StoreUnderTest, clock: FakeClock, access: Access
) -> None:
    workers = []
    for number in range(4):
        joined = await store.connect()
        worker = await StoreWorker(joined.frontier, joined.runs, clock).start()
        await worker.add(*(f"https://own{number}.example/{page}" for page in range(5)))
        workers.append((worker, await worker.claim_one()))
    foreign = [(f"f{number}.example", f"https://f{number}.example/", 1) for number in range(40)]

    async def work(worker: StoreWorker, lease: Lease, order: list[Outside]) -> None:
        for _ in range(5):
            await see(worker, lease, *order)

    orders = [foreign, foreign[::-1], foreign[20:] + foreign[:20], foreign[::2] + foreign[1::2]]
    await asyncio.gather(
        *(work(worker, lease, order) for (worker, lease), order in zip(workers, orders, strict=True))
    )
    found = await load(access, limit=100)
    assert len(found) == 40
    assert {(link.links, link.pages) for link in found} == {(20, 20)}


@pytest.mark.parametrize("key", ORDER.keys)
async def test_the_list_is_read_in_slices(worker: StoreWorker, access: Access, key: str) -> None:
    lease = await start(worker)
    await see(
        worker, lease, *((f"f{number}.example", f"https://f{number}.example/", 1) for number in range(7))
    )
    found: list[DiscoveredLink] = []
    after: ListPosition | None = None
    for _ in range(3):
        wanted = SliceRequest(key=key, is_descending=True, after=after, limit=3)
        part = await load_slice(access, wanted, DiscoveredFilter())
        found, after = [*found, *part.items], part.next
    assert after is None
    assert len(found) == len(set(names(found))) == 7


async def test_the_list_is_searched_by_a_part_of_the_name(worker: StoreWorker, access: Access) -> None:
    await see(worker, await start(worker), X, Y)
    assert names(await load(access, contains="X.exa")) == ["x.example"]
    assert names(await load(access, contains="%")) == []


async def test_a_hidden_domain_does_not_come_back(worker: StoreWorker, access: Access) -> None:
    lease = await start(worker)
    await see(worker, lease, X, Y)
    (first, _) = await load(access)
    assert await access.write(partial(hide_discovered, ids=[first.id, 99])) == 1
    assert await access.write(partial(hide_discovered, ids=[first.id])) == 0
    await see(worker, lease, X)
    assert names(await load(access)) == ["y.example"]
    assert [(link.links, link.is_hidden) for link in await load(access, with_hidden=True)] == [
        (4, True),
        (1, False),
    ]


async def test_a_promoted_domain_is_a_seed_and_no_longer_listed(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await see(worker, await start(worker), X, Y)
    (first, _) = await load(access)
    assert await promote(access, store.frontier, [first.id], clock.now()) == [X[1]]
    assert await promote(access, store.frontier, [first.id], clock.now()) == []
    assert names(await load(access)) == ["y.example"]
    assert store.query("SELECT url, cause FROM seeds") == [(X[1], "user")]
    assert store.query(f"SELECT fate, is_seed FROM urls WHERE url = '{X[1]}'") == [("queued", 1)]
    assert "x.example" in {lease.domain for lease in await worker.claim()}
