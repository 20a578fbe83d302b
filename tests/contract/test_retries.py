"""Retries: urls that were given up, and urls given by name."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from tenax.errors import UsageError
from tenax.record import replace
from tenax.records.domains import DomainState, DomainStatus
from tenax.records.requests import FailureKind
from tenax.records.runs import RunState
from tenax.records.urls import Priority, RefusalReason, RejectionReason
from tenax.records.visits import Failed, Gone, Outcome, Refused
from tenax.stores.access import Access
from tenax.stores.commands import item_retries, retries
from tenax.stores.commands.item_retries import ShownItems, count_shown, retry_shown
from tenax.stores.commands.retries import (
    Retried,
    count_given_up,
    count_urls,
    list_running,
    retry_given_up,
    retry_urls,
)
from tenax.stores.queries import given_up
from tenax.stores.queries.given_up import GivenUp, RetryReason
from tenax.web.urls import domain_of
from tests.support.clock import FakeClock
from tests.support.item_rows import ItemRows, add_shop
from tests.support.store import (
    LEASE_S,
    Rows,
    StoreUnderTest,
    StoreWorker,
    find_wrong_counters,
    make_failed,
    make_fetched,
    make_visit,
    new_url,
)

A, B, C = "https://a.example/", "https://b.example/", "https://c.example/"
ALL = GivenUp()
TIMEOUT = make_failed(kind=FailureKind.TIMEOUT)
CRASH = make_failed(kind=FailureKind.CRASH)


def fail_with(status: int) -> Failed:
    return Failed(kind=FailureKind.HTTP_STATUS, detail=f"it said {status}", status=status, retry_at=None)


async def crawl(worker: StoreWorker, outcomes: Mapping[str, Outcome]) -> None:
    """Visit these urls, and give their domains back."""
    await worker.add(*outcomes)
    for lease in await worker.claim():
        targets = (await worker.head(lease)).targets
        visits = [make_visit(each, outcomes[each.url], at=worker.clock.now()) for each in targets]
        await worker.settle_visits(lease, visits)
        await worker.release(lease)


async def start_next_run(worker: StoreWorker) -> None:
    await worker.runs.end_run(worker.run_id, RunState.DONE, worker.id)
    worker.batches = 0
    await worker.start()


def find_urls(store: StoreUnderTest) -> dict[str, str]:
    return dict(store.query("SELECT url, fate FROM urls"))


def list_waiting(store: StoreUnderTest) -> set[str]:
    return {url for (url,) in store.query("SELECT url FROM urls WHERE due_at IS NOT NULL")}


def find_domains(store: StoreUnderTest) -> Rows:
    return store.query("SELECT name, status, queued FROM domains ORDER BY name")


# --- those that were given up ------------------------------------------------------------------------


async def test_dead_urls_wait_again_with_all_their_attempts(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await crawl(worker, {A: make_fetched(), A + "x": TIMEOUT, B: fail_with(500)})
    clock.advance(100)
    done = await retry_given_up(access, clock, ALL)
    assert (done.urls, done.before, done.resting) == (2, {"timeout": 1, "http_status": 1}, 0)
    assert list_waiting(store) == {A + "x", B}
    rows = store.query("SELECT due_at, fate, attempts FROM urls WHERE due_at IS NOT NULL")
    assert rows == [(clock.now(), "queued", 0)] * 2
    assert find_wrong_counters(store.query) == []


async def test_the_reason_and_the_former_fate_are_recorded(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await crawl(worker, {A: fail_with(500)})
    await retry_given_up(access, clock, ALL)
    rows = store.query("SELECT reason, detail FROM urls")
    assert rows == [("asked_again", "it was dead: it said 500")]


async def test_exhausted_domains_become_active_and_record_why(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await crawl(worker, {A: TIMEOUT, B: make_fetched()})
    assert await worker.claim() == []
    await retry_given_up(access, clock, ALL)
    assert find_domains(store) == [("a.example", "active", 1), ("b.example", "exhausted", 0)]
    events = store.query(
        "SELECT from_status, to_status, cause, detail, worker_id FROM domain_events ORDER BY id DESC LIMIT 1"
    )
    assert events == [("exhausted", "active", "refresh", "a user asked to visit its urls again", None)]
    lease = await worker.claim_one()
    assert [target.url for target in (await worker.head(lease)).targets] == [A]


async def test_another_visit_settles_it_as_a_first_one_would(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await crawl(worker, {A: TIMEOUT})
    await retry_given_up(access, clock, ALL)
    await worker.visit_next(await worker.claim_one(), make_fetched())
    assert store.query("SELECT fate, reason, detail FROM urls") == [("fetched", None, None)]
    assert find_wrong_counters(store.query) == []


async def test_repeating_queues_nothing_more(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await crawl(worker, {A: TIMEOUT, B: TIMEOUT})
    await retry_given_up(access, clock, ALL)
    before = store.query("SELECT * FROM urls ORDER BY id")
    assert (await retry_given_up(access, clock, ALL)).urls == 0
    assert store.query("SELECT * FROM urls ORDER BY id") == before
    assert find_wrong_counters(store.query) == []


async def test_others_are_left_alone(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    refused = Refused(reason=RefusalReason.ROBOTS, detail="no")
    outcomes: dict[str, Outcome] = {
        A: make_fetched(),
        A + "gone": Gone(status=404),
        A + "no": refused,
        A + "crash": CRASH,
    }
    await crawl(worker, {**outcomes, A + "later": make_failed(retry_at=clock.now() + 60)})
    assert (await retry_given_up(access, clock, ALL)).urls == 0
    assert list_waiting(store) == {A + "later"}


REASONS: dict[str, Outcome] = {
    A + "slow": TIMEOUT,
    A + "400": fail_with(400),
    A + "500": fail_with(500),
    B + "599": fail_with(599),
    B + "crash": CRASH,
    B + "no": make_failed(kind=FailureKind.FORBIDDEN),
}


@pytest.mark.parametrize(
    ("reasons", "found"),
    [
        (["timeout"], {A + "slow"}),
        (["http_status"], {A + "400", A + "500", B + "599"}),
        (["http_4xx"], {A + "400"}),
        (["http_5xx"], {A + "500", B + "599"}),
        (["quarantined"], {B + "crash"}),
        (["timeout", "quarantined", "http_4xx"], {A + "slow", B + "crash", A + "400"}),
        (["dns"], set()),
    ],
)
async def test_a_reason_chooses(
    worker: StoreWorker,
    store: StoreUnderTest,
    access: Access,
    clock: FakeClock,
    reasons: list[str],
    found: set[str],
) -> None:
    await crawl(worker, REASONS)
    only = GivenUp(reasons=frozenset(map(RetryReason, reasons)))
    assert (await count_given_up(access, only)).urls == len(found)
    assert (await retry_given_up(access, clock, only)).urls == len(found)
    assert list_waiting(store) == found
    assert find_wrong_counters(store.query) == []


async def test_a_domain_chooses(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await crawl(worker, {A: TIMEOUT, B: TIMEOUT, B + "x": fail_with(500), C: TIMEOUT})
    assert (await retry_given_up(access, clock, GivenUp(domain="b.example"))).urls == 2
    assert list_waiting(store) == {B, B + "x"}
    assert (await retry_given_up(access, clock, GivenUp(domain="unknown.example"))).urls == 0


async def test_text_in_the_url_chooses(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await crawl(worker, {A + "shop/1": TIMEOUT, B + "Shop": TIMEOUT, A + "100%": TIMEOUT})
    assert (await retry_given_up(access, clock, GivenUp(text="shop"))).urls == 2
    assert (await retry_given_up(access, clock, GivenUp(text="%"))).urls == 1


async def test_a_run_chooses_what_failed_in_it(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await crawl(worker, {A: TIMEOUT, A + "x": fail_with(500)})
    await start_next_run(worker)
    await crawl(worker, {B: TIMEOUT, B + "x": make_fetched(), C: TIMEOUT})
    second = worker.run_id
    assert (await count_given_up(access, GivenUp(run_id=second))).urls == 2
    of_domain = GivenUp(run_id=second, domain="c.example")
    assert (await retry_given_up(access, clock, of_domain)).urls == 1
    assert list_waiting(store) == {C}
    of_reason = GivenUp(run_id=second - 1, reasons=frozenset({RetryReason.HTTP_5XX}))
    assert (await retry_given_up(access, clock, of_reason)).urls == 1
    assert list_waiting(store) == {C, A + "x"}
    assert (await retry_given_up(access, clock, GivenUp(run_id=99))).urls == 0
    assert (await retry_given_up(access, clock, GivenUp(run_id=second))).urls == 1
    assert find_wrong_counters(store.query) == []


async def test_a_url_that_failed_often_in_a_run_counts_once(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    await worker.visit_next(lease, make_failed(retry_at=clock.now()))
    await worker.visit_next(lease, TIMEOUT)
    only = GivenUp(run_id=worker.run_id)
    assert (await count_given_up(access, only)).urls == 1
    assert (await retry_given_up(access, clock, only)).urls == 1
    assert find_wrong_counters(store.query) == []


async def test_counting_changes_nothing(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await crawl(worker, {A: TIMEOUT, B: CRASH})
    before = store.query("SELECT * FROM urls ORDER BY id"), store.query("SELECT * FROM domains ORDER BY id")
    counted = await count_given_up(access, ALL)
    assert (counted.urls, counted.before) == (1, {"timeout": 1})
    assert (await count_urls(access, [A, B, C])).urls == 2
    after = store.query("SELECT * FROM urls ORDER BY id"), store.query("SELECT * FROM domains ORDER BY id")
    assert after == before


@pytest.mark.parametrize("only", [ALL, GivenUp(domain="a.example"), GivenUp(run_id=1)])
@pytest.mark.parametrize("at_once", [1, 2, 5, 6, 100])
async def test_it_is_done_in_steps(
    worker: StoreWorker,
    store: StoreUnderTest,
    access: Access,
    clock: FakeClock,
    monkeypatch: pytest.MonkeyPatch,
    at_once: int,
    only: GivenUp,
) -> None:
    monkeypatch.setattr(given_up, "URLS_AT_ONCE", at_once)
    await crawl(worker, {f"{A}{number}": make_fetched() if number % 2 else TIMEOUT for number in range(10)})
    assert (await count_given_up(access, only)).urls == 5
    assert (await retry_given_up(access, clock, only)).urls == 5
    assert find_domains(store) == [("a.example", "active", 5)]
    assert find_wrong_counters(store.query) == []


async def test_a_limited_retry_can_be_continued(
    worker: StoreWorker,
    store: StoreUnderTest,
    access: Access,
    clock: FakeClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(given_up, "URLS_AT_ONCE", 2)
    await crawl(worker, {f"{A}{number}": TIMEOUT for number in range(5)})
    counted = await count_given_up(access, ALL, most=3)
    assert (counted.urls, counted.is_complete) == (4, False)
    done = [await retry_given_up(access, clock, ALL, most=3) for _ in range(2)]
    assert [(each.urls, each.is_complete) for each in done] == [(4, False), (1, True)]
    assert find_domains(store) == [("a.example", "active", 5)]


class Died(Exception):
    """The process, in effect."""


async def test_a_retry_that_dies_in_the_middle_can_be_repeated(
    worker: StoreWorker,
    store: StoreUnderTest,
    access: Access,
    clock: FakeClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(given_up, "URLS_AT_ONCE", 2)
    await crawl(worker, {f"{A}{number}": TIMEOUT for number in range(5)})

    def die(name: str) -> None:
        raise Died

    with monkeypatch.context() as patch:
        patch.setattr("tenax.failpoints.reach", die)
        with pytest.raises(Died):
            await retry_given_up(access, clock, ALL)
    assert find_domains(store) == [("a.example", "active", 2)]
    assert find_wrong_counters(store.query) == []
    assert (await retry_given_up(access, clock, ALL)).urls == 3
    assert find_domains(store) == [("a.example", "active", 5)]


async def test_a_step_that_fails_queues_nothing(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await crawl(worker, {A: TIMEOUT, B: TIMEOUT})
    with store.broken("UPDATE", "domains"), pytest.raises(Exception, match=r"\w"):
        await retry_given_up(access, clock, ALL)
    assert list_waiting(store) == set()
    assert find_wrong_counters(store.query) == []
    assert (await retry_given_up(access, clock, ALL)).urls == 2


async def test_two_concurrent_retries_queue_each_url_once(
    worker: StoreWorker,
    store: StoreUnderTest,
    access: Access,
    clock: FakeClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(given_up, "URLS_AT_ONCE", 3)
    names = (A, B, C)
    await crawl(worker, {f"{name}{number}": TIMEOUT for name in names for number in range(10)})
    done = await asyncio.gather(
        *(retry_given_up(access, clock, ALL) for _ in range(3)),
        retry_urls(access, clock, [f"{name}{number}" for name in names for number in range(10)]),
    )
    assert sum(each.urls for each in done) == 30
    assert find_domains(store) == [(f"{name}.example", "active", 10) for name in "abc"]
    assert find_wrong_counters(store.query) == []


async def test_counters_are_right_while_workers_settle(
    store: StoreUnderTest, access: Access, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(given_up, "URLS_AT_ONCE", 3)
    names = [f"https://d{number}.example/" for number in range(3)]
    workers = []
    for _ in names:
        joined = await store.connect()
        workers.append(await StoreWorker(joined.frontier, joined.runs, clock).start())
    await workers[0].add(*(f"{name}{page}" for name in names for page in range(10)))

    async def fail_all(worker: StoreWorker) -> None:
        for lease in await worker.claim(1):
            for number in range(12):
                head = await worker.head(lease)
                if not head.targets:
                    break
                found = new_url(f"{names[number % len(names)]}new{worker.id}-{number}")
                visit = make_visit(head.targets[0], TIMEOUT, at=clock.now(), discovered=[found])
                settled = await worker.settle_visits(lease, [visit])
                assert not settled.lost
            await worker.release(lease)

    async def insist() -> None:
        for _ in range(4):
            await retry_given_up(access, clock, ALL)

    await asyncio.gather(*(fail_all(worker) for worker in workers), insist())
    assert find_wrong_counters(store.query) == []
    waiting = store.query("SELECT name FROM domains WHERE queued > 0 AND avail_at IS NULL")
    assert waiting == [], "nobody would ever claim these"


# --- leases, rests and parked domains ----------------------------------------------------------------


async def test_a_worker_keeps_its_domain_and_finds_the_urls(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await worker.add(A, A + "x")
    lease = await worker.claim_one()
    target = await worker.visit_next(lease, TIMEOUT)
    ((avail_at,),) = store.query("SELECT avail_at FROM domains")
    await retry_given_up(access, clock, ALL)
    assert store.query("SELECT avail_at, queued FROM domains") == [(avail_at, 2)]
    assert target.id in {each.id for each in (await worker.head(lease)).targets}
    assert not (await worker.settle_visits(lease, [])).lost
    assert find_wrong_counters(store.query) == []


async def test_a_domain_that_is_released_later_is_not_forgotten(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    await worker.visit_next(lease, TIMEOUT)
    await retry_given_up(access, clock, ALL)
    await worker.release(lease)
    assert find_domains(store) == [("a.example", "active", 1)]
    assert len(await worker.claim()) == 1


async def test_the_domain_of_a_dead_worker_is_claimed_when_its_lease_ends(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await worker.add(A)
    await worker.visit_next(await worker.claim_one(), TIMEOUT)
    await retry_given_up(access, clock, ALL)
    clock.advance(LEASE_S + 1)
    lease = await worker.claim_one()
    assert len((await worker.head(lease)).targets) == 1


async def test_politeness_is_kept(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    await worker.visit_next(lease, TIMEOUT)
    await worker.release(lease, ready_at=clock.now() + 30)
    await retry_given_up(access, clock, ALL)
    assert await worker.claim() == []
    clock.advance(31)
    assert len(await worker.claim()) == 1


async def test_a_blocked_domain_stays_blocked_and_is_reported(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await crawl(worker, {A: TIMEOUT, A + "x": TIMEOUT, B: TIMEOUT})
    await store.domains.block("a.example", "they asked us to")
    counted = await count_given_up(access, ALL)
    done = await retry_given_up(access, clock, ALL)
    assert counted == done
    assert (done.urls, done.resting, done.resting_domains) == (3, 2, ("a.example",))
    assert store.query("SELECT status, queued, avail_at FROM domains WHERE name = 'a.example'") == [
        ("blocked", 2, None)
    ]
    assert [lease.domain for lease in await worker.claim()] == ["b.example"]
    await store.domains.unblock("a.example", "they changed their minds")
    assert [lease.domain for lease in await worker.claim()] == ["a.example"]


async def test_a_domain_that_rests_rests_to_the_end(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    until = clock.now() + 1000
    state = DomainState(status=DomainStatus.UNREACHABLE, block_code="dns_failure", next_crawl_after=until)
    visit = make_visit((await worker.head(lease)).targets[0], TIMEOUT, at=clock.now())
    await worker.settle_visits(lease, [visit], state=state)
    await worker.release(lease, state=state)
    assert (await retry_given_up(access, clock, ALL)).resting == 1
    assert store.query("SELECT status, avail_at FROM domains") == [("unreachable", until)]


async def test_a_domain_that_is_parked_for_its_budget_can_be_claimed(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await worker.add(A, A + "x")
    lease = await worker.claim_one()
    await worker.visit_next(lease, TIMEOUT)
    await worker.release(lease, is_parked=True)
    assert await worker.claim() == []
    await retry_given_up(access, clock, ALL)
    assert len(await worker.claim()) == 1


async def test_the_runs_that_visit_them_are_listed(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await crawl(worker, {A: TIMEOUT})
    done = await retry_given_up(access, clock, ALL)
    assert done.sources == {0}
    assert await access.read(lambda connection: list_running(connection, done.sources)) == [worker.run_id]
    await worker.runs.end_run(worker.run_id, RunState.DONE, worker.id)
    assert await access.read(lambda connection: list_running(connection, done.sources)) == []


# --- those that are named ----------------------------------------------------------------------------


async def test_a_page_is_visited_again_and_kept_until_then(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await crawl(worker, {A: make_fetched("first"), A + "x": make_fetched()})
    done = await retry_urls(access, clock, [A])
    assert (done.urls, done.before, done.waiting, done.unknown) == (1, {"fetched": 1}, 0, 0)
    assert find_urls(store)[A] == "fetched"
    assert store.query("SELECT count(*) FROM pages") == [(2,)]
    lease = await worker.claim_one()
    (target,) = (await worker.head(lease)).targets
    assert (target.url, target.etag, target.content_hash is None) == (A, '"e1"', False)
    await worker.visit_next(lease, make_fetched("second"))
    assert store.query("SELECT kind FROM changes") == [("changed",)]
    assert find_wrong_counters(store.query) == []


async def test_named_urls_come_before_all_waiting_urls_of_their_domain(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await crawl(worker, {A: TIMEOUT, A + "low": make_fetched()})
    await worker.add(A + "high", priority=Priority.HIGH)
    await worker.add(A + "medium")
    clock.advance(10)
    await retry_urls(access, clock, [A, A + "low"])
    lease = await worker.claim_one()
    targets = [target.url for target in (await worker.head(lease)).targets]
    assert set(targets[:2]) == {A, A + "low"}
    assert targets[2:] == [A + "high", A + "medium"]


@pytest.mark.parametrize(
    ("outcome", "fate"),
    [
        (CRASH, "queued"),
        (Gone(status=410), "queued"),
        (Refused(reason=RefusalReason.NOINDEX, detail="no"), "queued"),
        (TIMEOUT, "queued"),
    ],
)
async def test_a_named_url_is_visited_again_whatever_its_fate(
    worker: StoreWorker,
    store: StoreUnderTest,
    access: Access,
    clock: FakeClock,
    outcome: Outcome,
    fate: str,
) -> None:
    await crawl(worker, {A: outcome})
    assert (await retry_urls(access, clock, [A])).urls == 1
    assert find_urls(store) == {A: fate}
    assert len((await worker.head(await worker.claim_one())).targets) == 1
    assert find_wrong_counters(store.query) == []


async def test_waiting_and_unknown_urls_are_reported(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await crawl(worker, {A: TIMEOUT})
    await worker.add(B)
    named = [A, A, B, C, *(f"{B}{number}" for number in range(7))]
    counted = await count_urls(access, named)
    done = await retry_urls(access, clock, named)
    assert counted == done
    assert (done.urls, done.waiting, done.unknown) == (1, 1, 8)
    assert done.first_unknown == (C, *(f"{B}{number}" for number in range(4)))
    again = await retry_urls(access, clock, named)
    assert (again.urls, again.waiting, again.unknown) == (0, 2, 8)
    assert await retry_urls(access, clock, []) == Retried(before={})


async def test_a_url_is_found_with_and_without_insignificant_parameters(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await crawl(worker, {A + "x?ref=7": TIMEOUT, A + "y": TIMEOUT})
    done = await retry_urls(access, clock, [A + "x?ref=7", A + "y?utm_source=mail"])
    assert (done.urls, done.unknown) == (2, 0)


@pytest.mark.parametrize("at_once", [1, 2, 3, 100])
async def test_a_long_list_is_done_in_steps(
    worker: StoreWorker,
    store: StoreUnderTest,
    access: Access,
    clock: FakeClock,
    monkeypatch: pytest.MonkeyPatch,
    at_once: int,
) -> None:
    monkeypatch.setattr(retries, "NAMES_AT_ONCE", at_once)
    named = [f"{name}{number}" for number in range(3) for name in (A, B)]
    await crawl(worker, dict.fromkeys(named, TIMEOUT))
    assert (await retry_urls(access, clock, [*named, *named, C])).urls == 6
    assert list_waiting(store) == set(named)
    assert find_wrong_counters(store.query) == []


def test_every_kind_of_failure_can_be_chosen() -> None:
    """What crashes its reader is not dead but quarantined, and what is no page is rejected."""
    kinds = {kind.value for kind in FailureKind} - {"crash"}
    rejections = {"rejected", "soft_404", *RejectionReason}
    others = {"http_4xx", "http_5xx", "quarantined", "trapped", *rejections}
    assert {reason.value for reason in RetryReason} == kinds | others


# --- urls that show items --------------------------------------------------------------------------------


async def crawl_shop(worker: StoreWorker, access: Access) -> tuple[int, int]:
    """The ids of a boat that two urls show, and a car that none shows any more."""
    await crawl(worker, {A + "boat": make_fetched("a"), A + "car": make_fetched("b"), B: make_fetched("c")})
    return await access.write(
        lambda connection: add_shop(ItemRows(connection, 0, worker.run_id), A + "boat", A + "car")
    )


async def test_the_urls_of_an_item_are_queued(
    worker: StoreWorker, access: Access, clock: FakeClock, store: StoreUnderTest
) -> None:
    boat, car = await crawl_shop(worker, access)
    assert (await retry_shown(access, clock, ShownItems(item_id=car))).urls == 0
    assert (await count_shown(access, ShownItems(item_id=boat))).urls == 2
    assert (await retry_shown(access, clock, ShownItems(item_id=boat))).urls == 2
    again = await retry_shown(access, clock, ShownItems(item_id=boat))
    assert (again.urls, again.waiting) == (0, 2)
    assert store.query("SELECT url FROM urls WHERE due_at IS NOT NULL ORDER BY url") == [
        (A + "boat",),
        (A + "car",),
    ]
    assert find_wrong_counters(store.query) == []


async def test_the_urls_of_a_kind_are_queued_once_each(
    worker: StoreWorker, access: Access, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await crawl_shop(worker, access)

    def show_more(connection: Any) -> None:
        rows = ItemRows(connection, 0, worker.run_id)
        for key in ("a", "b", "c"):
            rows.show(A + "boat", rows.add_item(A + "boat", key, {}))

    await access.write(show_more)
    monkeypatch.setattr(item_retries, "ITEMS_AT_ONCE", 1)
    assert (await retry_shown(access, clock, ShownItems(kind="article"))).urls == 0
    done = await retry_shown(access, clock, ShownItems(kind="product"))
    assert (done.urls, done.waiting) == (2, 0)


async def test_the_urls_of_items_of_a_domain_are_queued(
    worker: StoreWorker, access: Access, clock: FakeClock, store: StoreUnderTest
) -> None:
    await crawl_shop(worker, access)
    await access.write(
        lambda connection: (rows := ItemRows(connection, 0, worker.run_id)).show(
            B, rows.add_item(B, "train", {})
        )
    )
    with pytest.raises(UsageError, match="typo"):
        await count_shown(access, ShownItems(domain="typo.example"))
    here = ShownItems(domain=domain_of(B))
    assert (await count_shown(access, replace(here, kind="article"))).urls == 0
    assert (await count_shown(access, replace(here, is_invalid=True))).urls == 0
    assert (await retry_shown(access, clock, here)).urls == 1
    assert store.query("SELECT url FROM urls WHERE due_at IS NOT NULL") == [(B,)]


async def test_a_retry_of_a_kind_stops_at_a_limit(
    worker: StoreWorker, access: Access, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await crawl_shop(worker, access)
    await access.write(
        lambda connection: (rows := ItemRows(connection, 0, worker.run_id)).show(
            B, rows.add_item(B, "train", {})
        )
    )
    monkeypatch.setattr(item_retries, "ITEMS_AT_ONCE", 1)
    first = await retry_shown(access, clock, ShownItems(kind="product"), most=1)
    second = await retry_shown(access, clock, ShownItems(kind="product"))
    assert (first.urls, first.is_complete, second.urls, second.is_complete) == (2, False, 1, True)


async def test_the_urls_of_invalid_items_are_queued(
    worker: StoreWorker, access: Access, clock: FakeClock, store: StoreUnderTest
) -> None:
    """Those of a boat are not, which is valid."""
    await crawl_shop(worker, access)
    invalid = ShownItems(is_invalid=True)
    assert (await count_shown(access, replace(invalid, kind="article"))).urls == 0
    assert (await count_shown(access, replace(invalid, kind="product"))).urls == 1
    assert (await retry_shown(access, clock, invalid)).urls == 1
    assert store.query("SELECT url FROM urls WHERE due_at IS NOT NULL") == [(A + "car",)]
