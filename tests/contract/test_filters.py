"""Filters of exports, on every store."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import Connection, insert, select

from tenax.errors import UsageError
from tenax.records.pages import PageImage
from tenax.records.runs import RunState
from tenax.records.urls import Fate
from tenax.records.visits import Gone
from tenax.runtime.actions import write_store
from tenax.stores.backend import Stores
from tenax.stores.databases.reader import read_store
from tenax.stores.queries.changes import ChangeFilter, iter_changes
from tenax.stores.queries.export import parts as export_parts
from tenax.stores.queries.export.rows import EXPORTS, Noun, check_fit, iter_rows
from tenax.stores.queries.filters import Facet, Filter
from tenax.stores.schema.domains import domains
from tenax.stores.schema.jobs import sources
from tenax.stores.schema.pages import pages
from tenax.stores.schema.urls import urls
from tests.support.clock import FakeClock
from tests.support.item_rows import ItemRows
from tests.support.store import StoreUnderTest, StoreWorker, make_fetched, make_visit

A, B, N = "https://a.example/", "https://b.example/", "https://news.example/"
NEWS = 7
HOUR_S = 3600.0
# Where each noun says of which page or url it is.
URL_COLUMNS = dict.fromkeys(Noun, "url") | {
    Noun.LINKS: "from_url",
    Noun.IMAGES: "page",
    Noun.PLACEMENTS: "page",
}
PAGES = [A + "1", A + "2", B + "1", N + "1"]


def add_news(connection: Connection) -> None:
    connection.execute(
        insert(sources).values(
            id=NEWS, name="The News", key="the news", definition="{}", enabled=1, created_at=0, updated_at=0
        )
    )


def add_items(connection: Connection) -> None:
    """One of each page."""
    found = select(urls.c.url, urls.c.run_id, domains.c.source_id, pages.c.fetched_at)
    joined = found.join(domains, domains.c.id == urls.c.domain_id).join(pages, pages.c.url_id == urls.c.id)
    for row in connection.execute(joined.order_by(urls.c.id)).all():
        rows = ItemRows(connection, row.source_id, row.run_id)
        rows.add_item(row.url, row.url, {"name": row.url}, at=row.fetched_at)


async def crawl(worker: StoreWorker, *addresses: str) -> None:
    await worker.add(*addresses)
    for lease in await worker.claim():
        visits = []
        for target in (await worker.head(lease)).targets:
            image: PageImage = (f"{target.url}.png", "", "img")
            fetched = make_fetched(
                target.url * 20, links=[(A, "", "home", "a")], images=[image], markdown="x"
            )
            is_gone = target.url.endswith("gone")
            visits.append(make_visit(target, Gone(status=404) if is_gone else fetched, at=worker.clock.now()))
        await worker.settle_visits(lease, visits)
        await worker.release(lease)


async def join(stores: Stores, clock: FakeClock) -> StoreWorker:
    return await StoreWorker(stores.frontier, stores.runs, clock).start()


@pytest.fixture
def instants() -> list[float]:
    return []


@pytest.fixture
def crawled(
    store: StoreUnderTest, clock: FakeClock, runner: asyncio.Runner, instants: list[float]
) -> StoreUnderTest:
    """Run 1 got a page of a.example and one that is gone; run 2, an hour later, one more of it and one of
    b.example; run 3, of the source The News, one of news.example."""

    async def fill() -> None:
        own = store.of_source((await store.of_source(0).crawls.ensure("default")).id)
        first = await join(own, clock)
        await crawl(first, A + "1", A + "gone")
        await own.runs.end_run(first.run_id, RunState.DONE, first.id)
        instants.append(clock.wall())
        clock.advance(HOUR_S)
        second = await join(own, clock)
        await crawl(second, A + "2", B + "1")
        clock.advance(HOUR_S)
        await write_store(store.place, add_news)
        await crawl(await join(store.of_source(NEWS), clock), N + "1")
        await write_store(store.place, add_items)
        # It waits, so nobody has visited it.
        await second.add(A + "later")

    runner.run(fill())
    return store


async def export(store: StoreUnderTest, noun: Noun, only: Filter) -> list[dict[str, Any]]:
    chosen = EXPORTS[noun]

    def read(connection: Connection) -> list[dict[str, Any]]:
        rows = iter_rows(connection, chosen, only)
        return [dict(zip(chosen.columns, row, strict=True)) for row in rows]

    return await asyncio.to_thread(read_store, store.place, read)


async def list_urls(store: StoreUnderTest, noun: Noun, only: Filter) -> list[str]:
    found = [row[URL_COLUMNS[noun]] for row in await export(store, noun, only)]
    if noun is Noun.IMAGES:
        found = [url.removesuffix(".png") for url in found]
    return sorted(found)


WITHOUT_FATE = (Noun.VISITS, Noun.IMAGES, Noun.DOMAINS, Noun.ITEMS)


async def test_each_filter_leaves_the_domains_it_names(
    crawled: StoreUnderTest, instants: list[float]
) -> None:
    expected = {
        Filter(run_id=2): ["a.example", "b.example"],
        Filter(source="the NEWS"): ["news.example"],
        Filter(source="default"): ["a.example", "b.example"],
        Filter(domain="b.example"): ["b.example"],
        Filter(site="news.example"): ["news.example"],
        Filter(since=instants[0] + 1): ["b.example", "news.example"],
        Filter(until=instants[0] + 1): ["a.example"],
    }
    for only, names in expected.items():
        found = [row["domain"] for row in await export(crawled, Noun.DOMAINS, only)]
        assert sorted(found) == names, only


@pytest.mark.parametrize("noun", [noun for noun in Noun if noun is not Noun.DOMAINS])
async def test_each_filter_leaves_what_it_names(
    crawled: StoreUnderTest, instants: list[float], noun: Noun
) -> None:
    """However small the parts are that are read."""
    gone = [A + "gone"] if noun in (Noun.URLS, Noun.VISITS) else []
    waits = [A + "later"] if noun is Noun.URLS else []
    expected = {
        Filter(run_id=1): [A + "1", *gone],
        Filter(run_id=3): [N + "1"],
        Filter(source="the NEWS"): [N + "1"],
        Filter(source="default"): [*PAGES[:3], *gone, *waits],
        Filter(domain="a.example"): [*PAGES[:2], *gone, *waits],
        Filter(since=instants[0] + 1): [*PAGES[1:], *waits],
        Filter(until=instants[0] + 1): [A + "1", *gone],
        Filter(since=instants[0] + 1, until=instants[0] + HOUR_S + 1): PAGES[1:3],
        Filter(since=instants[0] + HOUR_S): [*PAGES[1:], *waits],
        Filter(until=instants[0] + HOUR_S): [A + "1", *gone],
        Filter(run_id=2, domain="a.example", source="default", since=instants[0] + 1): [A + "2"],
    }
    if noun not in WITHOUT_FATE:
        expected[Filter(fate=Fate.FETCHED)] = PAGES
        expected[Filter(fate=Fate.GONE, domain="a.example")] = gone
    for only, found in expected.items():
        assert await list_urls(crawled, noun, only) == sorted(found), only


@pytest.mark.parametrize("noun", list(Noun))
async def test_rows_are_found_however_small_the_batches_are(
    crawled: StoreUnderTest, noun: Noun, monkeypatch: pytest.MonkeyPatch
) -> None:
    filters = (Filter(run_id=2), Filter(domain="a.example"), Filter(source="default"))
    whole = [await export(crawled, noun, only) for only in filters]
    assert all(whole)
    monkeypatch.setattr(export_parts, "ROWS_SCANNED", 1)
    monkeypatch.setattr(export_parts, "LARGE_DOMAIN", 0)
    assert [await export(crawled, noun, only) for only in filters] == whole


@pytest.mark.parametrize(
    ("only", "word"),
    [
        (Filter(run_id=99), "no run 99"),
        (Filter(source="nobody\x1b"), r"crawl 'nobody\\\\x1b'"),
        (Filter(domain="typo.example"), "There is no domain 'typo.example'"),
        (Filter(since=2.0, until=2.0), "This time span is empty"),
    ],
)
async def test_unknown_names_are_reported(crawled: StoreUnderTest, only: Filter, word: str) -> None:
    with pytest.raises(UsageError, match=word):
        await export(crawled, Noun.URLS, only)


@pytest.mark.parametrize("noun", WITHOUT_FATE)
def test_a_filter_that_does_not_apply_is_refused(noun: Noun) -> None:
    with pytest.raises(
        UsageError,
        match="cannot be filtered by fate; only pages, urls, links, placements, markdown, chunks can",
    ):
        check_fit(noun, Filter(fate=Fate.GONE))
    check_fit(noun, Filter(run_id=1, source="x", domain="x", since=1.0))


def test_every_noun_has_all_but_a_fate() -> None:
    for noun in Noun:
        assert set(Facet) - {Facet.FATE, Facet.KIND} <= EXPORTS[noun].facets.keys()


async def test_changes_know_the_run_that_found_a_new_page(crawled: StoreUnderTest) -> None:
    def read(connection: Connection) -> dict[int, list[str]]:
        return {
            run: [change.url for change in iter_changes(connection, ChangeFilter(run_id=run))]
            for run in (1, 2, 3)
        }

    found = await asyncio.to_thread(read_store, crawled.place, read)
    assert {run: sorted(urls) for run, urls in found.items()} == {
        1: [A + "1"],
        2: [A + "2", B + "1"],
        3: [N + "1"],
    }


async def test_a_url_belongs_to_the_run_that_visited_it_last(crawled: StoreUnderTest) -> None:
    rows = {row["url"]: row["run"] for row in await export(crawled, Noun.URLS, Filter())}
    assert rows == {A + "1": 1, A + "gone": 1, A + "2": 2, B + "1": 2, N + "1": 3, A + "later": None}
