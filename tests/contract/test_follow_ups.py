"""Follow-ups: a page asks that a handler sees a url; whichever worker visits it and when, it does."""

import asyncio

import pytest

from tenax.records.items import FollowUp
from tenax.records.urls import NewUrl, RefusalReason
from tenax.records.visits import Refused, Visit
from tests.support.clock import FakeClock
from tests.support.items import ItemWorker, followed_url, found_item, parsing
from tests.support.store import StoreUnderTest, StoreWorker, find_wrong_counters

A, A2 = "https://a.example/", "https://a.example/2"
B = "https://b.example/"
DETAIL = FollowUp(parser="detail", data='{"list":1}')


@pytest.fixture
def shop(worker: StoreWorker, runner: asyncio.Runner) -> ItemWorker:
    return runner.run(ItemWorker(worker).begin(A, B))


def follow(shop: ItemWorker, url: str, data: str = DETAIL.data, from_url: str = A) -> NewUrl:
    return followed_url(url, DETAIL.parser, data, shop.targets[from_url].id)


async def ask(shop: ItemWorker, url: str, data: str = DETAIL.data) -> None:
    """The page of A asks that the handler sees the url."""
    await shop.visit_again(A)
    await shop.settle(shop.make_visit(A, parsing(), follow=[follow(shop, url, data)]))


def is_due(store: StoreUnderTest, url: str) -> bool:
    return store.query(f"SELECT due_at IS NOT NULL FROM urls WHERE url = '{url}'") == [(True,)]


async def test_a_new_url_comes_with_its_follow_up(shop: ItemWorker, store: StoreUnderTest) -> None:
    await ask(shop, A2)
    await shop.load()
    assert shop.targets[A2].follow_ups == (DETAIL,)
    assert store.query("SELECT from_url_id FROM follow_ups") == [(shop.targets[A].id,)]


async def test_a_known_url_that_waits_comes_with_its_follow_up(
    shop: ItemWorker, store: StoreUnderTest
) -> None:
    await ask(shop, B)
    await shop.load()
    assert shop.targets[B].follow_ups == (DETAIL,)
    assert find_wrong_counters(store.query) == []


@pytest.mark.parametrize("is_held", [True, False])
async def test_a_known_url_that_was_visited_is_due_and_requested_as_if_it_had_changed(
    is_held: bool, shop: ItemWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await shop.show(B, found_item("x", price=1))
    if not is_held:
        await shop.worker.release(shop.leases.pop("b.example"))
        assert store.query("SELECT status, avail_at FROM domains WHERE name = 'b.example'") == [
            ("exhausted", None)
        ]
    await ask(shop, B)
    assert is_due(store, B)
    assert find_wrong_counters(store.query) == []
    await shop.load()
    assert shop.targets[B].follow_ups == (DETAIL,)
    assert shop.targets[B].parsed_by is None
    assert "b.example" in shop.leases


async def test_an_equal_follow_up_makes_nothing_due(shop: ItemWorker, store: StoreUnderTest) -> None:
    await ask(shop, B)
    await shop.load()
    await shop.show(B, found_item("x", price=1))
    assert not is_due(store, B)
    await ask(shop, B)
    assert not is_due(store, B)
    assert store.query("SELECT count(*) FROM follow_ups") == [(1,)]


async def test_a_follow_up_with_other_data_makes_its_url_due(shop: ItemWorker, store: StoreUnderTest) -> None:
    await ask(shop, B)
    await shop.load()
    await shop.show(B, found_item("x", price=1))
    await ask(shop, B, '{"list":2}')
    assert is_due(store, B)
    assert store.query("SELECT data FROM follow_ups") == [('{"list":2}',)]
    assert find_wrong_counters(store.query) == []


async def test_a_follow_up_that_comes_while_its_url_is_visited_is_not_missed(
    shop: ItemWorker, store: StoreUnderTest
) -> None:
    await ask(shop, B)  # its target in hand does not know of it
    await shop.show(B, found_item("x", price=1))
    assert is_due(store, B)
    assert find_wrong_counters(store.query) == []
    await shop.load()
    await shop.show(B, found_item("x", price=1))
    assert not is_due(store, B)


async def test_a_url_that_is_visited_in_the_same_batch_is_due_again(
    shop: ItemWorker, store: StoreUnderTest
) -> None:
    await shop.settle(shop.make_visit(A, parsing(), follow=[follow(shop, B)]), shop.make_visit(B, parsing()))
    assert is_due(store, B)
    assert find_wrong_counters(store.query) == []


async def test_a_url_that_was_refused_stays_so(shop: ItemWorker, store: StoreUnderTest) -> None:
    refused = Refused(reason=RefusalReason.ROBOTS, detail="line 3")
    await shop.settle(shop.make_visit(B, outcome=refused))
    await ask(shop, B)
    assert not is_due(store, B)


async def test_workers_that_follow_urls_of_each_other_settle_at_the_same_time(
    store: StoreUnderTest, clock: FakeClock
) -> None:
    first = await StoreWorker(store.frontier, store.runs, clock).start()
    other = await store.connect()
    urls = [f"https://{name}.example/{number}" for name in "ab" for number in range(20)]
    one = await ItemWorker(first).begin(*urls)
    second = StoreWorker(other.frontier, other.runs, clock)
    second.run_id, second.id = first.run_id, await _join(other, first.run_id)
    two = ItemWorker(second)
    two.targets, two.leases = dict(one.targets), {"b.example": one.leases.pop("b.example")}
    mine, others = urls[:20], urls[20:]

    def crossed(worker: ItemWorker, own: list[str], theirs: list[str]) -> list[Visit]:
        return [
            worker.make_visit(url, parsing(), follow=[follow(worker, target, from_url=url)])
            for url, target in zip(own, reversed(theirs), strict=True)
        ]

    await asyncio.gather(
        one.settle(*crossed(one, mine, others)), two.settle(*crossed(two, others[::-1], mine))
    )
    assert store.query("SELECT count(*) FROM follow_ups") == [(40,)]
    assert store.query("SELECT count(*) FROM urls WHERE due_at IS NULL") == [(0,)]
    assert find_wrong_counters(store.query) == []


async def _join(store: StoreUnderTest, run_id: int) -> int:
    added = await store.runs.add_worker(run_id, "other", "localhost", 2, 60.0)
    assert added is not None
    return added


async def test_a_follow_up_of_another_source_is_not_seen(shop: ItemWorker, store: StoreUnderTest) -> None:
    await ask(shop, B)
    of_other = store.of_source(7).frontier
    (head,) = await of_other.heads([(shop.leases["b.example"].domain_id, 10)], has_parsers=True)
    assert [target.follow_ups for target in head.targets] == [()]


async def test_the_last_page_that_asks_for_the_same_counts(shop: ItemWorker, store: StoreUnderTest) -> None:
    wishes = [follow(shop, B, '{"list":1}'), follow(shop, B, '{"list":2}')]
    await shop.settle(shop.make_visit(A, parsing(), follow=wishes))
    assert store.query("SELECT data FROM follow_ups") == [('{"list":2}',)]
