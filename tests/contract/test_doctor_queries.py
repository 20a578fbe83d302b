"""The facts that the doctor reads from the store."""

import asyncio
from functools import partial
from typing import Any

import pytest

from tenax.crawl.insight.store_doctor import diagnose_store
from tenax.crawl.insight.verdicts import Verdict, VerdictCode
from tenax.policy.quality.parser_health import ParserCounts
from tenax.policy.stalls import Stall, StallCause
from tenax.records.domains import DomainState, DomainStatus
from tenax.records.requests import FailureKind
from tenax.stores.access import Access
from tenax.stores.contracts.vitals import LongestVisit, Vitals
from tenax.stores.contracts.workers import DeadWorker
from tenax.stores.databases.write_check import check_writable
from tenax.stores.presence import PresenceSigns
from tenax.stores.queries.doctor import DoctorFacts, FailingParser, load_facts
from tenax.stores.queries.status import load_status
from tenax.web.urls import domain_of
from tests.support.clock import FakeClock
from tests.support.item_rows import ItemRows
from tests.support.parser_figures import add_figures
from tests.support.store import LEASE_S, StoreUnderTest, StoreWorker, make_failed, make_fetched

A, B, C, D = (f"https://{name}.example/" for name in "abcd")
NOBODY = PresenceSigns(live=frozenset(), dead=frozenset())


async def look(access: Access, clock: FakeClock, signs: PresenceSigns = NOBODY) -> DoctorFacts:
    return await access.read(
        lambda connection: load_facts(connection, signs=signs, foreign=None, now=clock.now())
    )


async def judge(access: Access, clock: FakeClock, signs: PresenceSigns = NOBODY) -> Verdict:
    return diagnose_store(await look(access, clock, signs))


async def test_an_empty_store_has_no_run(access: Access, clock: FakeClock) -> None:
    assert (await judge(access, clock)).code is VerdictCode.NO_RUN


async def test_a_store_that_can_be_written_has_no_obstacle(
    worker: StoreWorker, store: StoreUnderTest
) -> None:
    await worker.add(A)
    assert await asyncio.to_thread(check_writable, store.place) == ()


