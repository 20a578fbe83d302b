"""Sitemaps in the store: what is to be read, what was read, and what that makes of urls."""

from array import array
from collections.abc import Sequence

import pytest

from tenax.records.domains import Lease
from tenax.records.runs import RunState
from tenax.records.sitemaps import LastmodTrust, SitemapKind, SitemapReport
from tenax.records.urls import NO_URL, FoundBy, NewUrl, Priority, SitemapNote, SitemapOrigin, Target
from tenax.records.visits import Gone, Read, Redirected, Skipped, Unchanged
from tenax.stores.contracts.batches import DomainWork
from tenax.stores.contracts.refresh import RefreshBudget
from tenax.web.identity import url_key
from tenax.web.urls import domain_of
from tests.support.clock import START, FakeClock
from tests.support.store import (
    ACTIVE,
    StoreUnderTest,
    StoreWorker,
    find_wrong_counters,
    make_fetched,
    make_visit,
    new_url,
)

HOME, MAP, X = "https://a.example/", "https://a.example/map.xml", "https://a.example/x"
LONG = "A text that is long enough to be a page of its own. " * 10


def sitemap(
    url: str = MAP, *, hosts: tuple[str, ...] = (), level: int = 0, hops: int = 0, by: int = NO_URL
) -> NewUrl:
    origin = SitemapOrigin.REDIRECT if hops else SitemapOrigin.ROBOTS
    return NewUrl(
        url=url,
        key=url_key(url),
        domain=domain_of(url),
        depth=0,
        priority=Priority.HIGH,
        hops=hops,
        discovered_from=by,
        found_by=FoundBy.SITEMAP,
        sitemap=SitemapNote(origin=origin, hosts=hosts, level=level),
    )


def read(content_hash: int = 7, *, error: str | None = None, dates: dict[str, float] | None = None) -> Read:
    dates = dates or {}
    return Read(
        status=200,
        etag='"1"',
        last_modified=None,
        content_hash=content_hash,
        body_bytes=1000,
        report=SitemapReport(
            kind=SitemapKind.URLS, entries=3, refused=1, added=2, lastmod=LastmodTrust.TRUSTED, error=error
        ),
        modified=(array("q", map(url_key, dates)), array("d", dates.values())),
    )


class Domain:
    """A leased domain."""

    def __init__(self, worker: StoreWorker, store: StoreUnderTest, clock: FakeClock) -> None:
        self.worker, self.store, self.clock = worker, store, clock
        self.lease: Lease | None = None

    async def begin(self, *urls: str) -> None:
        await self.worker.add_seeds(HOME, *urls)
        self.lease = await self.worker.claim_one()

    async def find(self, *urls: NewUrl) -> None:
        assert self.lease is not None
        await self.worker.settle(DomainWork(lease=self.lease, state=ACTIVE, found=urls))

    async def heads(self) -> list[Target]:
        assert self.lease is not None
        return list((await self.worker.head(self.lease)).targets)

    async def visit(self, url: str, outcome: object, found: Sequence[NewUrl] = ()) -> None:
        assert self.lease is not None
        target = next(target for target in await self.heads() if target.url == url)
        visit = make_visit(target, outcome, at=self.clock.now(), discovered=found)  # type: ignore[arg-type]
        await self.worker.settle_visits(self.lease, [visit])

    async def start_again(self) -> None:
        """In another run, weeks later, with everything due that was planned."""
        assert self.lease is not None
        await self.worker.release(self.lease)
        self.clock.advance(40 * 86_400.0)
        await self.store.refresh.promote(RefreshBudget(domains=10, per_domain=100, limit=100, idle_s=1.0))
        self.lease = await self.worker.claim_one()

    def url(self, url: str, *columns: str) -> tuple[object, ...]:
        return self.store.query(f"SELECT {', '.join(columns)} FROM urls WHERE url = '{url}'")[0]

    def note(self, *columns: str) -> tuple[object, ...]:
        return self.store.query(
            f"SELECT {', '.join(columns)} FROM sitemaps s JOIN urls u ON u.id = s.url_id ORDER BY u.id DESC"
        )[0]

    def check(self) -> None:
        assert find_wrong_counters(self.store.query) == []


