"""The contracts of the store. Every method is one transaction; a raised StoreError wrote nothing."""

from array import array
from collections.abc import Collection, Sequence
from typing import Protocol

from tenax.clock import Instant
from tenax.config import RefreshSettings
from tenax.job_records import NO_SOURCE
from tenax.record import record
from tenax.records import (
    NO_RULES,
    DomainRules,
    DomainState,
    FailureKind,
    Fate,
    Lease,
    NewUrl,
    RefusalReason,
    RobotsRecord,
    RunState,
    Target,
    Visit,
)
from tenax.stores.hot.leftovers import Leftover
from tenax.stores.hot.takeover import DomainOwner, DomainSharing, TakeoverResult
from tenax.stores.hot.vitals import Vitals

# A worker of another machine that is silent for so long is gone; nobody here can see its process.
LOST_AFTER_S = 600.0
# A domain that is free for so long is not wanted by those whose share it would be.
UNWANTED_AFTER_S = 2.0
# A worker with a little less than its share is left in peace: a domain that moves is loaded again.
HUNGRY_BELOW = 0.75


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
class DeadWorker:
    """A worker whose process is gone, and what it left behind."""

    uuid: str
    last_alive_at: Instant
    reading_url_id: int | None  # the url whose document it was reading when it died


@record
class QueueHead:
    """The most wanted urls of a domain that are due, and when the next one will be."""

    targets: tuple[Target, ...]
    next_due_at: Instant | None  # of what is not due yet; None: nothing


@record
class LoadedDomain:
    """What a worker needs of a domain that it has just leased."""

    lease: Lease
    head: QueueHead
    robots: Sequence[RobotsRecord]
    known: "array[int] | None"  # keys of all its urls, ascending, 64 bits each; None: too many to hold


@record
class RobotsVisit:
    """One request for a robots.txt, with what is to be kept of it; or a copy that another worker fetched."""

    record: RobotsRecord | None  # None: the answer was a redirect
    at: Instant
    duration_s: float
    wire_bytes: int
    status: int | None
    error: str | None
    made_request: bool = True  # False: only the record is kept, there was no visit
    dns_s: float = 0.0
    failure: FailureKind | None = None  # None: it was answered


@record
class DomainWork:
    """What a worker did in one domain since the last batch."""

    lease: Lease
    state: DomainState
    visits: Sequence[Visit] = ()
    robots: Sequence[RobotsVisit] = ()
    has_classes: bool = False  # merge rules hold in it


@record
class Batch:
    number: int  # rises from 1 with every batch of a worker: says whether it was settled before
    run_id: int
    worker_id: int
    lease_s: float
    works: Sequence[DomainWork]
    refresh: RefreshSettings = RefreshSettings()
    vitals: Vitals = Vitals()
    local_failures: int = 0  # requests that the worker's machine could not make: no visits, nobody's fault


@record
class Settled:
    lost: frozenset[int]  # domain ids whose fence was stale: nothing of theirs was written
    run_pages: int  # of all workers of the run so far
    expires_at: Instant  # new expiry of the leases in the batch
    run_state: RunState
    share: int | None = None  # domains the worker may keep, as another one is hungry; None: nobody is


@record
class Grant:
    """Pages of the run's budget that were set aside for a worker, and where the run stands."""

    pages: int  # 0: others have the rest, or it is used up
    run_pages: int  # of all workers of the run so far
    run_state: RunState


@record
class Release:
    lease: Lease
    state: DomainState
    ready_at: Instant  # the earliest next request that politeness and breaker allow
    is_parked: bool = False  # its budget of this run is used up: not before the next run


@record
class RemainingWork:
    """What is left for a run, seen from the store."""

    next_avail_at: Instant | None  # when the next domain can be claimed; None: no domain waits
    can_claim: bool  # that instant has come, by the store's clock
    is_leased_elsewhere: bool  # other live workers hold domains


@record
class NextDomain:
    """The domain that can be claimed next, and what it waits for."""

    domain: str
    avail_at: Instant
    backoff_until: Instant | None
    breaker_reopen_at: Instant | None
    claimed_by: int | None


