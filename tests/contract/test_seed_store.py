"""The contract of seed_lists.SeedStore: seeds given by hand and in lists, and what scope asks about them."""

import asyncio

import pytest

from tenax.config.crawl import ScopeKind
from tenax.errors import StoreError
from tenax.records.domains import DomainStatus
from tenax.records.urls import ListedSeed
from tenax.stores.contracts.seeds import ImportedSeeds, SeedStore
from tests.support.clock import START, FakeClock
from tests.support.store import Rows, StoreUnderTest, StoreWorker, make_failed, make_visit

A = "https://a.test/"
B = "https://b.test/"
TRANCO = "tranco_20260205"


def listed(*names: str, first: int = 1) -> list[ListedSeed]:
    return [ListedSeed(url=f"https://{name}/", rank=rank) for rank, name in enumerate(names, first)]


def unranked(*names: str) -> list[ListedSeed]:
    return [ListedSeed(url=f"https://{name}/") for name in names]


async def bring_in(seeds: SeedStore, *lines: ListedSeed, source: str = TRANCO) -> ImportedSeeds:
    return await seeds.import_seeds(lines, source, START)


def find_domains(store: StoreUnderTest) -> Rows:
    return store.query("SELECT name, status, source, seed_rank, queued FROM domains ORDER BY name")


def find_ranks(store: StoreUnderTest) -> Rows:
    return store.query("SELECT name, source, seed_rank FROM domains ORDER BY name")


# --- seeds given by hand ---------------------------------------------------------------------


async def test_seeds_are_kept_once_in_their_order(worker: StoreWorker, seed_store: SeedStore) -> None:
    assert await seed_store.load_seeds(0, 9) == ([], 0)
    await worker.add_seeds(B, A)
    await worker.add_seeds(A)
    seeds, _ = await seed_store.load_seeds(0, 9)
    assert seeds == [B, A]


async def test_only_seeds_that_came_since_are_loaded(worker: StoreWorker, seed_store: SeedStore) -> None:
    await worker.add_seeds(A)
    _, newest = await seed_store.load_seeds(0, 9)
    assert await seed_store.load_seeds(newest, 9) == ([], newest)
    await worker.add_seeds(B)
    assert (await seed_store.load_seeds(newest, 9))[0] == [B]


async def test_seeds_are_loaded_a_few_at_a_time(worker: StoreWorker, seed_store: SeedStore) -> None:
    await worker.add_seeds(B, A)
    first, last_id = await seed_store.load_seeds(0, 1)
    assert first == [B]
    assert (await seed_store.load_seeds(last_id, 1))[0] == [A]


async def test_seeds_are_counted(worker: StoreWorker, seed_store: SeedStore) -> None:
    assert (await seed_store.count_seeds()).seeds == 0
    await worker.add_seeds(B, A)
    count = await seed_store.count_seeds()
    assert (count.seeds, count.newest_id) == (2, (await seed_store.load_seeds(0, 9))[1])


async def test_a_seed_is_remembered_also_when_its_url_is_known(
    worker: StoreWorker, seed_store: SeedStore
) -> None:
    await worker.add(A)
    await worker.add_seeds(A)
    assert (await seed_store.load_seeds(0, 9))[0] == [A]


# --- lists -----------------------------------------------------------------------------------


async def test_a_listed_seed_makes_a_pending_domain_and_waits_in_the_frontier(
    store: StoreUnderTest, seed_store: SeedStore
) -> None:
    imported = await bring_in(seed_store, *listed("a.test", "b.test"))
    assert imported == ImportedSeeds(seeds=2, domains=2, ranked=0)
    assert find_domains(store) == [
        ("a.test", "pending", TRANCO, 1, 1),
        ("b.test", "pending", TRANCO, 2, 1),
    ]
    assert store.query("SELECT url, depth, is_seed, fate FROM urls ORDER BY url") == [
        (A, 0, 1, "queued"),
        (B, 0, 1, "queued"),
    ]
    assert store.query("SELECT url, cause, source, rank FROM seeds ORDER BY id") == [
        (A, "list", TRANCO, 1),
        (B, "list", TRANCO, 2),
    ]


