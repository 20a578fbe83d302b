"""Statistics: everything settled is counted per minute, once, and rolled up without loss."""

import asyncio
import uuid
from dataclasses import replace

import pytest
from sqlalchemy import Connection

from tenax.clock import Instant
from tenax.records.requests import FailureKind
from tenax.records.urls import RefusalReason
from tenax.records.visits import Gone, Outcome, Refused, Unchanged
from tenax.stores.access import Access
from tenax.stores.commands.stat_rollup import SETTLED_AFTER_S, roll_up
from tenax.stores.contracts.batches import DomainWork, RobotsVisit
from tenax.stores.databases.access import open_access
from tenax.stores.hot.stats import StatsCounts, StatsInterval
from tenax.stores.queries.stats import choose_step, load_series, load_since, load_totals
from tests.support.clock import START, FakeClock
from tests.support.store import (
    ACTIVE,
    StoreUnderTest,
    StoreWorker,
    make_failed,
    make_fetched,
    make_visit,
    new_url,
)

A = "https://a.example/"
HOUR, DAY = 3600.0, 86400.0
FIRST_DAY = StatsInterval.DAY.find_start(START)


async def read_totals(store: StoreUnderTest) -> StatsCounts:
    async with open_access(store.place) as access:
        return await access.read(load_totals)


async def visit_pages(worker: StoreWorker, number: int = 1) -> None:
    """Settle new pages, a batch each."""
    name = f"{uuid.uuid4().hex}.example"
    await worker.add(*(f"https://{name}/{n}" for n in range(number)))
    lease = next(lease for lease in await worker.claim() if lease.domain == name)
    for _ in range(number):
        await worker.visit_next(lease, make_fetched())
    await worker.release(lease)


async def roll(access: Access, now: Instant) -> bool:
    return await access.write(lambda connection: roll_up(connection, now))


def series(
    connection: Connection, span: StatsInterval, since: Instant, until: Instant
) -> list[tuple[float, int]]:
    found = load_series(connection, since=since, until=until, step=span)
    return [(point.at, point.counts.pages) for point in found]


async def read_series(
    access: Access, span: StatsInterval, since: Instant, until: Instant
) -> list[tuple[float, int]]:
    return await access.read(lambda connection: series(connection, span, since, until))


async def test_a_batch_is_counted_by_the_outcomes_of_its_visits(
    worker: StoreWorker, store: StoreUnderTest
) -> None:
    await worker.add(*(f"{A}{n}" for n in range(6)))
    lease = await worker.claim_one()
    outcomes: list[Outcome] = [
        make_fetched(),
        Unchanged(),
        Gone(status=404),
        make_failed(kind=FailureKind.TIMEOUT),
        Refused(reason=RefusalReason.ROBOTS, detail="line 2"),
        Refused(reason=RefusalReason.EXCLUDED, detail="/a"),
    ]
    targets = (await worker.head(lease)).targets
    visits = [make_visit(*each, at=START) for each in zip(targets, outcomes, strict=True)]
    visits[0] = replace(
        visits[0], duration_s=0.75, dns_s=0.5, discovered=(new_url(A + "x"), new_url(A + "1"))
    )
    await worker.settle_visits(lease, visits)
    counts = await read_totals(store)
    assert counts.outcomes == {"fetched": 1, "unchanged": 1, "gone": 1, "failed": 1, "refused": 2}
    assert counts.statuses == {"200": 1, "304": 1, "404": 1, "500": 1}
    assert counts.failures == {"timeout": 1}
    assert counts.durations == {"1": 1, "0.25": 3}
    assert (counts.requests, counts.wire_bytes, counts.duration_s) == (4, 400, 1.5)
    assert (counts.dns_lookups, counts.dns_s) == (1, 0.5)
    assert (counts.robots_denials, counts.discovered) == (1, 1)


async def test_requests_for_robots_txt_are_counted_too(worker: StoreWorker, store: StoreUnderTest) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    asked = RobotsVisit(record=None, at=START, duration_s=9.0, wire_bytes=7, status=301, error=None)
    nameless = replace(asked, status=None, wire_bytes=0, failure=FailureKind.NO_SUCH_HOST)
    reused = replace(asked, made_request=False)
    await worker.settle_robots(lease, asked, nameless, reused)
    counts = await read_totals(store)
    assert (counts.requests, counts.wire_bytes, counts.visits) == (2, 7, 0)
    assert counts.statuses == {"301": 1}
    assert counts.failures == {"no_such_host": 1}
    assert counts.durations == {"10": 2}