@record
class ForeignTransaction:
    """Of another program, in the database of the store: it is old, or what it has locked is waited for."""

    session: str  # "process 123 (role, program)"
    is_blocking: bool
    age_s: float | None  # None: not to be seen


@record
class Overview:
    """The store in a few numbers, cheap enough to ask every second."""

    queued: int
    domains: int
    domains_blocked: int  # blocked or unreachable
    domains_queued: int  # with urls that wait
    politeness_s: float  # the longest queue x delay over the domains that may be asked
    slowest_domain: str | None  # whose queue that is
    next_waiting: NextDomain | None
    robots_failed: int = 0  # domains at rest because their robots.txt failed
    robots_until: Instant | None = None  # the latest end of such a rest
    foreign_transaction: ForeignTransaction | None = None  # the one that matters most


@record
class TroubledDomain:
    """A domain that holds urls back, and why."""

    domain: str
    queued: int
    reason: str
    until: Instant | None  # None: the next run, or a person
    is_for_good: bool = False  # blocked until a person unblocks it
    is_inactive: bool = False  # until a person makes it active again


@record
class Summary:
    """What a source has, for the end of a crawl. Counts every url: not for every second."""

    fates: dict[str, int]
    pages: int
    pages_there: int  # of the domains that were asked about
    leftover: Leftover
    troubled: tuple[TroubledDomain, ...]  # the largest queues first


class FrontierStore(Protocol):
    """The frontier of one source or crawl: its domains are what is claimed and counted."""

    async def add_urls(self, urls: Sequence[NewUrl], now: Instant) -> int:
        """Keep each url once, and seeds among them as seeds; returns how many were new, or wanted by others
        alone until now. What a person names, and no page, gets another try if it was given up or refused, or
        its domain was unreachable. A url of a domain that another source has waits until this one has it.
        Repeating is safe."""
        ...

    async def requeue(self, urls: Sequence[str]) -> int:
        """Have known urls of its domains visited again that have had their visit, before all that waits
        there; returns how many. A domain that is blocked or rests goes on doing so. Repeating is safe: what
        waits is not queued again."""
        ...

    async def claim(
        self, worker_id: int, run_id: int, limit: int, lease_s: float, site_gap_s: float | None = None
    ) -> list[Lease]:
        """Take up to `limit` domains that may be asked now, atomically. An expired lease of another
        worker counts as free; its domain then rests a full delay, as its last request is unknown.
        A worker that is not alone in its run gets no more than its share: of all domains that are held or
        may be claimed, the live workers may hold equally many; what nobody took for two seconds is free for
        all. One that gets none and holds less than three quarters of its share is hungry; the others hear of
        it by `Settled.share`.
        `site_gap_s`: the domains of a site share one pace. Of each site, one domain at most is held at any
        time, by whichever worker, and it is claimed so long after the last request to any other of them.
        Those of other sources do not count."""
        ...

    async def load(self, leases: Sequence[Lease], head_limit: int, known_limit: int) -> list[LoadedDomain]:
        """What the leased domains hold; `known_limit` bounds the keys over all of them."""
        ...

    async def heads(self, wanted: Sequence[tuple[int, int]]) -> list[QueueHead]:
        """The most wanted due urls for each (domain id, limit). Reads only: nothing marks a url as
        taken."""
        ...

    async def settle(self, batch: Batch) -> Settled:
        """Write the visits and everything that follows from them, and renew the leases. Domains with
        a stale fence are left out and named in `lost`. Fetched pages use up what was granted. Repeating is
        safe: a batch whose number the worker has settled before writes nothing and only renews the leases."""
        ...

    async def renew(
        self, worker_id: int, run_id: int, leases: Sequence[Lease], lease_s: float, vitals: Vitals = Vitals()
    ) -> Settled:
        """Prolong leases without results; also the worker's heartbeat."""
        ...

    async def release(self, releases: Sequence[Release]) -> None:
        """Give domains back. A stale fence is skipped silently: there is nothing to give back."""
        ...

    async def list_rules(self, worker_id: int) -> list[tuple[int, int, DomainRules]]:
        """Of the domains that the worker holds, those whose rules a person has ever changed: (domain id,
        version of the lease, rules). A look that writes nothing and waits for nobody."""
        ...

    async def horizon(self, worker_id: int) -> RemainingWork: ...

    async def has_untried(self, before: Instant) -> bool:
        """Whether a url waits whose last visit did not fail, in a domain that can be claimed by then."""
        ...

    async def overview(self, delay_s: float, pages_per_domain: int) -> Overview:
        """For progress and forecast; `delay_s` is the least delay, the cap bounds a domain's queue."""
        ...

    async def summarise(self, domains: Collection[str] = ()) -> Summary:
        """`domains`: whose pages are counted by themselves, too."""
        ...


