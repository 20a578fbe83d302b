"""Clusters of urls in the store: settled with the visits that taught about them, and decided on by users."""

import pytest

from tenax.config.settings import Settings
from tenax.crawl.insight.explain import explain
from tenax.record import replace
from tenax.records.domains import Lease
from tenax.records.jobs import NO_SOURCE
from tenax.records.traps import Trap, TrapRule, TrapState
from tenax.records.urls import Priority
from tenax.records.visits import Merged, Trapped
from tenax.stores.access import Access
from tenax.stores.commands.retries import count_given_up, count_urls, retry_given_up, retry_urls
from tenax.stores.commands.traps import close_trap, open_trap
from tenax.stores.contracts.batches import DomainWork
from tenax.stores.paging import SliceRequest
from tenax.stores.queries.given_up import GivenUp, RetryReason
from tenax.stores.queries.traps import TrapFilter, slice_traps
from tenax.web.identity import url_key
from tests.support.clock import FakeClock
from tests.support.store import (
    ACTIVE,
    LEASE_S,
    StoreUnderTest,
    StoreWorker,
    find_wrong_counters,
    make_fetched,
    make_visit,
)

A, NAME = "https://a.example/", "a.example"
DAYS = tuple(f"{A}cal/{day}" for day in range(3))
SHAPE = "/cal/{n}"
SLOWED = Trap(shape=SHAPE, state=TrapState.SLOWED, rule=TrapRule.ENDLESS, visits=40, novel=1, recent=1 << 39)
CLOSED = Trap(shape=SHAPE, state=TrapState.CLOSED, rule=TrapRule.ENDLESS, visits=340, spent=300, led_on=400)


async def settle_trap(worker: StoreWorker, lease: Lease, *traps: Trap) -> None:
    await worker.settle(DomainWork(lease=lease, state=ACTIVE, traps=traps))


async def trap_all(worker: StoreWorker, lease: Lease) -> None:
    """All waiting urls of the domain are trapped."""
    visits = [
        make_visit(target, Trapped(shape=SHAPE, rule="endless"), at=worker.clock.now())
        for target in (await worker.head(lease)).targets
    ]
    await worker.settle(DomainWork(lease=lease, state=ACTIVE, visits=visits, traps=(CLOSED,)))


async def load_traps(worker: StoreWorker, lease: Lease) -> list[Trap]:
    (loaded,) = await worker.frontier.load([lease], 10, 10)
    return list(loaded.traps)


async def claim_again(worker: StoreWorker, clock: FakeClock) -> Lease:
    clock.advance(LEASE_S + 1)
    return await worker.claim_one()


async def test_a_cluster_comes_with_the_next_lease(worker: StoreWorker, clock: FakeClock) -> None:
    await worker.add(A)
    await settle_trap(worker, await worker.claim_one(), SLOWED)
    assert await load_traps(worker, await claim_again(worker, clock)) == [SLOWED]


async def test_settling_again_replaces_what_is_known(worker: StoreWorker, store: StoreUnderTest) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    await settle_trap(worker, lease, SLOWED)
    await settle_trap(worker, lease, CLOSED)
    assert await load_traps(worker, lease) == [CLOSED]
    assert store.query("SELECT count(*) FROM traps") == [(1,)]


async def test_a_stale_lease_teaches_nothing(
    worker: StoreWorker, clock: FakeClock, store: StoreUnderTest
) -> None:
    await worker.add(*DAYS)
    stale = await worker.claim_one()
    slowed = [target.id for target in (await worker.head(stale)).targets]
    lease = await claim_again(worker, clock)
    await worker.settle(DomainWork(lease=stale, state=ACTIVE, traps=(SLOWED,), slowed=slowed))
    assert await load_traps(worker, lease) == []
    assert store.query("SELECT count(*) FROM urls WHERE priority = -1") == [(0,)]


async def test_slowed_urls_wait_behind_all_others(worker: StoreWorker) -> None:
    await worker.add(*DAYS, A + "about")
    lease = await worker.claim_one()
    targets = (await worker.head(lease)).targets
    slowed = [target.id for target in targets if "cal" in target.url]
    await worker.settle(DomainWork(lease=lease, state=ACTIVE, slowed=slowed))
    after = (await worker.head(lease)).targets
    assert after[0].url == A + "about"
    assert {target.url for target in after[1:]} == set(DAYS)
    assert {target.priority for target in after[1:]} == {Priority.SLOWED}


