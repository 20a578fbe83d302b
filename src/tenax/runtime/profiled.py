"""Puts the timers of a profile around the functions of a worker.

They replace functions while a profile is wanted, so that the code they measure does not know of them and pays
nothing for them otherwise.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator
from time import perf_counter
from typing import Any

from tenax import profiling
from tenax.background import in_background
from tenax.crawl.reading import page
from tenax.crawl.visits import apart, pages
from tenax.crawl.visits.admission import Admission
from tenax.crawl.visits.pages import PageBuilder
from tenax.crawl.visits.robots_fetch import RobotsFetch
from tenax.crawl.visits.runner import VisitRunner
from tenax.crawl.worker.loop import ALIVE_EVERY_S, Worker
from tenax.crawl.worker.store_sync import StoreSync
from tenax.fetch.curl import CurlFetcher
from tenax.fetch.multi import LoopMulti
from tenax.fetch.poller import EpollPoller
from tenax.profiling import Profiler
from tenax.records.runs import RunState
from tenax.stores.postgres.frontier import frontier as postgres
from tenax.stores.sqlite.frontier import frontier as sqlite
from tenax.web import documents

# Class or module, the name of a function in it, and what its time is counted as.
Place = tuple[Any, str, str]

# They run on the event loop and do not wait.
STAGES: tuple[Place, ...] = (
    (EpollPoller, "_poll", "fetch"),
    (LoopMulti, "_act", "fetch"),
    (CurlFetcher, "start", "fetch"),
    (CurlFetcher, "_looked_up", "fetch"),
    (CurlFetcher, "_deliver", "fetch"),
    (RobotsFetch, "fetch", "robots"),
    (RobotsFetch, "_on_answer", "robots"),
    (Worker, "_pump", "schedule"),
    (VisitRunner, "_on_answer", "outcome"),
    (PageBuilder, "read", "read"),
    (documents, "make_safe", "read.markup"),
    (page, "parse_document", "read.parse"),
    (page, "find_links", "read.links"),
    (page, "find_images", "read.images"),
    (page, "extract_page", "read.text"),
    (Admission, "admit", "admit"),
    (Admission, "admit_images", "admit"),
    (pages, "pack_page", "pack"),
    # SQLite writes rows on the loop.
    (sqlite, "claim_domains", "store.claim"),
    (sqlite, "settle_batch", "store.settle"),
    (sqlite, "renew_leases", "store.renew"),
    (sqlite, "release_domains", "store.release"),
)
# They run on the event loop and wait.
COROUTINES: tuple[Place, ...] = (
    (StoreSync, "claim", "claim"),
    (StoreSync, "refill", "refill"),
    (StoreSync, "settle", "settle"),
    (StoreSync, "renew", "renew"),
    (StoreSync, "release", "release"),
    (StoreSync, "grant", "grant"),
    (StoreSync, "check_run", "check"),
    (StoreSync, "check_rules", "check"),
    (PageBuilder, "read_apart", "read.apart"),
    (apart, "read_with_parsers", "read.parsers"),
    (postgres, "claim_domains", "store.claim"),
    (postgres, "load_domains", "store.load"),
    (postgres, "load_heads", "store.refill"),
    (postgres, "settle_batch", "store.settle"),
    (postgres, "renew_leases", "store.renew"),
    (postgres, "release_domains", "store.release"),
)
# They run in another thread.
OPERATIONS: tuple[Place, ...] = (
    (sqlite, "load_domains", "store.load"),
    (sqlite, "load_head", "store.refill"),
)


@contextlib.contextmanager
def measuring(*, is_wanted: bool) -> Iterator[Profiler | None]:
    """Time what workers in this process do inside the block. Yields None if no profile is wanted."""
    if not is_wanted:
        yield None
        return
    profiler = Profiler()
    with contextlib.ExitStack() as undo, profiling.activated(profiler):
        for places, put_around in (
            (STAGES, profiler.time_stage),
            (COROUTINES, profiler.time_coroutine),
            (OPERATIONS, profiler.time_operation),
        ):
            for owner, name, counted_as in places:
                _replace(undo, owner, name, put_around(counted_as, getattr(owner, name)))
        _replace(undo, Worker, "run", _watch(profiler, Worker.run))
        yield profiler


def _replace(undo: contextlib.ExitStack, owner: Any, name: str, function: Callable[..., Any]) -> None:
    undo.callback(setattr, owner, name, getattr(owner, name))
    setattr(owner, name, function)


def _watch(
    profiler: Profiler, run: Callable[[Worker], Awaitable[RunState]]
) -> Callable[[Worker], Awaitable[RunState]]:
    async def run_watched(worker: Worker) -> RunState:
        profiler.begin()
        try:
            async with in_background(_sample(profiler, worker)):
                return await run(worker)
        finally:
            profiler.end()

    return run_watched


async def _sample(profiler: Profiler, worker: Worker) -> None:
    """Look at the requests in flight as often as the worker shows that it is alive."""
    last = perf_counter()
    while True:
        await asyncio.sleep(ALIVE_EVERY_S)
        now = perf_counter()
        profiler.sample(worker.in_flight, now - last)
        last = now