@record
class RefreshBudget:
    """Of a refresh: how much it may take on."""

    domains: int
    per_domain: int  # urls of each domain
    limit: int  # urls in all
    idle_s: float  # when a domain without any plan is looked at again
    ahead_s: float = 0.0  # also what would come so much later


@record
class RefreshStep:
    """What a step has done."""

    urls: int  # that were queued
    domains: int  # that were looked at; 0: no other one is due


class RefreshStore(Protocol):
    async def promote(self, step: RefreshBudget) -> RefreshStep:
        """Queue the pages whose revisit has come, the longest due first: of domains that have nothing else to
        do and are held by nobody, the most rewarding first. Repeating is safe, also at once: what is queued
        is not queued again."""
        ...


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


@record
class UrlRow:
    """A known url as it stands in the store."""

    id: int
    url: str
    fate: Fate
    reason: str | None
    detail: str | None
    to_url: str | None
    depth: int
    priority: int
    attempts: int
    crashes: int
    is_seed: bool
    status: int | None
    due_at: Instant | None
    revisit_at: Instant | None
    unchanged_count: int
    misses: int
    discovered_at: Instant
    fetched_at: Instant | None
    discovered_from: str | None  # the url of the page that named it
    title: str | None
    has_page: bool  # what was fetched is stored
    twin: str | None  # another url of its domain that counts as a page and has the same text
    ahead: int  # urls of its domain that are wanted more

    @property
    def is_aside(self) -> bool:
        """It waits, though not for those who have its domain now."""
        return self.due_at is None and self.fate in (Fate.QUEUED, Fate.RETRYING)


@record
class DomainRow:
    """A known domain, and who holds it."""

    name: str
    state: DomainState
    queued: int
    avail_at: Instant | None
    claim_expires_at: Instant | None
    claimed_by: str | None  # "process 123 on host", None: nobody
    last_run_id: int | None
    rules: DomainRules = NO_RULES
    rules_by: str | None = None  # who changed them last; None: nobody ever did
    rules_at: Instant | None = None


@record
class UrlHistory:
    """Everything the store knows about a url."""

    url: UrlRow | None
    domain: DomainRow | None
    robots: RobotsRecord | None  # of the url's origin
    run_id: int | None  # the newest run of the source that the domain belongs to
    run_state: RunState | None
    settings_json: str | None
    source_id: int
    owner: str | None = None  # who has the domain: "crawl docs"; None: nobody
    # for whom the url is set aside: those who may go on with it, and how
    waits_for: tuple[DomainOwner, ...] = ()


class LookupStore(Protocol):
    async def find_history(self, *, domain: str, key: int, origin: str) -> UrlHistory:
        """A consistent view of one url, dated by the calendar; its parts are None where nothing is known."""
        ...


class SignOfLife(Protocol):
    """A worker's signs of life. What it notes outlives the process, for those who find it dead."""

    def note_alive(self, now: Instant) -> None: ...

    def note_reading(self, url_id: int) -> None:
        """The url whose document is being read; 0: none."""
        ...

    def find_dead(self) -> list[DeadWorker]:
        """Workers of this machine whose process is gone and that nobody has buried yet."""
        ...

    def forget(self, dead: DeadWorker) -> None:
        """It is buried: do not find it again."""
        ...
