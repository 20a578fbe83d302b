"""The timers of a profile, on a clock that only the test moves."""

import asyncio
from types import SimpleNamespace

import pytest

from tenax import profiling
from tenax.profiling import ClockReadings, InFlight, Profiler, Total, WorkerProfile, sum_profiles


class FakeTime:
    """The wall clock, the clocks of the process and of its loop: the loop works unless the test says so."""

    def __init__(self) -> None:
        self.wall = 100.0
        self.cpu = 0.0

    def work(self, seconds: float) -> None:
        self.wall += seconds
        self.cpu += seconds

    def wait(self, seconds: float) -> None:
        self.wall += seconds

    def read(self) -> SimpleNamespace:
        return SimpleNamespace(at=self.wall, cpu_s=self.cpu, loop_cpu_s=self.cpu, core_wait_s=0.0)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeTime:
    clock = FakeTime()
    monkeypatch.setattr(profiling, "perf_counter", lambda: clock.wall)
    monkeypatch.setattr(profiling, "ClockReadings", clock.read)
    return clock


def take(profiler: Profiler) -> WorkerProfile:
    return profiler.take(0, is_whole=True)


# --- stages --------------------------------------------------------------------------------------


def test_a_stage_does_not_include_the_stages_inside_it(clock: FakeTime) -> None:
    profiler = Profiler()
    parse = profiler.time_stage("parse", lambda: clock.work(3))

    def read() -> None:
        clock.work(1)
        parse()
        parse()
        clock.work(1)

    profiler.time_stage("read", read)()
    assert take(profiler).stages == {"parse": Total(2, 6), "read": Total(1, 2)}


def test_a_stage_inside_another_of_the_same_name_counts_once(clock: FakeTime) -> None:
    profiler = Profiler()
    inner = profiler.time_stage("fetch", lambda: clock.work(3))

    def outer() -> None:
        clock.work(1)
        inner()

    profiler.time_stage("fetch", outer)()
    assert take(profiler).stages["fetch"].seconds == 4


def test_a_timer_passes_arguments_results_and_exceptions_on(clock: FakeTime) -> None:
    profiler = Profiler()

    def divide(number: int, *, by: int) -> float:
        clock.work(1)
        return number / by

    timed = profiler.time_stage("divide", divide)
    assert timed(6, by=3) == 2
    with pytest.raises(ZeroDivisionError):
        timed(1, by=0)
    assert take(profiler).stages["divide"] == Total(2, 2)


# --- operations ----------------------------------------------------------------------------------


def test_a_coroutine_is_busy_while_it_runs_and_not_while_it_waits(clock: FakeTime) -> None:
    profiler = Profiler()
    pack = profiler.time_stage("pack", lambda: clock.work(2))

    async def settle() -> str:
        clock.work(1)
        pack()
        await asyncio.sleep(0)
        clock.work(1)
        return "settled"

    async def run() -> str:
        task = asyncio.create_task(profiler.time_coroutine("settle", settle)())
        await asyncio.sleep(0)
        clock.wait(10)
        return await task

    assert asyncio.run(run()) == "settled"
    profile = take(profiler)
    assert profile.stages == {"settle": Total(1, 2), "pack": Total(1, 2)}
    assert profile.operations == {"settle": Total(1, 14)}


def test_a_coroutine_can_be_cancelled_and_cleans_up(clock: FakeTime) -> None:
    profiler = Profiler()
    cleaned = []

    async def wait() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            cleaned.append(True)

    async def run() -> None:
        task = asyncio.create_task(profiler.time_coroutine("wait", wait)())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert cleaned
    assert take(profiler).operations["wait"].count == 1


def test_a_coroutine_raises_what_it_raises(clock: FakeTime) -> None:
    profiler = Profiler()

    async def fail() -> None:
        await asyncio.sleep(0)
        raise ValueError

    with pytest.raises(ValueError):
        asyncio.run(profiler.time_coroutine("fail", fail)())
    assert take(profiler).operations["fail"].count == 1


