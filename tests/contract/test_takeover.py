"""A domain serves one crawl at a time: what waits there for another is set aside, and comes back with it."""

import asyncio
from collections.abc import Sequence
from functools import partial

import pytest

from tenax.config.settings import Settings
from tenax.crawl.run.opening import Opener
from tenax.errors import DomainsBusy, SourceExists
from tenax.record import replace
from tenax.records.jobs import Recrawl
from tenax.records.pages import PageLink
from tenax.records.runs import RunState
from tenax.records.urls import FoundBy, NewUrl, SitemapNote, SitemapOrigin
from tenax.stores.access import Access
from tenax.stores.backend import Stores
from tenax.stores.commands.runs import cancel_run, pause_run
from tenax.stores.contracts.crawls import CrawlSummary
from tenax.stores.contracts.runs import Run
from tenax.stores.jobs.sources import remove_source
from tests.support.clock import FakeClock
from tests.support.learned import learn, read_learned
from tests.support.store import (
    LEASE_S,
    StoreUnderTest,
    StoreWorker,
    find_wrong_counters,
    make_fetched,
    make_visit,
    new_url,
)

ORIGIN = "https://a.example"
OTHER = "https://b.example"


class CrawlHarness:
    """Crawls by their names, in one store."""

    def __init__(self, store: StoreUnderTest, clock: FakeClock) -> None:
        self.store = store
        self.clock = clock

    async def of(self, name: str) -> Stores:
        stores = self.store.of_source(0)
        return stores.of_source((await stores.crawls.ensure(name)).id)

    async def open(self, name: str, *seeds: str) -> Run:
        stores = await self.of(name)
        return (await self.opener(stores).open(seeds)).run

    def opener(self, stores: Stores) -> Opener:
        return Opener(settings=Settings(), stores=replace(stores, clock=self.clock))

    async def join(self, name: str, run: Run) -> StoreWorker:
        stores = await self.of(name)
        worker = StoreWorker(stores.frontier, stores.runs, self.clock)
        worker.run_id = run.id
        number = await stores.runs.add_worker(
            run.id, f"{name} {self.clock.now()}", "localhost", 1, LEASE_S, reopens=False
        )
        assert number is not None
        worker.id = number
        return worker

    async def crawl(self, name: str, run: Run, finds: Sequence[NewUrl] = (), limit: int = 100) -> list[str]:
        """Visit what waits, once; the first page links to `finds`. Returns the urls, and ends the run."""
        worker = await self.join(name, run)
        urls: list[str] = []
        for lease in await worker.claim(limit=10):
            targets = (await worker.head(lease, limit=limit)).targets
            visits = [
                make_visit(
                    target,
                    make_fetched(target.url, links=[] if number or urls else link_to(finds)),
                    at=self.clock.now(),
                    discovered=() if number or urls else finds,
                )
                for number, target in enumerate(targets)
            ]
            urls += [target.url for target in targets]
            await worker.settle_visits(lease, visits)
            await worker.release(lease)
        await (await self.of(name)).runs.end_run(run.id, RunState.DONE, worker.id)
        self.clock.advance(60.0)
        return sorted(urls)

    async def wait(self, name: str, *paths: str) -> None:
        """A run of the crawl finds these, and ends before it visits them."""
        run = await self.open(name, f"{ORIGIN}/{name}")
        found = [new_url(f"{ORIGIN}{path}") for path in paths]
        assert await self.crawl(name, run, finds=found, limit=1) == [f"{ORIGIN}/{name}"]

    def due(self) -> list[str]:
        rows = self.store.query("SELECT url FROM urls WHERE due_at IS NOT NULL ORDER BY url")
        return [row[0].removeprefix(ORIGIN) for row in rows]

    def aside(self) -> list[tuple[str, str]]:
        rows = self.store.query(
            "SELECT s.name, u.url FROM set_aside a JOIN sources s ON s.id = a.source_id"
            " JOIN urls u ON u.id = a.url_id ORDER BY s.name, u.url"
        )
        return [(row[0], row[1].removeprefix(ORIGIN)) for row in rows]


def link_to(urls: Sequence[NewUrl]) -> list[PageLink]:
    return [(url.url, "", "", "a") for url in urls]


