"""Promotion: pages whose revisit has come are queued, each once, and nothing else is."""

import asyncio
from collections.abc import Sequence

import pytest

from tenax.config.refresh import RefreshSettings
from tenax.errors import StoreError
from tenax.records.domains import DomainState, DomainStatus, Lease
from tenax.records.visits import Visit
from tenax.stores.contracts.batches import Batch, DomainWork
from tenax.stores.contracts.refresh import RefreshBudget, RefreshStep
from tests.support.clock import START, FakeClock
from tests.support.store import (
    LEASE_S,
    StoreUnderTest,
    StoreWorker,
    find_wrong_counters,
    make_fetched,
    make_visit,
)

A, B, C = "https://a.example/", "https://b.example/", "https://c.example/"
DAY_S = 86_400.0
PLAN = RefreshSettings(first_s=DAY_S, min_s=DAY_S, max_s=10 * DAY_S)  # at the shortest nothing is spread
OFF = RefreshSettings(enabled=False)
IDLE_S = 3600.0


async def settle_all(worker: StoreWorker, lease: Lease, settings: RefreshSettings = PLAN) -> None:
    """Fetch everything that waits in the domain, a second apart."""
    visits: list[Visit] = []
    for target in (await worker.head(lease)).targets:
        visits.append(make_visit(target, make_fetched(target.url), at=worker.clock.now() + len(visits)))
    worker.batches += 1
    work = DomainWork(lease=lease, state=DomainState(status=DomainStatus.ACTIVE), visits=visits)
    await worker.frontier.settle(
        Batch(
            number=worker.batches,
            run_id=worker.run_id,
            worker_id=worker.id,
            lease_s=LEASE_S,
            works=[work],
            refresh=settings,
        )
    )


async def crawl(worker: StoreWorker, *urls: str, settings: RefreshSettings = PLAN) -> None:
    """Everything is fetched and given back."""
    await worker.add(*urls)
    for lease in await worker.claim():
        await settle_all(worker, lease, settings)
        await worker.release(lease)


async def promote(
    store: StoreUnderTest, *, domains: int = 10, per_domain: int = 100, limit: int = 100
) -> RefreshStep:
    return await store.refresh.promote(
        RefreshBudget(domains=domains, per_domain=per_domain, limit=limit, idle_s=IDLE_S)
    )


def queued(store: StoreUnderTest) -> list[str]:
    return [row[0] for row in store.query("SELECT url FROM urls WHERE due_at IS NOT NULL ORDER BY url")]


def revisits(store: StoreUnderTest) -> dict[str, float | None]:
    return dict(store.query("SELECT name, revisit_at FROM domains"))


async def test_a_fetched_page_is_planned_and_its_domain_knows_the_first(
    worker: StoreWorker, store: StoreUnderTest
) -> None:
    await crawl(worker, A, A + "2")
    planned = [row[0] for row in store.query("SELECT revisit_at FROM urls ORDER BY revisit_at")]
    assert planned == [START + DAY_S, START + DAY_S + 1]
    assert revisits(store) == {"a.example": START + DAY_S}


