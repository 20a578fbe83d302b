"""What people are told of domains and runs, where more than one source and one run have been at work."""

from functools import partial

import pytest
from sqlalchemy import insert, select, update

from tenax.config import PolitenessSettings, Settings
from tenax.records import DomainState, DomainStatus, Pace, RunState
from tenax.stores.access import Access
from tenax.stores.presence import PresenceSigns
from tenax.stores.queries.doctor import load_facts
from tenax.stores.queries.domains import find_domain
from tenax.stores.queries.status import StoreStatus, load_status
from tenax.stores.schema.crawl import domains, runs
from tests.support.clock import FakeClock
from tests.support.jobs import JobHarness, open_source_run
from tests.support.store import StoreWorker, make_fetched, make_visit

A, B = "https://a.example/", "https://b.example/"
NO_SIGNS = PresenceSigns(live=frozenset(), dead=frozenset())


@pytest.fixture
def harness(access: Access, clock: FakeClock) -> JobHarness:
    return JobHarness(access, clock)


def make_settings(delay_s: float) -> str:
    return Settings(politeness=PolitenessSettings(delay_s=delay_s)).model_dump_json()


async def look(harness: JobHarness) -> StoreStatus:
    return await harness.access.read(partial(load_status, signs=NO_SIGNS, now=harness.clock.now()))


async def find_told_run(harness: JobHarness) -> int | None:
    load = partial(load_facts, signs=NO_SIGNS, foreign=None, now=harness.clock.now())
    run = (await harness.access.read(load)).run
    return None if run is None else run.id


async def change_run(harness: JobHarness, number: int, **values: object) -> None:
    statement = update(runs).where(runs.c.id == number).values(values)
    await harness.write(lambda connection, now: connection.execute(statement) and None)


async def test_each_domain_has_the_delay_of_its_own_source(harness: JobHarness, worker: StoreWorker) -> None:
    await worker.add(A, B)
    run_id = await harness.write(open_source_run)
    await change_run(harness, worker.run_id, settings=make_settings(0.3))
    await change_run(harness, run_id, settings=make_settings(5.0))

    source_id = select(runs.c.source_id).where(runs.c.id == run_id).scalar_subquery()
    theirs = update(domains).where(domains.c.name == "b.example").values(source_id=source_id)
    await harness.write(lambda connection, now: connection.execute(theirs) and None)
    assert {queue.domain: queue.delay_s for queue in (await look(harness)).queues} == {
        "a.example": 0.3,
        "b.example": 5.0,
    }
    report = await harness.access.read(lambda connection: find_domain(connection, "a.example"))
    assert report is not None
    assert (report.summary.delay_s, report.settings.politeness.delay_s) == (0.3, 0.3)


async def test_the_next_request_of_a_leased_domain_is_not_the_end_of_its_lease(
    harness: JobHarness, worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(A, A + "x")
    await change_run(harness, worker.run_id, settings=make_settings(0.3))
    lease = await worker.claim_one()
    head = await worker.head(lease)
    asked_at = clock.now()
    pace = Pace(last_start_at=asked_at, last_answer_at=asked_at)
    state = DomainState(status=DomainStatus.ACTIVE, pace=pace)
    await worker.settle_visits(
        lease, [make_visit(head.targets[0], make_fetched(), at=clock.now())], state=state
    )
    report = await harness.access.read(lambda connection: find_domain(connection, "a.example"))
    assert report is not None
    assert report.avail_at == pytest.approx(asked_at + 0.3, abs=0.001)
    assert (await look(harness)).next_avail_at == pytest.approx(asked_at + 0.3, abs=0.001)


async def test_a_leased_domain_in_which_nothing_waits_has_no_next_request(
    harness: JobHarness, worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    head = await worker.head(lease)
    await worker.settle_visits(lease, [make_visit(head.targets[0], make_fetched(), at=clock.now())])
    report = await harness.access.read(lambda connection: find_domain(connection, "a.example"))
    assert report is not None
    assert report.avail_at is None


async def test_of_runs_that_are_over_the_one_that_ended_last_is_told(
    harness: JobHarness, worker: StoreWorker, clock: FakeClock
) -> None:
    later = await harness.write(open_source_run)
    await change_run(harness, later, state=RunState.DONE, ended_at=clock.now() + 10)
    await change_run(harness, worker.run_id, state=RunState.DONE, ended_at=clock.now() + 20)
    assert await find_told_run(harness) == worker.run_id


async def test_a_run_that_goes_on_is_told_before_a_newer_one_that_is_over_or_paused(
    harness: JobHarness, worker: StoreWorker, clock: FakeClock
) -> None:
    over = await harness.write(open_source_run)
    await change_run(harness, over, state=RunState.DONE, ended_at=clock.now() + 10)
    paused = insert(runs).values(
        state=RunState.PAUSED, settings="{}", started_at=1.0, paused_at=2.0, source_id=77
    )
    await harness.write(lambda connection, now: connection.execute(paused) and None)
    assert await find_told_run(harness) == worker.run_id
