"""Builders for the parts of a crawl that need no store and no network."""

from array import array
from collections.abc import Iterable
from types import TracebackType
from typing import Any, Self

from tenax.clock import Clock, Instant
from tenax.config.settings import Settings
from tenax.coordination.base import Coordination
from tenax.coordination.memory import MemoryCoordination
from tenax.crawl.domains.fair_share import FairShare
from tenax.crawl.domains.leased_domain import LeasedDomain
from tenax.crawl.domains.pool import Pool
from tenax.crawl.tally import WorkerTally
from tenax.crawl.visits.activity import Activity
from tenax.crawl.visits.context import RunContext, WorkerMemory
from tenax.crawl.visits.headroom import Headroom
from tenax.crawl.visits.page_budget import PageBudget
from tenax.crawl.visits.slots import Slots
from tenax.crawl.visits.unsettled import UnsettledVisits
from tenax.crawl.worker.heartbeat import Heartbeat
from tenax.fetch.base import Done
from tenax.fetch.watched import WatchedFetcher
from tenax.policy.memory import plan_memory
from tenax.record import replace
from tenax.records.domains import NO_RULES, DomainRules, DomainState, DomainStatus, Lease, RobotsRecord
from tenax.records.requests import Failure, FailureKind, Request, Response, Timings
from tenax.records.runs import RunState
from tenax.records.urls import Priority, Target
from tenax.stores.contracts.batches import LoadedDomain, QueueHead
from tenax.stores.contracts.runs import Run
from tenax.web.identity import url_key
from tests.support.clock import START

DOMAIN = "a.test"
HTML = {"content-type": "text/html; charset=utf-8"}


def make_target(url: str = "http://a.test/", **fields: Any) -> Target:
    known: dict[str, Any] = {
        "id": 1,
        "url": url,
        "key": url_key(url),
        "depth": 0,
        "priority": Priority.HIGH,
        "attempts": 0,
        "hops": 0,
        "crashes": 0,
        "is_seed": False,
        "etag": None,
        "last_modified": None,
        "content_hash": None,
    }
    return Target(**{**known, **fields})


def make_domain(
    *,
    state: DomainState | None = None,
    queue: Iterable[Target] = (),
    next_due_at: Instant | None = None,
    known: Iterable[int] | None = (),
    robots: Iterable[RobotsRecord] = (),
    settings: Settings | None = None,
    now: Instant = START,
    domain_id: int = 1,
    name: str = DOMAIN,
    rules: DomainRules = NO_RULES,
) -> LeasedDomain:
    lease = Lease(
        domain_id=domain_id,
        domain=name,
        version=1,
        expires_at=now + 60,
        state=state or DomainState(status=DomainStatus.ACTIVE),
        known_urls=0,
        rules=rules,
    )
    loaded = LoadedDomain(
        lease=lease,
        head=QueueHead(targets=tuple(queue), next_due_at=next_due_at),
        robots=list(robots),
        known=None if known is None else array("q", sorted(known)),
    )
    return LeasedDomain(loaded, settings or Settings(), now, 0.0)


def make_context(clock: Clock, settings: Settings | None = None, domains_bytes: int = 10**9) -> RunContext:
    settings = settings or Settings()
    return RunContext(
        run=Run(id=1, state=RunState.RUNNING, started_at=START, pages=0, is_resumed=False),
        worker_id=1,
        settings=settings,
        memory=replace(plan_memory(settings), domains=domains_bytes),
        watch=NoWatch(),
        clock=clock,
    )


def make_memory(clock: Clock, pool: Pool | None = None, settings: Settings | None = None) -> WorkerMemory:
    settings = settings or Settings()
    max_pages = settings.limits.max_pages
    return WorkerMemory(
        pool=pool or Pool(),
        unsettled=UnsettledVisits(settings.worker, 10**9, clock.now()),
        slots=Slots(10, 10**9, most_waiting=100),
        headroom=make_headroom(clock),
        fair_share=FairShare(max_pages),
        budget=PageBudget(max_pages, 0),
        tally=WorkerTally(),
        activity=Activity(),
    )


def make_heartbeat(
    clock: Clock,
    coordination: Coordination | None = None,
    fetcher: WatchedFetcher | None = None,
    activity: Activity | None = None,
) -> Heartbeat:
    return Heartbeat(
        coordination or MemoryCoordination(clock),
        make_headroom(clock),
        fetcher or WatchedFetcher(SilentFetcher(), clock),
        activity or Activity(),
        clock,
    )


class SilentFetcher:
    """A fetcher that breaks its promise: it never calls `done`, unless a test does."""

    capacity = 100
    in_flight = 0
    held_bytes = 0

    def __init__(self) -> None:
        self.started: list[tuple[Request, Done]] = []
        self.aborted: list[Done] = []
        self.names: str | None = None  # why no name server answers

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    def resize(self, requests: int) -> None: ...

    def pause(self) -> None: ...

    def resume(self) -> None: ...

    def start(self, request: Request, done: Done) -> None:
        self.started.append((request, done))

    def abort(self, done: Done) -> None:
        self.aborted.append(done)

    async def check_names(self, host: str) -> str | None:
        return self.names

    async def fetch(self, request: Request) -> Response | Failure:
        raise NotImplementedError


def make_headroom(clock: Clock, wanted: int = 10) -> Headroom:
    """Headroom of a machine with enough descriptors."""
    return Headroom(wanted, wanted, lambda limit: None, clock)


def make_response(status: int = 200, body: bytes = b"", **fields: Any) -> Response:
    headers: dict[str, str] = fields.pop("headers", HTML if body else {})
    known: dict[str, Any] = {
        "url": "http://a.test/",
        "status": status,
        "headers": headers,
        "body": body,
        "started_at": START,
        "timings": Timings(first_byte_s=0.25, total_s=0.5),
        "address": "192.0.2.1",
        "http_version": "1.1",
        "wire_bytes": len(body),
    }
    return Response(**{**known, **fields})


def make_failure(kind: FailureKind = FailureKind.TIMEOUT, **fields: Any) -> Failure:
    known: dict[str, Any] = {
        "kind": kind,
        "detail": f"the {kind} of a test",
        "is_transient": True,
        "started_at": START,
        "elapsed_s": 1.0,
    }
    return Failure(**{**known, **fields})


class NoWatch:
    """A presence that does nothing but record what was read."""

    def __init__(self) -> None:
        self.readings: list[int] = []

    def note_alive(self, now: Instant) -> None: ...

    def note_reading(self, url_id: int) -> None:
        self.readings.append(url_id)

    def note_exit(self, code: int) -> None: ...

    def find_dead(self) -> list[Any]:
        return []

    def forget(self, dead: Any) -> None: ...
