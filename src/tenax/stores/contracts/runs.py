"""The contract for runs and their workers."""

from collections.abc import Collection, Sequence
from typing import Protocol

from tenax.clock import Instant
from tenax.record import record
from tenax.records.jobs import NO_SOURCE
from tenax.records.requests import FailureKind
from tenax.records.runs import RunState
from tenax.records.urls import RefusalReason
from tenax.stores.contracts.takeover import DomainSharing, TakeoverResult
from tenax.stores.contracts.workers import DeadWorker

# A worker on another machine that is silent for this long is gone; its process is not visible here.
LOST_AFTER_S = 600.0


@record
class Run:
    id: int
    state: RunState
    started_at: Instant
    pages: int
    is_resumed: bool
    source_id: int = NO_SOURCE


@record
class LastRun:
    """A run as seen by a worker that may join it."""

    run: Run
    settings_json: str
    live_workers: int  # with a recent heartbeat
    can_claim: bool  # a domain is free at this moment
    is_sources: bool  # it belongs to a source, which may have headers of its own, not to a crawl


@record
class PageLinks:
    url_id: int
    depth: int
    links: tuple[str, ...]


@record
class Grant:
    """Pages of the run's budget that are reserved for a worker, and the state of the run."""

    pages: int  # 0: others have the rest, or it is used up
    run_pages: int  # of all workers of the run so far
    run_state: RunState


@record
class Reservation:
    run: Run
    is_opened: bool  # it was prepared and opened since


@record
class ResumeResult:
    """The result of resuming a run."""

    is_carried_out: bool
    state: RunState | None  # of the run now; None: there is no such run
    taking: TakeoverResult = TakeoverResult()


@record
class KnownPage:
    """A url that was visited, and where it leads."""

    url_id: int
    domain: str
    key: int
    leads_to: tuple[str, ...]  # the links of its page, or its redirect's target
    is_redirect: bool


class RunStore(Protocol):
    """The runs of one source or crawl; workers and their leases are shared by all."""

    async def open_run(self, settings_json: str, domains: Collection[str] = ()) -> Run:
        """Join the run that is running (also one whose process died) or paused, which then continues; or
        start a new one, which reopens domains that were parked for their budget. The domains are taken in the
        same transaction: see `take`."""
        ...

    async def resume(self, run_id: int) -> ResumeResult:
        """Resume a paused run, with its domains: see `take`. Raises DomainsBusy; the run then stays
        paused."""
        ...

    async def reserve_run(self, execution_id: int | None = None) -> Reservation | None:
        """Start a new run that is paused and has the settings of the last one, for a caller that prepares it
        before opening it; None: one is running or paused. Of two concurrent callers one gets it.
        `execution_id`: the execution it is for; if that has a run already, this run is returned."""
        ...

    async def withdraw(self, run_id: int) -> None:
        """Forget a run that was reserved and never opened. Repeating is safe."""
        ...

    async def take(self, domains: Collection[str] = ()) -> TakeoverResult:
        """Make this source the owner of these domains, also of those that others own; none given: the domains
        of the seeds that users named. Raises DomainsBusy, and takes none, if a run of their owner is running.
        Besides, all domains return that others have taken and that no run uses. What waits there for others
        is set aside, and what was set aside for this source is due again, unless it was visited meanwhile.
        Repeating is safe."""
        ...

    async def find_sharing(self) -> DomainSharing: ...

    async def find_pages(self, urls: Sequence[tuple[str, int]]) -> list[KnownPage]:
        """Those of these urls, given by domain and key, that were visited and lead somewhere."""
        ...

    async def list_open(self) -> list[LastRun]:
        """The runs of all sources that are running or paused, the oldest first."""
        ...

    async def find_state(self, run_id: int) -> RunState:
        """The current state. Writes nothing and waits for no lock."""
        ...

    async def end_run(self, run_id: int, state: RunState, worker_id: int) -> bool:
        """Take the worker out of the run, and close the run unless other live workers are active in it or it
        is paused; returns whether it is over. `state` PAUSED: the worker only leaves, even if the run
        continues by now. What is left of the source is recorded in the same transaction."""
        ...

    async def reopen_refused(self, reasons: Sequence[RefusalReason]) -> int:
        """Queue again what was refused for these reasons, as the rules have changed; returns how many."""
        ...

    async def reopen_skipped(self, content_types: Sequence[str]) -> int:
        """Queue again what was skipped for these types, as they are read now; returns how many. Repeating is
        safe."""
        ...

    async def reopen_dead(self, kinds: Sequence[FailureKind]) -> int:
        """Queue again what was given up for these reasons, as a limit was raised; returns how many. Repeating
        is safe."""
        ...

    async def stored_links(self, after_id: int, limit: int) -> list[PageLinks]:
        """The links of stored pages in the order of their url ids, for rules that have changed."""
        ...

    async def find_last(self) -> LastRun | None:
        """The newest run of this source; None: there was none yet."""
        ...

    async def add_worker(
        self, run_id: int, uuid: str, host: str, pid: int, lease_s: float, *, reopens: bool = True
    ) -> int | None:
        """Join a run, which is running from then on even if it was closed a moment ago. `reopens` False: a
        closed run stays closed. None: it is over, or a user has paused or cancelled it. Repeating is safe."""
        ...

    async def end_dead_workers(self, dead: Sequence[DeadWorker]) -> int:
        """Free what dead workers held, including granted pages; returns how many domains. Repeating is
        safe."""
        ...

    async def grant(self, worker_id: int, run_id: int, wanted: int, limit: int) -> Grant:
        """Reserve pages of the run's budget for the worker, atomically: settled pages and those reserved for
        live workers never exceed `limit`. The worker gets at most an equal part of the rest, and nothing once
        it was removed as dead. Unused pages return when it leaves or is removed."""
        ...

    async def return_pages(self, worker_id: int, pages: int) -> None:
        """Return granted pages that are not needed."""
        ...
