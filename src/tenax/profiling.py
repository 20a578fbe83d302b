"""Where the time of a worker goes, as totals: for `tenax crawl --profile`.

A stage is work on the event loop. Its time does not include the stages inside it, so that all stages together
are the time that the loop is busy. An operation waits for something: its time is from its start to its end,
and overlaps with everything else.

Nothing is measured unless a profile is wanted: runtime/profiled.py then puts timers around functions. They
read the wall clock, in 0.05 µs; the clock of the thread takes 0.6 µs, and a page passes a dozen timers.
"""

import contextlib
import functools
import os
import time
import types
from collections.abc import Callable, Coroutine, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any, ParamSpec, TypeVar

from tenax.record import record

P = ParamSpec("P")
T = TypeVar("T")

_SCHEDULING = Path("/proc/thread-self/schedstat")


@dataclass(slots=True)
class Total:
    count: int = 0
    seconds: float = 0.0

    def add(self, seconds: float) -> None:
        self.count += 1
        self.seconds += seconds


@dataclass(slots=True)
class InFlight:
    """Requests in flight, from samples that count for the time since the one before."""

    sampled_s: float = 0.0
    request_s: float = 0.0  # one second with two requests in flight makes two
    none_s: float = 0.0

    def add(self, requests: int, seconds: float) -> None:
        self.sampled_s += seconds
        self.request_s += requests * seconds
        if not requests:
            self.none_s += seconds


class ClockReadings:
    """The clocks of the process and of this thread, which is that of the event loop. Not a record: to define
    one takes 0.2 ms of every start."""

    __slots__ = ("at", "core_wait_s", "cpu_s", "loop_cpu_s")

    def __init__(self) -> None:
        self.at = perf_counter()
        self.cpu_s = time.process_time()  # of all threads
        self.loop_cpu_s = time.thread_time()
        self.core_wait_s = _read_core_wait_s()  # it was ready to run and no core was free


@record
class WorkerProfile:
    """Where the time of one worker went. Seconds are those of its crawl, without its start."""

    pid: int
    pages: int
    start_s: float  # until it began to crawl
    crawl_s: float
    cpu_s: float
    loop_cpu_s: float
    core_wait_s: float
    stages: dict[str, Total] = field(default_factory=dict)
    operations: dict[str, Total] = field(default_factory=dict)
    in_flight: InFlight = field(default_factory=InFlight)
    is_whole: bool = False  # False: its process was killed, and this is how far it had reported

    @property
    def busy_s(self) -> float:
        """When its loop was working, or would have worked on a core of its own. Stages count in full, even if
        they had to wait for the disk."""
        return max(self.loop_cpu_s + self.core_wait_s, self._staged_s)

    @property
    def idle_s(self) -> float:
        """When its loop waited for something to do."""
        return max(self.crawl_s - self.busy_s, 0.0)

    @property
    def other_s(self) -> float:
        """When its loop was busy outside of all stages."""
        return self.busy_s - self._staged_s

    @property
    def _staged_s(self) -> float:
        return sum(total.seconds for total in self.stages.values())


def sum_profiles(profiles: Sequence[WorkerProfile]) -> WorkerProfile:
    """One profile for several workers, or for none."""
    return WorkerProfile(
        pid=0,
        pages=sum(each.pages for each in profiles),
        start_s=sum(each.start_s for each in profiles),
        crawl_s=sum(each.crawl_s for each in profiles),
        cpu_s=sum(each.cpu_s for each in profiles),
        loop_cpu_s=sum(each.loop_cpu_s for each in profiles),
        core_wait_s=sum(each.core_wait_s for each in profiles),
        stages=_sum_totals([each.stages for each in profiles]),
        operations=_sum_totals([each.operations for each in profiles]),
        in_flight=InFlight(
            sampled_s=sum(each.in_flight.sampled_s for each in profiles),
            request_s=sum(each.in_flight.request_s for each in profiles),
            none_s=sum(each.in_flight.none_s for each in profiles),
        ),
        is_whole=all(each.is_whole for each in profiles),
    )


def _sum_totals(parts: Sequence[dict[str, Total]]) -> dict[str, Total]:
    summed: dict[str, Total] = {}
    for name, total in (item for part in parts for item in part.items()):
        known = summed.setdefault(name, Total())
        known.count += total.count
        known.seconds += total.seconds
    return summed