async def test_nothing_is_queued_before_its_time(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await crawl(worker, A)
    clock.advance(DAY_S - 1)
    assert await promote(store) == RefreshStep(urls=0, domains=0)
    assert queued(store) == []


async def test_only_what_is_due_is_queued(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await crawl(worker, A, A + "2", A + "3")
    clock.advance(DAY_S + 1)
    assert await promote(store) == RefreshStep(urls=2, domains=1)
    assert len(queued(store)) == 2
    assert revisits(store) == {"a.example": START + DAY_S + 2}
    assert find_wrong_counters(store.query) == []


async def test_what_is_queued_can_be_claimed_at_once_and_is_still_fetched(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await crawl(worker, A)
    clock.advance(DAY_S)
    await promote(store)
    (target,) = (await worker.head(await worker.claim_one())).targets
    assert (target.url, target.etag, target.content_hash is None) == (A, '"e1"', False)
    assert store.query("SELECT fate, due_at, revisit_at FROM urls") == [("fetched", clock.now(), None)]
    assert store.query("SELECT status FROM domains") == [("active",)]
    (last,) = store.query("SELECT from_status, to_status, cause FROM domain_events ORDER BY id DESC LIMIT 1")
    assert tuple(last) == ("exhausted", "active", "refresh")


async def test_promoting_again_queues_nothing_twice(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await crawl(worker, A, B)
    clock.advance(DAY_S)
    assert (await promote(store)).urls == 2
    before = [store.query(f"SELECT * FROM {table} ORDER BY id") for table in ("urls", "domains")]
    assert await promote(store) == RefreshStep(urls=0, domains=0)
    assert [store.query(f"SELECT * FROM {table} ORDER BY id") for table in ("urls", "domains")] == before


async def test_two_who_promote_at_once_share_the_work(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    urls = [f"https://h{number}.example/" for number in range(12)]
    await crawl(worker, *urls)
    clock.advance(DAY_S)
    other = await store.connect()
    steps = await asyncio.gather(*(promote(each, domains=6) for each in (store, other) for _ in range(3)))
    assert sum(step.urls for step in steps) == len(urls)
    assert queued(store) == sorted(urls)
    assert find_wrong_counters(store.query) == []


@pytest.mark.parametrize("step", [("UPDATE OF due_at", "urls"), ("UPDATE OF queued", "domains")])
async def test_a_promotion_that_fails_leaves_nothing_and_can_be_repeated(
    step: tuple[str, str], worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await crawl(worker, A)
    clock.advance(DAY_S)
    before = [store.query("SELECT * FROM urls"), store.query("SELECT * FROM domains")]
    with store.broken(*step), pytest.raises(StoreError, match="fault"):
        await promote(store)
    assert [store.query("SELECT * FROM urls"), store.query("SELECT * FROM domains")] == before
    assert (await promote(store)).urls == 1


async def test_what_was_promoted_and_not_visited_is_simply_due(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await crawl(worker, A, B)
    clock.advance(DAY_S)
    await promote(store, domains=1)  # and then its process dies
    assert len(queued(store)) == 1
    assert (await promote(store)).urls == 1
    assert len(await worker.claim()) == 2
    assert find_wrong_counters(store.query) == []


async def test_a_domain_that_somebody_holds_is_left_alone(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await worker.add(A)
    await settle_all(worker, await worker.claim_one())
    clock.advance(DAY_S)
    assert (await promote(store)).domains == 0


async def test_a_domain_that_has_other_urls_to_do_first_is_left_alone(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await crawl(worker, A)
    await worker.add(A + "new")
    clock.advance(DAY_S)
    assert (await promote(store)).domains == 0


async def test_a_domain_that_rests_is_left_alone(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    await settle_all(worker, lease)
    blocked = DomainState(
        status=DomainStatus.BLOCKED, block_code="forbidden", next_crawl_after=START + 9 * DAY_S
    )
    await worker.release(lease, state=blocked)
    clock.advance(DAY_S)
    assert (await promote(store)).domains == 0


async def test_a_domain_gets_no_more_than_its_part_and_the_longest_due_first(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await crawl(worker, A, A + "2", A + "3")
    first = store.query("SELECT url FROM urls ORDER BY fetched_at LIMIT 2")
    clock.advance(2 * DAY_S)
    assert (await promote(store, per_domain=2)).urls == 2
    assert queued(store) == sorted(row[0] for row in first)
    assert revisits(store) == {"a.example": START + DAY_S + 2}


async def test_no_more_is_queued_in_all_than_was_asked_for(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await crawl(worker, A, A + "2", B, B + "2")
    clock.advance(2 * DAY_S)
    assert (await promote(store, limit=3)).urls == 3
    assert len(queued(store)) == 3
    assert find_wrong_counters(store.query) == []


async def revisit_all(worker: StoreWorker, texts: Sequence[str]) -> None:
    """Each domain that can be claimed answers with the next of the texts."""
    for lease, text in zip(sorted(await worker.claim(), key=lambda each: each.domain), texts, strict=True):
        await worker.visit_next(lease, make_fetched(text))
        await worker.release(lease)


async def test_what_changes_most_comes_first_and_then_what_waited_longest(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await crawl(worker, C)
    clock.advance(1)
    await crawl(worker, A)
    await crawl(worker, B)
    clock.advance(DAY_S)
    await promote(store)
    await revisit_all(worker, [A, "another text", C])
    clock.advance(100 * DAY_S)
    order = []
    while (await promote(store, domains=1)).urls:
        order += [url for url in queued(store) if url not in order]
    assert order[0] == B
    assert find_wrong_counters(store.query) == []


async def test_of_domains_alike_the_one_that_waited_longest_comes_first(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await crawl(worker, C)
    clock.advance(1)
    await crawl(worker, A)
    clock.advance(2 * DAY_S)
    await promote(store, domains=1)
    assert queued(store) == [C]


async def test_pages_that_were_never_planned_are_due(worker: StoreWorker, store: StoreUnderTest) -> None:
    await crawl(worker, A, settings=OFF)
    assert revisits(store) == {"a.example": None}
    assert await promote(store) == RefreshStep(urls=1, domains=1)


async def test_a_domain_without_any_plan_is_looked_at_again_later(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await crawl(worker, A, settings=OFF)
    await promote(store)
    await settle_all(worker, lease := await worker.claim_one(), OFF)
    await worker.release(lease)
    # The domain's note is older than what became of its pages.
    assert (await promote(store)).domains == 0
    clock.advance(IDLE_S)
    assert await promote(store) == RefreshStep(urls=1, domains=1)
