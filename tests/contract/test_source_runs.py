"""Runs of sources beside each other: each has its own domains, seeds and rules."""

from collections.abc import Callable

import pytest

from tenax.config.settings import Settings
from tenax.crawl.run.opening import Opener
from tenax.errors import DomainsBusy
from tenax.record import replace
from tenax.records.jobs import Recrawl
from tenax.records.runs import RunState
from tenax.records.urls import Priority
from tenax.stores.backend import Stores
from tenax.stores.contracts.runs import Run
from tests.support.clock import FakeClock
from tests.support.store import LEASE_S, StoreUnderTest, StoreWorker, make_fetched, make_visit, new_url

A, B, C = "https://a.example/", "https://b.example/", "https://c.example/"
NEWS, PAPERS = 1, 2

OfSource = Callable[[int], Stores]


@pytest.fixture
def of_source(store: StoreUnderTest) -> OfSource:
    return store.of_source


def make_opener(stores: Stores, clock: FakeClock) -> Opener:
    return Opener(settings=Settings(), stores=replace(stores, clock=clock))


async def launch(stores: Stores, clock: FakeClock, execution_id: int, *seeds: str) -> Run:
    return await make_opener(stores, clock).launch(execution_id, seeds, roots=set(seeds), recrawl=Recrawl.DUE)


async def join(stores: Stores, clock: FakeClock, run: Run) -> StoreWorker:
    worker = StoreWorker(stores.frontier, stores.runs, clock)
    worker.run_id = run.id
    worker_id = await stores.runs.add_worker(
        run.id, f"worker of {run.id}", "localhost", 1, LEASE_S, reopens=False
    )
    assert worker_id is not None
    worker.id = worker_id
    return worker


async def crawl(stores: Stores, clock: FakeClock, run: Run) -> list[str]:
    """Everything that waits; returns the urls."""
    worker = await join(stores, clock, run)
    urls = []
    for lease in await worker.claim(limit=10):
        targets = (await worker.head(lease)).targets
        urls += [target.url for target in targets]
        visits = [make_visit(target, make_fetched(target.url), at=clock.now()) for target in targets]
        await worker.settle_visits(lease, visits)
        await worker.release(lease)
    await stores.runs.end_run(run.id, RunState.DONE, worker.id)
    clock.advance(60.0)
    return sorted(urls)


async def test_runs_of_two_sources_go_side_by_side_and_crawl_their_own(
    of_source: OfSource, clock: FakeClock
) -> None:
    news, papers = of_source(NEWS), of_source(PAPERS)
    first = await launch(news, clock, 1, A)
    second = await launch(papers, clock, 2, B)
    assert [each.run.id for each in await news.runs.list_open()] == [first.id, second.id]
    assert [each.run.source_id for each in await news.runs.list_open()] == [NEWS, PAPERS]
    assert await crawl(papers, clock, second) == [B]
    assert await crawl(news, clock, first) == [A]


async def test_what_a_person_crawls_is_left_to_the_person(
    store: StoreUnderTest, worker: StoreWorker, of_source: OfSource, clock: FakeClock
) -> None:
    await worker.add(C)
    run = await launch(of_source(NEWS), clock, 1, A)
    assert await crawl(of_source(NEWS), clock, run) == [A]
    (lease,) = await worker.claim(limit=10)
    assert lease.domain == "c.example"


async def test_a_source_sees_its_own_horizon_only(of_source: OfSource, clock: FakeClock) -> None:
    news, papers = of_source(NEWS), of_source(PAPERS)
    first = await launch(news, clock, 1, A)
    second = await launch(papers, clock, 2, B)
    worker = await join(news, clock, first)
    await worker.claim(limit=10)
    other = await join(papers, clock, second)
    horizon = await papers.frontier.horizon(other.id)
    assert (horizon.can_claim, horizon.is_leased_elsewhere) == (True, False)
    assert (await papers.frontier.overview(1.0, 1000)).queued == 1


async def test_the_run_of_an_execution_is_started_once(of_source: OfSource, clock: FakeClock) -> None:
    news = of_source(NEWS)
    run = await launch(news, clock, 7, A)
    again = await launch(news, clock, 7, A)
    assert again.id == run.id
    await crawl(news, clock, run)
    assert (await launch(news, clock, 7, A)).state is RunState.DONE, "also when it is over"


