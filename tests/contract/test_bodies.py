"""Bodies in the store: a visit names one only if it is there, and bodies that visits share are counted."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tenax.blobs.frames import pack_body, unpack_body
from tenax.blobs.local import LocalBlobs
from tenax.config.bodies import BodySettings
from tenax.crawl.worker.body_keeper import BodyKeeper, SegmentOwner, tidy_segments
from tenax.record import replace
from tenax.records.visits import Visit
from tenax.stores.access import Access
from tenax.stores.commands.purge import PurgeSelection, purge_pages
from tenax.stores.contracts.batches import DomainWork, Settled
from tenax.stores.contracts.bodies import BodyStore
from tenax.stores.queries.bodies import find_body, load_totals
from tests.support.clock import FakeClock
from tests.support.store import ACTIVE, Rows, StoreUnderTest, StoreWorker, make_fetched, make_visit

A, B = "https://a.example/", "https://b.example/"
HEADS = (b"GET / HTTP/1.1", b"HTTP/1.1 200 OK")
HERE = "this.example"


@pytest.fixture
def blobs(tmp_path: Path) -> LocalBlobs:
    return LocalBlobs(tmp_path / "bodies")


@pytest.fixture
def bodies(store: StoreUnderTest) -> BodyStore:
    return store.of_source(0).bodies


def make_keeper(
    blobs: LocalBlobs, bodies: BodyStore, clock: FakeClock, settings: BodySettings | None = None, id: int = 1
) -> BodyKeeper:
    owner = SegmentOwner(machine=HERE, worker_id=id)
    return BodyKeeper(blobs, bodies, settings or BodySettings(), clock, owner)


@pytest.fixture
def keeper(blobs: LocalBlobs, bodies: BodyStore, clock: FakeClock) -> BodyKeeper:
    return make_keeper(blobs, bodies, clock)


async def visit(worker: StoreWorker, url: str, body: bytes) -> DomainWork:
    await worker.add(url)
    lease = await worker.claim_one()
    target = (await worker.head(lease)).targets[0]
    made = make_visit(target, make_fetched(body.decode()), at=worker.clock.now())
    return DomainWork(lease=lease, state=ACTIVE, visits=[with_body(made, body)])


def with_body(made: Visit, body: bytes) -> Visit:
    return replace(made, body=pack_body(body, HEADS))


async def settle(worker: StoreWorker, keeper: BodyKeeper, works: Sequence[DomainWork]) -> Settled:
    places = await keeper.write(works)
    return await worker.frontier.settle(replace(worker.make_batch(*works), places=places))


def list_uses(store: StoreUnderTest) -> Rows:
    return store.query("SELECT size, uses FROM bodies ORDER BY size")


async def read_newest(access: Access, blobs: LocalBlobs, store: StoreUnderTest, url: str) -> bytes | None:
    ((url_id,),) = store.query(f"SELECT id FROM urls WHERE url = '{url}'")
    found = await access.read(lambda connection: find_body(connection, url_id))
    if found is None:
        return None
    placed = found.body
    return unpack_body(blobs.read(placed.key, placed.position, placed.length), placed.digest)


async def test_a_body_of_two_urls_is_stored_once(
    worker: StoreWorker, store: StoreUnderTest, keeper: BodyKeeper, access: Access, blobs: LocalBlobs
) -> None:
    works = [await visit(worker, A, b"the same"), await visit(worker, B, b"the same")]
    await settle(worker, keeper, works)
    await settle(worker, keeper, [await visit(worker, "https://c.example/", b"the same")])
    assert list_uses(store) == [(8, 3)]
    totals = await access.read(load_totals)
    assert (totals.bodies, totals.files) == (1, 1)
    for url in (A, B):
        assert await read_newest(access, blobs, store, url) == b"the same"


async def test_two_workers_that_write_the_same_body_name_one_place(
    worker: StoreWorker,
    store: StoreUnderTest,
    blobs: LocalBlobs,
    bodies: BodyStore,
    clock: FakeClock,
    access: Access,
) -> None:
    first, second = (make_keeper(blobs, bodies, clock, id=number) for number in (1, 2))
    work, other = await visit(worker, A, b"the same"), await visit(worker, B, b"the same")
    # Both look for it before one of them has named it.
    places, other_places = await first.write([work]), await second.write([other])
    await worker.frontier.settle(replace(worker.make_batch(work), places=places))
    await worker.frontier.settle(replace(worker.make_batch(other), places=other_places))
    assert list_uses(store) == [(8, 2)]
    for keeper in (first, second):
        await keeper.seal()
    assert (await access.read(load_totals)).bodies == 1
    for url in (A, B):
        assert await read_newest(access, blobs, store, url) == b"the same"


async def test_a_repeated_batch_counts_once(
    worker: StoreWorker, store: StoreUnderTest, keeper: BodyKeeper
) -> None:
    work = await visit(worker, A, b"body")
    batch = replace(worker.make_batch(work), places=await keeper.write([work]))
    for _ in range(2):
        await worker.frontier.settle(batch)
    assert list_uses(store) == [(4, 1)]
    assert store.query("SELECT count(*) FROM visit_bodies") == [(1,)]


async def test_a_lost_domain_leaves_a_hole_that_is_cut_off(
    worker: StoreWorker, store: StoreUnderTest, keeper: BodyKeeper, blobs: LocalBlobs
) -> None:
    kept, lost = await visit(worker, A, b"kept"), await visit(worker, B, b"lost meanwhile")
    await store.domains.block("b.example", "by hand")
    settled = await settle(worker, keeper, [kept, lost])
    assert settled.lost == {lost.lease.domain_id}
    assert list_uses(store) == [(4, 1)]
    await keeper.seal()
    ((key, size, state),) = store.query("SELECT key, bytes, state FROM segments")
    assert (blobs.find_size(key), state) == (size, "sealed")


async def test_who_takes_over_from_a_dead_worker_cuts_off_what_no_row_names(
    worker: StoreWorker,
    store: StoreUnderTest,
    keeper: BodyKeeper,
    blobs: LocalBlobs,
    bodies: BodyStore,
    clock: FakeClock,
) -> None:
    await settle(worker, keeper, [await visit(worker, A, b"settled")])
    work = await visit(worker, B, b"never settled")
    places = await keeper.write([work])
    ((key, size),) = store.query("SELECT key, bytes FROM segments")
    found = blobs.find_size(key)
    assert found is not None
    assert found > size
    await tidy_segments(blobs, bodies, HERE)
    assert blobs.find_size(key) == found, "its writer lives"
    keeper.close()
    await tidy_segments(blobs, bodies, HERE)
    assert blobs.find_size(key) == size
    # What arrives late names nothing that is gone.
    await worker.frontier.settle(replace(worker.make_batch(work), places=places))
    assert list_uses(store) == [(7, 1)]
    assert store.query("SELECT count(*) FROM pages") == [(2,)]


async def test_a_segment_of_nothing_is_deleted(
    worker: StoreWorker, store: StoreUnderTest, keeper: BodyKeeper, tmp_path: Path
) -> None:
    await keeper.write([await visit(worker, A, b"never settled")])
    await keeper.seal()
    assert store.query("SELECT count(*) FROM segments") == [(0,)]
    assert list((tmp_path / "bodies").iterdir()) == []


async def test_a_segment_is_sealed_by_its_age(
    worker: StoreWorker, store: StoreUnderTest, blobs: LocalBlobs, bodies: BodyStore, clock: FakeClock
) -> None:
    keeper = make_keeper(blobs, bodies, clock, BodySettings(store=True, segment_age_s=10))
    await settle(worker, keeper, [await visit(worker, A, b"one")])
    await keeper.end_batch()
    assert store.query("SELECT state FROM segments") == [("open",)]
    clock.advance(11)
    await keeper.end_batch()
    await settle(worker, keeper, [await visit(worker, B, b"two")])
    assert store.query("SELECT state FROM segments ORDER BY id") == [("sealed",), ("open",)]


async def test_a_body_whose_file_is_gone_is_stored_again(
    worker: StoreWorker,
    store: StoreUnderTest,
    keeper: BodyKeeper,
    blobs: LocalBlobs,
    access: Access,
) -> None:
    await settle(worker, keeper, [await visit(worker, A, b"body")])
    await keeper.seal()
    ((key,),) = store.query("SELECT key FROM segments")
    blobs.remove(key)
    await settle(worker, keeper, [await visit(worker, B, b"body")])
    for url in (A, B):
        assert await read_newest(access, blobs, store, url) == b"body"


async def test_shared_bodies_outlive_a_purge_and_others_do_not(
    worker: StoreWorker,
    store: StoreUnderTest,
    keeper: BodyKeeper,
    blobs: LocalBlobs,
    bodies: BodyStore,
    access: Access,
    clock: FakeClock,
) -> None:
    works = [await visit(worker, A, b"the same"), await visit(worker, B, b"the same")]
    await settle(worker, keeper, [*works, await visit(worker, "https://c.example/", b"own")])
    await keeper.seal()
    ((a_id,),) = store.query("SELECT id FROM domains WHERE name = 'a.example'")
    await purge_pages(access, clock, PurgeSelection(domain_id=a_id))
    assert list_uses(store) == [(3, 1), (8, 1)]
    assert await read_newest(access, blobs, store, A) is None
    assert await read_newest(access, blobs, store, B) == b"the same"
    ((key,),) = store.query("SELECT key FROM segments")
    await purge_pages(access, clock, PurgeSelection())
    assert store.query("SELECT count(*) FROM bodies") == [(0,)]
    assert store.query("SELECT state, bodies FROM segments") == [("dropped", 0)]
    assert (await access.read(load_totals)).files == 0
    await tidy_segments(blobs, bodies, HERE)
    assert store.query("SELECT count(*) FROM segments") == [(0,)]
    assert blobs.find_size(key) is None


async def test_a_body_that_is_purged_meanwhile_is_named_again_only_if_it_is_there(
    worker: StoreWorker,
    store: StoreUnderTest,
    keeper: BodyKeeper,
    blobs: LocalBlobs,
    bodies: BodyStore,
    access: Access,
    clock: FakeClock,
) -> None:
    await settle(worker, keeper, [await visit(worker, A, b"the same")])
    await keeper.seal()
    work = await visit(worker, B, b"the same")
    places = await keeper.write([work])
    await purge_pages(access, clock, PurgeSelection())
    await tidy_segments(blobs, bodies, HERE)
    await worker.frontier.settle(replace(worker.make_batch(work), places=places))
    assert store.query("SELECT count(*) FROM visit_bodies") == [(0,)]
    assert await read_newest(access, blobs, store, B) is None
