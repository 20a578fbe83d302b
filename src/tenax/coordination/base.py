"""The contract of what workers share. All of it may vanish at any moment, and nothing waits for it long.

Whoever asks gets an answer within the service's deadline, and "don't know" when there is none. What is saved
or published is on its way when the call returns, and may get lost.
"""

from collections.abc import Sequence
from typing import Protocol

from tenax.clock import Instant
from tenax.record import record
from tenax.records.domains import Breaker, RobotsRecord
from tenax.records.requests import Addresses

UrlName = tuple[str, int]  # domain and key: what the store knows a url by


@record
class WorkerReport:
    """What a worker last said of itself. Counters are totals, so that a repeated report changes nothing."""

    worker: str  # uuid
    run_id: int
    at: Instant
    pages: int
    requests: int
    wire_bytes: int
    pages_per_s: float
    in_flight: int
    outcomes: dict[str, int]
    waiting_for: str | None


@record
class CrawlEvent:
    id: str  # ids grow; give the last one back to read on from there
    report: WorkerReport


@record
class Notice:
    """Something has changed in the store that others may want to know at once. Whoever misses it finds it in
    the store."""

    kind: str  # noun and past participle: source.enabled
    number: int  # of what has changed
    name: str
    at: Instant


class RobotsCache(Protocol):
    async def find_robots(self, origin: str) -> RobotsRecord | None:
        """A copy that has not expired, as whoever fetched it saved it; None: ask the origin."""
        ...

    def save_robots(self, record: RobotsRecord) -> None:
        """Only for answers that may be relied upon: `error` is None. Repeating is safe."""
        ...


class SeenFilter(Protocol):
    """Names of urls that the store is known to hold. A missing one means nothing: the store decides."""

    async def find_seen(self, urls: Sequence[UrlName]) -> set[UrlName]:
        """Those of the urls that the store holds for certain."""
        ...

    def remember(self, urls: Sequence[UrlName]) -> None:
        """The store holds these: to be called after the commit only. Repeating is safe."""
        ...


class Coordination(RobotsCache, SeenFilter, Protocol):
    """Of one process, on one loop."""

    @property
    def is_shared(self) -> bool:
        """False: nobody else sees it, so it knows nothing that its only user does not know already."""
        ...

    @property
    def trouble(self) -> str | None:
        """One sentence while the service does not do its part; None: it does."""
        ...

    @property
    def breaker(self) -> Breaker:
        """Of the service: closed while it is asked."""
        ...

    async def find_addresses(self, host: str) -> Addresses | None:
        """What another worker has looked up; None: ask the name servers."""
        ...

    def save_addresses(self, host: str, addresses: Addresses) -> None: ...

    def publish(self, report: WorkerReport) -> None:
        """Replaces the worker's last report, and is an event."""
        ...

    async def list_reports(self, run_id: int) -> list[WorkerReport]:
        """The last one of every worker that has spoken in the run; their instants say how long ago."""
        ...

    async def read_events(self, after: str | None, limit: int) -> list[CrawlEvent]:
        """The oldest events that came after this id; None: from the oldest that is kept."""
        ...

    def announce(self, notice: Notice) -> None:
        """To be called after the commit only. Repeating is safe."""
        ...

    async def read_notices(self, after: str | None, limit: int) -> list[tuple[str, Notice]]:
        """The oldest that came after this id, with their ids; None: from the oldest that is kept."""
        ...
