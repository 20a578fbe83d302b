"""The contract of what workers share. All of it may vanish at any moment, and nothing waits for it long.

Queries return within the service's deadline, with "unknown" when there is no answer. What is saved or
published is on its way when the call returns, and may be lost.
"""

from collections.abc import Sequence
from typing import Protocol

from tenax.clock import Instant
from tenax.record import record
from tenax.records.domains import Breaker, RobotsRecord
from tenax.records.requests import Addresses

UrlName = tuple[str, int]  # domain and key: what identifies a url in the store


@record
class WorkerReport:
    """The latest report of a worker. Counters are totals, so repeating a report changes nothing."""

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
    id: str  # ids increase; pass the last one to continue from there
    report: WorkerReport


@record
class Notice:
    """A change in the store that others may want to know at once. A process that misses it finds it in the
    store."""

    kind: str  # noun and past participle: source.enabled
    number: int  # the id of what has changed
    name: str
    at: Instant


class RobotsCache(Protocol):
    async def find_robots(self, origin: str) -> RobotsRecord | None:
        """A copy that has not expired, as saved by the worker that fetched it; None: request it from the
        origin."""
        ...

    def save_robots(self, record: RobotsRecord) -> None:
        """Save a usable answer: `error` is None. Repeating is safe."""
        ...


class SeenFilter(Protocol):
    """Urls known to be in the store. A missing url means nothing: the store decides."""

    async def find_seen(self, urls: Sequence[UrlName]) -> set[UrlName]:
        """The given urls that are certainly in the store."""
        ...

    def remember(self, urls: Sequence[UrlName]) -> None:
        """Add urls that are in the store. Call only after the commit. Repeating is safe."""
        ...


class Coordination(RobotsCache, SeenFilter, Protocol):
    """Belongs to one process and one event loop."""

    @property
    def is_shared(self) -> bool:
        """False: no other process uses it, so it holds nothing that its only user does not already know."""
        ...

    @property
    def trouble(self) -> str | None:
        """One sentence while the service is not working; None: it works."""
        ...

    @property
    def breaker(self) -> Breaker:
        """The circuit breaker of the service; closed while the service is used."""
        ...

    async def find_addresses(self, host: str) -> Addresses | None:
        """Addresses that another worker has looked up; None: query the name servers."""
        ...

    def save_addresses(self, host: str, addresses: Addresses) -> None: ...

    def publish(self, report: WorkerReport) -> None:
        """Replace the worker's last report and add an event."""
        ...

    async def list_reports(self, run_id: int) -> list[WorkerReport]:
        """The latest report of every worker that has reported in the run; `at` says when."""
        ...

    async def read_events(self, after: str | None, limit: int) -> list[CrawlEvent]:
        """The oldest events after this id; None: from the oldest one kept."""
        ...

    def announce(self, notice: Notice) -> None:
        """Announce a change. Call only after the commit. Repeating is safe."""
        ...

    async def read_notices(self, after: str | None, limit: int) -> list[tuple[str, Notice]]:
        """The oldest notices after this id, with their ids; None: from the oldest one kept."""
        ...
