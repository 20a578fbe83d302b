"""Orders about domains, scores and the check of counters, whatever crawls beside them."""

import asyncio
from dataclasses import replace

import pytest

from tenax.policy.domain_states import ForbiddenTransition, move
from tenax.records.domains import Cause, DomainState, DomainStatus, Lease, Pace, RobotsRecord
from tenax.records.requests import FailureKind
from tenax.records.runs import RunState
from tenax.records.urls import FoundBy, RefusalReason
from tenax.records.visits import Gone, Outcome, Refused
from tenax.stores.contracts.batches import RobotsVisit
from tenax.stores.contracts.domains import CounterDifference, DomainStore
from tests.support.clock import FakeClock
from tests.support.store import (
    ACTIVE,
    LEASE_S,
    StoreUnderTest,
    StoreWorker,
    find_wrong_counters,
    make_failed,
    make_fetched,
    make_visit,
    new_url,
)

A = "https://a.example/"
BLOCKED = DomainState(
    status=DomainStatus.BLOCKED,
    block_code="forbidden",
    block_reason="403 and 403 again",
    next_crawl_after=2e9,
    retries=2,
    login_streak=3,
    pace=Pace(forbidden_streak=10, backoff_level=3, backoff_until=2e9),
)


def list_events(store: StoreUnderTest) -> list[tuple[str, str, str]]:
    rows = store.query("SELECT from_status, to_status, cause FROM domain_events ORDER BY id")
    return [(row[0], row[1], row[2]) for row in rows]


async def seed(worker: StoreWorker, *urls: str) -> Lease:
    await worker.add(*(urls or (A,)))
    return await worker.claim_one()


async def check_all(domains: DomainStore, *, is_dry: bool = False) -> tuple[int, list[CounterDifference]]:
    total, last_id, differences = 0, 0, list[CounterDifference]()
    while (checked := await domains.check(last_id, is_dry=is_dry)).domains:
        total, last_id = total + checked.domains, checked.last_id
        differences += checked.differences
    return total, differences


# --- block and unblock ---------------------------------------------------------------------------


