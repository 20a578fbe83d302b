"""A store under test, what a worker does with it without the web, and checks of its counters."""

import uuid
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from typing import Any

from xxhash import xxh3_64_intdigest

from tenax.clock import Clock, Instant
from tenax.config.crawl import SimilaritySettings
from tenax.records.domains import DomainState, DomainStatus, Lease
from tenax.records.pages import NewImage, Outside, PageContent, PageImage, PageLink
from tenax.records.requests import FailureKind
from tenax.records.urls import FoundBy, NewUrl, Priority, Target
from tenax.records.visits import Failed, Fetched, Merged, Outcome, Refused, Trapped, Visit
from tenax.stores.backend import Stores
from tenax.stores.contracts.batches import Batch, DomainWork, QueueHead, Release, RobotsVisit, Settled
from tenax.stores.contracts.domains import DomainStore
from tenax.stores.contracts.frontier import FrontierStore
from tenax.stores.contracts.merging import MergeStore
from tenax.stores.contracts.refresh import RefreshStore
from tenax.stores.contracts.runs import RunStore
from tenax.stores.contracts.seeds import SeedStore
from tenax.stores.contracts.sitemaps import SitemapStore
from tenax.stores.hot.domains import TRUTHS
from tenax.stores.hot.packing import pack_page
from tenax.stores.place import Place
from tenax.web.identity import url_key
from tenax.web.urls import domain_of

LEASE_S = 60.0
ACTIVE = DomainState(status=DomainStatus.ACTIVE)

