"""Crawls the imagined web in the store of DATA with the engine itself; only the network is imagined.

    python -m bench.frontier.simulate DATA URLS PAGES

Prints the moment of its first claim, and, when that many pages are fetched, what they cost: JSON lines.
"""

import asyncio
import json
import re
import resource
import statistics
import sys
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Self

import uvloop

from bench.frontier.web import ImaginedWeb
from tenax.cli.session import calm_collector
from tenax.clock import SystemClock
from tenax.config import LimitSettings, ScopeKind, ScopeSettings, Settings
from tenax.crawl.engine import Engine
from tenax.fetch.base import Done
from tenax.records import Failure, Lease, Request, Response, Timings
from tenax.stores.base import Batch, LoadedDomain, Settled
from tenax.stores.layout import LOGS_NAME, STORE_NAME, WORKERS_NAME
from tenax.stores.presence import Presence
from tenax.stores.sqlite.database import Database
from tenax.stores.sqlite.frontier import SqliteFrontier
from tenax.stores.sqlite.runs import SqliteRuns
from tenax.telemetry import configure_logging

# A polite pace, one second per domain: without it the worker would be content with the first hundred
# domains, whose rows it has read already, and size would not matter.
SETTINGS = Settings(scope=ScopeSettings(kind=ScopeKind.ANY), limits=LimitSettings(pages_per_domain=1_000_000))
_NUMBERS = re.compile(r"site-(\d+)\.example/.*-(\d+)\.html$")
_HEADERS = {"content-type": "text/html; charset=utf-8"}


class ImaginedFetcher:
    """Answers at once, on the loop's next turn."""

    def __init__(self, web: ImaginedWeb, pages: int) -> None:
        self._web = web
        self._pages_left = pages
        self._random = Random(1)
        self._clock = SystemClock()
        self._loop = asyncio.get_running_loop()
        self.in_flight = 0
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
        assert found, f"not of the imagined web: {request.url}"
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
    """Seconds of wall time per call, waiting for the store's thread included."""

    claim: list[float] = field(default_factory=list)
    load: list[float] = field(default_factory=list)
    settle: list[float] = field(default_factory=list)
    pages: list[int] = field(default_factory=list)  # per settled batch
    domains: set[int] = field(default_factory=set)  # that were claimed
    first_claim_at: float | None = None
    cpu_at_first_claim_s: float = 0.0


class TimedFrontier(SqliteFrontier):
    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.times = Times()

    async def claim(self, worker_id: int, run_id: int, limit: int, lease_s: float) -> list[Lease]:
        started = time.perf_counter()
        leases = await super().claim(worker_id, run_id, limit, lease_s)
        self.times.claim.append(time.perf_counter() - started)
        self.times.domains.update(lease.domain_id for lease in leases)
        if leases and self.times.first_claim_at is None:
            self.times.first_claim_at = time.time()
            self.times.cpu_at_first_claim_s = time.process_time()
            print(json.dumps({"first_claim_at": self.times.first_claim_at}), flush=True)
        return leases

    async def load(self, leases: Sequence[Lease], head_limit: int, known_limit: int) -> list[LoadedDomain]:
        started = time.perf_counter()
        loaded = await super().load(leases, head_limit, known_limit)
        self.times.load.append(time.perf_counter() - started)
        return loaded

    async def settle(self, batch: Batch) -> Settled:
        started = time.perf_counter()
        settled = await super().settle(batch)
        self.times.settle.append(time.perf_counter() - started)
        self.times.pages.append(sum(len(work.visits) for work in batch.works))
        return settled


async def crawl(data: Path, web: ImaginedWeb, pages: int) -> dict[str, float]:
    clock = SystemClock()
    configure_logging(data / LOGS_NAME)
    name = str(uuid.uuid4())
    async with Database(data / STORE_NAME, clock) as database, ImaginedFetcher(web, pages) as fetcher:
        frontier = TimedFrontier(database)
        with Presence(data / WORKERS_NAME, name) as presence:
            engine = Engine(
                uuid=name,
                settings=SETTINGS,
                frontier=frontier,
                runs=SqliteRuns(database),
                fetcher=fetcher,
                watch=presence,
                clock=clock,
            )
            fetcher.on_last = engine.stop
            await engine.crawl([])
            cpu_s = time.process_time() - frontier.times.cpu_at_first_claim_s
            overview_s = await _time_overview(engine)
        return _summarise(frontier.times, cpu_s, overview_s)


async def _time_overview(engine: Engine) -> float:
    """What the live view asks for twice a second."""
    started = time.perf_counter()
    await engine.look(at_store=True)
    return time.perf_counter() - started


def _summarise(times: Times, cpu_s: float, overview_s: float) -> dict[str, float]:
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
        "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6,
    }


if __name__ == "__main__":
    calm_collector()  # as `tenax crawl` does
    result = uvloop.run(crawl(Path(sys.argv[1]), ImaginedWeb(urls=int(sys.argv[2])), int(sys.argv[3])))
    print(json.dumps(result))
