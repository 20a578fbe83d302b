"""What the streams of events tell: the crawl's progress, the service's health, the numbers of the moment."""

from collections.abc import Sequence
from datetime import datetime

from pydantic import Field

from tenax.api.events.hub import NewEvent
from tenax.api.schemas import Schema
from tenax.clock import Instant
from tenax.job_records import SourceKind
from tenax.record import replace
from tenax.records import DomainStatus, RunState
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
    """A run has another state."""

    id: int
    state: RunState
    started_at: datetime
    ended_at: datetime | None
    pages: int
    requests: int
    wire_bytes: int
    source_id: int | None = Field(description="The source or crawl that it is a run of.")


class RunUnderWay(Schema):
    """A run that goes on, beside others."""

    id: int
    state: RunState = Field(description="Running, or paused by somebody.")
    started_at: datetime
    pages: int
    requests: int
    wire_bytes: int = Field(description="Body bytes as they were sent.")
    source_id: int | None = Field(description="The source or crawl that it is a run of.")
    source_name: str | None = Field(description="Its name; null: it is removed.")
    source_kind: SourceKind | None = Field(
        description="A source is defined and has jobs; a crawl is what a person starts by its name."
    )
    workers: int = Field(description="Workers of it that live.")
    pages_per_min: float = Field(description="Of all of them, over the last minute.")


class ProgressEvent(Schema):
    """Where the crawl stands."""

    at: datetime
    run: RunEvent | None = Field(description="The newest run.")
    runs: list[RunUnderWay] = Field(description="All that are under way or paused, the newest first.")
    runs_count: int = Field(description="How many these are; of more than 100, the newest are told.")
    workers: int = Field(description="Workers that live.")
    pages_per_min: float
    urls: int
    pages: int
    queued: int
    domains: int
    domains_queued: int = Field(description="Domains with urls that wait.")
    domains_resting: int = Field(description="Domains that are blocked or unreachable.")


class DomainEvent(Schema):
    """A domain has another status."""

    at: datetime
    domain: str
    from_status: DomainStatus
    to_status: DomainStatus
    cause: str
    detail: str


class MetricsEvent(Schema):
    """The numbers of the moment: over the last two minutes."""

    at: datetime
    pages_per_s: float
    requests_per_s: float
    bytes_per_s: float
    success_rate: float = Field(description="Share of visits that did not fail.")
    robots_denials: int
    statuses: dict[str, int] = Field(description="Answers by HTTP status.", examples=[{"200": 240, "404": 2}])
    failures: dict[str, int] = Field(description="Failed requests by kind.", examples=[{"timeout": 1}])
    queued: int
    workers: int


def _load_progress(place: Place, connection: Connection) -> CrawlProgress:
    signs, now = find_signs(place.folder / WORKERS_NAME), tell_store_time(place, connection)
    return replace(load_progress(connection, signs=signs, now=now), at=tell_time(place, connection))


class MetricsWatch:
    def __init__(self, place: Place, access: Access) -> None:
        self._place = place
        self._access = access

    async def look(self) -> Sequence[NewEvent]:
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


class CrawlerWatch:
    """Tells progress at every look; of runs and domains when their state has changed."""

    def __init__(self, place: Place, access: Access) -> None:
        self._place = place
        self._access = access
        self._states: dict[int, RunState] = {}
        self._move_id: int | None = None

    async def look(self) -> Sequence[NewEvent]:
        progress, runs, moves = await self._access.read(self._load)
        shown = ProgressEvent.model_validate(progress)
        return [
            *self._tell_runs(runs, progress.at),
            *self._tell_moves(moves),
            NewEvent(kind="progress", at=progress.at, data=shown),
        ]

    def _load(
        self, connection: Connection
    ) -> tuple[CrawlProgress, Sequence[RunProgress], Sequence[DomainMove]]:
        progress = _load_progress(self._place, connection)
        # Of those that were under way a moment ago, how they ended is news, too.
        numbers = {number for number, state in self._states.items() if state in GOES_ON}
        numbers |= {run.id for run in (progress.run, *progress.runs) if run is not None}
        return progress, list_states(connection, numbers), list_moves(connection, self._move_id)

    def _tell_runs(self, runs: Sequence[RunProgress], at: Instant) -> list[NewEvent]:
        earlier, self._states = self._states, {run.id: run.state for run in runs}
        changed = [run for run in runs if earlier.get(run.id) is not run.state]
        return [NewEvent(kind="run", at=at, data=RunEvent.model_validate(run)) for run in changed]

    def _tell_moves(self, moves: Sequence[DomainMove]) -> list[NewEvent]:
        is_first_look = self._move_id is None
        self._move_id = moves[-1].id if moves else self._move_id or 0
        if is_first_look:
            return []
        return [NewEvent(kind="domain", at=move.at, data=DomainEvent.model_validate(move)) for move in moves]