Rows = list[tuple[Any, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreUnderTest:
    """A backend. `query` reads its tables directly, `connect` joins as another process that stays until the
    test ends; `join` is for one that leaves earlier or has its own loop."""

    place: Place
    frontier: FrontierStore
    runs: RunStore
    refresh: RefreshStore
    merges: MergeStore
    domains: DomainStore
    seeds: SeedStore
    sitemaps: SitemapStore
    of_source: Callable[[int], Stores]  # the same store, for the runs of a source
    query: Callable[[str], Rows]
    connect: Callable[[], Awaitable["StoreUnderTest"]]
    join: "Join"
    broken: Callable[[str, str], AbstractContextManager[None]]  # (INSERT | UPDATE, table): fails meanwhile


Join = Callable[[], AbstractAsyncContextManager[StoreUnderTest]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedStore:
    """A store that other processes open by themselves."""

    place: Place
    query: Callable[[str], Rows]

    def check_file(self) -> None:
        """Do nothing: the files of a server are not checked."""
        if self.place.url is None:
            assert self.query("PRAGMA integrity_check") == [("ok",)]


class StoreWorker:
    """What a worker does with the store."""

    def __init__(self, frontier: FrontierStore, runs: RunStore, clock: Clock) -> None:
        self.frontier = frontier
        self.runs = runs
        self.clock = clock
        self.uuid = ""
        self.run_id = 0
        self.id = 0
        self.batches = 0

    async def start(self) -> "StoreWorker":
        self.uuid = str(uuid.uuid4())
        self.run_id = (await self.runs.open_run("{}")).id
        added = await self.runs.add_worker(self.run_id, self.uuid, "localhost", 1, LEASE_S)
        assert added is not None
        self.id = added
        return self

    async def add(self, *urls: str, priority: Priority = Priority.MEDIUM) -> int:
        found = [new_url(url, priority=priority) for url in urls]
        return await self.frontier.add_urls(found, self.clock.now())

    async def add_seeds(self, *urls: str) -> int:
        return await self.frontier.add_urls([new_url(url, is_seed=True) for url in urls], self.clock.now())

    async def claim(self, limit: int = 100) -> list[Lease]:
        return await self.frontier.claim(self.id, self.run_id, limit, LEASE_S)

    async def claim_one(self) -> Lease:
        (lease,) = await self.claim(1)
        return lease

    async def head(self, lease: Lease, limit: int = 100) -> QueueHead:
        (head,) = await self.frontier.heads([(lease.domain_id, limit)])
        return head

    async def settle(self, *works: DomainWork) -> Settled:
        return await self.frontier.settle(self.make_batch(*works))

    def make_batch(self, *works: DomainWork) -> Batch:
        self.batches += 1
        return Batch(
            number=self.batches,
            run_id=self.run_id,
            worker_id=self.id,
            lease_s=LEASE_S,
            works=works,
            similarity=SimilaritySettings(enabled=True),
        )

    async def settle_visits(
        self, lease: Lease, visits: Sequence[Visit], *, state: DomainState = ACTIVE
    ) -> Settled:
        return await self.settle(DomainWork(lease=lease, state=state, visits=visits))

    async def settle_robots(self, lease: Lease, *robots: RobotsVisit) -> Settled:
        return await self.settle(DomainWork(lease=lease, state=ACTIVE, robots=robots))

    async def release(
        self,
        lease: Lease,
        *,
        ready_at: Instant | None = None,
        is_parked: bool = False,
        state: DomainState = ACTIVE,
    ) -> None:
        ready_at = self.clock.now() if ready_at is None else ready_at
        await self.frontier.release(
            [Release(lease=lease, state=state, ready_at=ready_at, is_parked=is_parked)]
        )

    async def visit_next(
        self, lease: Lease, outcome: Outcome, *, discovered: Sequence[NewUrl] = (), wire_bytes: int = 100
    ) -> Target:
        """Take the first url of the domain's queue and settle it with this outcome."""
        target = (await self.head(lease)).targets[0]
        visit = make_visit(target, outcome, at=self.clock.now(), discovered=discovered, wire_bytes=wire_bytes)
        await self.settle_visits(lease, [visit])
        return target


def new_url(
    url: str,
    *,
    depth: int = 1,
    priority: Priority = Priority.MEDIUM,
    is_seed: bool = False,
    discovered_from: int | None = None,
) -> NewUrl:
    return NewUrl(
        url=url,
        key=url_key(url),
        domain=domain_of(url),
        depth=depth,
        priority=priority,
        is_seed=is_seed,
        discovered_from=discovered_from,
    )


def make_visit(
    target: Target,
    outcome: Outcome,
    *,
    at: Instant,
    discovered: Sequence[NewUrl] = (),
    wire_bytes: int = 100,
    duration_s: float = 0.25,
) -> Visit:
    """A visit that made a request, unless it was refused, merged or trapped."""
    made_request = not isinstance(outcome, Refused | Merged | Trapped)
    return Visit(
        target=target,
        outcome=outcome,
        at=at,
        duration_s=duration_s,
        wire_bytes=wire_bytes if made_request else 0,
        made_request=made_request,
        discovered=tuple(discovered),
    )


def hash_text(text: str) -> int:
    digest = xxh3_64_intdigest(text.encode("utf-8", "surrogatepass"))
    return digest - (1 << 64) if digest >> 63 else digest


def make_fetched(
    text: str = "short",
    *,
    canonical: str | None = None,
    links: Sequence[PageLink] = (),
    images: Sequence[PageImage] = (),
    title: str | None = "A title",
    etag: str | None = '"e1"',
    is_login_form: bool = False,
    outside: Sequence[Outside] = (),
    simhash: int | None = None,
    markdown: str | None = None,
) -> Fetched:
    page = PageContent(
        title=title,
        description="A description",
        canonical=canonical,
        language="en",
        charset="utf-8",
        text=text,
        content_hash=hash_text(text),
        simhash=simhash,
        markdown=markdown,
    )
    return Fetched(
        page=pack_page(page, links, images),
        status=200,
        content_type="text/html",
        etag=etag,
        last_modified="Tue, 01 Jul 2025 00:00:00 GMT",
        body_bytes=len(text),
        is_login_form=is_login_form,
        new_images=tuple(NewImage(url=url, key=url_key(url), alt=alt) for url, alt, _ in images),
        outside=tuple(outside),
    )


def make_failed(
    *,
    retry_at: Instant | None = None,
    kind: FailureKind = FailureKind.HTTP_STATUS,
    counts_as_attempt: bool = True,
) -> Failed:
    return Failed(
        kind=kind,
        detail="the server answered 500",
        status=500,
        retry_at=retry_at,
        counts_as_attempt=counts_as_attempt,
    )


# Every counter of a run and the query that counts the same.
_RUN_TRUTHS = {
    "requests": "SELECT count(*) FROM visits WHERE run_id = r.id",
    "wire_bytes": "SELECT coalesce(sum(wire_bytes), 0) FROM visits WHERE run_id = r.id",
    "pages": "SELECT count(*) FROM visits WHERE run_id = r.id AND outcome = 'fetched'",
}
# The same for what was found in each way but as links.
_YIELD_TRUTHS = {
    f"{way.word}_{what}": truth.format(way=int(way))
    for way in FoundBy
    if way is not FoundBy.LINK
    for what, truth in (
        ("urls", "SELECT count(*) FROM urls u WHERE u.domain_id = d.id AND u.found_by = {way}"),
        (
            "pages",
            "SELECT count(*) FROM pages p JOIN urls u ON u.id = p.url_id"
            " WHERE p.domain_id = d.id AND u.found_by = {way}",
        ),
    )
}
# The same for a worker; without a server nothing is rolled up.
_STAT_TRUTHS = {
    "requests": "SELECT count(*) FROM visits WHERE worker_id = w.id",
    "wire_bytes": "SELECT coalesce(sum(wire_bytes), 0) FROM visits WHERE worker_id = w.id",
}


def find_wrong_counters(query: Callable[[str], Rows]) -> list[str]:
    """Find the counters that differ from what they count."""
    wrong = []
    for table, alias, truths in (("domains", "d", TRUTHS), ("runs", "r", _RUN_TRUTHS)):
        for counter, truth in truths.items():
            rows = query(f"SELECT {alias}.id, {alias}.{counter}, ({truth}) FROM {table} {alias}")
            wrong += [
                f"{table} {row[0]}: {counter} says {row[1]}, there are {row[2]}"
                for row in rows
                if row[1] != row[2]
            ]
    for counter, truth in _YIELD_TRUTHS.items():
        rows = query(
            f"SELECT d.id, coalesce(y.{counter}, 0), ({truth}) FROM domains d"
            " LEFT JOIN yields y ON y.domain_id = d.id"
        )
        wrong += [
            f"yields of domain {row[0]}: {counter} says {row[1]}, there are {row[2]}"
            for row in rows
            if row[1] != row[2]
        ]
    for counter, truth in _STAT_TRUTHS.items():
        counted = f"SELECT coalesce(sum({counter}), 0) FROM stats WHERE worker_id = w.id"
        rows = query(f"SELECT w.id, ({counted}), ({truth}) FROM workers w")
        wrong += [
            f"stats of worker {row[0]}: {counter} says {row[1]}, there are {row[2]}"
            for row in rows
            if row[1] != row[2]
        ]
    return wrong
