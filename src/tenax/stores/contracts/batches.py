"""What a worker hands over and gets back: leases, batches, releases."""

from array import array
from collections.abc import Mapping, Sequence

from tenax.clock import Instant
from tenax.config.crawl import SimilaritySettings
from tenax.config.refresh import RefreshSettings
from tenax.record import record
from tenax.records.bodies import BodyPlace
from tenax.records.domains import DomainState, Lease, RobotsRecord
from tenax.records.guesses import Learned
from tenax.records.requests import FailureKind
from tenax.records.runs import RunState
from tenax.records.traps import Trap
from tenax.records.urls import NewUrl, Target
from tenax.records.visits import Visit
from tenax.stores.contracts.vitals import Vitals


@record
class QueueHead:
    """The most wanted urls of a domain that are due, and when the next one will be."""

    targets: tuple[Target, ...]
    next_due_at: Instant | None  # of urls that are not due yet; None: there are none


@record
class LoadedDomain:
    """What a worker needs to know of a domain that it has just leased."""

    lease: Lease
    head: QueueHead
    robots: Sequence[RobotsRecord]
    known: "array[int] | None"  # keys of all its urls, ascending, 64 bits each; None: too many to hold
    traps: Sequence[Trap] = ()  # clusters of its urls that were found to bring little


@record
class RobotsVisit:
    """A request for a robots.txt and what is kept of the answer; or a copy that another worker fetched."""

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
    found: Sequence[NewUrl] = ()  # otherwise than on the pages of its visits
    has_classes: bool = False  # merge rules apply to it
    guessed: Sequence[NewUrl] = ()  # urls that no page names
    learned: Learned | None = None  # what is new about its lists and archives
    traps: Sequence[Trap] = ()  # clusters that have changed
    slowed: Sequence[int] = ()  # ids of waiting urls that come last from now on


@record
class Batch:
    number: int  # counts the batches of a worker from 1: shows whether it was settled before
    run_id: int
    worker_id: int
    lease_s: float
    works: Sequence[DomainWork]
    refresh: RefreshSettings = RefreshSettings()
    similarity: SimilaritySettings = SimilaritySettings()
    vitals: Vitals = Vitals()
    local_failures: int = 0  # requests that this machine could not make: no visits
    new_urls_per_s: int = 0  # that become due; 0: no limit
    has_parsers: bool = False  # of its run: what visits say of items is kept up to date
    places: Mapping[bytes, BodyPlace] | None = None  # of the bodies of its visits, by digest; None: no bodies


@record
class Settled:
    lost: frozenset[int]  # ids of domains with a stale fence: nothing was written for them
    run_pages: int  # of all workers of the run so far
    expires_at: Instant  # new expiry of the leases in the batch
    run_state: RunState
    share: int | None = (
        None  # domains that the worker may keep, as another one is hungry; None: no other one is
    )


@record
class Release:
    lease: Lease
    state: DomainState
    ready_at: Instant  # the earliest next request that politeness and breaker allow
    is_parked: bool = False  # its budget of this run is used up: not before the next run