async def test_a_listed_domain_can_be_claimed(worker: StoreWorker, seed_store: SeedStore) -> None:
    await bring_in(seed_store, *listed("a.test"))
    lease = await worker.claim_one()
    assert [target.url for target in (await worker.head(lease)).targets] == [A]


async def test_a_good_rank_is_claimed_before_a_bad_one(
    worker: StoreWorker, seed_store: SeedStore, clock: FakeClock
) -> None:
    await bring_in(seed_store, *listed("last.test", first=900_000))
    await bring_in(seed_store, *unranked("plain.test"), source="plain")
    await bring_in(seed_store, *listed("first.test"))
    assert (await worker.claim_one()).domain == "first.test"


async def test_a_better_rank_leaves_the_score_of_a_crawled_domain_alone(
    worker: StoreWorker, store: StoreUnderTest, seed_store: SeedStore
) -> None:
    await bring_in(seed_store, *listed("a.test", first=900_000))
    await worker.settle_visits(await worker.claim_one(), [])
    before = store.query("SELECT priority_score, tier FROM domains")
    await bring_in(seed_store, *listed("a.test"))
    assert store.query("SELECT priority_score, tier FROM domains") == before
    assert find_ranks(store) == [("a.test", TRANCO, 1)]


async def test_importing_twice_changes_nothing(store: StoreUnderTest, seed_store: SeedStore) -> None:
    lines = listed("a.test", "b.test", "www.b.test")
    await bring_in(seed_store, *lines)
    tables = "domains", "urls", "seeds"
    before = [store.query(f"SELECT * FROM {table} ORDER BY id") for table in tables]
    assert await bring_in(seed_store, *lines) == ImportedSeeds(seeds=0, domains=0, ranked=0)
    assert [store.query(f"SELECT * FROM {table} ORDER BY id") for table in tables] == before


async def test_a_name_listed_twice_keeps_its_best_rank(store: StoreUnderTest, seed_store: SeedStore) -> None:
    seeds = [*listed("a.test", first=7), *listed("a.test", first=3), *listed("a.test", first=5)]
    imported = await bring_in(seed_store, *seeds)
    assert imported.seeds == 1
    assert find_ranks(store) == [("a.test", TRANCO, 3)]
    assert store.query("SELECT rank FROM seeds") == [(3,)]


async def test_hosts_of_one_domain_are_seeds_of_their_own(
    store: StoreUnderTest, seed_store: SeedStore
) -> None:
    imported = await bring_in(seed_store, *listed("www.a.test", "a.test"))
    assert imported == ImportedSeeds(seeds=2, domains=1, ranked=0)
    assert find_domains(store) == [("a.test", "pending", TRANCO, 1, 2)]


@pytest.mark.parametrize(("first", "second"), [(9, 4), (4, 9)])
async def test_of_two_lists_the_better_rank_counts(
    store: StoreUnderTest, seed_store: SeedStore, first: int, second: int
) -> None:
    await bring_in(seed_store, *listed("a.test", first=first), source=f"list{first}")
    imported = await bring_in(seed_store, *listed("a.test", first=second), source=f"list{second}")
    assert imported == ImportedSeeds(seeds=0, domains=0, ranked=int(second == 4))
    assert find_ranks(store) == [("a.test", "list4", 4)]
    assert store.query("SELECT source, rank FROM seeds") == [("list4", 4)]


async def test_of_lists_without_ranks_the_first_stays(store: StoreUnderTest, seed_store: SeedStore) -> None:
    await bring_in(seed_store, *unranked("a.test"), source="first")
    await bring_in(seed_store, *unranked("a.test"), source="second")
    assert find_ranks(store) == [("a.test", "first", None)]


async def test_a_rank_is_better_than_none(store: StoreUnderTest, seed_store: SeedStore) -> None:
    await bring_in(seed_store, *unranked("a.test"), source="plain")
    await bring_in(seed_store, *listed("a.test", first=2**31 - 1))
    await bring_in(seed_store, *unranked("a.test"), source="plain")
    assert find_ranks(store) == [("a.test", TRANCO, 2**31 - 1)]


