"""Runs that are opened for others to work on: with seeds and rules, and by one only."""

import asyncio

import pytest

from tenax.config.crawl import LimitSettings
from tenax.config.settings import Settings
from tenax.crawl.run.opening import Opener
from tenax.errors import StoreError
from tenax.record import replace
from tenax.records.jobs import NO_SOURCE
from tenax.records.runs import RunState
from tests.support.clock import FakeClock
from tests.support.store import LEASE_S, StoreUnderTest, StoreWorker

A, B = "https://a.example/", "https://b.example/"


def make_opener(store: StoreUnderTest, clock: FakeClock, settings: Settings | None = None) -> Opener:
    return Opener(settings=settings or Settings(), stores=replace(store.of_source(NO_SOURCE), clock=clock))


async def test_a_run_is_started_with_its_seeds_and_settings(store: StoreUnderTest, clock: FakeClock) -> None:
    settings = Settings(limits=LimitSettings(max_pages=7))
    opened = await make_opener(store, clock, settings).start([A])
    assert opened is not None
    run = opened.run
    assert run.state is RunState.RUNNING
    assert store.query("SELECT state, settings FROM runs") == [("running", settings.model_dump_json())]
    assert store.query("SELECT url FROM seeds") == [(A,)]
    worker = StoreWorker(store.frontier, store.runs, clock)
    worker.run_id = run.id
    assert await store.runs.add_worker(run.id, "w", "localhost", 1, LEASE_S, reopens=False) is not None
    assert len(await worker.claim()) == 1


async def test_whoever_is_refused_has_changed_nothing(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    assert await make_opener(store, clock).start([A]) is None
    assert store.query("SELECT count(*) FROM urls") == [(0,)]
    assert store.query("SELECT settings FROM runs") == [("{}",)]


async def test_of_several_who_start_at_once_one_does(store: StoreUnderTest, clock: FakeClock) -> None:
    joined = [await store.connect() for _ in range(4)]
    seeds = [f"https://s{number}.example/" for number in range(4)]
    runs = await asyncio.gather(
        *(make_opener(each, clock).start([seed]) for each, seed in zip(joined, seeds, strict=True))
    )
    assert sum(run is not None for run in runs) == 1
    assert store.query("SELECT state FROM runs") == [("running",)]
    assert len(store.query("SELECT url FROM seeds")) == 1


async def test_whoever_dies_halfway_leaves_a_paused_run_as_the_last_was_ordered(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await store.runs.end_run(worker.run_id, RunState.DONE, worker.id)
    opener = make_opener(store, clock)
    with store.broken("INSERT", "urls"), pytest.raises(StoreError):
        await opener.start([A])
    assert store.query("SELECT state, settings FROM runs ORDER BY id") == [("done", "{}"), ("paused", "{}")]
    assert await opener.start([A]) is None, "somebody has to resume or cancel it"
    opened = await opener.open([A])
    assert opened.run.state is RunState.RUNNING
    assert store.query("SELECT state FROM runs ORDER BY id") == [("done",), ("running",)]


async def test_a_run_that_is_opened_joins_the_one_under_way(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    opened = await make_opener(store, clock).open([A, B])
    assert opened.run.id == worker.run_id
    assert len(await worker.claim()) == 2
