"""Coordination within one process, for a crawl without Redis. Bounded, and gone when the process ends."""

from collections import OrderedDict, deque
from collections.abc import Sequence
from itertools import count
from typing import TypeVar

from tenax.clock import Clock
from tenax.coordination.base import CrawlEvent, Notice, UrlName, WorkerReport
from tenax.records.domains import Breaker, RobotsRecord
from tenax.records.requests import Addresses

K = TypeVar("K")
V = TypeVar("V")

ENTRIES = 10_000
EVENTS = 1000


class MemoryCoordination:
    is_shared = False
    trouble: str | None = None
    breaker = Breaker()

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._robots: OrderedDict[str, RobotsRecord] = OrderedDict()
        self._addresses: OrderedDict[str, Addresses] = OrderedDict()
        self._seen: OrderedDict[UrlName, None] = OrderedDict()
        self._reports: OrderedDict[str, WorkerReport] = OrderedDict()
        self._events: deque[CrawlEvent] = deque(maxlen=EVENTS)
        self._notices: deque[tuple[str, Notice]] = deque(maxlen=EVENTS)
        self._numbers = count(1)

    async def find_robots(self, origin: str) -> RobotsRecord | None:
        record = self._robots.get(origin)
        return record if record is not None and record.expires_at > self._clock.now() else None

    def save_robots(self, record: RobotsRecord) -> None:
        _keep(self._robots, record.origin, record)

    async def find_addresses(self, host: str) -> Addresses | None:
        found = self._addresses.get(host)
        return found if found is not None and found.expires_at > self._clock.now() else None

    def save_addresses(self, host: str, addresses: Addresses) -> None:
        _keep(self._addresses, host, addresses)

    async def find_seen(self, urls: Sequence[UrlName]) -> set[UrlName]:
        return {url for url in urls if url in self._seen}

    def remember(self, urls: Sequence[UrlName]) -> None:
        for url in urls:
            _keep(self._seen, url, None)

    def publish(self, report: WorkerReport) -> None:
        _keep(self._reports, report.worker, report)
        self._events.append(CrawlEvent(id=str(next(self._numbers)), report=report))

    async def list_reports(self, run_id: int) -> list[WorkerReport]:
        return [report for report in self._reports.values() if report.run_id == run_id]

    async def read_events(self, after: str | None, limit: int) -> list[CrawlEvent]:
        return [event for event in self._events if int(event.id) > int(after or 0)][:limit]

    def announce(self, notice: Notice) -> None:
        self._notices.append((str(next(self._numbers)), notice))

    async def read_notices(self, after: str | None, limit: int) -> list[tuple[str, Notice]]:
        return [each for each in self._notices if int(each[0]) > int(after or 0)][:limit]


def _keep(entries: OrderedDict[K, V], key: K, value: V) -> None:
    entries[key] = value
    entries.move_to_end(key)
    if len(entries) > ENTRIES:
        entries.popitem(last=False)
