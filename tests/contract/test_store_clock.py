"""A store's clock, which nobody can set, and its calendar, which anybody can: the machine's for a file, the
server's for a database."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tenax.clock import Instant
from tenax.records.domains import DomainState, Pace
from tenax.records.runs import RunState
from tenax.stores.clock import NOTE_EVERY_S
from tenax.stores.databases.reader import read_store, tell_store_time, tell_time
from tests.support.clock import START, FakeClock
from tests.support.store import LEASE_S, SharedStore, StoreUnderTest, StoreWorker, make_fetched

pytestmark = pytest.mark.usefixtures("runner")

HOUR_S = 3_600.0
A, B = "https://a.example/", "https://b.example/"


@asynccontextmanager
async def joined(store: StoreUnderTest, clock: FakeClock) -> AsyncIterator[StoreWorker]:
    """Another process of the machine."""
    async with store.join() as other:
        yield await StoreWorker(other.frontier, other.runs, clock).start()


def restart(clock: FakeClock) -> None:
    clock.boot = "the second"


@pytest.mark.parametrize("by_s", [HOUR_S, -HOUR_S])
async def test_a_calendar_that_is_set_ends_no_lease_and_hides_no_url(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock, by_s: float
) -> None:
    await worker.add(A, f"{A}2")
    lease = await worker.claim_one()
    clock.set_calendar(by_s)
    async with joined(store, clock) as other:
        assert await other.claim() == []
        clock.advance(NOTE_EVERY_S + 1)
        assert await other.claim() == []
        assert not (await worker.frontier.renew(worker.id, worker.run_id, [lease], LEASE_S)).lost
        assert len((await worker.head(lease)).targets) == 2
        await worker.release(lease, ready_at=clock.now() + 5)
        assert await other.claim() == []
        clock.advance(5)
        assert [each.domain for each in await other.claim()] == ["a.example"]


@pytest.mark.parametrize("by_s", [HOUR_S, -HOUR_S])
async def test_what_people_read_is_dated_by_the_calendar(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock, by_s: float
) -> None:
    await worker.add(A)
    clock.set_calendar(by_s)
    clock.advance(NOTE_EVERY_S + 1)
    await worker.add(B)
    await worker.visit_next(await worker.claim_one(), make_fetched())
    assert store.query("SELECT discovered_at FROM urls WHERE domain_id = 2") == [(clock.wall(),)]
    assert store.query("SELECT at FROM visits") == [(clock.wall(),)]
    assert store.query("SELECT fetched_at FROM pages") == [(clock.wall(),)]
    assert store.query("SELECT heartbeat_at FROM workers") == [(clock.now(),)]
    await worker.runs.end_run(worker.run_id, RunState.DONE, worker.id)
    assert store.query("SELECT ended_at FROM runs") == [(clock.wall(),)]


async def test_after_a_start_of_the_machine_a_domain_rests_once_more(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    """How long ago it was asked only the calendar can say, which may have been set."""
    asked = DomainState(pace=Pace(last_start_at=clock.now(), last_answer_at=clock.now()))
    await worker.add(A, B)
    await worker.release(await worker.claim_one(), state=asked)
    await worker.runs.end_run(worker.run_id, RunState.STOPPED, worker.id)
    restart(clock)
    clock.advance(HOUR_S)
    async with joined(store, clock) as heir:
        first, second = sorted(await heir.claim(), key=lambda lease: lease.domain)
    assert first.state.pace.last_start_at == first.state.pace.last_answer_at == START + HOUR_S
    assert second.state.pace.last_start_at is None  # it was never asked


async def test_after_a_start_of_the_machine_a_calendar_that_went_back_stalls_nothing(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    await worker.release(lease, ready_at=clock.now() + 30)
    await worker.runs.end_run(worker.run_id, RunState.STOPPED, worker.id)
    restart(clock)
    clock.set_calendar(-24 * HOUR_S)
    async with joined(store, clock) as heir:
        assert await heir.claim() == []
        clock.advance(30)
        (lease,) = await heir.claim()
        assert len((await heir.head(lease)).targets) == 1


async def test_readers_are_told_both_times(shared: SharedStore) -> None:
    def look(connection: Any) -> tuple[Instant, Instant]:
        return tell_time(shared.place, connection), tell_store_time(shared.place, connection)

    wall, now = await asyncio.to_thread(read_store, shared.place, look)
    assert [wall, now] == pytest.approx([time.time()] * 2, abs=60)
