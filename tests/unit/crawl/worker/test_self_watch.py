"""A worker that watches itself, with a clock that tests move: what is a stall, and what is not."""

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tenax.config.settings import Settings
from tenax.config.worker import WatchdogSettings
from tenax.crawl.worker import self_watch
from tenax.crawl.worker.diagnosis import WatchedParts
from tenax.crawl.worker.self_watch import SelfWatch
from tenax.errors import InternalError, MemoryExceeded, StoreGivenUp, StoreUnreachable, TenaxError
from tenax.fetch.watched import WatchedFetcher
from tenax.policy.stalls import MB, StallCause
from tenax.records.requests import Failure, FailureKind, Request
from tests.support.clock import START, FakeClock
from tests.support.crawling import (
    SilentFetcher,
    make_context,
    make_domain,
    make_memory,
    make_response,
    make_target,
)

TICK_S = 0.5
SETTINGS = Settings(watchdog=WatchdogSettings(stall_s=100, store_checks=3))


class Scene:
    """A worker that holds one domain whose url is due, and does nothing."""

    def __init__(self, settings: Settings = SETTINGS, rss_bytes: int = 10 * MB) -> None:
        self.clock = FakeClock()
        self.now_s = 1000.0
        self.inner = SilentFetcher()
        self.fetcher = WatchedFetcher(self.inner, self.clock, time=lambda: self.now_s)
        self.memory = make_memory(self.clock, settings=settings)
        self.store_error: Exception | None = None
        self.store_delay_s = 0.0
        self.operation: tuple[str, float] | None = None
        self.trouble: str | None = None
        self.is_full = False
        self.has_room = True
        self.free_bytes: int | None = 10**12
        self.rss_bytes = rss_bytes
        self.woken = 0
        self.ended: list[TenaxError] = []
        self.watch = SelfWatch(
            WatchedParts(
                context=make_context(self.clock, settings),
                memory=self.memory,
                agenda=cast(Any, _Agenda(self)),
                operations=cast(Any, SimpleNamespace(find_oldest=lambda: self.operation)),
                store_retry=cast(Any, _StoreRetry(self)),
                fetcher=self.fetcher,
                check_store=self._check_store,
                read_disk=lambda: self.free_bytes,
                wake=self._wake,
                end=self.ended.append,
            ),
            time=lambda: self.now_s,
            read_memory=lambda: self.rss_bytes,
        )
        self.domain = make_domain(queue=[make_target()], settings=settings)
        self.memory.pool.add(self.domain, START)

    def _wake(self) -> None:
        self.woken += 1

    async def _check_store(self) -> None:
        if self.store_error is not None:
            raise self.store_error

    def pass_time(self, seconds: float, meanwhile: Callable[[], None] = lambda: None) -> "Scene":
        """Let time pass in ticks, as it does in a worker that runs."""
        asyncio.run(self._pass_time(seconds, meanwhile))
        return self

    async def _pass_time(self, seconds: float, meanwhile: Callable[[], None]) -> None:
        for _ in range(round(seconds / TICK_S)):
            self.jump(TICK_S)
            meanwhile()
            self.watch.tick(TICK_S)
            for _ in range(4):
                await asyncio.sleep(0)

    def jump(self, seconds: float) -> None:
        self.now_s += seconds
        self.clock.advance(seconds)

    def act(self) -> None:
        self.memory.activity.actions += 1

    @property
    def cause(self) -> StallCause | None:
        stall = self.memory.activity.stall
        return None if stall is None else stall.cause


class _Agenda:
    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    @property
    def is_full(self) -> bool:
        return self._scene.is_full

    def has_room(self) -> bool:
        return self._scene.has_room


class _StoreRetry:
    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    @property
    def trouble(self) -> str | None:
        return self._scene.trouble


# --- a stall -----------------------------------------------------------------------------------


def test_a_worker_that_does_nothing_although_a_url_is_due_is_stalled() -> None:
    scene = Scene().pass_time(115)
    assert scene.cause is StallCause.WORKER
    stall = scene.memory.activity.stall
    assert stall is not None
    assert stall.began_at < START + 20


def test_it_is_woken_first_and_ends_itself_if_that_does_not_help() -> None:
    scene = Scene().pass_time(115)
    assert (scene.woken, scene.ended) == (1, [])
    scene.pass_time(31)
    assert [type(error) for error in scene.ended] == [InternalError]


def test_an_action_ends_the_stall() -> None:
    scene = Scene().pass_time(115)
    scene.act()
    scene.pass_time(2)
    assert scene.cause is None


def test_a_store_operation_that_never_ends_is_a_stall_but_no_reason_to_leave() -> None:
    scene = Scene()
    scene.pass_time(600, lambda: setattr(scene, "operation", ("claim", scene.now_s - 1000.0)))
    assert (scene.cause, scene.ended) == (StallCause.STORE, [])


def test_a_store_that_does_not_answer_is_given_up_in_the_end() -> None:
    scene = Scene()
    scene.store_error = StoreUnreachable()
    scene.pass_time(115)
    assert (scene.cause, scene.ended) == (StallCause.STORE, [])
    scene.pass_time(61)
    assert [type(error) for error in scene.ended] == [StoreGivenUp]


def test_name_servers_are_asked() -> None:
    scene = Scene()
    scene.inner.names = "no DNS server answered within 5 s"
    scene.pass_time(600)
    assert (scene.cause, scene.ended) == (StallCause.DNS, [])


