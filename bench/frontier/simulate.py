"""Crawls the simulated web with the real engine and store; only the network is simulated.

    python -m bench.frontier.simulate DATA URLS PAGES [STORE]

The store is the file in DATA, or the database at STORE.

Prints the time of its first claim and, when PAGES pages are fetched, their cost, as JSON lines.
"""

import asyncio
import json
import re
import resource
import statistics
import sys
import time
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from types import TracebackType
from typing import ParamSpec, Self, TypeVar

import uvloop

from bench.frontier.web import SimulatedWeb
from tenax.clock import Clock, SystemClock
from tenax.config.crawl import LimitSettings, ScopeKind, ScopeSettings
from tenax.config.settings import Settings
from tenax.coordination.memory import MemoryCoordination
from tenax.crawl.engine import Engine, EngineServices
from tenax.fetch.base import Done
from tenax.policy.memory import plan_memory
from tenax.records.domains import Lease
from tenax.records.requests import Failure, Request, Response, Timings
from tenax.runtime.backends import find_backend
from tenax.stores.contracts.batches import Batch, Settled
from tenax.stores.contracts.frontier import FrontierStore
from tenax.stores.layout import LOGS_NAME, WORKERS_NAME
from tenax.stores.place import Place, find_place
from tenax.stores.presence import Presence
from tenax.telemetry import configure_logging
from tenax.workers.session import tune_memory

# A polite pace, one second per domain: without it the worker would only use the first hundred domains, whose
# rows it has already read, and the size of the store would not matter.
SETTINGS = Settings(scope=ScopeSettings(kind=ScopeKind.ANY), limits=LimitSettings(pages_per_domain=1_000_000))
_NUMBERS = re.compile(r"site-(\d+)\.example/.*-(\d+)\.html$")
_HEADERS = {"content-type": "text/html; charset=utf-8"}


class SimulatedFetcher:
    """Responds immediately, in the loop's next iteration."""

    def __init__(self, web: SimulatedWeb, pages: int, clock: Clock) -> None:
        self._web = web
        self._pages_left = pages
        self._random = Random(1)
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self.in_flight = 0
        self.capacity = 1_000_000
        self.held_bytes = 0
        self.on_last: Callable[[], None] = lambda: None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        pass

    def start(self, request: Request, done: Done) -> None:
        self.in_flight += 1
        self._loop.call_soon(self._answer, request, done)

    def resize(self, requests: int) -> None:
        """Do nothing: there are no connections."""

    def pause(self) -> None:
        pass

    def resume(self) -> None:
        pass

    async def fetch(self, request: Request) -> Response | Failure:
        return self._respond(request)

    def _answer(self, request: Request, done: Done) -> None:
        self.in_flight -= 1
        done(self._respond(request))
        self._pages_left -= 1
        if self._pages_left == 0:
            self.on_last()

    def _respond(self, request: Request) -> Response:
        found = _NUMBERS.search(request.url)
        assert found, f"not part of the simulated web: {request.url}"
        body = self._web.page(int(found[1]), int(found[2]), self._random)
        return Response(
            url=request.url,
            status=200,
            headers=_HEADERS,
            body=body,
            started_at=self._clock.now(),
            timings=Timings(total_s=0.001),
            address="192.0.2.1",
            http_version="1.1",
            wire_bytes=len(body),
        )


@dataclass
class Times:
    """Seconds of wall time per call, including the time waiting for the store's thread or server."""

    claim: list[float] = field(default_factory=list)
    load: list[float] = field(default_factory=list)
    settle: list[float] = field(default_factory=list)
    pages: list[int] = field(default_factory=list)  # per settled batch
    domains: set[int] = field(default_factory=set)  # that were claimed
    first_claim_at: float | None = None
    cpu_at_first_claim_s: float = 0.0


T = TypeVar("T")
P = ParamSpec("P")


def time_calls(frontier: FrontierStore) -> Times:
    """Make the store's methods record how long they take and what they return."""
    times = Times()

    def note_claim(leases: list[Lease], *_: object) -> None:
        times.domains.update(lease.domain_id for lease in leases)
        if leases and times.first_claim_at is None:
            times.first_claim_at = time.time()
            times.cpu_at_first_claim_s = time.process_time()
            print(json.dumps({"first_claim_at": times.first_claim_at}), flush=True)

    def note_batch(settled: Settled, batch: Batch) -> None:
        times.pages.append(sum(len(work.visits) for work in batch.works))

    # Set on the object: the engine calls no other methods.
    setattr(frontier, "claim", _timed(frontier.claim, times.claim, note_claim))  # noqa: B010
    setattr(frontier, "load", _timed(frontier.load, times.load, lambda *_: None))  # noqa: B010
    setattr(frontier, "settle", _timed(frontier.settle, times.settle, note_batch))  # noqa: B010
    return times


def _timed(
    call: Callable[P, Awaitable[T]], seconds: list[float], note: Callable[..., None]
) -> Callable[P, Awaitable[T]]:
    async def timed(*arguments: P.args, **named: P.kwargs) -> T:
        started = time.perf_counter()
        result = await call(*arguments, **named)
        seconds.append(time.perf_counter() - started)
        note(result, *arguments)
        return result

    return timed


async def crawl(place: Place, web: SimulatedWeb, pages: int) -> dict[str, float]:
    configure_logging(place.folder / LOGS_NAME)
    name = str(uuid.uuid4())
    async with (
        find_backend(place).open_stores(place, SystemClock(), plan_memory(SETTINGS).store) as stores,
        SimulatedFetcher(web, pages, stores.clock) as fetcher,
    ):
        times = time_calls(stores.frontier)
        with Presence(place.folder / WORKERS_NAME, name) as presence:
            engine = Engine(
                uuid=name,
                settings=SETTINGS,
                stores=stores,
                services=EngineServices(
                    fetcher=fetcher, watch=presence, coordination=MemoryCoordination(stores.clock)
                ),
            )
            fetcher.on_last = partial(engine.stop, ends_run=True)
            await engine.crawl([])
            cpu_s = time.process_time() - times.cpu_at_first_claim_s
            overview_s = await _time_overview(engine)
        return _summarize(times, cpu_s, overview_s)


async def _time_overview(engine: Engine) -> float:
    """Measure what the live view queries twice a second."""
    started = time.perf_counter()
    await engine.look(at_store=True)
    return time.perf_counter() - started


def _summarize(times: Times, cpu_s: float, overview_s: float) -> dict[str, float]:
    pages = sum(times.pages)
    return {
        "pages": pages,
        "cpu_ms_per_page": 1000 * cpu_s / pages,
        "claim_ms_first": 1000 * times.claim[0],
        "claim_ms_median": 1000 * statistics.median(times.claim),
        "claim_ms_worst": 1000 * max(times.claim),
        "load_ms_median": 1000 * statistics.median(times.load),
        "settle_ms_per_page": 1000 * sum(times.settle) / pages,
        "pages_per_batch": pages / len(times.pages),
        "domains": len(times.domains),
        "overview_ms": 1000 * overview_s,
        "written_kb_per_page": _written_bytes() / 1000 / pages,
        "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6,
    }


def _written_bytes() -> int:
    """Bytes that this process has written to files."""
    lines = Path("/proc/self/io").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("wchar:")).split()[1])


if __name__ == "__main__":
    tune_memory()  # as `tenax crawl` does
    data, urls, pages, *store = sys.argv[1:]
    where = find_place(store[0] if store else None, Path(data))
    result = uvloop.run(crawl(where, SimulatedWeb(urls=int(urls)), int(pages)))
    print(json.dumps(result))