@pytest.fixture
def harness(store: StoreUnderTest, clock: FakeClock) -> CrawlHarness:
    return CrawlHarness(store, clock)


async def test_a_crawl_is_found_again_by_its_name(store: StoreUnderTest) -> None:
    crawls = store.of_source(0).crawls
    first, again = await crawls.ensure("Docs"), await crawls.ensure("docs")
    assert first == again
    assert await crawls.find("DOCS") == first
    assert await crawls.find("news") is None
    upper, lower = await crawls.ensure("https://a.example/A"), await crawls.ensure("https://a.example/a")
    assert upper.id != lower.id, "addresses differ in case"


async def test_of_two_who_name_a_crawl_at_once_both_get_the_same(store: StoreUnderTest) -> None:
    other = await store.connect()
    crawls = (store.of_source(0).crawls, other.of_source(0).crawls)
    made = await asyncio.gather(*(each.ensure("docs") for each in crawls for _ in range(3)))
    assert len({crawl.id for crawl in made}) == 1


async def test_the_name_of_a_source_is_taken(store: StoreUnderTest, access: Access) -> None:
    store.query(
        "INSERT INTO sources (name, key, definition, enabled, created_at, updated_at)"
        " VALUES ('News', 'news', '{}', 1, 0, 0) RETURNING id"
    )
    with pytest.raises(SourceExists, match="News is the name of a source"):
        await store.of_source(0).crawls.ensure("news")


async def test_crawls_are_listed_with_what_waits(harness: CrawlHarness, clock: FakeClock) -> None:
    await harness.wait("docs", "/1", "/2")
    run = await harness.open("blog", f"{OTHER}/")
    crawls = (await harness.of("docs")).crawls
    docs, blog = await crawls.ensure("docs"), await crawls.ensure("blog")
    await crawls.ensure("never started")
    assert await crawls.list() == [
        CrawlSummary(id=docs.id, name="docs", run_id=None, run_state=None, waiting=2),
        CrawlSummary(id=blog.id, name="blog", run_id=run.id, run_state=RunState.RUNNING, waiting=1),
    ]


async def test_whoever_takes_a_domain_over_crawls_what_it_was_asked_for(
    harness: CrawlHarness, store: StoreUnderTest
) -> None:
    await harness.wait("docs", "/docs/1", "/docs/2")
    run = await harness.open("blog", f"{ORIGIN}/blog")
    assert harness.due() == ["/blog"]
    assert harness.aside() == [("docs", "/docs/1"), ("docs", "/docs/2")]
    assert find_wrong_counters(store.query) == []
    assert await harness.crawl("blog", run) == [f"{ORIGIN}/blog"]


async def test_what_was_set_aside_is_due_again_when_the_domain_returns(
    harness: CrawlHarness, store: StoreUnderTest
) -> None:
    await harness.wait("docs", "/docs/1", "/docs/2")
    before = store.query(
        "SELECT url, due_at, depth, priority FROM urls WHERE due_at IS NOT NULL ORDER BY url"
    )
    await harness.crawl("blog", await harness.open("blog", f"{ORIGIN}/blog"))
    run = await harness.open("docs", f"{ORIGIN}/docs")
    assert harness.aside() == []
    assert (
        store.query("SELECT url, due_at, depth, priority FROM urls WHERE due_at IS NOT NULL ORDER BY url")
        == before
    ), "as they were"
    assert find_wrong_counters(store.query) == []
    assert await harness.crawl("docs", run) == [f"{ORIGIN}/docs/1", f"{ORIGIN}/docs/2"]


async def test_what_was_learned_about_a_domain_is_for_everybody(
    harness: CrawlHarness, store: StoreUnderTest
) -> None:
    await harness.wait("docs", "/docs/1")
    learn(store.query, "a.example")
    before = read_learned(store.query)
    await (await harness.of("blog")).runs.take(["a.example"])
    assert read_learned(store.query) == before
    worker = await harness.join("blog", await harness.open("blog", f"{ORIGIN}/blog"))
    (lease,) = await worker.claim()
    (loaded,) = await (await harness.of("blog")).frontier.load([lease], 10, 1000)
    assert [trap.shape for trap in loaded.traps] == ["/calendar/*"]
    assert lease.state.soft_404 is not None