def test_operations_elsewhere_are_counted_only_if_a_profile_is_wanted() -> None:
    profiler = Profiler()
    profiling.add_operation("store.wait", 1)
    with profiling.activated(profiler):
        profiling.add_operation("store.wait", 2)
    profiling.add_operation("store.wait", 4)
    assert take(profiler).operations == {"store.wait": Total(1, 2)}


# --- the whole -----------------------------------------------------------------------------------


def test_what_happens_before_the_crawl_belongs_to_the_start(clock: FakeTime) -> None:
    profiler = Profiler()
    work = profiler.time_stage("work", lambda: clock.work(1))
    work()
    clock.wait(4)
    profiler.begin()
    work()
    profiler.end()
    clock.work(7)
    profile = take(profiler)
    assert (profile.start_s, profile.crawl_s) == (5, 1)
    assert profile.stages == {"work": Total(1, 1)}


def test_all_stages_the_rest_and_idleness_are_the_whole_time(clock: FakeTime) -> None:
    profiler = Profiler()
    profiler.begin()
    profiler.time_stage("work", lambda: clock.work(5))()
    clock.work(2)
    clock.wait(3)
    profile = take(profiler)
    assert (profile.busy_s, profile.other_s, profile.idle_s, profile.crawl_s) == (7, 2, 3, 10)


def test_a_stage_that_waits_for_the_disk_is_not_idle(clock: FakeTime) -> None:
    profiler = Profiler()
    profiler.begin()
    profiler.time_stage("work", lambda: clock.wait(5))()
    profile = take(profiler)
    assert (profile.busy_s, profile.other_s, profile.idle_s) == (5, 0, 0)


def test_a_worker_that_has_not_begun_has_only_a_start(clock: FakeTime) -> None:
    profiler = Profiler()
    clock.work(2)
    profile = take(profiler)
    assert (profile.start_s, profile.crawl_s, profile.idle_s) == (2, 0, 0)


def test_a_sample_counts_for_the_time_since_the_last_one() -> None:
    profiler = Profiler()
    profiler.sample(4, 0.5)
    profiler.sample(0, 1.5)
    assert take(profiler).in_flight == InFlight(sampled_s=2.0, request_s=2.0, none_s=1.5)


@pytest.fixture
def profiles() -> list[WorkerProfile]:
    return [
        WorkerProfile(
            pid=pid,
            pages=10,
            start_s=1,
            crawl_s=8,
            cpu_s=6,
            loop_cpu_s=5,
            core_wait_s=1,
            stages={"read": Total(10, 2), own: Total(1, 1)},
            operations={"settle": Total(2, 3)},
            in_flight=InFlight(sampled_s=8, request_s=16, none_s=1),
            is_whole=pid == 1,
        )
        for pid, own in ((1, "pack"), (2, "admit"))
    ]


def test_the_profile_of_several_workers_is_their_sum(profiles: list[WorkerProfile]) -> None:
    found = sum_profiles(profiles)
    assert (found.pages, found.start_s, found.crawl_s, found.cpu_s) == (20, 2, 16, 12)
    assert (found.busy_s, found.idle_s, found.other_s) == (12, 4, 6)
    assert found.stages == {"read": Total(20, 4), "pack": Total(1, 1), "admit": Total(1, 1)}
    assert found.operations == {"settle": Total(4, 6)}
    assert found.in_flight == InFlight(sampled_s=16, request_s=32, none_s=2)
    assert not found.is_whole
    assert profiles[0].stages["read"] == Total(10, 2), "the parts stay as they are"


def test_there_may_be_no_profile_at_all() -> None:
    assert sum_profiles([]).stages == {}


def test_the_clocks_of_this_machine_can_be_read() -> None:
    readings = ClockReadings()
    assert min(readings.cpu_s, readings.loop_cpu_s) > 0
    assert readings.core_wait_s >= 0
