"""Rules of domains: stored with the domain, and noticed by the worker that holds it."""

import asyncio

import pytest
from sqlalchemy import Connection

from tenax.config.crawl import PolitenessSettings
from tenax.policy.rules import RuleChanges, RuleName
from tenax.records.domains import NO_RULES, DomainRules, DomainState, DomainStatus, Pace
from tenax.stores.access import Access
from tenax.stores.commands.domain_rules import RulesSet, set_rules
from tenax.stores.contracts.leftovers import Leftover
from tenax.stores.contracts.refresh import RefreshBudget
from tenax.stores.contracts.workers import DeadWorker
from tenax.stores.feeds.holds import (
    INACTIVE_S,
    SOON_S,
    FeedAnswer,
    FeedHold,
    PolitenessTerms,
    hold_domain,
    release_domain,
)
from tenax.stores.queries.domains import find_domain
from tenax.stores.queries.receipts import count_receipt
from tests.support.clock import FakeClock
from tests.support.store import LEASE_S, StoreUnderTest, StoreWorker, make_failed, make_fetched, new_url

A, NAME = "https://a.example/", "a.example"
INACTIVE: RuleChanges = {RuleName.ACTIVE: False}
ACTIVE: RuleChanges = {RuleName.ACTIVE: True}
WALL = 1_800_000_000.0


async def change(access: Access, clock: FakeClock, changes: RuleChanges, name: str = NAME) -> RulesSet | None:
    times = (clock.now(), WALL)
    return await access.write(lambda connection: set_rules(connection, name, changes, "anna", times))


# --- what is kept -------------------------------------------------------------------------------------


async def test_a_rule_is_kept_with_who_set_it(access: Access, worker: StoreWorker, clock: FakeClock) -> None:
    await worker.add(A)
    found = await change(access, clock, {RuleName.DELAY: 2.5, RuleName.PER_DOMAIN: 3, RuleName.PAGES: 0})
    rules = DomainRules(delay_s=2.5, per_domain=3, pages_per_run=0)
    assert found == RulesSet(before=NO_RULES, now=rules)
    report = await access.read(lambda connection: find_domain(connection, NAME, count_receipt))
    assert report is not None
    assert (report.summary.rules, report.summary.rules_by, report.summary.rules_at) == (rules, "anna", WALL)
    assert (report.summary.delay_s, report.summary.delay_source) == (2.5, "domain rule")
    assert (report.at_a_time.value, report.at_a_time.source) == (3, "domain rule")
    assert (report.page_limit.value, report.page_limit.source) == (0, "domain rule")


async def test_rules_come_with_the_lease(access: Access, worker: StoreWorker, clock: FakeClock) -> None:
    await worker.add(A)
    assert (await worker.claim_one()).rules == NO_RULES
    await change(access, clock, {RuleName.DELAY: 7.0})
    clock.advance(LEASE_S + 1)
    assert (await worker.claim_one()).rules == DomainRules(delay_s=7.0)


async def test_an_unknown_domain_has_no_rules(access: Access, worker: StoreWorker, clock: FakeClock) -> None:
    assert await change(access, clock, INACTIVE, "unknown.example") is None