@pytest.fixture
def domain(worker: StoreWorker, store: StoreUnderTest, clock: FakeClock) -> Domain:
    return Domain(worker, store, clock)


async def test_a_sitemap_comes_before_the_urls_that_were_found_with_it(domain: Domain) -> None:
    await domain.begin()
    await domain.visit(HOME, make_fetched(), [new_url(X, priority=Priority.HIGH), sitemap()])
    assert [(target.url, target.is_sitemap) for target in await domain.heads()] == [(MAP, True), (X, False)]
    assert domain.note("origin", "kind", "level") == ("robots", None, 0)
    domain.check()


async def test_naming_it_again_changes_nothing(domain: Domain) -> None:
    await domain.begin()
    await domain.find(sitemap())
    await domain.find(sitemap())
    assert domain.store.query("SELECT count(*) FROM sitemaps") == [(1,)]
    domain.check()


async def test_what_was_read_is_stored(domain: Domain) -> None:
    await domain.begin()
    await domain.find(sitemap())
    found = NewUrl(
        url=X, key=url_key(X), domain="a.example", depth=1, priority=Priority.HIGH,
        discovered_from=1, found_by=FoundBy.SITEMAP,
    )  # fmt: skip
    await domain.visit(MAP, read(error="broken"), [found])
    assert domain.url(MAP, "fate", "detail", "content_hash", "etag") == ("read", "broken", 7, '"1"')
    assert domain.note("kind", "entries", "refused", "added", "error") == ("urls", 3, 1, 2, "broken")
    assert domain.store.query("SELECT sitemap_urls, sitemap_pages FROM yields") == [(2, 0)]
    await domain.visit(X, make_fetched())
    assert domain.store.query("SELECT sitemap_urls, sitemap_pages FROM yields") == [(2, 1)]
    assert domain.store.query("SELECT pages, visits FROM runs") == [(1, 2)]
    domain.check()


async def test_a_sitemap_that_is_unchanged_stays_one(domain: Domain) -> None:
    await domain.begin()
    await domain.visit(HOME, make_fetched())
    await domain.find(sitemap())
    await domain.visit(MAP, read())
    await domain.start_again()
    await domain.visit(MAP, Unchanged())
    assert domain.url(MAP, "fate", "unchanged_count") == ("read", 1)
    assert domain.note("read_at") == (domain.clock.now(),)
    assert domain.store.query("SELECT count(*) FROM changes") == [(0,)]
    domain.check()


async def test_a_link_that_was_no_page_becomes_a_sitemap(domain: Domain) -> None:
    await domain.begin()
    await domain.visit(HOME, make_fetched(), [new_url(MAP, discovered_from=1)])
    await domain.visit(MAP, Skipped(status=200, content_type="application/xml"))
    await domain.find(sitemap())
    (target,) = await domain.heads()
    assert (target.url, target.is_sitemap) == (MAP, True)
    domain.check()


async def test_a_link_that_waits_becomes_a_sitemap(domain: Domain) -> None:
    await domain.begin()
    await domain.visit(HOME, make_fetched(), [new_url(MAP, discovered_from=1)])
    await domain.find(sitemap())
    assert [target.is_sitemap for target in await domain.heads()] == [True]
    domain.check()


async def test_a_page_never_becomes_a_sitemap(domain: Domain) -> None:
    await domain.begin(MAP)
    await domain.visit(HOME, make_fetched(), [new_url(X, discovered_from=1)])
    await domain.visit(X, make_fetched(LONG))
    await domain.find(sitemap(MAP), sitemap(X))
    assert domain.url(X, "fate", "is_sitemap", "due_at") == ("fetched", 0, None)
    assert domain.url(MAP, "is_sitemap") == (0,), "it is a seed"
    domain.check()


