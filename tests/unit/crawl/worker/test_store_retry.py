"""The breaker in front of the store: three failures open it, getting through closes it."""

import asyncio
import logging

import pytest

from tenax.crawl.worker import store_retry as module
from tenax.crawl.worker.store_retry import OUTAGE_S, StoreRetry
from tenax.errors import StoreBusy, StoreError
from tenax.records.domains import BreakerState
from tests.support.clock import FakeClock

LIMIT_S = 300.0


class Store:
    """One that fails so often, and the state of its breaker at each attempt."""

    def __init__(self, clock: FakeClock, failures: int, pause_s: float = 1.0) -> None:
        self.store_retry = StoreRetry(clock, LIMIT_S)
        self.states: list[BreakerState] = []
        self._clock = clock
        self._failures = failures
        self._pause_s = pause_s

    async def attempt(self) -> str:
        found = self.store_retry.list_breakers()
        self.states.append(found[0].state if found else BreakerState.CLOSED)
        if len(self.states) <= self._failures:
            self._clock.advance(self._pause_s)
            raise StoreBusy("The store is busy.")
        return "done"

    def ask(self) -> str:
        return asyncio.run(self.store_retry.run(self.attempt))


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "RETRY_S", 0.0)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


def test_a_store_that_answers_is_behind_a_closed_breaker(clock: FakeClock) -> None:
    store = Store(clock, failures=0)
    assert store.ask() == "done"
    assert store.store_retry.list_breakers() == []


def test_three_failures_open_it_and_every_trial_is_half_open(clock: FakeClock) -> None:
    store = Store(clock, failures=5)
    assert store.ask() == "done"
    closed, open = BreakerState.CLOSED, (BreakerState.OPEN, BreakerState.HALF_OPEN)
    assert store.states[:3] == [closed] * 3
    assert all(state in open for state in store.states[3:])


def test_it_closes_when_what_failed_gets_through(clock: FakeClock) -> None:
    store = Store(clock, failures=9)
    store.ask()
    assert (store.store_retry.list_breakers(), store.store_retry.trouble) == ([], None)


def test_trouble_that_does_not_pass_is_not_waited_out(clock: FakeClock) -> None:
    async def fail() -> None:
        raise StoreError("The file is damaged.")

    with pytest.raises(StoreError, match="damaged"):
        asyncio.run(StoreRetry(clock, LIMIT_S).run(fail))


def test_patience_ends(clock: FakeClock) -> None:
    store = Store(clock, failures=100, pause_s=60.0)
    with pytest.raises(StoreBusy):
        store.ask()
    assert len(store.states) == LIMIT_S // 60 + 1


def test_half_a_minute_of_it_is_an_outage(clock: FakeClock, caplog: pytest.LogCaptureFixture) -> None:
    store = Store(clock, failures=6, pause_s=OUTAGE_S / 2)
    with caplog.at_level(logging.INFO):
        store.ask()
    assert [record.message for record in caplog.records] == [
        "store_in_trouble",
        "store_outage",
        "store_trouble_over",
    ]


def test_a_read_that_gets_through_does_not_end_the_trouble_of_a_write(clock: FakeClock) -> None:
    store_retry = StoreRetry(clock, LIMIT_S)
    troubles: list[str | None] = []

    async def read() -> None: ...

    async def write() -> None:
        if len(troubles) < 4:
            await store_retry.run(read)
            troubles.append(store_retry.trouble)
            raise StoreBusy("The disk is full.")

    asyncio.run(store_retry.run(write))
    assert troubles == [None, *["The disk is full."] * 3]
    assert store_retry.trouble is None
