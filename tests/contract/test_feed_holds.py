"""While a feed is requested no crawl requests its domain, and the other way round."""

import pytest

from tenax.config.crawl import PolitenessSettings
from tenax.records.domains import DomainStatus
from tenax.records.jobs import NO_SOURCE
from tenax.stores.access import Access
from tenax.stores.feeds.holds import (
    CLAIMED_S,
    SLACK_S,
    SOON_S,
    FeedAnswer,
    FeedHold,
    PolitenessTerms,
    add_domains,
    hold_domain,
    release_domain,
)
from tests.support.clock import FakeClock
from tests.support.store import StoreUnderTest, StoreWorker

DELAY_S = 2.0
TERMS = PolitenessTerms(politeness=PolitenessSettings(delay_s=DELAY_S, jitter=0.0), request_s=30.0)
HOLD_S = TERMS.request_s + SLACK_S
DOMAIN, URL = "a.example", "https://a.example/"


async def add_idle(worker: StoreWorker, clock: FakeClock) -> None:
    """A domain with a url that no crawl cares for at the moment."""
    await worker.add(URL)
    clock.advance(SOON_S)


async def hold(access: Access, clock: FakeClock) -> FeedHold | float:
    now = clock.now()
    return await access.write(lambda connection: hold_domain(connection, DOMAIN, TERMS, now))


async def hold_now(access: Access, clock: FakeClock) -> FeedHold:
    held = await hold(access, clock)
    assert isinstance(held, FeedHold)
    return held


async def end(access: Access, clock: FakeClock, held: FeedHold, rests_s: float | None = None) -> None:
    now = clock.now()
    answered = FeedAnswer(at=now, response_s=0.5, rests_until=None if rests_s is None else now + rests_s)
    await access.write(lambda connection: release_domain(connection, held, TERMS, answered))


async def test_no_worker_claims_a_domain_before_the_deadline_of_its_feeds_request(
    store: StoreUnderTest, access: Access, clock: FakeClock, worker: StoreWorker
) -> None:
    await add_idle(worker, clock)
    await hold_now(access, clock)
    clock.advance(HOLD_S - 0.1)
    assert await worker.claim() == []
    assert (await store.frontier.horizon(worker.id)).next_avail_at == pytest.approx(clock.now() + 0.1)


async def test_an_abandoned_hold_expires_and_the_delay_counts_from_its_deadline(
    access: Access, clock: FakeClock, worker: StoreWorker
) -> None:
    await add_idle(worker, clock)
    held = await hold_now(access, clock)
    clock.advance(HOLD_S)
    lease = await worker.claim_one()
    assert lease.state.pace.last_answer_at == held.until


async def test_a_domain_may_be_claimed_a_delay_after_the_response(
    access: Access, clock: FakeClock, worker: StoreWorker
) -> None:
    await add_idle(worker, clock)
    held = await hold_now(access, clock)
    clock.advance(3)
    answered_at = clock.now()
    await end(access, clock, held)
    clock.advance(DELAY_S - 0.1)
    assert await worker.claim() == []
    clock.advance(0.1)
    lease = await worker.claim_one()
    assert lease.state.pace.last_answer_at == answered_at


async def test_urls_added_meanwhile_wake_the_domain_once_requests_are_allowed(
    access: Access, clock: FakeClock, worker: StoreWorker
) -> None:
    await worker.add(URL)
    await worker.release(await worker.claim_one(), is_parked=True)
    now = clock.now()
    await access.write(
        lambda connection: connection.exec_driver_sql("UPDATE domains SET queued = 0, avail_at = NULL")
    )
    held = await hold_now(access, clock)
    await worker.add("https://a.example/new")
    assert await worker.claim() == []
    await end(access, clock, held)
    clock.advance(DELAY_S)
    assert (await worker.claim_one()).domain == DOMAIN
    assert clock.now() == now + DELAY_S


async def test_a_domain_with_nothing_to_do_stays_idle(
    store: StoreUnderTest, access: Access, clock: FakeClock, worker: StoreWorker
) -> None:
    now = clock.now()
    await access.write(lambda connection: add_domains(connection, [(DOMAIN, NO_SOURCE)], now))
    held = await hold_now(access, clock)
    assert store.query("SELECT avail_at FROM domains") == [(None,)]
    await end(access, clock, held)
    assert store.query("SELECT avail_at FROM domains") == [(None,)]