async def test_a_domain_that_was_found_by_a_link_gets_its_rank(
    worker: StoreWorker, store: StoreUnderTest, seed_store: SeedStore
) -> None:
    await worker.add(f"{A}deep")
    assert await bring_in(seed_store, *listed("a.test")) == ImportedSeeds(seeds=1, domains=0, ranked=1)
    assert find_domains(store) == [("a.test", "pending", TRANCO, 1, 2)]


async def test_a_list_does_not_wake_what_was_given_up(
    worker: StoreWorker, store: StoreUnderTest, seed_store: SeedStore
) -> None:
    await bring_in(seed_store, *listed("a.test"))
    lease = await worker.claim_one()
    (target,) = (await worker.head(lease)).targets
    await worker.settle_visits(lease, [make_visit(target, make_failed(), at=START)])
    await worker.release(lease)
    await bring_in(seed_store, *listed("a.test"))
    assert store.query("SELECT fate FROM urls") == [("dead",)]
    assert store.query("SELECT status, queued, avail_at FROM domains") == [
        (DomainStatus.EXHAUSTED, 0, None),
    ]


async def test_a_seed_given_by_hand_keeps_its_cause_when_a_list_names_it(
    worker: StoreWorker, store: StoreUnderTest, seed_store: SeedStore
) -> None:
    await worker.add_seeds(A)
    assert (await bring_in(seed_store, *listed("a.test"))).seeds == 0
    assert store.query("SELECT cause, source, rank FROM seeds") == [("user", TRANCO, 1)]


async def test_a_chunk_comes_in_whole_or_not_at_all(store: StoreUnderTest, seed_store: SeedStore) -> None:
    with store.broken("UPDATE", "domains"), pytest.raises(StoreError):
        await bring_in(seed_store, *listed("a.test", "b.test"))
    assert find_domains(store) == []
    assert store.query("SELECT count(*) FROM seeds") == [(0,)]


async def test_two_who_import_at_once_keep_each_seed_once(
    store: StoreUnderTest, seed_store: SeedStore, clock: FakeClock
) -> None:
    other = await store.connect()
    names = [f"s{number}.test" for number in range(300)]
    one, two = listed(*names), listed(*reversed(names))
    first, second = await asyncio.gather(
        seed_store.import_seeds(one, "one", clock.now()), other.seeds.import_seeds(two, "two", clock.now())
    )
    assert first.seeds + second.seeds == first.domains + second.domains == 300
    assert store.query("SELECT count(*), sum(queued), max(seed_rank) FROM domains") == [(300, 300, 150)]


# --- roots -----------------------------------------------------------------------------------

SEEDS = ("https://www.a.co.uk/", "http://b.test:8080/x", "https://c.test:80/", "https://sub.d.test/")


@pytest.mark.parametrize(
    ("kind", "roots", "expected"),
    [
        (ScopeKind.HOST, ["www.a.co.uk", "a.co.uk", "b.test", "b.test:8080"], {"www.a.co.uk", "b.test:8080"}),
        (ScopeKind.HOST, ["c.test", "sub.d.test", "d.test"], {"c.test", "sub.d.test"}),
        (ScopeKind.DOMAIN, ["a.co.uk", "www.www.a.co.uk", "b.test", "co.uk"], {"a.co.uk"}),
        (ScopeKind.DOMAIN, ["b.test:8080", "sub.d.test", "d.test"], {"b.test:8080", "sub.d.test"}),
        (ScopeKind.SITE, ["a.co.uk", "co.uk", "b.test", "d.test"], {"a.co.uk", "b.test"}),
        (ScopeKind.SITE, ["sub.d.test", "test", ""], {"sub.d.test"}),
        (ScopeKind.DOMAIN, [], set()),
    ],
)
async def test_roots_are_found_by_the_seeds_that_stand_for_them(
    worker: StoreWorker, seed_store: SeedStore, kind: ScopeKind, roots: list[str], expected: set[str]
) -> None:
    await worker.add_seeds(*SEEDS)
    assert await seed_store.find_roots(kind, roots) == expected


async def test_a_listed_seed_is_a_root(seed_store: SeedStore) -> None:
    await bring_in(seed_store, *listed("a.test"))
    assert await seed_store.find_roots(ScopeKind.DOMAIN, ["a.test", "b.test"]) == {"a.test"}
