"""What is learned by guessing: settled with the visits that taught it, under the fence, and set by users."""

import pytest

from tenax.record import replace
from tenax.records.domains import Lease
from tenax.records.guesses import ArchivePattern, GuessBudget, GuessState, Learned, PaginationRule
from tenax.records.urls import FoundBy, NewUrl, Priority
from tenax.stores.access import Access
from tenax.stores.commands.guesses import (
    remove_archive_rule,
    remove_list_rule,
    set_archive_rule,
    set_list_rule,
)
from tenax.stores.contracts.batches import DomainWork
from tenax.stores.contracts.guesses import GuessStore
from tenax.stores.queries.guesses import list_patterns, list_rules
from tests.support.clock import FakeClock
from tests.support.store import (
    ACTIVE,
    LEASE_S,
    StoreUnderTest,
    StoreWorker,
    find_wrong_counters,
    make_fetched,
    make_visit,
    new_url,
)

A, NAME = "https://a.example/", "a.example"
RULE = PaginationRule(
    path="/news", pattern="/news?page={n}", state=GuessState.VALID, last_n=3, hits=2, is_linked=True
)
PATTERN = ArchivePattern(pattern="/{Y}/{MM}/", state=GuessState.TRIED, misses=1)
BUDGET = GuessBudget(since=1000.0, pages=2, archives=3, searched_at=1234.5)
LEARNED = Learned(rules=(RULE,), patterns=(PATTERN,), budget=BUDGET)
WALL = 1_800_000_000.0


@pytest.fixture
def guesses(store: StoreUnderTest) -> GuessStore:
    return store.of_source(0).guesses


async def settle(worker: StoreWorker, lease: Lease, learned: Learned | None, *guessed: NewUrl) -> None:
    await worker.settle(DomainWork(lease=lease, state=ACTIVE, learned=learned, guessed=guessed))


async def load(guesses: GuessStore, lease: Lease) -> Learned | None:
    return (await guesses.load([lease.domain_id])).get(lease.domain_id)


def guess(url: str) -> NewUrl:
    return replace(new_url(url), priority=Priority.DISCOVERY, found_by=FoundBy.ARCHIVE, discovered_from=1)


async def test_nothing_is_known_at_first(worker: StoreWorker, guesses: GuessStore) -> None:
    await worker.add(A)
    assert await load(guesses, await worker.claim_one()) is None


async def test_what_is_learned_is_loaded_again(worker: StoreWorker, guesses: GuessStore) -> None:
    await worker.add(A, "https://b.example/")
    lease, other = await worker.claim()
    await settle(worker, lease, LEARNED)
    assert await guesses.load([lease.domain_id, other.domain_id]) == {lease.domain_id: LEARNED}


async def test_what_is_learned_later_replaces_it(worker: StoreWorker, guesses: GuessStore) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    await settle(worker, lease, LEARNED)
    later = Learned(
        rules=(replace(RULE, state=GuessState.ENDED, misses=1),),
        patterns=(replace(PATTERN, state=GuessState.VALID, hits=1, misses=0),),
        budget=replace(BUDGET, pages=3),
    )
    await settle(worker, lease, later)
    assert await load(guesses, lease) == later


async def test_a_stale_fence_teaches_nothing(
    worker: StoreWorker, guesses: GuessStore, store: StoreUnderTest, clock: FakeClock
) -> None:
    await worker.add(A)
    stale = await worker.claim_one()
    clock.advance(LEASE_S)
    assert await worker.claim_one()
    await settle(worker, stale, LEARNED, guess(A + "2024/05/"))
    assert await load(guesses, stale) is None
    assert store.query("SELECT url FROM urls") == [(A,)]