async def test_a_domain_unknown_to_crawls_is_held_before_one_finds_it(
    access: Access, clock: FakeClock, worker: StoreWorker
) -> None:
    now = clock.now()
    wanted = [(DOMAIN, NO_SOURCE), ("b.example", NO_SOURCE)]
    for _ in range(2):
        await access.write(lambda connection: add_domains(connection, wanted, now))
    await hold_now(access, clock)
    await worker.add(URL)
    assert await worker.claim() == []


async def test_the_feeds_of_a_domain_wait_for_its_worker(
    access: Access, clock: FakeClock, worker: StoreWorker
) -> None:
    await add_idle(worker, clock)
    await worker.claim_one()
    assert await hold(access, clock) == clock.now() + CLAIMED_S


async def test_the_last_request_of_a_dead_worker_counts_as_made_now(
    store: StoreUnderTest, access: Access, clock: FakeClock, worker: StoreWorker
) -> None:
    await add_idle(worker, clock)
    lease = await worker.claim_one()
    clock.advance(3600)
    assert await hold(access, clock) == clock.now() + DELAY_S
    assert await hold(access, clock) == clock.now() + SOON_S
    assert (await worker.settle_visits(lease, [])).lost == {lease.domain_id}
    clock.advance(SOON_S)
    assert isinstance(await hold(access, clock), FeedHold)


async def test_a_crawl_that_waits_for_a_domain_comes_before_the_next_feed(
    access: Access, clock: FakeClock, worker: StoreWorker
) -> None:
    await add_idle(worker, clock)
    await end(access, clock, await hold_now(access, clock))
    clock.advance(DELAY_S)
    assert await hold(access, clock) == clock.now() + SOON_S
    assert await worker.claim_one()


async def test_two_feeds_of_a_domain_wait_for_each_other(
    access: Access, clock: FakeClock, worker: StoreWorker
) -> None:
    await add_idle(worker, clock)
    held = await hold_now(access, clock)
    assert await hold(access, clock) == clock.now() + SOON_S
    await end(access, clock, held)
    assert await hold(access, clock) == clock.now() + DELAY_S


async def test_a_retry_after_applies_to_the_crawl(
    access: Access, clock: FakeClock, worker: StoreWorker
) -> None:
    await add_idle(worker, clock)
    await end(access, clock, await hold_now(access, clock), rests_s=600)
    clock.advance(599)
    assert await worker.claim() == []
    clock.advance(1)
    assert (await worker.claim_one()).state.pace.backoff_until == clock.now()


async def test_ending_a_hold_twice_or_after_its_deadline_changes_nothing(
    store: StoreUnderTest, access: Access, clock: FakeClock, worker: StoreWorker
) -> None:
    await add_idle(worker, clock)
    first = await hold_now(access, clock)
    clock.advance(HOLD_S + SOON_S)
    second = await hold_now(access, clock)
    await end(access, clock, first)
    assert await worker.claim() == []
    await end(access, clock, second)
    before = store.query("SELECT last_answer_at, ready_at, avail_at FROM domains")
    clock.advance(1)
    await end(access, clock, second)
    assert store.query("SELECT last_answer_at, ready_at, avail_at FROM domains") == before


async def test_a_user_who_frees_a_domain_does_not_end_its_hold(
    store: StoreUnderTest, access: Access, clock: FakeClock, worker: StoreWorker
) -> None:
    await add_idle(worker, clock)
    held = await hold_now(access, clock)
    assert await store.domains.block(DOMAIN, "a test") is DomainStatus.PENDING
    await store.domains.unblock(DOMAIN, "a test")
    assert await worker.claim() == []
    await end(access, clock, held)
    clock.advance(DELAY_S)
    assert await worker.claim_one()


async def test_a_clock_that_was_set_back_holds_nothing_forever(
    access: Access, clock: FakeClock, worker: StoreWorker
) -> None:
    await add_idle(worker, clock)
    await access.write(
        lambda connection: connection.exec_driver_sql(
            f"UPDATE domains SET last_answer_at = {clock.now() + 86_400}"
        )
    )
    assert await hold(access, clock) == clock.now() + DELAY_S