async def test_a_sitemap_that_waits_is_a_sitemap_when_the_domain_returns(
    harness: CrawlHarness, store: StoreUnderTest
) -> None:
    run = await harness.open("docs", f"{ORIGIN}/docs")
    note = SitemapNote(origin=SitemapOrigin.ROBOTS, hosts=(), level=0)
    found = replace(new_url(f"{ORIGIN}/map.xml"), found_by=FoundBy.SITEMAP, sitemap=note)
    await harness.crawl("docs", run, finds=[found])
    await harness.crawl("blog", await harness.open("blog", f"{ORIGIN}/blog"))
    worker = await harness.join("docs", await harness.open("docs"))
    (lease,) = await worker.claim()
    (target,) = (await worker.head(lease)).targets
    assert (target.url, target.is_sitemap) == (f"{ORIGIN}/map.xml", True)
    assert find_wrong_counters(store.query) == []


async def test_it_is_said_whose_domain_it_was(harness: CrawlHarness) -> None:
    await harness.wait("docs", "/docs/1", "/docs/2")
    (taken,) = (await (await harness.of("blog")).runs.take(["a.example"])).taken
    assert (taken.domain, taken.owner, taken.urls) == ("a.example", "crawl docs", 2)
    again = await (await harness.of("blog")).runs.take(["a.example"])
    assert again.taken == (), "repeating is safe"


async def test_three_crawls_take_turns_and_nothing_is_lost(
    harness: CrawlHarness, store: StoreUnderTest
) -> None:
    for name in ("one", "two", "three"):
        await harness.wait(name, f"/{name}/1")
    assert harness.aside() == [("one", "/one/1"), ("two", "/two/1")]
    for name in ("two", "one", "three"):
        run = await harness.open(name)
        assert await harness.crawl(name, run) == [f"{ORIGIN}/{name}/1"]
    assert harness.aside() == []
    assert find_wrong_counters(store.query) == []


async def test_a_url_that_both_find_is_due_for_whoever_has_the_domain(
    harness: CrawlHarness, store: StoreUnderTest
) -> None:
    await harness.wait("docs", "/both", "/docs/1")
    run = await harness.open("blog", f"{ORIGIN}/blog")
    await harness.crawl("blog", run, finds=[new_url(f"{ORIGIN}/both", depth=3)])
    assert harness.due() == ["/both"]
    assert store.query("SELECT depth FROM urls WHERE due_at IS NOT NULL") == [(3,)], "as blog has found it"
    run = await harness.open("docs")
    assert harness.due() == ["/both", "/docs/1"]
    assert harness.aside() == [("blog", "/both")]
    assert find_wrong_counters(store.query) == []
    assert await harness.crawl("docs", run) == [f"{ORIGIN}/both", f"{ORIGIN}/docs/1"]
    run = await harness.open("blog")
    assert harness.due() == [], "it was fetched meanwhile"
    assert harness.aside() == []
    assert await harness.crawl("blog", run) == []


async def test_a_seed_of_one_that_waits_for_another_is_due(harness: CrawlHarness) -> None:
    await harness.wait("docs", "/both")
    run = await harness.open("blog", f"{ORIGIN}/both")
    assert await harness.crawl("blog", run) == [f"{ORIGIN}/both"]
    await harness.open("docs")
    assert harness.due() == []


async def test_urls_that_are_set_aside_are_no_known_ones_to_a_worker(harness: CrawlHarness) -> None:
    await harness.wait("docs", "/docs/1")
    worker = await harness.join("blog", await harness.open("blog", f"{ORIGIN}/blog"))
    (lease,) = await worker.claim()
    assert lease.is_mixed
    ((loaded),) = await (await harness.of("blog")).frontier.load([lease], 10, 1000)
    assert loaded.known is not None
    assert new_url(f"{ORIGIN}/docs/1").key not in loaded.known
    assert {new_url(f"{ORIGIN}{path}").key for path in ("/docs", "/blog")} <= set(loaded.known)


