"""What a worker hands over and gets back: leases, batches, releases."""

from array import array
from collections.abc import Sequence

from tenax.clock import Instant
from tenax.config import RefreshSettings
from tenax.record import record
from tenax.records import (
    DomainState,
    FailureKind,
    Lease,
    RobotsRecord,
    RunState,
    Target,
    Visit,
)
from tenax.stores.contracts.vitals import Vitals


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
class Release:
    lease: Lease
    state: DomainState
    ready_at: Instant  # the earliest next request that politeness and breaker allow
    is_parked: bool = False  # its budget of this run is used up: not before the next run