async def test_queues_are_counted_by_what_they_wait_for(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await worker.add(A, A + "x", B, C, D)
    leases = {lease.domain: lease for lease in await worker.claim()}
    until = clock.now() + 500
    resting = DomainState(status=DomainStatus.BLOCKED, block_code="forbidden", next_crawl_after=until)
    await worker.release(leases["b.example"], state=resting, ready_at=until)
    await worker.release(leases["c.example"], is_parked=True)
    await worker.release(leases["d.example"])
    await store.domains.block("d.example", "no")
    await worker.add("https://e.example/")
    queues = (await look(access, clock)).queues
    assert (queues.urls, queues.domains) == (6, 5)
    assert (queues.held, queues.ready, queues.resting, queues.parked, queues.blocked) == (1, 1, 1, 1, 1)
    assert queues.next_waiting is not None
    assert (queues.next_waiting.domain, queues.next_waiting.avail_at) == ("b.example", until)


@pytest.mark.parametrize(
    ("status", "block_code", "helps"),
    [
        (DomainStatus.UNREACHABLE, "dns_failure", True),
        (DomainStatus.BLOCKED, "robots_denied", True),
        (DomainStatus.BLOCKED, "rate_limited", False),
    ],
)
async def test_it_is_reported_where_giving_the_seed_again_helps(
    worker: StoreWorker,
    access: Access,
    clock: FakeClock,
    status: DomainStatus,
    block_code: str,
    helps: bool,
) -> None:
    await worker.add(A)
    until = clock.now() + 500
    resting = DomainState(status=status, block_code=block_code, next_crawl_after=until)
    await worker.release(await worker.claim_one(), state=resting, ready_at=until)
    assert (await look(access, clock)).queues.can_ask_again is helps


async def test_a_domain_with_an_expired_lease_is_not_held(
    worker: StoreWorker, access: Access, clock: FakeClock
) -> None:
    await worker.add(A)
    await worker.claim_one()
    clock.advance(100)
    queues = (await look(access, clock)).queues
    assert (queues.held, queues.ready) == (0, 1)


async def test_a_run_whose_workers_are_gone_has_none(
    worker: StoreWorker, access: Access, clock: FakeClock
) -> None:
    await worker.add(A)
    assert (await judge(access, clock)).code is VerdictCode.WELL
    last_sign_at = clock.now()
    clock.advance(100)
    verdict = await judge(access, clock)
    assert (verdict.code, verdict.since) == (VerdictCode.NO_WORKER, last_sign_at)


async def test_a_worker_that_is_alive_here_but_silent_cannot_write(
    worker: StoreWorker, access: Access, clock: FakeClock
) -> None:
    await worker.add(A)
    clock.advance(100)
    here = PresenceSigns(live=frozenset({worker.uuid}), dead=frozenset())
    assert (await judge(access, clock, here)).code is VerdictCode.STORE


@pytest.mark.parametrize(
    ("kind", "code"), [(FailureKind.DNS, VerdictCode.DNS), (FailureKind.TIMEOUT, VerdictCode.WELL)]
)
async def test_failed_name_lookups_are_noticed(
    worker: StoreWorker, access: Access, clock: FakeClock, kind: FailureKind, code: VerdictCode
) -> None:
    await worker.add(*(f"{A}{number}" for number in range(20)))
    lease = await worker.claim_one()
    await worker.visit_next(lease, make_fetched())
    for _ in range(12):
        await worker.visit_next(lease, make_failed(kind=kind))
    visits = (await look(access, clock)).visits
    assert (visits.number, visits.last_at) == (13, clock.now())
    assert (await judge(access, clock)).code is code


# --- workers that watch themselves ---------------------------------------------------------------


async def die(worker: StoreWorker, exit_code: int | None) -> None:
    """The worker dies, and another one with the same name takes its place."""
    dead = DeadWorker(uuid=worker.uuid, last_alive_at=0.0, reading_url_id=None, exit_code=exit_code)
    await worker.runs.end_dead_workers([dead])
    worker.uuid += "+"
    added = await worker.runs.add_worker(worker.run_id, worker.uuid, "box", 1, LEASE_S)
    assert added is not None
    worker.id = added


async def test_a_stall_and_the_longest_visit_are_those_of_live_workers(
    worker: StoreWorker, access: Access, clock: FakeClock
) -> None:
    await worker.add(A)
    stall = Stall(cause=StallCause.STORE, sentence="It does not answer.", began_at=clock.now() - 400)
    longest = LongestVisit(url=A, started_at=clock.now() - 20)
    vitals = Vitals(stall=stall, longest=longest)
    await worker.frontier.renew(worker.id, worker.run_id, [], LEASE_S, vitals)
    facts = await look(access, clock)
    assert (facts.stall, facts.stalled_workers, facts.longest) == (stall, 1, longest)
    assert (await judge(access, clock)).code is VerdictCode.STALLED
    clock.advance(2 * LEASE_S)
    assert (await look(access, clock)).stall is None


async def test_workers_that_die_one_after_another_are_a_crash_loop(
    worker: StoreWorker, access: Access, clock: FakeClock
) -> None:
    await worker.add(A)
    for exit_code in (None, 71, 72):
        clock.advance(5)
        await die(worker, exit_code)
    deaths = (await look(access, clock)).deaths
    assert (deaths.number, deaths.last_at, deaths.last_code) == (3, clock.now(), 72)
    assert (await judge(access, clock)).code is VerdictCode.CRASH_LOOP


async def test_workers_that_were_killed_after_a_long_life_are_not(
    worker: StoreWorker, access: Access, clock: FakeClock
) -> None:
    await worker.add(A)
    for _ in range(3):
        clock.advance(100)
        await die(worker, None)
    assert (await look(access, clock)).deaths.number == 0


@pytest.mark.parametrize(("pages", "failed", "is_named"), [(10, 6, True), (10, 5, False), (9, 9, False)])
async def test_a_parser_that_fails_on_most_pages_is_named(
    worker: StoreWorker, access: Access, clock: FakeClock, pages: int, failed: int, is_named: bool
) -> None:
    await worker.add(A)

    def count(connection: Any) -> None:
        rows = ItemRows(connection, 0, worker.run_id)
        rows.count_pages(A, pages, failed, hour=int(clock.now()) - 3600)
        rows.count_pages(A, 100, 100, hour=int(clock.now()) - 200_000)

    await access.write(count)
    expected = FailingParser(parser="shop", pages=pages, errors=failed) if is_named else None
    assert (await look(access, clock)).parser == expected


async def test_of_a_parser_the_newest_version_counts_also_within_an_hour(
    worker: StoreWorker, access: Access, clock: FakeClock
) -> None:
    await worker.add(A)

    def count(connection: Any) -> None:
        domain = domain_of(A)
        add_figures(connection, domain, clock.now(), pages=19, full=0, version="b")
        add_figures(connection, domain, clock.now(), pages=7, full=6, version="a", confidence=0.5)
        add_figures(connection, domain, clock.now() - 200_000, pages=9, full=9, parser="old")

    await access.write(count)
    expected = {"shop": ParserCounts(pages=7, items=6, empty=1, confidence_sum=3.0, rated=6)}
    assert (await look(access, clock)).parsers == expected
    load = partial(load_status, signs=NOBODY, now=clock.now())
    assert (await access.read(load)).parsers == expected


async def test_a_parser_is_outdated_if_another_version_saw_the_pages_last(
    worker: StoreWorker, access: Access, store: StoreUnderTest, clock: FakeClock
) -> None:
    await worker.add(A)
    find = store.frontier.find_outdated_parsers
    assert await find({"shop": "1"}) == ["shop"], "no parser has seen a page"

    def count(connection: Any) -> None:
        for hours, version in ((9, "1"), (5, "2"), (5, "3")):
            at = clock.now() - hours * 3600
            add_figures(connection, domain_of(A), at, pages=1, full=1, version=version)

    await access.write(count)
    assert await find({"shop": "1"}) == ["shop"]
    assert await find({"shop": "4", "new": "1"}) == ["shop"]
    assert await find({"shop": "2"}) == []
    assert await find({"shop": "3"}) == []