async def test_a_domain_that_one_crawl_has_had_alone_is_not_mixed(harness: CrawlHarness) -> None:
    worker = await harness.join("docs", await harness.open("docs", f"{ORIGIN}/docs"))
    (lease,) = await worker.claim()
    assert not lease.is_mixed


async def test_a_domain_of_a_run_that_is_under_way_is_not_to_be_had(
    harness: CrawlHarness, store: StoreUnderTest
) -> None:
    run = await harness.open("docs", f"{ORIGIN}/docs")
    blog = await harness.of("blog")
    with pytest.raises(DomainsBusy, match=rf"a\.example is being crawled by run {run.id} of crawl docs"):
        await blog.runs.take(["a.example", "b.example"])
    with pytest.raises(DomainsBusy):
        await blog.runs.open_run("{}", ["a.example"])
    with pytest.raises(DomainsBusy):
        await harness.opener(blog).start([f"{OTHER}/", f"{ORIGIN}/blog"])
    assert store.query("SELECT count(*) FROM runs") == [(1,)], "none was reserved either"
    assert harness.due() == ["/docs"]


async def test_a_paused_run_does_not_block_its_domains(
    harness: CrawlHarness, access: Access, clock: FakeClock, store: StoreUnderTest
) -> None:
    run = await harness.open("docs", f"{ORIGIN}/docs")
    await access.write(lambda connection: pause_run(connection, run.id, clock.now()))
    blog = await harness.open("blog", f"{ORIGIN}/blog")
    runs = (await harness.of("docs")).runs
    with pytest.raises(DomainsBusy, match=f"run {blog.id} of crawl blog"):
        await runs.resume(run.id)
    assert await runs.find_state(run.id) is RunState.PAUSED
    assert await harness.crawl("blog", blog) == [f"{ORIGIN}/blog"]
    resumed = await runs.resume(run.id)
    assert (resumed.is_carried_out, resumed.state) == (True, RunState.RUNNING)
    assert [each.owner for each in resumed.taking.taken] == ["crawl blog"]
    assert resumed.taking.returned == 1
    assert await harness.crawl("docs", run) == [f"{ORIGIN}/docs"]


async def test_a_cancelled_runs_queue_waits_for_its_crawl(
    harness: CrawlHarness, access: Access, clock: FakeClock
) -> None:
    run = await harness.open("docs", f"{ORIGIN}/docs")
    await access.write(lambda connection: cancel_run(connection, run.id, clock.now()))
    assert await harness.crawl("blog", await harness.open("blog", f"{ORIGIN}/blog")) == [f"{ORIGIN}/blog"]
    assert await harness.crawl("docs", await harness.open("docs")) == [f"{ORIGIN}/docs"]


async def test_a_worker_that_still_has_the_domain_in_hand_is_waited_for(
    harness: CrawlHarness, access: Access, clock: FakeClock
) -> None:
    run = await harness.open("docs", f"{ORIGIN}/docs")
    worker = await harness.join("docs", run)
    (lease,) = await worker.claim()
    await access.write(lambda connection: cancel_run(connection, run.id, clock.now()))
    with pytest.raises(DomainsBusy, match="still held by crawl docs: try again"):
        await harness.open("blog", f"{ORIGIN}/blog")
    clock.advance(LEASE_S + 1)
    await harness.open("blog", f"{ORIGIN}/blog")
    (target,) = (await worker.head(lease)).targets or (None,)
    visit = make_visit(target, make_fetched("late"), at=clock.now()) if target else None
    settled = await worker.settle_visits(lease, [visit] if visit else [])
    assert settled.lost == {lease.domain_id}, "whoever slept through it writes nothing"


async def test_links_to_the_domain_of_another_crawl_wait_until_it_is_free(
    harness: CrawlHarness, store: StoreUnderTest
) -> None:
    docs = await harness.open("docs", f"{ORIGIN}/docs")
    blog = await harness.open("blog", f"{OTHER}/")
    found = [new_url(f"{ORIGIN}/docs/1"), new_url(f"{ORIGIN}/docs"), new_url(f"{OTHER}/2")]
    assert await harness.crawl("blog", blog, finds=found) == [f"{OTHER}/"]
    assert harness.aside() == [("blog", "/docs"), ("blog", "/docs/1")]
    left = store.query("SELECT leftover FROM runs WHERE state = 'done'")[0][0]
    assert '"due":1' in left
    assert '"aside":2' in left
    assert find_wrong_counters(store.query) == []
    assert await harness.crawl("docs", docs) == [f"{ORIGIN}/docs"], "what it was asked for"
    run = await harness.open("blog")
    assert await harness.crawl("blog", run) == [f"{ORIGIN}/docs/1", f"{OTHER}/2"]


