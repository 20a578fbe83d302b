"""Crawls the simulated web with the real engine and store; only the network is simulated.

    python -m bench.frontier.simulate [--broad] DATA URLS PAGES [STORE]

The store is the file in DATA, or the database at STORE. Several processes on one store share a run.

Prints as JSON lines: the time of its first claim; when PAGES pages are fetched, the batches in which they
were settled, and their cost.
"""

import argparse
import json
import resource
import statistics
import time
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import ParamSpec, TypeVar

import uvloop

from bench.frontier.fetcher import SimulatedFetcher
from bench.frontier.web import SimulatedWeb
from tenax.blobs.local import LocalBlobs
from tenax.clock import SystemClock
from tenax.config.crawl import LimitSettings, ScopeKind, ScopeSettings
from tenax.config.settings import Settings
from tenax.config.worker import WorkerSettings
from tenax.coordination.memory import MemoryCoordination
from tenax.crawl.engine import Engine, EngineServices
from tenax.policy.memory import plan_memory
from tenax.records.domains import Lease
from tenax.runtime.backends import find_backend
from tenax.stores.contracts.batches import Batch, Settled
from tenax.stores.contracts.frontier import FrontierStore
from tenax.stores.layout import BODIES_NAME, LOGS_NAME, WORKERS_NAME
from tenax.stores.place import Place, find_place
from tenax.stores.presence import Presence
from tenax.telemetry import configure_logging
from tenax.workers.session import tune_memory

# A polite pace, one second per domain: without it the worker would only use the first hundred domains, whose
# rows it has already read, and the size of the store would not matter.
SETTINGS = Settings(scope=ScopeSettings(kind=ScopeKind.ANY), limits=LimitSettings(pages_per_domain=1_000_000))
# For the highest rate: at that pace, a worker needs as many domains as it is to fetch pages per second.
# They need memory, and shorter queues make room for more of them.
BROAD = SETTINGS.model_copy(update={"worker": WorkerSettings(concurrency=300, queue_head=16, memory_mb=600)})


@dataclass
class Times:
    """Seconds of wall time per call, including the time waiting for the store's thread or server."""

    claim: list[float] = field(default_factory=list)
    load: list[float] = field(default_factory=list)
    settle: list[float] = field(default_factory=list)
    batches: list[tuple[float, int]] = field(default_factory=list)  # when settled, pages
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
        times.batches.append((time.time(), sum(len(work.visits) for work in batch.works)))

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


async def crawl(place: Place, web: SimulatedWeb, pages: int, settings: Settings) -> dict[str, float]:
    configure_logging(place.folder / LOGS_NAME)
    name = str(uuid.uuid4())
    async with (
        find_backend(place).open_stores(place, SystemClock(), plan_memory(settings).store) as stores,
        SimulatedFetcher(web, pages, stores.clock) as fetcher,
    ):
        times = time_calls(stores.frontier)
        with Presence(place.folder / WORKERS_NAME, name) as presence:
            engine = Engine(
                uuid=name,
                settings=settings,
                stores=stores,
                services=EngineServices(
                    fetcher=fetcher,
                    watch=presence,
                    coordination=MemoryCoordination(stores.clock),
                    blobs=LocalBlobs(place.folder / BODIES_NAME),
                ),
            )
            fetcher.on_last = partial(engine.stop, ends_run=True)
            await engine.crawl([])
            cpu_s = time.process_time() - times.cpu_at_first_claim_s
            overview_s = await _time_overview(engine)
        print(json.dumps({"batches": times.batches}))
        return _summarize(times, cpu_s, overview_s)


async def _time_overview(engine: Engine) -> float:
    """Measure what the live view queries twice a second."""
    started = time.perf_counter()
    await engine.look(at_store=True)
    return time.perf_counter() - started


def _summarize(times: Times, cpu_s: float, overview_s: float) -> dict[str, float]:
    pages = sum(pages for _, pages in times.batches)
    assert times.first_claim_at is not None
    return {
        "pages": pages,
        "pages_per_s": pages / (times.batches[-1][0] - times.first_claim_at),
        "cpu_ms_per_page": 1000 * cpu_s / pages,
        "claim_ms_first": 1000 * times.claim[0],
        "claim_ms_median": 1000 * statistics.median(times.claim),
        "claim_ms_worst": 1000 * max(times.claim),
        "load_ms_median": 1000 * statistics.median(times.load),
        "settle_ms_per_page": 1000 * sum(times.settle) / pages,
        "pages_per_batch": pages / len(times.batches),
        "domains": len(times.domains),
        "overview_ms": 1000 * overview_s,
        "read_kb_per_page": _count_bytes("read_bytes") / 1000 / pages,
        "written_kb_per_page": _count_bytes("wchar") / 1000 / pages,
        "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6,
    }


def _count_bytes(name: str) -> int:
    """Bytes that this process has written to files, or read from disks."""
    lines = Path("/proc/self/io").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(f"{name}:")).split()[1])


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.frontier.simulate")
    parser.add_argument("--broad", action="store_true", help="hold as many domains as possible")
    parser.add_argument("data", type=Path)
    parser.add_argument("urls", type=int)
    parser.add_argument("pages", type=int)
    parser.add_argument("store", nargs="?")
    given = parser.parse_args()
    tune_memory()  # as `tenax crawl` does
    place = find_place(given.store, given.data)
    settings = BROAD if given.broad else SETTINGS
    print(json.dumps(uvloop.run(crawl(place, SimulatedWeb(urls=given.urls), given.pages, settings))))


if __name__ == "__main__":
    main()