async def test_requests_that_the_machine_could_not_make_are_counted_and_nothing_else_is(
    worker: StoreWorker, store: StoreUnderTest
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    batch = worker.make_batch(DomainWork(lease=lease, state=ACTIVE))
    for _ in range(2):  # it comes again, and is counted once
        await worker.frontier.settle(replace(batch, local_failures=7))
    totals = await read_totals(store)
    assert (dict(totals.failures), totals.requests, totals.visits) == ({"local": 7}, 0, 0)
    assert store.query("SELECT total_errors FROM domains") == [(0,)]


async def test_batches_of_a_minute_add_up_in_one_row_of_their_worker(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await visit_pages(worker, 3)
    other = await StoreWorker(store.frontier, store.runs, clock).start()
    await visit_pages(other)
    minute = StatsInterval.MINUTE.find_start(START)
    rows = store.query("SELECT span, at, worker_id, requests FROM stats ORDER BY worker_id")
    assert rows == [("minute", minute, worker.id, 3), ("minute", minute, other.id, 1)]


async def test_a_repeated_batch_is_counted_once(worker: StoreWorker, store: StoreUnderTest) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    (target,) = (await worker.head(lease)).targets
    visit = make_visit(target, make_fetched(), at=START)
    batch = worker.make_batch(DomainWork(lease=lease, state=ACTIVE, visits=[visit]))
    for _ in range(3):
        await worker.frontier.settle(batch)
    assert (await read_totals(store)).pages == 1


async def test_what_was_done_under_a_lost_lease_is_not_counted(
    worker: StoreWorker, store: StoreUnderTest
) -> None:
    await worker.add(A, "https://b.example/")
    kept, lost = await worker.claim()
    await worker.release(lost)
    works = []
    for lease in (kept, lost):
        (target,) = (await worker.head(lease)).targets
        visit = make_visit(target, make_fetched(lease.domain), at=START)
        works.append(DomainWork(lease=lease, state=ACTIVE, visits=[visit]))
    assert (await worker.settle(*works)).lost == {lost.domain_id}
    assert (await read_totals(store)).pages == 1


async def test_a_batch_without_any_visit_leaves_no_row(worker: StoreWorker, store: StoreUnderTest) -> None:
    await worker.add(A)
    await worker.settle(DomainWork(lease=await worker.claim_one(), state=ACTIVE))
    assert store.query("SELECT count(*) FROM stats") == [(0,)]


async def test_totals_are_the_same_before_and_after_every_roll_up(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    async with open_access(store.place) as access:
        for round_ in range(1, 6):
            await visit_pages(worker, 2)
            clock.advance(7 * HOUR)
            before = await access.read(load_totals)
            assert not await roll(access, clock.now())
            assert await access.read(load_totals) == before
            assert before.pages == 2 * round_


async def test_rolling_up_twice_or_concurrently_counts_nothing_twice(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await visit_pages(worker, 3)
    now = clock.advance(2 * HOUR)
    async with open_access(store.place) as first, open_access(store.place) as second:
        await asyncio.gather(*(roll(access, now) for access in (first, second) * 4))
        assert (await first.read(load_totals)).pages == 3
    rows = store.query("SELECT span, at, worker_id, requests, is_rolled FROM stats ORDER BY requests, span")
    assert rows == [
        ("day", FIRST_DAY, 0, 3, 0),
        ("hour", StatsInterval.HOUR.find_start(START), 0, 3, 0),
        ("minute", StatsInterval.MINUTE.find_start(START), worker.id, 3, 1),
    ]


async def test_a_roll_up_that_dies_changes_nothing(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await visit_pages(worker)
    now = clock.advance(2 * HOUR)

    def die(connection: Connection) -> None:
        roll_up(connection, now)
        raise KeyError

    async with open_access(store.place) as access:
        with pytest.raises(KeyError):
            await access.write(die)
        assert store.query("SELECT span, is_rolled FROM stats") == [("minute", 0)]


async def test_a_minute_that_comes_late_is_added_to_its_hour_and_its_day(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await visit_pages(worker, 2)
    now = clock.advance(2 * HOUR)
    async with open_access(store.place) as access:
        await roll(access, now)
        clock.advance(-2 * HOUR)
        late = await StoreWorker(store.frontier, store.runs, clock).start()
        await visit_pages(late)
        await roll(access, now)
        found = store.query("SELECT requests FROM stats WHERE worker_id = 0")
        assert found == [(3,), (3,)]
        assert (await access.read(load_totals)).pages == 3


async def test_a_clock_that_is_set_back_to_a_minute_that_was_rolled_up_loses_nothing(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await visit_pages(worker, 2)
    now = clock.advance(2 * HOUR)
    async with open_access(store.place) as access:
        await roll(access, now)
        clock.advance(-2 * HOUR + 1)
        await visit_pages(worker)
        assert (await access.read(load_totals)).pages == 3
        await roll(access, now)
        assert (await access.read(load_totals)).pages == 3


async def test_minutes_that_may_still_be_written_are_left_alone(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await visit_pages(worker)
    async with open_access(store.place) as access:
        await roll(access, clock.now() + SETTLED_AFTER_S)
        assert store.query("SELECT span FROM stats") == [("minute",)]


async def test_a_long_backlog_is_rolled_up_in_several_steps(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tenax.stores.commands.stat_rollup.ROWS_AT_ONCE", 2)
    for _ in range(3):
        await visit_pages(worker)
        clock.advance(60)
    now = clock.advance(2 * HOUR)
    async with open_access(store.place) as access:
        assert await roll(access, now)
        assert not await roll(access, now)
        assert store.query("SELECT requests FROM stats WHERE span = 'hour'") == [(3,)]


async def test_minutes_go_after_two_days_hours_after_sixty_and_days_never(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await visit_pages(worker)
    async with open_access(store.place) as access:
        for days, left in ((1.9, ["day", "hour", "minute"]), (2.1, ["day", "hour"]), (61, ["day"])):
            await roll(access, START + days * DAY)
            assert [row[0] for row in store.query("SELECT span FROM stats ORDER BY span")] == left
        assert (await access.read(load_totals)).pages == 1


async def test_a_minute_that_was_never_rolled_up_is_not_deleted_before_it_is(
    worker: StoreWorker, store: StoreUnderTest
) -> None:
    await visit_pages(worker)
    async with open_access(store.place) as access:
        await roll(access, START + 30 * DAY)
        assert (await access.read(load_totals)).pages == 1


async def test_a_chart_has_a_point_for_every_minute_since_the_first(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await visit_pages(worker, 2)
    clock.advance(120)
    await visit_pages(worker)
    minute = StatsInterval.MINUTE.find_start(START)
    async with open_access(store.place) as access:
        found = await read_series(access, StatsInterval.MINUTE, START - HOUR, clock.now() + 60)
        assert found == [(minute, 2), (minute + 60, 0), (minute + 120, 1), (minute + 180, 0)]
        assert await read_series(access, StatsInterval.MINUTE, minute + 60, minute + 120) == [
            (minute + 60, 0)
        ]


@pytest.mark.parametrize("span", [StatsInterval.HOUR, StatsInterval.DAY])
async def test_longer_steps_hold_minutes_whether_they_are_rolled_up_or_not(
    span: StatsInterval, worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    start = span.find_start(START)
    await visit_pages(worker, 2)
    clock.advance(start + span - clock.now())
    await visit_pages(worker)
    expected = [(start, 2), (start + span, 1)]
    async with open_access(store.place) as access:
        for after_s in (0.0, 2 * HOUR, 2 * HOUR):
            assert await read_series(access, span, START, clock.now() + 60) == expected
            await roll(access, clock.now() + after_s)


async def test_a_store_without_statistics_has_no_chart(store: StoreUnderTest) -> None:
    async with open_access(store.place) as access:
        assert await read_series(access, StatsInterval.DAY, 0.0, START) == []
        assert (await access.read(load_totals)).is_empty


async def test_recent_counts_exclude_older_ones(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await visit_pages(worker, 2)
    clock.advance(600)
    await visit_pages(worker)
    async with open_access(store.place) as access:
        lately = await access.read(lambda connection: load_since(connection, clock.now() - 300))
    assert lately.pages == 1


@pytest.mark.parametrize(
    ("length_s", "age_s", "step"),
    [
        (6 * HOUR, 6 * HOUR, StatsInterval.MINUTE),
        (6 * HOUR, 3 * DAY, StatsInterval.HOUR),
        (7 * HOUR, 7 * HOUR, StatsInterval.HOUR),
        (14 * DAY, 14 * DAY, StatsInterval.HOUR),
        (HOUR, 61 * DAY, StatsInterval.DAY),
        (15 * DAY, 15 * DAY, StatsInterval.DAY),
    ],
)
def test_a_step_is_as_short_as_what_is_kept_and_a_chart_allow(
    length_s: float, age_s: float, step: StatsInterval
) -> None:
    assert choose_step(START - age_s, START - age_s + length_s, START) is step