async def test_what_a_run_finds_while_its_domain_has_links_of_others_is_not_lost(
    harness: CrawlHarness,
) -> None:
    """The other one was first to find the url, and the worker's keys are from before that."""
    worker = await harness.join("docs", await harness.open("docs", f"{ORIGIN}/docs"))
    (lease,) = await worker.claim()
    (target,) = (await worker.head(lease)).targets
    blog = await harness.open("blog", f"{OTHER}/")
    await harness.crawl("blog", blog, finds=[new_url(f"{ORIGIN}/1")])
    assert harness.due() == ["/docs"]
    visit = make_visit(target, make_fetched("x"), at=0.0, discovered=[new_url(f"{ORIGIN}/1")])
    await worker.settle_visits(lease, [visit])
    assert harness.due() == ["/1"]


async def test_pages_that_were_to_be_visited_again_are_so_later(
    harness: CrawlHarness, store: StoreUnderTest, clock: FakeClock
) -> None:
    await harness.wait("docs")
    docs = await harness.of("docs")
    assert await docs.frontier.requeue([f"{ORIGIN}/docs"]) == 1
    await harness.crawl("blog", await harness.open("blog", f"{ORIGIN}/blog"))
    run = await harness.open("docs")
    assert await harness.crawl("docs", run) == [f"{ORIGIN}/docs"]


async def test_a_page_that_was_visited_again_by_another_is_not_visited_twice(
    harness: CrawlHarness, clock: FakeClock
) -> None:
    await harness.wait("docs")
    docs, blog = await harness.of("docs"), await harness.of("blog")
    assert await docs.frontier.requeue([f"{ORIGIN}/docs"]) == 1
    run = await harness.open("blog", f"{ORIGIN}/blog")
    assert await docs.frontier.requeue([f"{ORIGIN}/docs"]) == 0, "of domains of its own"
    assert await blog.frontier.requeue([f"{ORIGIN}/docs"]) == 1
    clock.advance(10.0)
    assert await harness.crawl("blog", run) == [f"{ORIGIN}/blog", f"{ORIGIN}/docs"]
    assert await harness.crawl("docs", await harness.open("docs")) == []


async def test_of_two_who_want_a_domain_at_once_one_gets_it(harness: CrawlHarness) -> None:
    await harness.wait("docs", "/docs/1")

    async def start(name: str) -> Run | None:
        other = CrawlHarness(await harness.store.connect(), harness.clock)
        try:
            return await other.open(name, f"{ORIGIN}/{name}")
        except DomainsBusy:
            return None

    runs = dict(zip("ab", await asyncio.gather(*map(start, "ab")), strict=True))
    winners = [name for name, run in runs.items() if run is not None]
    assert len(winners) == 1
    (winner,) = winners
    run = runs[winner]
    assert run is not None
    assert await harness.crawl(winner, run) == [f"{ORIGIN}/{winner}"]
    (loser,) = {"a", "b"} - {winner}
    assert await harness.crawl(loser, await harness.open(loser, f"{ORIGIN}/{loser}")) == [f"{ORIGIN}/{loser}"]
    assert await harness.crawl("docs", await harness.open("docs")) == [f"{ORIGIN}/docs/1"]


