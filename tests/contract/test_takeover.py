"""A domain serves one crawl at a time: what waits there for another is set aside, and comes back with it."""

import asyncio
from collections.abc import Sequence
from functools import partial

import pytest

from tenax.config import Settings
from tenax.crawl.run.opening import Opener
from tenax.errors import DomainsBusy, SourceExists
from tenax.job_records import Recrawl
from tenax.record import replace
from tenax.records import NewUrl, PageLink, RunState
from tenax.stores.access import Access
from tenax.stores.backend import Stores
from tenax.stores.base import Run
from tenax.stores.commands.runs import cancel_run, pause_run
from tenax.stores.hot.crawls import CrawlSummary
from tenax.stores.jobs.sources import remove_source
from tests.support.clock import FakeClock
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


class Office:
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
def office(store: StoreUnderTest, clock: FakeClock) -> Office:
    return Office(store, clock)


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


async def test_crawls_are_listed_with_what_waits(office: Office, clock: FakeClock) -> None:
    await office.wait("docs", "/1", "/2")
    run = await office.open("blog", f"{OTHER}/")
    crawls = (await office.of("docs")).crawls
    docs, blog = await crawls.ensure("docs"), await crawls.ensure("blog")
    await crawls.ensure("never started")
    assert await crawls.list() == [
        CrawlSummary(id=docs.id, name="docs", run_id=None, run_state=None, waiting=2),
        CrawlSummary(id=blog.id, name="blog", run_id=run.id, run_state=RunState.RUNNING, waiting=1),
    ]


async def test_whoever_takes_a_domain_over_crawls_what_it_was_asked_for(
    office: Office, store: StoreUnderTest
) -> None:
    await office.wait("docs", "/docs/1", "/docs/2")
    run = await office.open("blog", f"{ORIGIN}/blog")
    assert office.due() == ["/blog"]
    assert office.aside() == [("docs", "/docs/1"), ("docs", "/docs/2")]
    assert find_wrong_counters(store.query) == []
    assert await office.crawl("blog", run) == [f"{ORIGIN}/blog"]


async def test_what_was_set_aside_is_due_again_when_the_domain_returns(
    office: Office, store: StoreUnderTest
) -> None:
    await office.wait("docs", "/docs/1", "/docs/2")
    before = store.query(
        "SELECT url, due_at, depth, priority FROM urls WHERE due_at IS NOT NULL ORDER BY url"
    )
    await office.crawl("blog", await office.open("blog", f"{ORIGIN}/blog"))
    run = await office.open("docs", f"{ORIGIN}/docs")
    assert office.aside() == []
    assert (
        store.query("SELECT url, due_at, depth, priority FROM urls WHERE due_at IS NOT NULL ORDER BY url")
        == before
    ), "as they were"
    assert find_wrong_counters(store.query) == []
    assert await office.crawl("docs", run) == [f"{ORIGIN}/docs/1", f"{ORIGIN}/docs/2"]


async def test_it_is_said_whose_domain_it_was(office: Office) -> None:
    await office.wait("docs", "/docs/1", "/docs/2")
    (taken,) = (await (await office.of("blog")).runs.take(["a.example"])).taken
    assert (taken.domain, taken.owner, taken.urls) == ("a.example", "crawl docs", 2)
    again = await (await office.of("blog")).runs.take(["a.example"])
    assert again.taken == (), "repeating is safe"


async def test_three_crawls_take_turns_and_nothing_is_lost(office: Office, store: StoreUnderTest) -> None:
    for name in ("one", "two", "three"):
        await office.wait(name, f"/{name}/1")
    assert office.aside() == [("one", "/one/1"), ("two", "/two/1")]
    for name in ("two", "one", "three"):
        run = await office.open(name)
        assert await office.crawl(name, run) == [f"{ORIGIN}/{name}/1"]
    assert office.aside() == []
    assert find_wrong_counters(store.query) == []


