"""The contract for runs and their workers."""

from collections.abc import Collection, Sequence
from typing import Protocol

from tenax.clock import Instant
from tenax.job_records import NO_SOURCE
from tenax.record import record
from tenax.records import (
    FailureKind,
    RefusalReason,
    RunState,
)
from tenax.stores.contracts.takeover import DomainSharing, TakeoverResult
from tenax.stores.contracts.workers import DeadWorker

# A worker of another machine that is silent for so long is gone; nobody here can see its process.
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
    """A run as somebody sees it who may go on with it."""

    run: Run
    settings_json: str
    live_workers: int  # that were heard of lately
    can_claim: bool  # a domain is free at this moment
    is_sources: bool  # a source's, which may have headers of its own; not a crawl's


@record
class PageLinks:
    url_id: int
    depth: int
    links: tuple[str, ...]


@record
class Grant:
    """Pages of the run's budget that were set aside for a worker, and where the run stands."""

    pages: int  # 0: others have the rest, or it is used up
    run_pages: int  # of all workers of the run so far
    run_state: RunState


@record
class Reservation:
    run: Run
    is_opened: bool  # somebody has prepared everything and opened it since


@record
class ResumeResult:
    """What became of the order to let a run go on."""

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
    """The runs of one source or crawl; workers and what they hold are everybody's."""

    async def open_run(self, settings_json: str, domains: Collection[str] = ()) -> Run:
        """Join the run that is under way (also one whose process died) or paused, which goes on then; or
        start a new one, which reopens domains that were parked for their budget. In the same transaction the
        domains are taken: see `take`."""
        ...

    async def resume(self, run_id: int) -> ResumeResult:
        """Let a run that is paused go on, with its domains: see `take`. Raises DomainsBusy, and it stays
        paused then."""
        ...

    async def reserve_run(self, execution_id: int | None = None) -> Reservation | None:
        """Start a new run that is paused and ordered as the last one was, for somebody who has things to
        prepare before he opens it; None: one is under way or paused. Of two who try at once one gets it.
        `execution_id`: what it is for; if that has a run already, it is the one."""
        ...

    async def withdraw(self, run_id: int) -> None:
        """Forget a run that was reserved and never opened. Repeating is safe."""
        ...

    async def take(self, domains: Collection[str] = ()) -> TakeoverResult:
        """Have this source crawl these domains, also those that belong to others; none: those of its seeds
        that a person named. Raises DomainsBusy, and none is taken, if a run of theirs is under way. Besides,
        all domains come back that others have taken and nobody is at. What waits there for others is set
        aside, and what was set aside for this source is due again, unless it was visited meanwhile. Repeating
        is safe."""
        ...

    async def find_sharing(self) -> DomainSharing: ...

    async def find_pages(self, urls: Sequence[tuple[str, int]]) -> list[KnownPage]:
        """Those of these urls, named by domain and key, that were visited and lead somewhere."""
        ...

    async def list_open(self) -> list[LastRun]:
        """The runs of all sources that are under way or paused, the oldest first."""
        ...

    async def find_state(self, run_id: int) -> RunState:
        """A look that writes nothing and waits for nobody."""
        ...

    async def end_run(self, run_id: int, state: RunState, worker_id: int) -> bool:
        """The worker leaves the run, and closes it unless other live workers are at it or it is paused; says
        whether it is over. `state` PAUSED: the worker only leaves, also if the run goes on again by now. What
        is left of the source is noted in the same transaction."""
        ...

    async def reopen_refused(self, reasons: Sequence[RefusalReason]) -> int:
        """Queue again what was refused for these reasons, as the rules have changed; returns how many."""
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
        """Join a run, which is under way from then on even if it was closed a moment ago. `reopens` False:
        one that was closed stays so. None: it is over, or a person has paused or cancelled it. Repeating is
        safe."""
        ...

    async def bury(self, dead: Sequence[DeadWorker]) -> int:
        """Free what dead workers held, granted pages included; returns how many domains. Repeating is
        safe."""
        ...

    async def grant(self, worker_id: int, run_id: int, wanted: int, limit: int) -> Grant:
        """Set pages of the run's budget aside for the worker, atomically: what is settled and what is set
        aside for live workers never exceeds `limit`. It gets no more than an equal part of the rest, and
        nothing once it is buried. What it does not use comes back when it leaves or is buried."""
        ...

    async def return_pages(self, worker_id: int, pages: int) -> None:
        """Give back what was granted and is not needed."""
        ...