@pytest.mark.parametrize(
    ("verb", "table"),
    [("INSERT", "set_aside"), ("UPDATE", "urls"), ("UPDATE", "domains"), ("INSERT", "runs")],
)
async def test_a_takeover_that_fails_in_the_middle_has_not_happened(
    harness: CrawlHarness, store: StoreUnderTest, verb: str, table: str
) -> None:
    await harness.wait("docs", "/docs/1", "/docs/2")
    blog = await harness.open("blog", f"{OTHER}/")
    await (await harness.of("blog")).runs.end_run(blog.id, RunState.DONE, 0)
    before = store.query("SELECT source_id, queued, version FROM domains ORDER BY id")
    with store.broken(verb, table), pytest.raises(Exception, match=r".") as raised:
        await harness.open("blog", f"{ORIGIN}/blog")
    assert not isinstance(raised.value, DomainsBusy)
    if table != "runs":
        assert store.query("SELECT source_id, queued, version FROM domains ORDER BY id") == before
        assert (harness.due(), harness.aside()) == (["/docs/1", "/docs/2", f"{OTHER}/"], [])
    assert find_wrong_counters(store.query) == []
    run = await harness.open("docs")
    assert await harness.crawl("docs", run) == [f"{ORIGIN}/docs/1", f"{ORIGIN}/docs/2"]


async def test_what_waited_for_a_crawl_that_is_removed_is_for_whoever_finds_it(
    harness: CrawlHarness, store: StoreUnderTest, access: Access
) -> None:
    await harness.wait("docs", "/docs/1", "/docs/2")
    await harness.wait("blog", "/blog/1")
    for name in ("docs", "blog"):
        crawl = await (await harness.of(name)).crawls.ensure(name)
        await access.write(partial(remove_source, source_id=crawl.id))
    run = await harness.open("new", f"{ORIGIN}/new")
    found = [new_url(f"{ORIGIN}/docs/1"), new_url(f"{ORIGIN}/blog/1")]
    assert await harness.crawl("new", run, finds=found) == [f"{ORIGIN}/new"]
    assert harness.due() == ["/blog/1", "/docs/1"]
    assert find_wrong_counters(store.query) == []


async def test_the_runs_of_sources_take_over_by_the_same_rule(harness: CrawlHarness) -> None:
    await harness.wait("docs", "/docs/1")
    stores = await harness.of("papers")
    run = await harness.opener(stores).launch(
        1, [f"{ORIGIN}/papers"], roots={f"{ORIGIN}/papers"}, recrawl=Recrawl.NEW
    )
    assert await harness.crawl("papers", run) == [f"{ORIGIN}/papers"]
    assert await harness.crawl("docs", await harness.open("docs")) == [f"{ORIGIN}/docs/1"]


async def test_what_others_have_fetched_is_followed_and_not_fetched_again(harness: CrawlHarness) -> None:
    await harness.crawl("docs", await harness.open("docs", f"{ORIGIN}/"), finds=[new_url(f"{ORIGIN}/1")])
    await harness.crawl("docs", await harness.open("docs"), finds=[new_url(f"{ORIGIN}/1/1")])
    run = await harness.open("blog", f"{ORIGIN}/")
    assert harness.due() == ["/1/1"], "from the seed on, over pages that others have fetched"
    assert await harness.crawl("blog", run) == [f"{ORIGIN}/1/1"]
    assert await harness.crawl("docs", await harness.open("docs")) == []


async def test_what_no_link_of_its_own_leads_to_is_not_asked_for(harness: CrawlHarness) -> None:
    await harness.crawl(
        "docs", await harness.open("docs", f"{ORIGIN}/docs"), finds=[new_url(f"{ORIGIN}/docs/1")]
    )
    run = await harness.open("blog", f"{ORIGIN}/blog")
    assert harness.due() == ["/blog"]
    await harness.crawl("blog", run, finds=[new_url(f"{ORIGIN}/docs")])
    opener = harness.opener(await harness.of("blog"))
    opened = await opener.open([])
    assert harness.due() == ["/docs/1"], "a page of its own has named the one that leads there"
    assert not await opener.find_more(opened.seed_roots), "nothing new"


async def test_a_million_urls_are_set_aside_by_as_many_statements_as_one(
    harness: CrawlHarness, store: StoreUnderTest
) -> None:
    await harness.wait("docs", *(f"/docs/{number}" for number in range(3000)))
    await harness.open("blog", f"{ORIGIN}/blog")
    assert store.query("SELECT count(*) FROM set_aside") == [(3000,)]
    assert harness.due() == ["/blog"]