async def test_whoever_died_while_a_run_was_prepared_is_followed_by_another(
    store: StoreUnderTest, of_source: OfSource, clock: FakeClock
) -> None:
    news = of_source(NEWS)
    reserved = await news.runs.reserve_run(7)
    assert reserved is not None
    assert not reserved.is_opened
    run = await launch(news, clock, 7, A)
    assert (run.id, run.state) == (reserved.run.id, RunState.RUNNING)
    assert await crawl(news, clock, run) == [A]


async def test_a_second_execution_waits_for_the_first(of_source: OfSource, clock: FakeClock) -> None:
    await launch(of_source(NEWS), clock, 1, A)
    with pytest.raises(DomainsBusy):
        await launch(of_source(NEWS), clock, 2, A)


async def test_a_domain_that_another_source_crawls_is_waited_for(
    store: StoreUnderTest, of_source: OfSource, clock: FakeClock
) -> None:
    news, papers = of_source(NEWS), of_source(PAPERS)
    run = await launch(news, clock, 1, A)
    with pytest.raises(DomainsBusy, match=r"a\.example is being crawled by run 1 of source 1"):
        await launch(papers, clock, 2, A, B)
    assert store.query("SELECT id FROM runs") == [(run.id,)], "nothing was begun"
    assert store.query("SELECT name, source_id FROM domains") == [("a.example", NEWS)]
    assert await crawl(news, clock, run) == [A]
    run = await launch(papers, clock, 2, A, B)
    assert store.query("SELECT name, source_id FROM domains ORDER BY name") == [
        ("a.example", PAPERS),
        ("b.example", PAPERS),
    ]
    assert await crawl(papers, clock, run) == [A, B]


async def test_a_person_hears_which_source_is_in_the_way(of_source: OfSource, clock: FakeClock) -> None:
    await launch(of_source(NEWS), clock, 1, A)
    with pytest.raises(DomainsBusy, match="source 1"):
        await make_opener(of_source(0), clock).start([A])
    assert await make_opener(of_source(0), clock).start([B]) is not None


async def test_every_run_begins_with_its_seeds_again(of_source: OfSource, clock: FakeClock) -> None:
    news = of_source(NEWS)
    assert await crawl(news, clock, await launch(news, clock, 1, A)) == [A]
    assert await crawl(news, clock, await launch(news, clock, 2, A)) == [A]


async def test_seeds_come_before_what_an_earlier_run_has_left(of_source: OfSource, clock: FakeClock) -> None:
    news = of_source(NEWS)
    run = await launch(news, clock, 1, A)
    worker = await join(news, clock, run)
    (lease,) = await worker.claim()
    (target,) = (await worker.head(lease)).targets
    left = [new_url(f"{A}{number}", priority=Priority.HIGH) for number in range(3)]
    visit = make_visit(target, make_fetched("news"), at=clock.now(), discovered=left)
    await worker.settle_visits(lease, [visit])
    await worker.release(lease)
    await news.runs.end_run(run.id, RunState.BUDGET, worker.id)
    clock.advance(60.0)
    worker = await join(news, clock, await launch(news, clock, 2, A))
    (lease,) = await worker.claim()
    assert (await worker.head(lease)).targets[0].url == A


async def test_a_seed_that_was_taken_out_is_none_any_more(
    store: StoreUnderTest, of_source: OfSource, clock: FakeClock
) -> None:
    news = of_source(NEWS)
    await crawl(news, clock, await launch(news, clock, 1, A, B))
    assert await crawl(news, clock, await launch(news, clock, 2, B, C)) == [B, C]
    assert store.query("SELECT url FROM seeds ORDER BY url") == [(B,), (C,)]


async def test_all_pages_are_visited_again_where_that_is_wanted(
    of_source: OfSource, clock: FakeClock
) -> None:
    news = of_source(NEWS)
    opener = make_opener(news, clock)
    first = f"{A}first"
    run = await opener.launch(1, [A, first], roots={A, first}, recrawl=Recrawl.NEW)
    assert await crawl(news, clock, run) == [A, first]
    run = await opener.launch(2, [A], roots={A, first}, recrawl=Recrawl.NEW)
    assert await crawl(news, clock, run) == [A]
    run = await opener.launch(3, [A], roots={A, first}, recrawl=Recrawl.ALL)
    assert await crawl(news, clock, run) == [A, first]