async def test_a_url_that_both_find_is_due_for_whoever_has_the_domain(
    office: Office, store: StoreUnderTest
) -> None:
    await office.wait("docs", "/both", "/docs/1")
    run = await office.open("blog", f"{ORIGIN}/blog")
    await office.crawl("blog", run, finds=[new_url(f"{ORIGIN}/both", depth=3)])
    assert office.due() == ["/both"]
    assert store.query("SELECT depth FROM urls WHERE due_at IS NOT NULL") == [(3,)], "as blog has found it"
    run = await office.open("docs")
    assert office.due() == ["/both", "/docs/1"]
    assert office.aside() == [("blog", "/both")]
    assert find_wrong_counters(store.query) == []
    assert await office.crawl("docs", run) == [f"{ORIGIN}/both", f"{ORIGIN}/docs/1"]
    run = await office.open("blog")
    assert office.due() == [], "it was fetched meanwhile"
    assert office.aside() == []
    assert await office.crawl("blog", run) == []


async def test_a_seed_of_one_that_waits_for_another_is_due(office: Office) -> None:
    await office.wait("docs", "/both")
    run = await office.open("blog", f"{ORIGIN}/both")
    assert await office.crawl("blog", run) == [f"{ORIGIN}/both"]
    await office.open("docs")
    assert office.due() == []


async def test_urls_that_are_set_aside_are_no_known_ones_to_a_worker(office: Office) -> None:
    await office.wait("docs", "/docs/1")
    worker = await office.join("blog", await office.open("blog", f"{ORIGIN}/blog"))
    (lease,) = await worker.claim()
    assert lease.is_mixed
    ((loaded),) = await (await office.of("blog")).frontier.load([lease], 10, 1000)
    assert loaded.known is not None
    assert new_url(f"{ORIGIN}/docs/1").key not in loaded.known
    assert {new_url(f"{ORIGIN}{path}").key for path in ("/docs", "/blog")} <= set(loaded.known)


async def test_a_domain_that_one_crawl_has_had_alone_is_not_mixed(office: Office) -> None:
    worker = await office.join("docs", await office.open("docs", f"{ORIGIN}/docs"))
    (lease,) = await worker.claim()
    assert not lease.is_mixed


async def test_a_domain_of_a_run_that_is_under_way_is_not_to_be_had(
    office: Office, store: StoreUnderTest
) -> None:
    run = await office.open("docs", f"{ORIGIN}/docs")
    blog = await office.of("blog")
    with pytest.raises(DomainsBusy, match=rf"a\.example is being crawled by run {run.id} of crawl docs"):
        await blog.runs.take(["a.example", "b.example"])
    with pytest.raises(DomainsBusy):
        await blog.runs.open_run("{}", ["a.example"])
    with pytest.raises(DomainsBusy):
        await office.opener(blog).start([f"{OTHER}/", f"{ORIGIN}/blog"])
    assert store.query("SELECT count(*) FROM runs") == [(1,)], "none was reserved either"
    assert office.due() == ["/docs"]


async def test_a_paused_run_does_not_block_its_domains(
    office: Office, access: Access, clock: FakeClock, store: StoreUnderTest
) -> None:
    run = await office.open("docs", f"{ORIGIN}/docs")
    await access.write(lambda connection: pause_run(connection, run.id, clock.now()))
    blog = await office.open("blog", f"{ORIGIN}/blog")
    runs = (await office.of("docs")).runs
    with pytest.raises(DomainsBusy, match=f"run {blog.id} of crawl blog"):
        await runs.resume(run.id)
    assert await runs.find_state(run.id) is RunState.PAUSED
    assert await office.crawl("blog", blog) == [f"{ORIGIN}/blog"]
    resumed = await runs.resume(run.id)
    assert (resumed.is_carried_out, resumed.state) == (True, RunState.RUNNING)
    assert [each.owner for each in resumed.taking.taken] == ["crawl blog"]
    assert resumed.taking.returned == 1
    assert await office.crawl("docs", run) == [f"{ORIGIN}/docs"]


async def test_a_cancelled_runs_queue_waits_for_its_crawl(
    office: Office, access: Access, clock: FakeClock
) -> None:
    run = await office.open("docs", f"{ORIGIN}/docs")
    await access.write(lambda connection: cancel_run(connection, run.id, clock.now()))
    assert await office.crawl("blog", await office.open("blog", f"{ORIGIN}/blog")) == [f"{ORIGIN}/blog"]
    assert await office.crawl("docs", await office.open("docs")) == [f"{ORIGIN}/docs"]