class Profiler:
    """The timers of this process and their totals. Only operations may be timed in another thread."""

    def __init__(self) -> None:
        self._stages: dict[str, Total] = {}
        self._operations: dict[str, Total] = {}
        self._inside_s = 0.0  # time of the stages inside the current one, so far
        self._created_at = perf_counter()
        self._began: ClockReadings | None = None
        self._ended: ClockReadings | None = None
        self._in_flight = InFlight()

    def begin(self) -> None:
        """The worker begins to crawl: what was timed before belongs to its start."""
        self._began, self._ended = ClockReadings(), None
        self._in_flight = InFlight()
        for total in (*self._stages.values(), *self._operations.values()):
            total.count, total.seconds = 0, 0.0

    def end(self) -> None:
        self._ended = ClockReadings()

    def sample(self, requests: int, seconds: float) -> None:
        """So many requests are in flight, `seconds` after the last sample."""
        self._in_flight.add(requests, seconds)

    def take(self, pages: int, *, is_whole: bool) -> WorkerProfile:
        """The totals up to now. To be called on the thread of the event loop."""
        until = self._ended or ClockReadings()
        since = self._began or until
        return WorkerProfile(
            pid=os.getpid(),
            pages=pages,
            start_s=since.at - self._created_at,
            crawl_s=until.at - since.at,
            cpu_s=until.cpu_s - since.cpu_s,
            loop_cpu_s=until.loop_cpu_s - since.loop_cpu_s,
            core_wait_s=until.core_wait_s - since.core_wait_s,
            stages={name: total for name, total in self._stages.items() if total.count},
            operations={name: total for name, total in self._operations.items() if total.count},
            in_flight=self._in_flight,
            is_whole=is_whole,
        )

    # --- timers ----------------------------------------------------------------------------------

    def time_stage(self, name: str, function: Callable[P, T]) -> Callable[P, T]:
        """Put a timer around a function that runs on the loop."""
        total, leave = self._stages.setdefault(name, Total()), self._leave

        @functools.wraps(function)
        def timed(*args: P.args, **kwargs: P.kwargs) -> T:
            total.count += 1
            outer_s, self._inside_s = self._inside_s, 0.0
            started = perf_counter()
            try:
                return function(*args, **kwargs)
            finally:
                leave(total, outer_s, started)

        return timed

    def time_coroutine(
        self, name: str, function: Callable[P, Coroutine[Any, Any, T]]
    ) -> Callable[P, Coroutine[Any, Any, T]]:
        """Put a timer around a coroutine: what it does itself is a stage, the whole is an operation."""
        stage = self._stages.setdefault(name, Total())

        @functools.wraps(function)
        async def timed(*args: P.args, **kwargs: P.kwargs) -> T:
            stage.count += 1
            with self.operation(name):
                return await self._run_in_steps(stage, function(*args, **kwargs))

        return timed

    def time_operation(self, name: str, function: Callable[P, T]) -> Callable[P, T]:
        """Put a timer around a function that runs in another thread."""

        @functools.wraps(function)
        def timed(*args: P.args, **kwargs: P.kwargs) -> T:
            with self.operation(name):
                return function(*args, **kwargs)

        return timed

    @contextlib.contextmanager
    def operation(self, name: str) -> Iterator[None]:
        started = perf_counter()
        try:
            yield
        finally:
            self.add_operation(name, perf_counter() - started)

    def add_operation(self, name: str, seconds: float) -> None:
        self._operations.setdefault(name, Total()).add(seconds)

    def _leave(self, stage: Total, outer_s: float, started: float) -> None:
        took_s = perf_counter() - started
        stage.seconds += took_s - self._inside_s
        self._inside_s = outer_s + took_s

    @types.coroutine
    def _run_in_steps(self, stage: Total, coroutine: Coroutine[Any, Any, T]) -> Generator[Any, Any, T]:
        """Time the coroutine whenever it runs, and not while it waits."""
        resume: Callable[[Any], Any] = coroutine.send
        value: Any = None
        while True:
            outer_s, self._inside_s = self._inside_s, 0.0
            started = perf_counter()
            try:
                awaited = resume(value)
            except StopIteration as end:
                result: T = end.value
                return result
            finally:
                self._leave(stage, outer_s, started)
            try:
                resume, value = coroutine.send, (yield awaited)
            except BaseException as error:
                resume, value = coroutine.throw, error


# --- for code that knows when an operation starts and ends, and is not worth a timer around a function ---

_active: Profiler | None = None


@contextlib.contextmanager
def activated(profiler: Profiler) -> Iterator[None]:
    global _active
    _active = profiler
    try:
        yield
    finally:
        _active = None


def add_operation(name: str, seconds: float) -> None:
    """Count an operation of this process, if a profile is wanted."""
    if _active is not None:
        _active.add_operation(name, seconds)


def _read_core_wait_s() -> float:
    """0 if the system does not say."""
    try:
        return int(_SCHEDULING.read_text().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0