async def test_a_blocked_domain_is_not_claimed_and_keeps_its_urls(
    store: StoreUnderTest, worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(A)
    assert await store.domains.block("a.example", "they asked us") is DomainStatus.PENDING
    clock.advance(10 * 365 * 86400)
    assert await worker.claim() == []
    assert store.query("SELECT status, block_code, block_reason, queued FROM domains") == [
        ("blocked", "manual", "they asked us", 1)
    ]
    assert list_events(store) == [("pending", "blocked", "manual")]


async def test_new_urls_do_not_wake_a_blocked_domain(store: StoreUnderTest, worker: StoreWorker) -> None:
    lease = await seed(worker)
    await worker.visit_next(lease, make_fetched())
    await worker.release(lease)
    await store.domains.block("a.example", "why")
    await worker.add(f"{A}more")
    assert await worker.claim() == []


async def test_a_new_run_does_not_wake_a_blocked_domain(store: StoreUnderTest, worker: StoreWorker) -> None:
    await worker.add(A)
    await store.domains.block("a.example", "why")
    await store.runs.end_run(worker.run_id, RunState.DONE, worker.id)
    await worker.start()
    assert await worker.claim() == []


async def test_a_seed_that_is_named_again_does_not_lift_a_block_by_hand(
    store: StoreUnderTest, worker: StoreWorker
) -> None:
    await worker.add_seeds(A)
    await store.domains.block("a.example", "why")
    await worker.add_seeds(A)
    assert await worker.claim() == []


async def test_whoever_holds_a_domain_loses_it_to_a_block(store: StoreUnderTest, worker: StoreWorker) -> None:
    lease = await seed(worker)
    await store.domains.block("a.example", "why")
    settled = await worker.settle_visits(lease, [])
    assert settled.lost == {lease.domain_id}
    await worker.release(lease)
    assert store.query("SELECT status, avail_at FROM domains") == [("blocked", None)]


async def test_a_domain_that_rests_can_be_blocked_for_good(
    store: StoreUnderTest, worker: StoreWorker
) -> None:
    lease = await seed(worker)
    await worker.release(lease, state=BLOCKED)
    assert await store.domains.block("a.example", "enough") is DomainStatus.BLOCKED
    assert store.query("SELECT block_code, next_crawl_after, avail_at FROM domains") == [
        ("manual", None, None)
    ]


async def test_an_unblocked_domain_starts_with_a_clean_record(
    store: StoreUnderTest, worker: StoreWorker, clock: FakeClock
) -> None:
    lease = await seed(worker)
    await worker.release(lease, state=BLOCKED)
    assert await store.domains.unblock("a.example", "they are friends") is DomainStatus.BLOCKED
    again = await worker.claim_one()
    assert again.state == DomainState(status=DomainStatus.PENDING)
    assert list_events(store)[-1] == ("blocked", "pending", "unblocked")


async def test_only_what_is_blocked_can_be_unblocked(store: StoreUnderTest, worker: StoreWorker) -> None:
    await worker.add(A)
    with pytest.raises(ForbiddenTransition):
        await store.domains.unblock("a.example", "why")
    assert list_events(store) == []


@pytest.mark.parametrize("order", ["block", "unblock", "reset"])
async def test_an_unknown_domain_is_said_to_be_unknown(store: StoreUnderTest, order: str) -> None:
    assert await getattr(store.domains, order)("nobody.example", "why") is None


async def test_an_unblocked_domain_is_asked_for_its_robots_txt_again(
    store: StoreUnderTest, worker: StoreWorker, clock: FakeClock
) -> None:
    lease = await seed(worker)
    record = RobotsRecord(
        origin="https://a.example",
        status=200,
        body=b"User-agent: *\nDisallow: /",
        fetched_at=clock.now(),
        expires_at=clock.now() + 3600,
    )
    robots = RobotsVisit(record=record, at=clock.now(), duration_s=0.1, wire_bytes=1, status=200, error=None)
    await worker.settle_robots(lease, robots)
    await worker.release(lease, state=BLOCKED)
    await store.domains.unblock("a.example", "why")
    assert store.query("SELECT expires_at FROM robots") == [(clock.now(),)]


async def test_the_end_of_a_crawl_says_what_is_blocked_for_good(
    store: StoreUnderTest, worker: StoreWorker
) -> None:
    await worker.add(A)
    await store.domains.block("a.example", "they asked us")
    (troubled,) = (await store.frontier.summarise()).troubled
    assert (troubled.reason, troubled.until, troubled.is_for_good) == ("they asked us", None, True)


# --- reset ---------------------------------------------------------------------------------------


async def test_a_reset_wants_every_url_again(
    store: StoreUnderTest, worker: StoreWorker, clock: FakeClock
) -> None:
    lease = await seed(worker, A, f"{A}gone", f"{A}secret", f"{A}dead", f"{A}later")
    outcomes: dict[str, Outcome] = {
        A: make_fetched(),
        f"{A}gone": Gone(status=404),
        f"{A}secret": Refused(reason=RefusalReason.ROBOTS, detail="line 1"),
        f"{A}dead": make_failed(),
        f"{A}later": make_failed(retry_at=clock.now() + 999),
    }
    targets = (await worker.head(lease)).targets
    visits = [make_visit(target, outcomes[target.url], at=clock.now()) for target in targets]
    await worker.settle_visits(lease, visits)
    await worker.release(lease)
    await store.domains.reset("a.example", "a new site")
    again = await worker.claim_one()
    assert len((await worker.head(again)).targets) == 5
    assert dict(store.query("SELECT fate, count(*) FROM urls GROUP BY fate")) == {"fetched": 1, "queued": 4}
    assert find_wrong_counters(store.query) == []


async def test_a_page_that_crashed_its_reader_stays_away(store: StoreUnderTest, worker: StoreWorker) -> None:
    lease = await seed(worker)
    await worker.visit_next(lease, make_failed(kind=FailureKind.CRASH))
    await worker.release(lease)
    await store.domains.reset("a.example", "why")
    assert await worker.claim() == []
    assert find_wrong_counters(store.query) == []


async def test_a_reset_under_a_lease_frees_the_domain_when_the_lease_ends(
    store: StoreUnderTest, worker: StoreWorker, clock: FakeClock
) -> None:
    lease = await seed(worker)
    await store.domains.reset("a.example", "why")
    assert (await worker.settle_visits(lease, [])).lost == {lease.domain_id}
    assert await worker.claim() == []  # its last owner may still be asking
    clock.advance(LEASE_S)
    (again,) = await worker.claim()
    assert again.state.pace.last_start_at == clock.now() - LEASE_S


async def test_a_reset_gives_the_domain_its_budget_back(store: StoreUnderTest, worker: StoreWorker) -> None:
    lease = await seed(worker)
    state = DomainState(status=DomainStatus.ACTIVE, run_pages=7)
    visit = make_visit((await worker.head(lease)).targets[0], make_fetched(), at=worker.clock.now())
    await worker.settle_visits(lease, [visit], state=state)
    await worker.release(lease, state=state, is_parked=True)
    await store.domains.reset("a.example", "why")
    assert (await worker.claim_one()).state.run_pages == 0


# --- transitions ---------------------------------------------------------------------------------


async def test_a_settled_transition_is_written_with_its_run_and_worker(
    store: StoreUnderTest, worker: StoreWorker, clock: FakeClock
) -> None:
    lease = await seed(worker)
    state = move(lease.state, DomainStatus.ACTIVE, Cause.ANSWERED, detail="why", at=clock.now())
    await worker.settle_visits(lease, [], state=state)
    assert store.query("SELECT at, to_status, cause, detail, run_id, worker_id FROM domain_events") == [
        (clock.now(), "active", "answered", "why", worker.run_id, worker.id)
    ]


async def test_a_transition_under_a_stale_fence_is_not_written(
    store: StoreUnderTest, worker: StoreWorker, clock: FakeClock
) -> None:
    lease = await seed(worker)
    clock.advance(LEASE_S)
    await worker.claim_one()
    state = move(lease.state, DomainStatus.ACTIVE, Cause.ANSWERED, detail="why", at=clock.now())
    await worker.settle_visits(lease, [], state=state)
    await worker.release(lease, state=state)
    assert list_events(store) == []


async def test_the_end_of_a_domain_and_its_return_are_written(
    store: StoreUnderTest, worker: StoreWorker, clock: FakeClock
) -> None:
    lease = await seed(worker)
    await worker.visit_next(lease, make_fetched())
    await worker.release(lease)
    clock.advance(5)
    await worker.add(f"{A}more")
    assert list_events(store) == [("active", "exhausted", "all_done"), ("exhausted", "active", "new_urls")]
    assert store.query("SELECT status, next_crawl_after FROM domains") == [("active", None)]


async def test_a_link_from_another_domain_wakes_an_exhausted_one(
    store: StoreUnderTest, worker: StoreWorker
) -> None:
    lease = await seed(worker)
    await worker.visit_next(lease, make_fetched())
    await worker.release(lease)
    other = await seed(worker, "https://b.example/")
    await worker.visit_next(other, make_fetched(), discovered=[new_url(f"{A}more")])
    assert list_events(store)[-1] == ("exhausted", "active", "new_urls")


async def test_an_unreachable_domain_that_is_named_again_starts_anew(
    store: StoreUnderTest, worker: StoreWorker
) -> None:
    await worker.add_seeds(A)
    lease = await worker.claim_one()
    down = replace(BLOCKED, status=DomainStatus.UNREACHABLE, block_code="dns_failure", next_crawl_after=None)
    await worker.release(lease, state=down)
    assert await worker.claim() == []
    await worker.add_seeds(A)
    assert (await worker.claim_one()).state == DomainState(status=DomainStatus.PENDING)
    assert list_events(store)[-1] == ("unreachable", "pending", "asked_again")


async def test_a_domain_at_rest_is_claimed_when_its_cooldown_is_over(
    store: StoreUnderTest, worker: StoreWorker, clock: FakeClock
) -> None:
    lease = await seed(worker)
    until = clock.now() + 14 * 86400
    await worker.release(lease, state=replace(BLOCKED, next_crawl_after=until), ready_at=until)
    clock.advance(14 * 86400 - 1)
    assert await worker.claim() == []
    clock.advance(1)
    assert (await worker.claim_one()).state.retries == 2


# --- scores and tiers ----------------------------------------------------------------------------


async def test_scores_follow_the_facts(store: StoreUnderTest, worker: StoreWorker) -> None:
    lease = await seed(worker, *(f"{A}{number}" for number in range(10)))
    for _ in range(2):
        await worker.visit_next(lease, make_fetched(str(_)))
    await worker.visit_next(lease, make_failed())
    await worker.release(lease)
    await worker.add("https://b.example/")
    assert await store.domains.recalculate() == 2
    rows = store.query("SELECT priority_score, error_rate, image_yield_rate, tier FROM domains ORDER BY name")
    # 8 urls count twice, half an error per page costs 250.
    assert rows == [(16 - 250, 0.5, 0.0, 2), (2, None, None, 5)]


async def test_only_the_domains_of_a_run_are_rated_after_it(
    store: StoreUnderTest, worker: StoreWorker
) -> None:
    lease = await seed(worker)
    await worker.visit_next(lease, make_fetched())
    await worker.add("https://b.example/")
    assert await store.domains.recalculate(worker.run_id) == 1


async def test_partly_crawled_domains_are_claimed_first(
    store: StoreUnderTest, worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add("https://new.example/")
    clock.advance(1)
    await worker.add(A, f"{A}more")
    lease = next(each for each in await worker.claim() if each.domain == "a.example")
    await worker.visit_next(lease, make_fetched())
    await worker.release(lease)
    clock.advance(LEASE_S)
    await store.domains.recalculate()
    assert [each.domain for each in await worker.claim(1)] == ["a.example"]


async def test_within_a_tier_those_that_wait_longest_are_claimed_first(
    store: StoreUnderTest, worker: StoreWorker, clock: FakeClock
) -> None:
    for name in ("c", "a", "b"):
        await worker.add(f"https://{name}.example/")
        clock.advance(0.1)
    assert [(await worker.claim_one()).domain for _ in range(3)] == ["c.example", "a.example", "b.example"]


async def test_one_second_in_eight_those_at_the_back_are_claimed_first(
    store: StoreUnderTest, worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add("https://new.example/")
    await worker.add(A, f"{A}more")
    lease = next(each for each in await worker.claim() if each.domain == "a.example")
    await worker.visit_next(lease, make_fetched())
    await worker.release(lease)
    clock.advance(LEASE_S + 3)  # of 1,750,000,000, which eight divides
    await store.domains.recalculate()
    assert [each.domain for each in await worker.claim(1)] == ["new.example"]


async def test_parked_domains_wake_in_the_order_of_their_last_visits(
    store: StoreUnderTest, worker: StoreWorker, clock: FakeClock
) -> None:
    names = ("c", "a", "b")
    for name in names:
        await worker.add(f"https://{name}.example/")
        await worker.release(await worker.claim_one(), is_parked=True)
        clock.advance(3600)
    await store.runs.end_run(worker.run_id, RunState.DONE, worker.id)
    await worker.start()
    assert [(await worker.claim_one()).domain for _ in range(3)] == [f"{name}.example" for name in names]


# --- counters ------------------------------------------------------------------------------------


async def test_a_healthy_store_has_no_differences(store: StoreUnderTest, worker: StoreWorker) -> None:
    lease = await seed(worker, A, f"{A}b")
    await worker.visit_next(lease, make_fetched(), discovered=[new_url("https://b.example/x", depth=2)])
    await worker.visit_next(lease, make_failed())
    assert await check_all(store.domains) == (2, [])


async def test_wrong_counters_are_told_and_corrected(store: StoreUnderTest, worker: StoreWorker) -> None:
    lease = await seed(worker, A, f"{A}b")
    images = [(f"{A}{number}.jpg", "", "img") for number in range(3)]
    await worker.visit_next(lease, make_fetched(images=images))
    store.query(
        "UPDATE domains SET queued = 7, requests = 0, last_crawled_at = NULL, images_found = 2,"
        " images_stored = 4"
    )
    expected = {
        ("queued", 7, 1),
        ("requests", 0, 1),
        ("last_crawled_at", None, worker.clock.now()),
        ("images_found", 2, 3),
        ("images_stored", 4, 3),
    }
    for is_dry in (True, False):
        _, differences = await check_all(store.domains, is_dry=is_dry)
        assert {(each.counter, each.stored, each.counted) for each in differences} == expected
    assert await check_all(store.domains) == (1, [])
    assert find_wrong_counters(store.query) == []


async def add_seeds(worker: StoreWorker, *urls: str) -> None:
    seeds = [replace(new_url(url), found_by=FoundBy.SEED) for url in urls]
    await worker.frontier.add_urls(seeds, worker.clock.now())


async def test_what_was_found_in_which_way_is_counted_again(
    store: StoreUnderTest, worker: StoreWorker
) -> None:
    await add_seeds(worker, A, f"{A}b")
    await worker.add("https://b.example/")
    lease = next(lease for lease in await worker.claim() if lease.domain == "a.example")
    await worker.visit_next(lease, make_fetched())
    store.query("UPDATE yields SET seed_urls = 7, seed_pages = 0, feed_pages = 2")
    store.query(
        "INSERT INTO yields (domain_id, feed_urls) SELECT id, 3 FROM domains WHERE name = 'b.example'"
    )
    expected = [
        ("a.example", "feed_pages", 2, 0),
        ("a.example", "seed_pages", 0, 1),
        ("a.example", "seed_urls", 7, 2),
        ("b.example", "feed_urls", 3, 0),
    ]
    for is_dry in (True, False):
        _, found = await check_all(store.domains, is_dry=is_dry)
        assert [(each.domain, each.counter, each.stored, each.counted) for each in found] == expected
    assert find_wrong_counters(store.query) == []


async def test_what_was_never_counted_is_counted_again(store: StoreUnderTest, worker: StoreWorker) -> None:
    await add_seeds(worker, A)
    store.query("DELETE FROM yields")
    await asyncio.gather(*(check_all(store.domains) for _ in range(3)))
    assert find_wrong_counters(store.query) == []


async def test_a_worker_goes_on_beside_the_check(store: StoreUnderTest, worker: StoreWorker) -> None:
    lease = await seed(worker, A, f"{A}b")
    await check_all(store.domains)
    await worker.visit_next(lease, make_fetched())
    assert (await worker.settle_visits(lease, [], state=ACTIVE)).lost == frozenset()
    assert await check_all(store.domains) == (1, [])
