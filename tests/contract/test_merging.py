"""Classes in the store: what merge rules make one is fetched once, and nothing of it is lost."""

import asyncio
from collections.abc import Sequence

import pytest

from tenax.config.crawl import MergeRule, ScopeSettings
from tenax.config.settings import Settings
from tenax.crawl.run.opening import Opener
from tenax.errors import StoreError
from tenax.policy.merging import MergeRules
from tenax.policy.patterns import PatternBudget
from tenax.record import replace
from tenax.records.domains import Lease
from tenax.records.jobs import NO_SOURCE
from tenax.records.requests import FailureKind
from tenax.records.urls import RefusalReason, Target
from tenax.records.visits import Gone, Merged, Outcome, Redirected, Refused, Skipped, Visit
from tenax.stores.contracts.batches import DomainWork
from tenax.stores.contracts.merging import Classified, Representative
from tenax.stores.contracts.refresh import RefreshBudget
from tenax.web.identity import url_key
from tests.support.clock import FakeClock
from tests.support.store import (
    ACTIVE,
    StoreUnderTest,
    StoreWorker,
    find_wrong_counters,
    make_failed,
    make_fetched,
    make_visit,
    new_url,
)

A = "https://a.example/"
PLAIN = A + "list"
FIRST, SECOND, THIRD = (f"{PLAIN}?sort={order}" for order in "abc")
RULE = MergeRule(name="sorting", ignore_parameters=("sort",))
_RULES = MergeRules.build([RULE], PatternBudget()).of_domain("a.example")
assert _RULES is not None
RULES = _RULES
CLASS = url_key(PLAIN)
LOST: dict[str, Outcome] = {
    "gone": Gone(status=404),
    "dead": make_failed(),
    "refused": Refused(reason=RefusalReason.ROBOTS, detail="robots.txt"),
    "quarantined": make_failed(kind=FailureKind.CRASH),
    "redirected to one of its class": Redirected(status=301, to_url=SECOND, is_merged=True),
}
KEPT: dict[str, Outcome] = {
    "fetched": make_fetched(),
    "no page": Skipped(status=200, content_type="application/pdf"),
    "redirected elsewhere": Redirected(status=301, to_url=A + "other"),
    "tried again": make_failed(retry_at=1e12),
}


def mark(target: Target) -> Target:
    return replace(target, class_key=RULES.find_class(target.url, target.key))


async def take(worker: StoreWorker, lease: Lease) -> dict[str, Target]:
    return {target.url: mark(target) for target in (await worker.head(lease)).targets}


def merge(target: Target, worker: StoreWorker, into: str = FIRST) -> Visit:
    return make_visit(target, Merged(to_url=into, rule="sorting"), at=worker.clock.now())


def visit(target: Target, outcome: Outcome, worker: StoreWorker) -> Visit:
    return make_visit(target, outcome, at=worker.clock.now())


async def settle(worker: StoreWorker, lease: Lease, *visits: Visit) -> None:
    await worker.settle(DomainWork(lease=lease, state=ACTIVE, visits=visits, has_classes=True))


def find_fates(store: StoreUnderTest) -> dict[str, tuple[str, str | None]]:
    return {url: (fate, reason) for url, fate, reason in store.query("SELECT url, fate, reason FROM urls")}


def list_due(store: StoreUnderTest) -> set[str]:
    return {url for (url,) in store.query("SELECT url FROM urls WHERE due_at IS NOT NULL")}


async def find_standing(store: StoreUnderTest, lease: Lease) -> Representative | None:
    return (await store.merges.find_standing([(lease.domain_id, CLASS)])).get((lease.domain_id, CLASS))


@pytest.fixture
def worker(worker: StoreWorker, runner: asyncio.Runner) -> StoreWorker:
    runner.run(worker.add(FIRST, SECOND, THIRD))
    return worker


async def test_a_merged_url_is_a_duplicate_that_no_one_asks_for(
    store: StoreUnderTest, worker: StoreWorker
) -> None:
    lease = await worker.claim_one()
    targets = await take(worker, lease)
    assert await find_standing(store, lease) is None
    await settle(
        worker,
        lease,
        visit(targets[FIRST], make_fetched(), worker),
        merge(targets[SECOND], worker),
        merge(targets[THIRD], worker),
    )
    assert find_fates(store) == {
        FIRST: ("fetched", None),
        SECOND: ("duplicate", "merged"),
        THIRD: ("duplicate", "merged"),
    }
    assert store.query(f"SELECT to_url, detail FROM urls WHERE url = '{THIRD}'") == [(FIRST, "sorting")]
    assert await find_standing(store, lease) == Representative(key=url_key(FIRST), url=FIRST)
    assert list_due(store) == set()
    assert store.query("SELECT count(*) FROM visits") == [(1,)]
    assert find_wrong_counters(store.query) == []