async def test_a_batch_that_is_repeated_is_learned_once(
    worker: StoreWorker, guesses: GuessStore, store: StoreUnderTest
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    batch = worker.make_batch(
        DomainWork(lease=lease, state=ACTIVE, learned=LEARNED, guessed=[guess(A + "2024/05/")])
    )
    await worker.frontier.settle(batch)
    await worker.frontier.settle(batch)
    assert await load(guesses, lease) == LEARNED
    assert store.query("SELECT count(*) FROM urls") == [(2,)]
    assert find_wrong_counters(store.query) == []


async def test_guesses_are_queued_after_everything_else(worker: StoreWorker, store: StoreUnderTest) -> None:
    await worker.add(A, priority=Priority.LOW)
    lease = await worker.claim_one()
    await settle(worker, lease, None, guess(A + "2024/05/"))
    head = await worker.head(lease)
    assert [target.url for target in head.targets] == [A, A + "2024/05/"]
    assert head.targets[1].found_by is FoundBy.ARCHIVE
    assert find_wrong_counters(store.query) == []


async def test_a_known_url_is_not_queued_by_a_guess(worker: StoreWorker, store: StoreUnderTest) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    (target,) = (await worker.head(lease)).targets
    await worker.settle_visits(lease, [make_visit(target, make_fetched(), at=worker.clock.now())])
    await settle(worker, lease, None, guess(A))
    assert store.query("SELECT fate, found_by FROM urls") == [("fetched", FoundBy.LINK.value)]
    assert find_wrong_counters(store.query) == []


async def test_urls_are_sampled_up_to_a_limit(worker: StoreWorker, guesses: GuessStore) -> None:
    urls = {f"{A}{number}" for number in range(20)}
    await worker.add(*urls, "https://b.example/")
    lease = next(each for each in await worker.claim() if each.domain == NAME)
    assert {known.url for known in await guesses.sample(lease.domain_id, 100)} == urls
    assert len(await guesses.sample(lease.domain_id, 7)) == 7


async def test_what_a_user_sets_is_not_changed_by_a_crawl(
    worker: StoreWorker, guesses: GuessStore, access: Access
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    await settle(worker, lease, LEARNED)
    off = GuessState.OFF
    await access.write(
        lambda connection: (
            set_list_rule(connection, NAME, RULE.pattern, "/news", off, "ann", WALL)
            and set_archive_rule(connection, NAME, PATTERN.pattern, off, "ann", WALL)
        )
    )
    await settle(worker, lease, Learned(rules=(replace(RULE, last_n=9),), patterns=(PATTERN,)))
    learned = await load(guesses, lease)
    assert learned is not None
    assert learned.rules == (replace(RULE, last_n=9, state=off, set_by="ann"),)
    assert learned.patterns == (replace(PATTERN, state=off, set_by="ann"),)


async def test_users_add_and_remove_rules(worker: StoreWorker, access: Access) -> None:
    await worker.add(A)
    valid = GuessState.VALID
    assert await access.write(
        lambda connection: set_list_rule(connection, NAME, "/blog/{n}", "/blog", valid, "ann", WALL)
    )
    assert await access.write(
        lambda connection: set_archive_rule(connection, NAME, "/issues/{n}", valid, "ann", WALL)
    )
    (rule,) = await access.read(lambda connection: list_rules(connection, NAME))
    assert (rule.pattern, rule.path, rule.state, rule.set_by) == ("/blog/{n}", "/blog", valid, "ann")
    (pattern,) = await access.read(list_patterns)
    assert (pattern.domain, pattern.pattern, pattern.changed_at) == (NAME, "/issues/{n}", WALL)
    assert await access.write(lambda connection: remove_list_rule(connection, NAME, "/blog/{n}"))
    assert await access.write(lambda connection: remove_archive_rule(connection, NAME, "/issues/{n}"))
    assert not await access.write(lambda connection: remove_list_rule(connection, NAME, "/blog/{n}"))
    assert await access.read(list_rules) == []


async def test_rules_of_an_unknown_domain_are_refused(worker: StoreWorker, access: Access) -> None:
    assert not await access.write(
        lambda connection: set_list_rule(connection, NAME, "/{n}", "/", GuessState.OFF, "ann", WALL)
    )