async def test_a_url_that_was_visited_meanwhile_is_not_slowed(
    worker: StoreWorker, store: StoreUnderTest
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    (target,) = (await worker.head(lease)).targets
    visit = make_visit(target, make_fetched(), at=worker.clock.now())
    await worker.settle_visits(lease, [visit])
    await worker.settle(DomainWork(lease=lease, state=ACTIVE, slowed=[target.id]))
    assert store.query("SELECT priority FROM urls") == [(target.priority,)]


async def test_urls_of_a_closed_cluster_are_trapped_without_a_visit(
    worker: StoreWorker, store: StoreUnderTest
) -> None:
    await worker.add(*DAYS)
    await trap_all(worker, await worker.claim_one())
    rows = store.query("SELECT DISTINCT fate, reason, detail, due_at FROM urls")
    assert rows == [("trapped", "endless", SHAPE, None)]
    assert store.query("SELECT count(*) FROM visits") == [(0,)]
    assert find_wrong_counters(store.query) == []


async def test_a_user_opens_a_cluster_and_its_urls_are_due_again(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await worker.add(*DAYS)
    lease = await worker.claim_one()
    await trap_all(worker, lease)
    decided = await open_trap(access, clock, NAME, SHAPE, "anna")
    assert decided is not None
    assert (decided.before, decided.now, decided.queued) == (TrapState.CLOSED, TrapState.OPEN, 3)
    assert {target.url for target in (await worker.head(lease)).targets} == set(DAYS)
    assert find_wrong_counters(store.query) == []
    again = await open_trap(access, clock, NAME, SHAPE, "anna")
    assert again is not None
    assert again.queued == 0


@pytest.mark.parametrize("is_dry", [True, False])
async def test_a_retry_leaves_urls_of_a_closed_cluster_alone_and_names_it(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock, is_dry: bool
) -> None:
    await worker.add(*DAYS)
    await trap_all(worker, await worker.claim_one())
    only = GivenUp(reasons=frozenset({RetryReason.TRAPPED}))
    for done in (
        await (count_given_up(access, only) if is_dry else retry_given_up(access, clock, only)),
        await (count_urls(access, DAYS) if is_dry else retry_urls(access, clock, DAYS)),
    ):
        assert (done.urls, done.trapped, done.closed) == (0, 3, (f"{NAME} {SHAPE}",))
    assert store.query("SELECT count(*) FROM urls WHERE due_at IS NOT NULL") == [(0,)]
    assert find_wrong_counters(store.query) == []


async def test_a_retry_queues_trapped_urls_of_a_cluster_that_is_not_closed(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    """It was forgotten with the evidence, or the guard has opened it by itself."""
    await worker.add(*DAYS)
    await trap_all(worker, await worker.claim_one())
    store.query("DELETE FROM traps")
    done = await retry_given_up(access, clock, GivenUp(reasons=frozenset({RetryReason.TRAPPED})))
    assert (done.urls, done.trapped, done.before) == (3, 0, {"trapped": 3})
    assert find_wrong_counters(store.query) == []


async def test_trapped_urls_are_not_retried_unless_asked_for(
    worker: StoreWorker, access: Access, clock: FakeClock
) -> None:
    await worker.add(*DAYS)
    await trap_all(worker, await worker.claim_one())
    done = await retry_given_up(access, clock, GivenUp())
    assert (done.urls, done.trapped) == (0, 0)


async def test_opening_lets_slowed_urls_take_their_turn(
    worker: StoreWorker, access: Access, clock: FakeClock
) -> None:
    await worker.add(*DAYS, A + "other/1")
    lease = await worker.claim_one()
    slowed = [target.id for target in (await worker.head(lease)).targets]
    await worker.settle(DomainWork(lease=lease, state=ACTIVE, traps=(SLOWED,), slowed=slowed))
    await open_trap(access, clock, NAME, SHAPE, "anna")
    priorities = {target.url: target.priority for target in (await worker.head(lease)).targets}
    assert priorities == {**dict.fromkeys(DAYS, Priority.LOW), A + "other/1": Priority.SLOWED}


async def test_no_evidence_changes_what_a_user_has_decided(
    worker: StoreWorker, access: Access, clock: FakeClock
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    await settle_trap(worker, lease, SLOWED)
    await open_trap(access, clock, NAME, SHAPE, "anna")
    await settle_trap(worker, lease, CLOSED)
    (kept,) = await load_traps(worker, lease)
    assert (kept.state, kept.decided_by, kept.visits) == (TrapState.OPEN, "anna", CLOSED.visits)


async def test_the_worker_that_holds_the_domain_learns_of_a_decision(
    worker: StoreWorker, access: Access, clock: FakeClock
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    await settle_trap(worker, lease, SLOWED)
    assert await worker.frontier.list_decided_traps(worker.id) == []
    await close_trap(access, clock, NAME, SHAPE, "anna")
    ((domain_id, version, trap),) = await worker.frontier.list_decided_traps(worker.id)
    assert (domain_id, version) == (lease.domain_id, lease.version)
    assert (trap.shape, trap.state, trap.decided_by) == (SHAPE, TrapState.CLOSED, "anna")


async def test_a_user_closes_what_nothing_is_known_about(
    worker: StoreWorker, access: Access, clock: FakeClock
) -> None:
    await worker.add(A)
    assert await open_trap(access, clock, NAME, SHAPE, "anna") is None
    assert await close_trap(access, clock, "unknown.example", SHAPE, "anna") is None
    closed = await close_trap(access, clock, NAME, SHAPE, "anna")
    assert closed is not None
    assert (closed.before, closed.now) == (None, TrapState.CLOSED)


async def test_a_learned_rule_is_listed_and_undone(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    first, second = A + "item/1?tok=a", A + "item/1?tok=b"
    await worker.add(first, second)
    lease = await worker.claim_one()
    targets = {
        target.url: replace(target, class_key=url_key(A + "item/1"))
        for target in (await worker.head(lease)).targets
    }
    rule = Trap(shape="/item?tok=*", state=TrapState.MERGED, rule=TrapRule.SAME_CONTENT, visits=5)
    merged = Merged(to_url=first, rule="learned: /item?tok=*")
    visits = [
        make_visit(targets[first], make_fetched(), at=clock.now()),
        make_visit(targets[second], merged, at=clock.now()),
    ]
    work = DomainWork(lease=lease, state=ACTIVE, visits=visits, has_classes=True, traps=(rule,))
    await worker.settle(work)
    assert await store.merges.list_learned() == [(NAME, "/item?tok=*")]
    assert await close_trap(access, clock, NAME, "/item?tok=*", "anna") is None
    decided = await open_trap(access, clock, NAME, "/item?tok=*", "anna")
    assert decided is not None
    assert (decided.before, decided.queued) == (TrapState.MERGED, 1)
    assert [target.url for target in (await worker.head(lease)).targets] == [second]
    assert await store.merges.list_learned() == []
    assert find_wrong_counters(store.query) == []


async def test_the_pages_of_a_domain_are_listed_by_key(worker: StoreWorker, store: StoreUnderTest) -> None:
    await worker.add(*DAYS)
    lease = await worker.claim_one()
    visits = [
        make_visit(target, make_fetched(), at=worker.clock.now())
        for target in (await worker.head(lease)).targets
    ]
    await worker.settle_visits(lease, visits)
    first = await store.merges.list_domain_members(lease.domain_id, None, 2)
    rest = await store.merges.list_domain_members(lease.domain_id, first[-1].key, 2)
    assert {member.url for member in [*first, *rest]} == set(DAYS)


async def test_a_reset_forgets_evidence_but_no_decision(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await worker.add(*DAYS)
    lease = await worker.claim_one()
    await trap_all(worker, lease)
    await settle_trap(worker, lease, CLOSED)
    await close_trap(access, clock, NAME, "/other/{n}", "anna")
    await store.domains.reset(NAME, "once more")
    assert store.query("SELECT shape FROM traps") == [("/other/{n}",)]
    assert store.query("SELECT DISTINCT fate FROM urls") == [("queued",)]


async def test_traps_are_listed_without_open_ones(worker: StoreWorker, access: Access) -> None:
    await worker.add(A)
    opened = Trap(shape="/p/{n}", state=TrapState.OPEN, visits=12)
    await settle_trap(worker, await worker.claim_one(), SLOWED, opened)
    wanted = SliceRequest(key="changed_at", is_descending=True, after=None, limit=10)

    async def list_shapes(only: TrapFilter) -> list[str]:
        found = await access.read(lambda connection: slice_traps(connection, wanted, only))
        return [each.trap.shape for each in found.items]

    assert await list_shapes(TrapFilter()) == [SHAPE]
    assert await list_shapes(TrapFilter(domain=NAME, state=TrapState.OPEN)) == ["/p/{n}"]
    assert await list_shapes(TrapFilter(domain="unknown.example")) == []


async def test_a_trapped_url_is_explained_with_its_evidence(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await worker.add(*DAYS)
    await trap_all(worker, await worker.claim_one())
    lookup = store.of_source(NO_SOURCE).lookup
    told = await explain(DAYS[0], lookup, lambda source_id: store.seeds, Settings(), clock.now())
    assert (told.fate, told.reason) == ("trapped", "endless")
    assert told.because == (
        "It is not requested, because urls like /cal/{n} are closed: they bring nothing new, and one leads to"
        " the next."
    )
    assert "Of the last 60 pages like /cal/{n}, 0 brought something new." in told.facts
    assert "'tenax traps open a.example '/cal/{n}'' opens them again." in told.facts