@pytest.mark.parametrize("outcome", LOST.values(), ids=list(LOST))
@pytest.mark.parametrize("is_together", [True, False], ids=["in one batch", "later"])
async def test_another_url_has_its_chance_when_what_stood_for_the_class_fell_away(
    store: StoreUnderTest, worker: StoreWorker, outcome: Outcome, is_together: bool
) -> None:
    lease = await worker.claim_one()
    targets = await take(worker, lease)
    merged = [merge(targets[SECOND], worker), merge(targets[THIRD], worker)]
    if not is_together:
        await settle(worker, lease, *merged)
        merged = []
    await settle(worker, lease, *merged, visit(targets[FIRST], outcome, worker))
    (chosen,) = list_due(store)
    assert chosen == SECOND if isinstance(outcome, Redirected) else chosen in (SECOND, THIRD)
    assert find_fates(store)[chosen] == ("queued", None)
    assert await find_standing(store, lease) is None
    assert find_wrong_counters(store.query) == []

    again = await take(worker, lease)
    await settle(worker, lease, visit(again[chosen], Gone(status=410), worker))
    (last,) = list_due(store)
    assert {last, chosen} == {SECOND, THIRD}
    assert find_wrong_counters(store.query) == []


@pytest.mark.parametrize("outcome", KEPT.values(), ids=list(KEPT))
async def test_a_url_that_stands_for_its_class_leaves_the_others_alone(
    store: StoreUnderTest, worker: StoreWorker, outcome: Outcome
) -> None:
    lease = await worker.claim_one()
    targets = await take(worker, lease)
    await settle(worker, lease, visit(targets[FIRST], outcome, worker), merge(targets[SECOND], worker))
    assert SECOND not in list_due(store)
    assert await find_standing(store, lease) == Representative(key=url_key(FIRST), url=FIRST)


async def test_the_plain_form_may_be_merged_into_another(store: StoreUnderTest, worker: StoreWorker) -> None:
    await worker.add(PLAIN)
    lease = await worker.claim_one()
    targets = await take(worker, lease)
    await settle(worker, lease, visit(targets[FIRST], make_fetched(), worker), merge(targets[PLAIN], worker))
    assert await find_standing(store, lease) == Representative(key=url_key(FIRST), url=FIRST)
    again = replace(targets[FIRST], content_hash=1, misses=1)
    await settle(worker, lease, visit(again, Gone(status=404), worker))
    assert PLAIN in list_due(store)


async def test_a_batch_that_comes_twice_or_too_late_queues_nothing_more(
    store: StoreUnderTest, worker: StoreWorker, clock: FakeClock
) -> None:
    lease = await worker.claim_one()
    targets = await take(worker, lease)
    await settle(worker, lease, merge(targets[SECOND], worker), merge(targets[THIRD], worker))
    lost = visit(targets[FIRST], Gone(status=404), worker)
    batch = worker.make_batch(DomainWork(lease=lease, state=ACTIVE, visits=[lost], has_classes=True))
    await store.frontier.settle(batch)
    await store.frontier.settle(batch)
    assert len(list_due(store)) == 1
    stale = replace(lease, version=lease.version - 1)
    await settle(worker, stale, lost)
    assert len(list_due(store)) == 1
    assert find_wrong_counters(store.query) == []


async def test_what_cannot_be_noted_leaves_everything_as_it_was(
    store: StoreUnderTest, worker: StoreWorker
) -> None:
    lease = await worker.claim_one()
    targets = await take(worker, lease)
    before = store.query("SELECT * FROM urls ORDER BY id")
    with store.broken("UPDATE OF class_key", "urls"), pytest.raises(StoreError):
        await settle(
            worker, lease, visit(targets[FIRST], Gone(status=404), worker), merge(targets[SECOND], worker)
        )
    assert store.query("SELECT * FROM urls ORDER BY id") == before
    assert find_wrong_counters(store.query) == []