async def test_a_change_that_changes_nothing_leaves_who_set_it(
    store: StoreUnderTest, access: Access, worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(A)
    found = await change(access, clock, {RuleName.DELAY: None, RuleName.ACTIVE: True})
    assert found == RulesSet(before=NO_RULES, now=NO_RULES)
    assert store.query("SELECT rules_by, rules_at FROM domains") == [(None, None)]


async def test_rules_stay_whatever_happens_to_the_domain(
    store: StoreUnderTest, access: Access, worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(A)
    await change(access, clock, {RuleName.DELAY: 2.0})
    lease = await worker.claim_one()
    await worker.visit_next(lease, make_fetched())
    await worker.release(lease)
    await store.domains.block(NAME, "why")
    await store.domains.reset(NAME, "anew")
    assert store.query("SELECT rule_delay_s, rules_by FROM domains") == [(2.0, "anna")]


# --- whoever holds it hears of it -----------------------------------------------------------------------


async def test_a_worker_is_notified_of_rules_of_domains_it_holds(
    store: StoreUnderTest, access: Access, worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(A, "https://b.example/", "https://c.example/")
    leases = {lease.domain: lease for lease in await worker.claim(2)}
    (held, *_), other = leases, next(iter({NAME, "b.example", "c.example"} - leases.keys()))
    assert await store.frontier.list_rules(worker.id) == [], "nobody has set any"
    await change(access, clock, {RuleName.DELAY: 3.0}, held)
    await change(access, clock, {RuleName.DELAY: 4.0}, other)
    lease = leases[held]
    assert await store.frontier.list_rules(worker.id) == [
        (lease.domain_id, lease.version, DomainRules(delay_s=3.0))
    ]
    await change(access, clock, {RuleName.DELAY: None}, held)
    assert await store.frontier.list_rules(worker.id) == [(lease.domain_id, lease.version, NO_RULES)]


async def test_the_lease_and_active_visits_survive_a_change(
    store: StoreUnderTest, access: Access, worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(A, f"{A}b")
    lease = await worker.claim_one()
    await change(access, clock, INACTIVE)
    settled = await store.frontier.renew(worker.id, worker.run_id, [lease], LEASE_S)
    assert not settled.lost
    await worker.visit_next(lease, make_fetched())
    assert store.query("SELECT count(*) FROM pages") == [(1,)]


# --- active or not ------------------------------------------------------------------------------------


async def test_an_inactive_domain_is_not_claimed_and_its_urls_wait(
    store: StoreUnderTest, access: Access, worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(A)
    await change(access, clock, INACTIVE)
    await worker.add(f"{A}more")
    await worker.add_seeds(f"{A}seed")
    clock.advance(10 * 365 * 86400)
    assert await worker.claim() == []
    assert store.query("SELECT queued, status, is_active FROM domains") == [(3, "pending", 0)]
    assert (await store.frontier.horizon(worker.id)).next_avail_at is None, "no run waits for it"
    await change(access, clock, ACTIVE)
    assert len((await worker.head(await worker.claim_one())).targets) == 3


async def test_a_new_run_does_not_wake_an_inactive_domain(
    store: StoreUnderTest, access: Access, worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(A)
    await change(access, clock, INACTIVE)
    assert await worker.frontier.claim(worker.id, worker.run_id, 1, LEASE_S) == []
    run = (await store.runs.find_last()) or pytest.fail("no run")
    await store.runs.end_run(run.run.id, run.run.state, worker.id)
    again = await StoreWorker(store.frontier, store.runs, clock).start()
    assert await again.claim() == []


async def test_a_released_domain_is_inactive_if_it_became_so_meanwhile(
    access: Access, worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    await change(access, clock, INACTIVE)
    await worker.release(lease)
    assert await worker.claim() == []


async def test_a_released_domain_is_active_if_it_became_so_again(
    access: Access, worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    await change(access, clock, INACTIVE)
    await change(access, clock, ACTIVE)
    await worker.release(lease)
    assert len(await worker.claim()) == 1


async def test_an_inactive_domain_of_a_dead_worker_stays_inactive(
    store: StoreUnderTest, access: Access, worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(A)
    await worker.claim_one()
    await change(access, clock, INACTIVE)
    await store.runs.end_dead_workers(
        [DeadWorker(uuid=worker.uuid, last_alive_at=clock.now(), reading_url_id=None)]
    )
    again = await StoreWorker(store.frontier, store.runs, clock).start()
    assert await again.claim() == []


@pytest.mark.parametrize("verb", ["unblock", "reset"])
async def test_other_actions_leave_an_inactive_domain_inactive(
    store: StoreUnderTest, access: Access, worker: StoreWorker, clock: FakeClock, verb: str
) -> None:
    await worker.add(A)
    await store.domains.block(NAME, "why")
    await change(access, clock, INACTIVE)
    await getattr(store.domains, verb)(NAME, "again")
    clock.advance(3600)
    assert await worker.claim() == []
    await change(access, clock, ACTIVE)
    assert len(await worker.claim()) == 1


async def test_a_blocked_domain_that_is_made_active_stays_blocked(
    store: StoreUnderTest, access: Access, worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(A)
    await change(access, clock, INACTIVE)
    await store.domains.block(NAME, "why")
    await change(access, clock, ACTIVE)
    clock.advance(3600)
    assert await worker.claim() == []


async def test_a_rest_continues_when_a_domain_is_active_again(
    access: Access, worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(A, f"{A}b")
    until = clock.now() + 500
    resting = DomainState(
        status=DomainStatus.ACTIVE,
        pace=Pace(
            last_start_at=clock.now(), last_answer_at=clock.now(), backoff_level=1, backoff_until=until
        ),
    )
    await worker.release(await worker.claim_one(), state=resting, ready_at=until)
    await change(access, clock, INACTIVE)
    await change(access, clock, ACTIVE)
    clock.advance(499)
    assert await worker.claim() == []
    clock.advance(2)
    assert len(await worker.claim()) == 1


async def test_refresh_skips_an_inactive_domain(
    store: StoreUnderTest, access: Access, worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    await worker.visit_next(lease, make_fetched())
    await worker.release(lease)
    await change(access, clock, INACTIVE)
    clock.advance(400 * 86400)
    step = RefreshBudget(domains=10, per_domain=10, limit=10, idle_s=60.0)
    assert (await store.refresh.promote(step)).urls == 0
    await change(access, clock, ACTIVE)
    assert (await store.refresh.promote(step)).urls == 1


# --- pages and delay ------------------------------------------------------------------------------------


async def test_a_domain_at_its_page_limit_continues_when_its_rule_allows_more(
    access: Access, worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(A, f"{A}b")
    await worker.release(await worker.claim_one(), is_parked=True)
    assert await worker.claim() == []
    await change(access, clock, {RuleName.PAGES: 500})
    assert len(await worker.claim()) == 1


async def test_a_shorter_delay_does_not_wait_for_the_end_of_the_longer_one(
    access: Access, worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(A, f"{A}b")
    await change(access, clock, {RuleName.DELAY: 3600.0})
    await worker.release(await worker.claim_one(), ready_at=clock.now() + 3600)
    assert await worker.claim() == []
    await change(access, clock, {RuleName.DELAY: None})
    lease = await worker.claim_one()
    assert lease.state.pace.last_start_at is None, "whoever claims it plans by its last request"


async def test_a_failed_url_is_not_tried_earlier_for_another_delay(
    access: Access, worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    await worker.visit_next(lease, make_failed(retry_at=clock.now() + 900))
    await worker.release(lease)
    await change(access, clock, {RuleName.DELAY: 1.0})
    assert (await worker.head(await worker.claim_one())).targets == ()


# --- those who look on ----------------------------------------------------------------------------------


async def test_urls_of_inactive_domains_are_counted_apart_at_the_end(
    store: StoreUnderTest, access: Access, worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(A, f"{A}b")
    await change(access, clock, INACTIVE)
    summary = await store.frontier.summarise()
    assert summary.leftover == Leftover(inactive=2)
    assert not summary.leftover.is_unfinished
    (troubled,) = summary.troubled
    assert (troubled.is_inactive, troubled.reason) == (True, "it was made inactive")
    overview = await store.frontier.overview(1.0, 1000)
    assert (overview.queued, overview.politeness_s) == (2, 0.0)


async def test_the_forecast_follows_the_rules(
    store: StoreUnderTest, access: Access, worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(*(f"{A}{number}" for number in range(10)))
    await change(access, clock, {RuleName.DELAY: 6.0, RuleName.PAGES: 4})
    assert (await store.frontier.overview(1.0, 1000)).politeness_s == 24.0


async def test_unlimited_pages_are_forecast_as_all(
    store: StoreUnderTest, access: Access, worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(*(f"{A}{number}" for number in range(10)))
    await change(access, clock, {RuleName.PAGES: 0})
    assert (await store.frontier.overview(2.0, 3)).politeness_s == 20.0


# --- feeds ----------------------------------------------------------------------------------------------

TERMS = PolitenessTerms(politeness=PolitenessSettings(delay_s=1.0, jitter=0.0), request_s=10.0)


async def hold(access: Access, clock: FakeClock) -> FeedHold | float:
    now = clock.now()
    return await access.write(lambda connection: hold_domain(connection, NAME, TERMS, now))


async def test_no_feed_of_an_inactive_domain_is_requested(
    access: Access, worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(A)
    clock.advance(SOON_S)
    await change(access, clock, INACTIVE)
    assert await hold(access, clock) == clock.now() + INACTIVE_S


async def test_a_feed_waits_as_long_as_the_rule_says(
    access: Access, worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(A)
    await change(access, clock, {RuleName.DELAY: 30.0})
    clock.advance(SOON_S)
    held = await hold(access, clock)
    assert isinstance(held, FeedHold)
    assert held.delay_s == 30.0
    answered_at = clock.now()

    def end(connection: Connection) -> None:
        release_domain(connection, held, TERMS, FeedAnswer(at=answered_at, response_s=0.1))

    await access.write(end)
    clock.advance(2.0)
    assert await worker.claim() == [], "the crawl waits for the rule as well"
    assert await hold(access, clock) == pytest.approx(answered_at + 30.0, abs=SOON_S)


# --- the site of a domain --------------------------------------------------------------------------------


async def test_domains_know_their_site(store: StoreUnderTest, worker: StoreWorker, clock: FakeClock) -> None:
    await worker.add("https://blog.shop.co.uk/", "https://shop.co.uk:8443/", "https://me.github.io/")
    await store.frontier.add_urls([new_url("http://127.0.0.1:8080/x")], clock.now())
    assert sorted(store.query("SELECT name, site FROM domains")) == [
        ("127.0.0.1:8080", "127.0.0.1"),
        ("blog.shop.co.uk", "shop.co.uk"),
        ("me.github.io", "me.github.io"),
        ("shop.co.uk:8443", "shop.co.uk"),
    ]


# --- two at once ------------------------------------------------------------------------------------------


async def test_two_concurrent_changes_both_apply(
    access: Access, worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(A)
    await asyncio.gather(
        change(access, clock, {RuleName.DELAY: 5.0}), change(access, clock, {RuleName.PER_DOMAIN: 2})
    )
    assert (await worker.claim_one()).rules == DomainRules(delay_s=5.0, per_domain=2)