async def test_a_worker_that_still_has_the_domain_in_hand_is_waited_for(
    office: Office, access: Access, clock: FakeClock
) -> None:
    run = await office.open("docs", f"{ORIGIN}/docs")
    worker = await office.join("docs", run)
    (lease,) = await worker.claim()
    await access.write(lambda connection: cancel_run(connection, run.id, clock.now()))
    with pytest.raises(DomainsBusy, match="still in the hands of crawl docs: try again"):
        await office.open("blog", f"{ORIGIN}/blog")
    clock.advance(LEASE_S + 1)
    await office.open("blog", f"{ORIGIN}/blog")
    (target,) = (await worker.head(lease)).targets or (None,)
    visit = make_visit(target, make_fetched("late"), at=clock.now()) if target else None
    settled = await worker.settle_visits(lease, [visit] if visit else [])
    assert settled.lost == {lease.domain_id}, "whoever slept through it writes nothing"


async def test_links_to_the_domain_of_another_crawl_wait_until_it_is_free(
    office: Office, store: StoreUnderTest
) -> None:
    docs = await office.open("docs", f"{ORIGIN}/docs")
    blog = await office.open("blog", f"{OTHER}/")
    found = [new_url(f"{ORIGIN}/docs/1"), new_url(f"{ORIGIN}/docs"), new_url(f"{OTHER}/2")]
    assert await office.crawl("blog", blog, finds=found) == [f"{OTHER}/"]
    assert office.aside() == [("blog", "/docs"), ("blog", "/docs/1")]
    left = store.query("SELECT leftover FROM runs WHERE state = 'done'")[0][0]
    assert '"due":1' in left
    assert '"aside":2' in left
    assert find_wrong_counters(store.query) == []
    assert await office.crawl("docs", docs) == [f"{ORIGIN}/docs"], "what it was asked for"
    run = await office.open("blog")
    assert await office.crawl("blog", run) == [f"{ORIGIN}/docs/1", f"{OTHER}/2"]


async def test_what_a_run_finds_while_its_domain_has_links_of_others_is_not_lost(office: Office) -> None:
    """The other one was first to find the url, and the worker's keys are from before that."""
    worker = await office.join("docs", await office.open("docs", f"{ORIGIN}/docs"))
    (lease,) = await worker.claim()
    (target,) = (await worker.head(lease)).targets
    blog = await office.open("blog", f"{OTHER}/")
    await office.crawl("blog", blog, finds=[new_url(f"{ORIGIN}/1")])
    assert office.due() == ["/docs"]
    visit = make_visit(target, make_fetched("x"), at=0.0, discovered=[new_url(f"{ORIGIN}/1")])
    await worker.settle_visits(lease, [visit])
    assert office.due() == ["/1"]


async def test_pages_that_were_to_be_visited_again_are_so_later(
    office: Office, store: StoreUnderTest, clock: FakeClock
) -> None:
    await office.wait("docs")
    docs = await office.of("docs")
    assert await docs.frontier.requeue([f"{ORIGIN}/docs"]) == 1
    await office.crawl("blog", await office.open("blog", f"{ORIGIN}/blog"))
    run = await office.open("docs")
    assert await office.crawl("docs", run) == [f"{ORIGIN}/docs"]


async def test_a_page_that_was_visited_again_by_another_is_not_visited_twice(
    office: Office, clock: FakeClock
) -> None:
    await office.wait("docs")
    docs, blog = await office.of("docs"), await office.of("blog")
    assert await docs.frontier.requeue([f"{ORIGIN}/docs"]) == 1
    run = await office.open("blog", f"{ORIGIN}/blog")
    assert await docs.frontier.requeue([f"{ORIGIN}/docs"]) == 0, "of domains of its own"
    assert await blog.frontier.requeue([f"{ORIGIN}/docs"]) == 1
    clock.advance(10.0)
    assert await office.crawl("blog", run) == [f"{ORIGIN}/blog", f"{ORIGIN}/docs"]
    assert await office.crawl("docs", await office.open("docs")) == []


async def test_of_two_who_want_a_domain_at_once_one_gets_it(office: Office) -> None:
    await office.wait("docs", "/docs/1")

    async def start(name: str) -> Run | None:
        other = Office(await office.store.connect(), office.clock)
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
    assert await office.crawl(winner, run) == [f"{ORIGIN}/{winner}"]
    (loser,) = {"a", "b"} - {winner}
    assert await office.crawl(loser, await office.open(loser, f"{ORIGIN}/{loser}")) == [f"{ORIGIN}/{loser}"]
    assert await office.crawl("docs", await office.open("docs")) == [f"{ORIGIN}/docs/1"]