async def test_classes_are_forgotten_and_what_was_merged_waits_again(
    store: StoreUnderTest, worker: StoreWorker
) -> None:
    lease = await worker.claim_one()
    targets = await take(worker, lease)
    back = Redirected(status=301, to_url=FIRST, is_merged=True)
    await settle(
        worker,
        lease,
        visit(targets[FIRST], make_fetched(), worker),
        visit(targets[SECOND], back, worker),
        merge(targets[THIRD], worker),
    )
    await worker.release(lease)
    assert await worker.claim() == []
    assert await store.merges.forget_classes() == 1
    assert await store.merges.forget_classes() == 0
    assert find_fates(store) == {
        FIRST: ("fetched", None),
        SECOND: ("redirected", None),
        THIRD: ("queued", None),
    }
    assert store.query("SELECT count(*) FROM urls WHERE class_key IS NOT NULL OR merged_key IS NOT NULL") == [
        (0,)
    ]
    assert find_wrong_counters(store.query) == []
    lease = await worker.claim_one()
    assert set(await take(worker, lease)) == {THIRD}


async def test_a_merged_url_that_waits_already_is_counted_once(
    store: StoreUnderTest, worker: StoreWorker
) -> None:
    lease = await worker.claim_one()
    targets = await take(worker, lease)
    await settle(worker, lease, visit(targets[FIRST], make_fetched(), worker), merge(targets[SECOND], worker))
    assert await store.frontier.requeue([SECOND]) == 1
    await store.merges.forget_classes()
    assert find_fates(store)[SECOND] == ("queued", None)
    assert find_wrong_counters(store.query) == []


async def test_known_urls_get_the_classes_of_new_rules(store: StoreUnderTest, worker: StoreWorker) -> None:
    lease = await worker.claim_one()
    targets = (await worker.head(lease)).targets
    outcomes: Sequence[Outcome] = (make_fetched(), Redirected(status=301, to_url=FIRST), Gone(status=404))
    by_url = {target.url: target for target in targets}
    visits = [
        visit(by_url[url], outcome, worker)
        for url, outcome in zip((FIRST, SECOND, THIRD), outcomes, strict=True)
    ]
    await worker.settle_visits(lease, visits)
    members = await store.merges.list_members(0, 10)
    assert [(member.url, member.to_url) for member in members] == [
        (target.url, FIRST if target.url == SECOND else None) for target in targets if target.url != THIRD
    ]
    assert await store.merges.list_members(members[-1].id, 10) == []
    assert await find_standing(store, lease) is None
    await store.merges.save_classes(
        [
            Classified(id=member.id, class_key=CLASS, is_led_back=member.to_url is not None)
            for member in members
        ]
    )
    assert await find_standing(store, lease) == Representative(key=url_key(FIRST), url=FIRST)
    assert find_fates(store)[SECOND] == ("redirected", "merged")


async def test_refreshing_leaves_merged_urls_alone(
    store: StoreUnderTest, worker: StoreWorker, clock: FakeClock
) -> None:
    lease = await worker.claim_one()
    targets = await take(worker, lease)
    await settle(worker, lease, *(visit(target, make_fetched(), worker) for target in targets.values()))
    again = replace(targets[SECOND], content_hash=1)
    await settle(worker, lease, merge(again, worker))
    await worker.release(lease)
    await store.refresh.promote(RefreshBudget(domains=10, per_domain=10, limit=10, idle_s=60.0, ahead_s=1e12))
    assert list_due(store) == {FIRST, THIRD}


# --- rules that change between runs ---------------------------------------------------------------


def make_opener(store: StoreUnderTest, clock: FakeClock, *rules: MergeRule) -> Opener:
    return Opener(
        settings=Settings(scope=ScopeSettings(merge_rules=rules)),
        stores=replace(store.of_source(NO_SOURCE), clock=clock),
    )


@pytest.mark.parametrize("is_killed", [False, True], ids=["at once", "killed in between"])
async def test_a_rule_that_comes_and_goes(store: StoreUnderTest, clock: FakeClock, is_killed: bool) -> None:
    await make_opener(store, clock).open([A])
    worker = await StoreWorker(store.frontier, store.runs, clock).start()
    await store.frontier.add_urls([new_url(FIRST), new_url(SECOND)], clock.now())
    lease = await worker.claim_one()
    targets = {target.url: target for target in (await worker.head(lease)).targets}
    await worker.settle_visits(lease, [visit(targets[FIRST], make_fetched(), worker)])

    if is_killed:
        with store.broken("UPDATE OF class_key", "urls"), pytest.raises(StoreError):
            await make_opener(store, clock, RULE).open([A])
    await make_opener(store, clock, RULE).open([A])
    assert await find_standing(store, lease) == Representative(key=url_key(FIRST), url=FIRST)
    await settle(worker, lease, merge(mark(targets[SECOND]), worker))
    assert SECOND not in list_due(store)

    await make_opener(store, clock, RULE).open([A])
    assert SECOND not in list_due(store)

    await make_opener(store, clock).open([A])
    assert SECOND in list_due(store)
    assert find_wrong_counters(store.query) == []