async def test_a_missing_sitemap_is_tried_once_in_each_run(
    domain: Domain, store: StoreUnderTest, clock: FakeClock
) -> None:
    await domain.begin()
    await domain.find(sitemap())
    await domain.visit(MAP, Gone(status=404))
    await domain.find(sitemap())
    assert [target.url for target in await domain.heads()] == [HOME], "not in the same run"
    assert domain.lease is not None
    await domain.worker.release(domain.lease)
    await store.runs.end_run(domain.worker.run_id, RunState.DONE, domain.worker.id)
    domain.worker = await StoreWorker(store.frontier, store.runs, clock).start()
    domain.lease = await domain.worker.claim_one()
    await domain.find(sitemap())
    assert [target.url for target in await domain.heads()] == [MAP, HOME]


async def test_a_page_that_was_named_as_a_sitemap_remains_a_page(domain: Domain) -> None:
    await domain.begin()
    await domain.find(sitemap())
    await domain.visit(MAP, make_fetched(LONG))
    assert domain.url(MAP, "fate", "is_sitemap") == ("fetched", 0)
    assert domain.note("error") == ("it is an HTML page, not a sitemap",)
    domain.check()


async def test_a_sitemap_that_has_moved_may_list_what_it_could_before(domain: Domain) -> None:
    await domain.begin()
    await domain.find(sitemap(hosts=("b.example",), level=2))
    (old,) = domain.url(MAP, "id")
    assert isinstance(old, int)
    moved = sitemap("https://a.example/new.xml", hops=1, by=old)
    await domain.visit(MAP, Redirected(status=301, to_url=moved.url), [moved])
    assert domain.note("hosts", "level", "origin") == ("b.example", 2, "redirect")


async def test_hosts_that_name_the_same_sitemap_are_all_kept(domain: Domain) -> None:
    await domain.begin()
    for host in ("b.example", "c.example", "b.example"):
        await domain.find(sitemap(hosts=(host,)))
    assert domain.note("hosts") == ("b.example c.example",)


async def test_a_reader_learns_what_is_known(domain: Domain) -> None:
    await domain.begin()
    await domain.find(sitemap(hosts=("b.example",), level=1), sitemap("https://a.example/other.xml"))
    (url_id,) = domain.url(MAP, "id")
    assert isinstance(url_id, int)
    state = await domain.store.sitemaps.find_state(url_id)
    assert (state.hosts, state.level, state.read_at) == (frozenset({"b.example"}), 1, None)
    assert (state.known_sitemaps, state.found_urls) == (2, 2)


async def test_of_an_unknown_sitemap_nothing_is_known(domain: Domain) -> None:
    state = await domain.store.sitemaps.find_state(999)
    assert (state.hosts, state.level, state.known_sitemaps) == (frozenset(), 0, 0)


async def test_a_newer_date_makes_a_page_due(domain: Domain) -> None:
    await domain.begin()
    await domain.visit(HOME, make_fetched(), [new_url(X), new_url(X + "2")])
    await domain.visit(X, make_fetched(LONG))
    await domain.visit(X + "2", make_fetched(LONG + "2"))
    await domain.find(sitemap())
    await domain.visit(MAP, read(dates={X: START + 60, X + "2": START - 60, X + "3": START + 60}))
    assert [target.url for target in await domain.heads()] == [X]
    assert domain.url(X, "fate") == ("fetched",)
    domain.check()


async def test_nothing_is_written_for_a_lost_lease(domain: Domain) -> None:
    await domain.begin()
    await domain.find(sitemap())
    lease = domain.lease
    (target, *_) = await domain.heads()
    assert lease is not None
    await domain.worker.release(lease)
    await domain.worker.claim_one()
    await domain.worker.settle_visits(lease, [make_visit(target, read(), at=domain.clock.now())])
    assert domain.url(MAP, "fate") == ("queued",)
    assert domain.note("kind") == (None,)
