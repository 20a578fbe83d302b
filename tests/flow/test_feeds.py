"""Feeds beside a crawl of the same domain: the origin's log shows one polite visitor."""

import asyncio
import contextlib
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from tenax.config.settings import Settings
from tenax.crawl.engine import EngineResult
from tenax.jobs.feeds.poller import FeedPoller
from tenax.records.runs import RunState
from tenax.runtime.actions import write_store
from tenax.runtime.backends import find_backend
from tenax.runtime.engine import open_engine, open_fetcher
from tenax.runtime.server import open_server_runtime
from tenax.stores.access import Access
from tenax.stores.place import Place
from tenax.stores.schema.feeds import feeds
from tests.support.crawler import wait_until
from tests.support.feeds import add_source
from tests.support.operation_process import MODULE, describe_operation
from tests.support.postgres import fresh_database
from tests.support.running import DEADLINE_S, build_settings
from tests.support.site import HostBehavior
from tests.support.web import LoggedRequest, TestWeb, assert_polite

DELAY_S = 0.2
SLOW = HostBehavior(delay_s=1.5)
FEEDER = "feeder/1"
REQUEST_S = 2.0  # the deadline of a request


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with contextlib.ExitStack() as stack:
        url = None if request.param == "sqlite" else stack.enter_context(fresh_database())
        place = Place(folder=tmp_path / "data", url=url)
        place.folder.mkdir()
        find_backend(place).migrate(place)
        yield place


@pytest.fixture
def web() -> Iterator[TestWeb]:
    with TestWeb(hosts=1, pages_per_host=4) as web:
        yield web


def make_settings(web: TestWeb) -> Settings:
    return build_settings(
        politeness={"delay_s": DELAY_S},
        fetch={"timeout_s": REQUEST_S},
        robots={"timeout_s": REQUEST_S},
        scope={"kind": "host"},
    )


def add_feeds_of(place: Place, web: TestWeb) -> None:
    seeds, now = web.seeds(), time.time()
    asyncio.run(
        write_store(
            place,
            lambda connection: add_source(connection, now, *seeds, delay_s=DELAY_S, user_agent=FEEDER),
        )
    )


@contextlib.asynccontextmanager
async def open_poller(place: Place, settings: Settings) -> AsyncIterator[tuple[FeedPoller, Access]]:
    async with open_server_runtime(place, settings) as server_runtime:
        clock = server_runtime.stores.clock
        async with open_fetcher(settings, clock) as fetcher:
            poller = FeedPoller(settings, server_runtime.access, server_runtime.stores, fetcher)
            await poller.refresh_sources()
            yield poller, server_runtime.access


async def crawl(place: Place, web: TestWeb, settings: Settings) -> EngineResult:
    async with open_engine(place, settings) as engine:
        return await asyncio.wait_for(engine.crawl(web.seeds()), DEADLINE_S)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(DEADLINE_S):
        while not condition():  # noqa: ASYNC110 - the log of another process
            await asyncio.sleep(0.01)


def list_pages(web: TestWeb, *, of_feeds: bool) -> list[LoggedRequest]:
    """Without robots.txt."""
    return [
        request
        for request in web.requests()
        if (request.user_agent == FEEDER) == of_feeds and request.path != "/robots.txt"
    ]


def make_due(connection: Any) -> None:
    connection.execute(update(feeds).values(next_poll_at=0.0))


async def ask_feeds(poller: FeedPoller, access: Access) -> None:
    """As often as anybody could."""
    while True:
        await access.write(make_due)
        await poller.poll()
        await asyncio.sleep(0.02)


def test_a_crawl_waits_for_a_slow_feed_and_feeds_for_a_crawl(place: Place, web: TestWeb) -> None:
    settings = make_settings(web)
    add_feeds_of(place, web)
    web.set_behavior(web.hosts[0], SLOW)

    async def work() -> EngineResult:
        async with open_poller(place, settings) as (poller, access):
            asking = asyncio.create_task(ask_feeds(poller, access))
            await until(lambda: len(list_pages(web, of_feeds=True)) > 0)
            # The answer is a second and a half away: a crawl that did not look would be there before.
            ended = await crawl(place, web, settings)
            asked = len(list_pages(web, of_feeds=True))
            # After the crawl they go on.
            await until(lambda: len(list_pages(web, of_feeds=True)) > asked)
            asking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asking
            return ended

    ended = asyncio.run(work())
    assert ended.state is RunState.DONE
    assert {request.path for request in list_pages(web, of_feeds=False)} >= {"/"}
    wait_until(lambda: all(request.ended_at for request in web.requests()), "the last answer has left")
    assert_polite(web.requests(), DELAY_S)


def test_a_server_that_dies_while_it_asks_holds_the_domain_until_the_deadline(
    place: Place, web: TestWeb
) -> None:
    settings = make_settings(web)
    add_feeds_of(place, web)
    web.set_behavior(web.hosts[0], HostBehavior(delay_s=60))
    order = describe_operation(place, settings, "feeds")
    server = subprocess.Popen([sys.executable, "-m", MODULE, order], cwd=Path(__file__).parents[2])
    try:
        wait_until(lambda: len(list_pages(web, of_feeds=True)) > 0, "it asks")
    finally:
        server.kill()
        server.wait()
    web.set_behavior(web.hosts[0], HostBehavior())
    assert asyncio.run(crawl(place, web, settings)).state is RunState.DONE
    dead, first = list_pages(web, of_feeds=True)[0], list_pages(web, of_feeds=False)[0]
    assert first.started_at >= dead.started_at + REQUEST_S
    assert_polite(web.requests(), DELAY_S)