@pytest.mark.parametrize(
    ("verb", "table"),
    [("INSERT", "set_aside"), ("UPDATE", "urls"), ("UPDATE", "domains"), ("INSERT", "runs")],
)
async def test_a_takeover_that_fails_in_the_middle_has_not_happened(
    office: Office, store: StoreUnderTest, verb: str, table: str
) -> None:
    await office.wait("docs", "/docs/1", "/docs/2")
    blog = await office.open("blog", f"{OTHER}/")
    await (await office.of("blog")).runs.end_run(blog.id, RunState.DONE, 0)
    before = store.query("SELECT source_id, queued, version FROM domains ORDER BY id")
    with store.broken(verb, table), pytest.raises(Exception, match=r".") as raised:
        await office.open("blog", f"{ORIGIN}/blog")
    assert not isinstance(raised.value, DomainsBusy)
    if table != "runs":
        assert store.query("SELECT source_id, queued, version FROM domains ORDER BY id") == before
        assert (office.due(), office.aside()) == (["/docs/1", "/docs/2", f"{OTHER}/"], [])
    assert find_wrong_counters(store.query) == []
    run = await office.open("docs")
    assert await office.crawl("docs", run) == [f"{ORIGIN}/docs/1", f"{ORIGIN}/docs/2"]


async def test_what_waited_for_a_crawl_that_is_removed_is_for_whoever_finds_it(
    office: Office, store: StoreUnderTest, access: Access
) -> None:
    await office.wait("docs", "/docs/1", "/docs/2")
    await office.wait("blog", "/blog/1")
    for name in ("docs", "blog"):
        crawl = await (await office.of(name)).crawls.ensure(name)
        await access.write(partial(remove_source, source_id=crawl.id))
    run = await office.open("new", f"{ORIGIN}/new")
    found = [new_url(f"{ORIGIN}/docs/1"), new_url(f"{ORIGIN}/blog/1")]
    assert await office.crawl("new", run, finds=found) == [f"{ORIGIN}/new"]
    assert office.due() == ["/blog/1", "/docs/1"]
    assert find_wrong_counters(store.query) == []


async def test_the_runs_of_sources_take_over_by_the_same_rule(office: Office) -> None:
    await office.wait("docs", "/docs/1")
    stores = await office.of("papers")
    run = await office.opener(stores).launch(
        1, [f"{ORIGIN}/papers"], roots={f"{ORIGIN}/papers"}, recrawl=Recrawl.NEW
    )
    assert await office.crawl("papers", run) == [f"{ORIGIN}/papers"]
    assert await office.crawl("docs", await office.open("docs")) == [f"{ORIGIN}/docs/1"]


async def test_what_others_have_fetched_is_followed_and_not_fetched_again(office: Office) -> None:
    await office.crawl("docs", await office.open("docs", f"{ORIGIN}/"), finds=[new_url(f"{ORIGIN}/1")])
    await office.crawl("docs", await office.open("docs"), finds=[new_url(f"{ORIGIN}/1/1")])
    run = await office.open("blog", f"{ORIGIN}/")
    assert office.due() == ["/1/1"], "from the seed on, over pages that others have fetched"
    assert await office.crawl("blog", run) == [f"{ORIGIN}/1/1"]
    assert await office.crawl("docs", await office.open("docs")) == []


async def test_what_no_link_of_its_own_leads_to_is_not_asked_for(office: Office) -> None:
    await office.crawl(
        "docs", await office.open("docs", f"{ORIGIN}/docs"), finds=[new_url(f"{ORIGIN}/docs/1")]
    )
    run = await office.open("blog", f"{ORIGIN}/blog")
    assert office.due() == ["/blog"]
    await office.crawl("blog", run, finds=[new_url(f"{ORIGIN}/docs")])
    opener = office.opener(await office.of("blog"))
    opened = await opener.open([])
    assert office.due() == ["/docs/1"], "a page of its own has named the one that leads there"
    assert not await opener.find_more(opened.seed_roots), "nothing new"


async def test_a_million_urls_are_set_aside_by_as_many_statements_as_one(
    office: Office, store: StoreUnderTest
) -> None:
    await office.wait("docs", *(f"/docs/{number}" for number in range(3000)))
    await office.open("blog", f"{ORIGIN}/blog")
    assert store.query("SELECT count(*) FROM set_aside") == [(3000,)]
    assert office.due() == ["/blog"]