def test_a_network_whose_references_are_silent_is_named() -> None:
    scene = Scene()
    scene.memory.blame.find_fault(make_domain(), make_response(), START, 0)
    assert scene.pass_time(115).cause is StallCause.NETWORK


def test_a_full_disk_is_named() -> None:
    scene = Scene()
    scene.free_bytes = 0
    assert scene.pass_time(115).cause is StallCause.DISK


def test_results_that_take_all_memory_are_named() -> None:
    scene = Scene()
    scene.is_full, scene.has_room = True, False
    assert scene.pass_time(115).cause is StallCause.MEMORY


# --- not a stall -------------------------------------------------------------------------------


def test_a_worker_that_acts_now_and_then_is_well() -> None:
    scene = Scene()
    for _ in range(20):
        scene.act()
        scene.pass_time(30)
    assert scene.cause is None


def test_a_domain_that_waits_for_its_delay_is_not_due() -> None:
    scene = Scene()
    scene.memory.pool.give_back(scene.domain)
    later = make_domain(queue=[make_target()])
    later.ready_at = START + 3
    scene.memory.pool.add(later, START)
    later.ready_at = START + 10_000
    scene.memory.pool.pop_ready(START + 4)
    assert scene.pass_time(900).cause is None


def test_a_worker_without_domains_is_idle() -> None:
    scene = Scene()
    scene.memory.pool.give_back(scene.domain)
    assert scene.pass_time(900).cause is None


def test_a_store_that_is_tried_again_has_its_own_patience() -> None:
    scene = Scene()
    scene.trouble = "The disk is full."
    assert scene.pass_time(900).cause is None


def test_a_machine_that_is_short_of_something_says_so_itself() -> None:
    scene = Scene()
    failure = Failure(kind=FailureKind.LOCAL, detail="no port is left", is_transient=True, started_at=START)

    def fail() -> None:
        scene.memory.blame.find_fault(make_domain(), failure, scene.clock.now(), 0)

    scene.pass_time(900, fail)
    assert scene.cause is None


def test_a_network_that_is_waited_for_is_no_stall() -> None:
    scene = Scene()
    scene.memory.blame.network.waiting_since = START
    assert scene.pass_time(900).cause is None


def test_store_operations_that_come_and_go_are_not_hung() -> None:
    scene = Scene()
    scene.memory.pool.give_back(scene.domain)
    scene.operation = ("check_run", 0.8)
    assert scene.pass_time(900).cause is None


def test_a_process_that_was_stopped_is_not_stalled() -> None:
    scene = Scene()
    for _ in range(20):
        scene.pass_time(40)
        scene.jump(3600)  # SIGSTOP, SIGCONT
    assert scene.cause is None


def test_a_clock_that_is_set_changes_nothing() -> None:
    scene = Scene().pass_time(20)
    scene.clock.set_calendar(86_400)
    assert scene.pass_time(40).cause is None


# --- requests that hang ------------------------------------------------------------------------


def start_request(scene: Scene) -> list[Any]:
    answers: list[Any] = []
    scene.fetcher.start(Request(url="http://a.test/hangs"), answers.append)
    return answers


def test_a_request_that_hangs_is_ended_long_after_its_timeout() -> None:
    scene = Scene()
    answers = start_request(scene)
    limit_s = SETTINGS.fetch.timeout_s + SETTINGS.watchdog.transfer_s
    scene.pass_time(limit_s - 2, scene.act)
    assert answers == []
    scene.pass_time(4, scene.act)
    assert [answer.kind for answer in answers] == [FailureKind.INTERNAL]


def test_a_request_is_not_ended_for_the_time_that_the_process_was_stopped() -> None:
    scene = Scene()
    answers = start_request(scene)
    scene.jump(3600)
    scene.pass_time(20, scene.act)
    assert answers == []


# --- memory ------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def without_collecting(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process of the tests is so large that it takes a second."""
    monkeypatch.setattr(self_watch, "free_memory", lambda: None)


@pytest.fixture
def greedy() -> Scene:
    scene = Scene()
    scene.rss_bytes = 2 * SETTINGS.worker.memory_mb * MB
    return scene


def test_a_worker_that_stays_over_its_memory_ends_itself(greedy: Scene) -> None:
    greedy.pass_time(12, greedy.act)
    assert [type(error) for error in greedy.ended[:1]] == [MemoryExceeded]


def test_a_worker_that_needs_much_memory_for_a_moment_goes_on(greedy: Scene) -> None:
    for rss_bytes in (2, 1) * 10:
        greedy.rss_bytes = rss_bytes * SETTINGS.worker.memory_mb * MB
        greedy.pass_time(4, greedy.act)
    assert greedy.ended == []


def test_a_little_more_than_promised_is_tolerated() -> None:
    scene = Scene()
    scene.rss_bytes = int(1.1 * SETTINGS.worker.memory_mb * MB)
    scene.pass_time(60, scene.act)
    assert scene.ended == []


def test_what_its_process_held_before_is_not_held_against_a_worker() -> None:
    """As in a notebook, or a program with much data of its own."""
    before_bytes = 3 * SETTINGS.worker.memory_mb * MB
    scene = Scene(rss_bytes=before_bytes)
    scene.pass_time(60, scene.act)
    assert scene.ended == []
    scene.rss_bytes = before_bytes + 2 * SETTINGS.worker.memory_mb * MB
    scene.pass_time(12, scene.act)
    assert [type(error) for error in scene.ended[:1]] == [MemoryExceeded]
