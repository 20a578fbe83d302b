"""What a process knows of the roots, kept in step with the seeds of a real store."""

import pytest

from tenax.config.crawl import ScopeKind
from tenax.crawl.worker import seed_roots as module
from tenax.crawl.worker.seed_roots import SeedRoots
from tenax.records.domains import DomainState
from tenax.records.urls import NewUrl
from tenax.records.visits import Fetched, Gone, Outcome
from tenax.stores.contracts.batches import DomainWork
from tenax.stores.contracts.seeds import SeedStore
from tests.support.clock import START
from tests.support.store import StoreWorker, make_fetched, make_visit, new_url

A, B, C = "https://a.test/", "https://b.test/", "https://c.test/"


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists of more than two seeds are long ones here."""
    monkeypatch.setattr(module, "MAX_HELD", 2)
    monkeypatch.setattr(module, "SEEDS_AT_ONCE", 2)


async def open_long(worker: StoreWorker, seeds: SeedStore, kind: ScopeKind = ScopeKind.DOMAIN) -> SeedRoots:
    await worker.add_seeds(*(f"https://s{number}.test/" for number in range(9)))
    return await SeedRoots.open(seeds, kind)


async def test_few_seeds_are_held(worker: StoreWorker, seed_store: SeedStore, few: None) -> None:
    await worker.add_seeds(A, B)
    seed_roots = await SeedRoots.open(seed_store, ScopeKind.DOMAIN)
    assert seed_roots.roots.is_complete
    assert [seed_roots.roots.find(name) for name in ("a.test", "c.test")] == [True, False]


async def test_of_many_seeds_three_are_held(worker: StoreWorker, seed_store: SeedStore, few: None) -> None:
    seed_roots = await open_long(worker, seed_store)
    assert not seed_roots.roots.is_complete
    assert [seed_roots.roots.find(f"s{number}.test") for number in (0, 2, 3)] == [True, True, None]
    assert seed_roots.roots.outside.detail.endswith("(s0.test, s1.test, s2.test and 6 more)")


@pytest.mark.parametrize("kind", [ScopeKind.HOST, ScopeKind.DOMAIN, ScopeKind.SITE])
async def test_the_store_is_asked_about_urls(
    worker: StoreWorker, seed_store: SeedStore, few: None, kind: ScopeKind
) -> None:
    seed_roots = await open_long(worker, seed_store, kind)
    await seed_roots.learn([("https://s7.test/x", "s7.test"), (A, "a.test")])
    assert [seed_roots.roots.find(name) for name in ("s7.test", "a.test")] == [True, False]


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (ScopeKind.HOST, ("s7.test", "www.s7.test")),
        (ScopeKind.DOMAIN, ("s7.test", "a.test")),
        (ScopeKind.SITE, ("s7.test", "a.test")),
    ],
)
async def test_the_domains_at_hand_are_known(
    worker: StoreWorker, seed_store: SeedStore, few: None, kind: ScopeKind, names: tuple[str, ...]
) -> None:
    seed_roots = await open_long(worker, seed_store, kind)
    await seed_roots.hold(["s7.test", "a.test"])
    assert [seed_roots.roots.find(name) for name in names] == [True, False]


async def test_a_seed_that_comes_later_is_a_root(
    worker: StoreWorker, seed_store: SeedStore, few: None
) -> None:
    seed_roots = await open_long(worker, seed_store)
    await seed_roots.hold(["a.test"])
    await worker.add_seeds(A)
    assert await seed_roots.refresh()
    assert seed_roots.roots.find("a.test") is True
    assert not await seed_roots.refresh()


async def test_a_list_that_comes_later_makes_few_seeds_many(
    worker: StoreWorker, seed_store: SeedStore, few: None
) -> None:
    await worker.add_seeds(A)
    seed_roots = await SeedRoots.open(seed_store, ScopeKind.DOMAIN)
    await worker.add_seeds(*(f"https://s{number}.test/" for number in range(9)))
    assert await seed_roots.refresh()
    await seed_roots.learn([("https://s8.test/", "s8.test"), (C, "c.test")])
    assert [seed_roots.roots.find(name) for name in ("a.test", "s8.test", "c.test")] == [True, True, False]
    assert not await seed_roots.refresh()


async def test_any_asks_nothing(worker: StoreWorker, seed_store: SeedStore, few: None) -> None:
    seed_roots = await open_long(worker, seed_store, ScopeKind.ANY)
    assert seed_roots.roots.is_complete
    assert not await seed_roots.refresh()


# --- links to other domains ------------------------------------------------------------------


async def make_work(
    worker: StoreWorker, *discovered: NewUrl, outcome: Outcome = Gone(status=404)
) -> DomainWork:
    (lease,) = await worker.claim(1)
    (target,) = (await worker.head(lease)).targets
    visit = make_visit(target, outcome, at=START, discovered=discovered)
    return DomainWork(lease=lease, state=DomainState(), visits=[visit])


async def discover(seed_roots: SeedRoots, worker: StoreWorker, *discovered: NewUrl) -> list[str]:
    (work,) = await seed_roots.drop_outside([await make_work(worker, *discovered)])
    return [url.url for visit in work.visits for url in visit.discovered]


async def test_links_outside_are_dropped_before_they_are_settled(
    worker: StoreWorker, seed_store: SeedStore, few: None
) -> None:
    seed_roots = await open_long(worker, seed_store)
    inside = "https://s8.test/deep"
    assert await discover(seed_roots, worker, new_url(inside), new_url(A)) == [inside]


async def test_links_that_turn_out_to_be_outside_are_counted_as_such(
    worker: StoreWorker, seed_store: SeedStore, few: None
) -> None:
    seed_roots = await open_long(worker, seed_store)
    work = await make_work(
        worker, new_url("https://s8.test/deep"), new_url(A), new_url(A + "x"), outcome=make_fetched()
    )
    (settled,) = await seed_roots.drop_outside([work])
    (visit,) = settled.visits
    assert isinstance(visit.outcome, Fetched)
    assert [(domain, links) for domain, _, links in visit.outcome.outside] == [("a.test", 2)]


async def test_a_redirected_seed_is_never_dropped(
    worker: StoreWorker, seed_store: SeedStore, few: None
) -> None:
    seed_roots = await open_long(worker, seed_store)
    assert await discover(seed_roots, worker, new_url(A, is_seed=True)) == [A]


async def test_of_few_seeds_nothing_is_asked(worker: StoreWorker, seed_store: SeedStore) -> None:
    seed_roots = await open_long(worker, seed_store)
    works = [await make_work(worker, new_url(A))]
    assert await seed_roots.drop_outside(works) is works
