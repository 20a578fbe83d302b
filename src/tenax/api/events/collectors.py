"""Collects the events of the crawler and metrics streams, and defines their contents."""

from collections.abc import Sequence
from datetime import datetime

from pydantic import Field

from tenax.api.events.hub import NewEvent
from tenax.api.schemas import Schema
from tenax.clock import Instant
from tenax.record import replace
from tenax.records.domains import DomainStatus
from tenax.records.jobs import SourceKind
from tenax.records.runs import RunState
from tenax.stores.access import Access
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import tell_store_time, tell_time
from tenax.stores.hot.run_states import GOES_ON
from tenax.stores.hot.stats import StatsCounts, StatsInterval
from tenax.stores.layout import WORKERS_NAME
from tenax.stores.place import Place
from tenax.stores.presence import find_signs
from tenax.stores.queries.progress import (
    CrawlProgress,
    DomainMove,
    RunProgress,
    list_moves,
    list_states,
    load_progress,
)
from tenax.stores.queries.stats import load_since


class RunEvent(Schema):
    """The state of a run has changed."""

    id: int
    state: RunState
    started_at: datetime
    ended_at: datetime | None
    pages: int
    requests: int
    wire_bytes: int
    source_id: int | None = Field(description="The source or crawl that the run belongs to.")


class ActiveRun(Schema):
    """A run that is running or paused."""

    id: int
    state: RunState = Field(description="Running, or paused by a user.")
    started_at: datetime
    pages: int
    requests: int
    wire_bytes: int = Field(description="Body bytes as transferred.")
    source_id: int | None = Field(description="The source or crawl that the run belongs to.")
    source_name: str | None = Field(description="The name of the source or crawl; null: it was removed.")
    source_kind: SourceKind | None = Field(
        description="A source has a definition and jobs; a crawl is started by a user under a name."
    )
    workers: int = Field(description="Live workers of the run.")
    pages_per_min: float = Field(description="Pages per minute of all its workers, over the last minute.")


class ProgressEvent(Schema):
    """The progress of the crawl."""

    at: datetime
    run: RunEvent | None = Field(description="The newest run.")
    runs: list[ActiveRun] = Field(description="All running and paused runs, newest first.")
    runs_count: int = Field(
        description="The number of running and paused runs; `runs` has at most the newest 100."
    )
    workers: int = Field(description="Live workers.")
    pages_per_min: float
    urls: int
    pages: int
    queued: int
    domains: int
    domains_queued: int = Field(description="Domains with waiting URLs.")
    domains_resting: int = Field(description="Domains that are blocked or unreachable.")
    network_down_since: datetime | None = Field(
        description="Since when a worker has been waiting for the network of its machine; null: none is."
    )


class NetworkEvent(Schema):
    """Workers wait for the network of their machine, or no longer do."""

    at: datetime
    down_since: datetime | None = Field(description="null: the network is back.")


class DomainEvent(Schema):
    """The status of a domain has changed."""

    at: datetime
    domain: str
    from_status: DomainStatus
    to_status: DomainStatus
    cause: str
    detail: str


class MetricsEvent(Schema):
    """Current rates, over the last two minutes."""

    at: datetime
    pages_per_s: float
    requests_per_s: float
    bytes_per_s: float
    success_rate: float = Field(description="Share of visits that did not fail.")
    robots_denials: int
    statuses: dict[str, int] = Field(
        description="Responses by HTTP status.", examples=[{"200": 240, "404": 2}]
    )
    failures: dict[str, int] = Field(description="Failed requests by kind.", examples=[{"timeout": 1}])
    queued: int
    workers: int


def _load_progress(place: Place, connection: Connection) -> CrawlProgress:
    signs, now = find_signs(place.folder / WORKERS_NAME), tell_store_time(place, connection)
    return replace(load_progress(connection, signs=signs, now=now), at=tell_time(place, connection))


class MetricsEventCollector:
    def __init__(self, place: Place, access: Access) -> None:
        self._place = place
        self._access = access

    async def collect(self) -> Sequence[NewEvent]:
        progress, counts, length_s = await self._access.read(self._load)
        shown = MetricsEvent(
            at=progress.at,
            pages_per_s=counts.pages / length_s,
            requests_per_s=counts.requests / length_s,
            bytes_per_s=counts.wire_bytes / length_s,
            success_rate=1 - counts.failed / counts.visits if counts.visits else 1.0,
            robots_denials=counts.robots_denials,
            statuses=counts.statuses,
            failures=counts.failures,
            queued=progress.queued,
            workers=progress.workers,
        )
        return [NewEvent(kind="metrics", at=progress.at, data=shown)]

    def _load(self, connection: Connection) -> tuple[CrawlProgress, StatsCounts, float]:
        now = tell_time(self._place, connection)
        since = StatsInterval.MINUTE.find_start(now - StatsInterval.MINUTE)
        progress = _load_progress(self._place, connection)
        return progress, load_since(connection, since), now - since


class CrawlerEventCollector:
    """Reports progress every time, and runs and domains when their state has changed."""

    def __init__(self, place: Place, access: Access) -> None:
        self._place = place
        self._access = access
        self._states: dict[int, RunState] = {}
        self._move_id: int | None = None
        self._network_down_since: Instant | None = None

    async def collect(self) -> Sequence[NewEvent]:
        progress, runs, moves = await self._access.read(self._load)
        shown = ProgressEvent.model_validate(progress)
        return [
            *self._list_run_events(runs, progress.at),
            *self._list_domain_events(moves),
            *self._list_network_events(progress),
            NewEvent(kind="progress", at=progress.at, data=shown),
        ]

    def _load(
        self, connection: Connection
    ) -> tuple[CrawlProgress, Sequence[RunProgress], Sequence[DomainMove]]:
        progress = _load_progress(self._place, connection)
        # For runs that were active a moment ago, report how they ended, too.
        numbers = {number for number, state in self._states.items() if state in GOES_ON}
        numbers |= {run.id for run in (progress.run, *progress.runs) if run is not None}
        return progress, list_states(connection, numbers), list_moves(connection, self._move_id)

    def _list_run_events(self, runs: Sequence[RunProgress], at: Instant) -> list[NewEvent]:
        earlier, self._states = self._states, {run.id: run.state for run in runs}
        changed = [run for run in runs if earlier.get(run.id) is not run.state]
        return [NewEvent(kind="run", at=at, data=RunEvent.model_validate(run)) for run in changed]

    def _list_network_events(self, progress: CrawlProgress) -> list[NewEvent]:
        earlier, self._network_down_since = self._network_down_since, progress.network_down_since
        if (earlier is None) == (progress.network_down_since is None):
            return []
        shown = NetworkEvent.model_validate({"at": progress.at, "down_since": progress.network_down_since})
        return [NewEvent(kind="network", at=progress.at, data=shown)]

    def _list_domain_events(self, moves: Sequence[DomainMove]) -> list[NewEvent]:
        is_first_look = self._move_id is None
        self._move_id = moves[-1].id if moves else self._move_id or 0
        if is_first_look:
            return []
        return [NewEvent(kind="domain", at=move.at, data=DomainEvent.model_validate(move)) for move in moves]
