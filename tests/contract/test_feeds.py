"""Feeds of sources: found, polled politely, and their entries queued once."""

import asyncio
import errno
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from sqlalchemy import delete, update

from tenax import __version__
from tenax.config.crawl import RobotsSettings
from tenax.config.settings import Settings
from tenax.fetch.curl import CurlFetcher
from tenax.jobs.feeds import poller as feeds_module
from tenax.jobs.feeds.conclusion import FeedPoll, conclude
from tenax.jobs.feeds.plan import plan_feeds
from tenax.jobs.feeds.requests import FeedClaim, FeedPostponed, FeedRequests
from tenax.records.feeds import Feed, FeedKind, FeedState
from tenax.records.requests import Request
from tenax.runtime.engine import open_fetcher
from tenax.stores.access import Access
from tenax.stores.feeds.feeds import (
    LOCK_S,
    FeedFilter,
    NewFeed,
    add_feeds,
    claim_feeds,
    request_poll,
    slice_feeds,
)
from tenax.stores.feeds.holds import SLACK_S, PolitenessTerms
from tenax.stores.jobs.sources import list_sources
from tenax.stores.paging import SliceRequest
from tenax.stores.schema.feeds import feeds
from tests.support.clock import FakeClock
from tests.support.feeds import (
    SETTINGS,
    FeedOrigin,
    Reply,
    add_source,
    follow_feeds,
    make_page,
    make_rss,
    run_feeds,
)
from tests.support.store import StoreUnderTest, StoreWorker

ALL = SliceRequest(key="id", is_descending=False, after=None, limit=100)
A, B = "https://a.example/feed", "https://b.example/feed"
TERMS = PolitenessTerms(politeness=SETTINGS.politeness, request_s=30.0)
HOLD_S = TERMS.request_s + SLACK_S


@pytest.fixture
def origin() -> Iterator[FeedOrigin]:
    with run_feeds() as origin:
        yield origin


async def list_feeds(access: Access) -> dict[str, Feed]:
    found = await access.read(lambda connection: slice_feeds(connection, ALL, FeedFilter()))
    return {feed.url: feed for feed in found.items}


async def find_by_path(access: Access) -> dict[str, Feed]:
    return {
        url.partition(".test")[2].partition("/")[2]: feed for url, feed in (await list_feeds(access)).items()
    }


def list_queued(store: StoreUnderTest) -> list[tuple[Any, ...]]:
    found = store.query("SELECT url, priority, depth, discovered_from FROM urls WHERE due_at IS NOT NULL")
    return sorted(("/" + url.split("/", 3)[3], *others) for url, *others in found)


async def add_two(access: Access, clock: FakeClock, *urls: str) -> int:
    """A source with feeds that are due."""
    now = clock.now()

    def work(connection: Any) -> int:
        source_id = add_source(connection, now, "https://a.example/")
        new = [NewFeed(url=url, domain=url.split("/")[2], kind=FeedKind.RSS) for url in urls]
        add_feeds(connection, source_id, new, 900.0, now)
        return source_id

    return await access.write(work)


async def take(access: Access, clock: FakeClock, token: str = "me", limit: int = 10) -> list[str]:
    now = clock.now()
    terms = dict.fromkeys(range(1, 10), TERMS)
    taken = await access.write(lambda connection: claim_feeds(connection, token, limit, terms, now))
    return [each.feed.url for each in taken]


# --- the store ---------------------------------------------------------------------------------------


async def test_a_feed_is_claimed_by_one_of_many_servers(access: Access, clock: FakeClock) -> None:
    urls = [f"https://h{number}.example/feed" for number in range(10)]
    await add_two(access, clock, *urls)
    taken = await asyncio.gather(*(take(access, clock, f"server {n}", 3) for n in range(6)))
    assert sorted(url for urls in taken for url in urls) == sorted(urls)


async def test_a_lock_that_its_owner_left_behind_expires(access: Access, clock: FakeClock) -> None:
    await add_two(access, clock, A)
    assert await take(access, clock) == [A]
    clock.advance(LOCK_S - 1)
    assert await take(access, clock) == []
    clock.advance(2)
    assert await take(access, clock) == [A]


async def test_one_feed_of_a_domain_is_polled_at_a_time(access: Access, clock: FakeClock) -> None:
    await add_two(access, clock, A, "https://a.example/atom.xml", B)
    assert await take(access, clock) == [A, B]
    clock.advance(HOLD_S - 1)
    assert await take(access, clock) == []


async def test_known_feeds_come_first_and_linked_ones_before_guesses(
    access: Access, clock: FakeClock
) -> None:
    source_id = await add_two(access, clock)
    guess, named, known = (f"https://a.example/{name}" for name in ("guess", "named", "known"))
    for url, kind in ((guess, None), (named, None), (known, FeedKind.RSS)):
        new = [NewFeed(url=url, domain="a.example", kind=kind)]
        clock.advance(1)
        now = clock.now()
        await access.write(partial(add_feeds, source_id=source_id, new=new, interval_s=1e6, now=now))
    order = []
    for _ in range(3):
        # One is taken, and the others wait alike.
        order += await take(access, clock)
        clock.advance(HOLD_S + LOCK_S)
        now = clock.now()
        await access.write(lambda connection: connection.execute(update(feeds).values(next_poll_at=now)))  # noqa: B023
        taken = feeds.c.url.in_(order)
        await access.write(lambda connection: connection.execute(delete(feeds).where(taken)))  # noqa: B023
    assert order == [known, named, guess]


async def test_adding_feeds_again_changes_nothing(access: Access, clock: FakeClock) -> None:
    source_id = await add_two(access, clock, A)
    before = await list_feeds(access)
    clock.advance(100)
    now = clock.now()
    new = [NewFeed(url=A, domain="a.example")]
    await asyncio.gather(
        *(access.write(lambda connection: add_feeds(connection, source_id, new, 1.0, now)) for _ in range(5))
    )
    assert await list_feeds(access) == before


async def test_a_domain_that_a_worker_holds_is_left_alone(
    store: StoreUnderTest, access: Access, clock: FakeClock, worker: StoreWorker
) -> None:
    await worker.add("https://a.example/")
    lease = await worker.claim_one()
    await add_two(access, clock, A)
    assert await take(access, clock) == []
    await worker.release(lease)
    clock.advance(61)
    assert await take(access, clock) == [A]


async def test_a_domain_that_is_blocked_is_left_alone(
    store: StoreUnderTest, access: Access, clock: FakeClock, worker: StoreWorker
) -> None:
    await worker.add("https://a.example/")
    await store.domains.block("a.example", "a test")
    await add_two(access, clock, A)
    assert await take(access, clock) == []
    clock.advance(3600)
    assert await take(access, clock) == []


async def test_a_feed_of_a_disabled_source_is_not_polled(
    store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await add_two(access, clock, A)
    await access.write(lambda connection: connection.exec_driver_sql("UPDATE sources SET enabled = 0"))
    assert await take(access, clock) == []


# --- following them ----------------------------------------------------------------------------------


async def test_a_feed_that_a_page_links_to_is_followed(
    store: StoreUnderTest, access: Access, clock: FakeClock, origin: FeedOrigin
) -> None:
    origin.replies["/"] = make_page("/news.rss")
    origin.replies["/news.rss"] = make_rss("/one", "/two", "http://elsewhere.test/out")
    async with follow_feeds(store, access, clock) as follower:
        source_id = await follower.add_source(origin.url("/"))
        await follower.poll_all(120)
    assert store.query("SELECT source_id FROM domains") == [(source_id,)]
    feed = (await find_by_path(access))["news.rss"]
    assert (feed.kind, feed.title, feed.state, feed.entries_new) == ("rss", "News", FeedState.ACTIVE, 2)
    assert list_queued(store) == [("/one", 3, 1, 0), ("/two", 3, 1, 0)]


async def test_usual_places_are_tried_once(
    store: StoreUnderTest, access: Access, clock: FakeClock, origin: FeedOrigin
) -> None:
    origin.replies["/atom.xml"] = make_rss("/one")
    async with follow_feeds(store, access, clock) as follower:
        await follower.add_source(origin.url("/"), feed_interval_minutes=60)
        await follower.poll_all(120)
        tried = origin.take_requests()
        clock.advance(3600)
        await follower.poll_all(120)
    assert tried.count("/rss.xml") == tried.count("/feed") == 1
    assert origin.take_requests() == ["/robots.txt", "/atom.xml"]
    states = {path: feed.state for path, feed in (await find_by_path(access)).items()}
    assert states["atom.xml"] is FeedState.ACTIVE
    assert states["feed"] is FeedState.ABSENT


async def test_a_feed_that_has_not_changed_costs_a_304(
    store: StoreUnderTest, access: Access, clock: FakeClock, origin: FeedOrigin
) -> None:
    origin.replies["/feed"] = make_rss("/one")
    origin.replies["/feed"].headers |= {"ETag": '"v1"', "Last-Modified": "Mon, 06 Jan 2025 10:00:00 GMT"}
    async with follow_feeds(store, access, clock) as follower:
        await follower.add_source(origin.url("/"))
        await follower.poll_all(120)
        clock.advance(900)
        await follower.poll_all(60)
    assert "If-Modified-Since: Mon, 06 Jan 2025 10:00:00 GMT" in origin.heads[-1]
    feed = (await find_by_path(access))["feed"]
    assert (feed.last_status, feed.etag, feed.state) == (304, '"v1"', FeedState.ACTIVE)


async def test_only_entries_that_are_new_are_counted_and_known_urls_stay_as_they_are(
    store: StoreUnderTest, access: Access, clock: FakeClock, origin: FeedOrigin, worker: StoreWorker
) -> None:
    origin.replies["/feed"] = make_rss("/one")
    async with follow_feeds(store, access, clock) as follower:
        await follower.add_source(origin.url("/"))
        await follower.poll_all(120)
        await access.write(
            lambda connection: connection.exec_driver_sql("UPDATE urls SET fate = 'dead', due_at = NULL")
        )
        origin.replies["/feed"] = make_rss("/one", "/two")
        clock.advance(900)
        await follower.poll_all(60)
    assert (await find_by_path(access))["feed"].entries_new == 2
    assert [url for url, *_ in list_queued(store)] == ["/two"]


async def test_a_failing_feed_is_polled_less_and_less_often(
    store: StoreUnderTest, access: Access, clock: FakeClock, origin: FeedOrigin
) -> None:
    origin.replies["/feed"] = make_rss("/one")
    async with follow_feeds(store, access, clock) as follower:
        await follower.add_source(origin.url("/"))
        await follower.poll_all(120)
        origin.replies["/feed"] = Reply(status=500)
        intervals = []
        for _ in range(9):
            clock.advance((await find_by_path(access))["feed"].interval_s)
            await follower.poll_all(60)
            intervals.append((await find_by_path(access))["feed"].interval_s)
        origin.replies["/feed"] = make_rss("/one")
        clock.advance(86_400)
        await follower.poll_all(60)
    assert intervals[:3] == [1800, 3600, 7200]
    assert intervals[-1] == 86_400
    feed = (await find_by_path(access))["feed"]
    assert (feed.state, feed.interval_s, feed.failures) == (FeedState.ACTIVE, 900, 0)


async def test_a_request_that_could_not_be_sent_does_not_count_against_a_feed(
    store: StoreUnderTest,
    access: Access,
    clock: FakeClock,
    origin: FeedOrigin,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    origin.replies["/feed"] = make_rss("/one")
    async with follow_feeds(store, access, clock) as follower:
        await follower.add_source(origin.url("/"))
        await follower.poll_all(120)
        before = (await find_by_path(access))["feed"]
        clock.advance(900)
        with monkeypatch.context() as patch:
            patch.setattr(CurlFetcher, "_begin", raise_shortage)
            await follower.poll_all(30)
        short = (await find_by_path(access))["feed"]
        await follower.poll_all(120)
    assert (short.state, short.failures, short.interval_s) == (before.state, 0, before.interval_s)
    assert (await find_by_path(access))["feed"].last_polled_at != before.last_polled_at


async def test_a_bug_triggered_by_one_feed_does_not_stop_the_others(
    store: StoreUnderTest,
    access: Access,
    clock: FakeClock,
    origin: FeedOrigin,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def conclude_or_raise(poll: FeedPoll, answer: Any) -> Any:
        if poll.feed.url.endswith("/feed"):
            raise ValueError("a bug")
        return conclude(poll, answer)

    monkeypatch.setattr(feeds_module, "conclude", conclude_or_raise)
    origin.replies["/feed"] = origin.replies["/atom.xml"] = make_rss("/one")
    async with follow_feeds(store, access, clock) as follower:
        await follower.add_source(origin.url("/"))
        await follower.poll_all(120)
    found = await find_by_path(access)
    assert found["atom.xml"].state is FeedState.ACTIVE
    assert found["feed"].error == "internal error: ValueError"


def raise_shortage(*_: Any) -> None:
    raise OSError(errno.EMFILE, "too many open files")


async def test_a_feed_that_is_gone_is_polled_only_on_request(
    store: StoreUnderTest, access: Access, clock: FakeClock, origin: FeedOrigin
) -> None:
    origin.replies["/feed"] = make_rss("/one")
    async with follow_feeds(store, access, clock) as follower:
        await follower.add_source(origin.url("/"))
        await follower.poll_all(120)
        origin.replies["/feed"] = Reply(status=410)
        clock.advance(900)
        await follower.poll_all(60)
        feed = (await find_by_path(access))["feed"]
        assert (feed.state, feed.next_poll_at) == (FeedState.GONE, None)
        origin.take_requests()
        clock.advance(90_000)
        await follower.poll_all(60)
        assert "/feed" not in origin.take_requests()
        now = clock.now()
        await access.write(lambda connection: request_poll(connection, feed.id, now))
        await follower.poll_all(60)
    assert "/feed" in origin.take_requests()


async def test_a_feed_that_has_moved_is_followed_at_its_new_place(
    store: StoreUnderTest, access: Access, clock: FakeClock, origin: FeedOrigin
) -> None:
    origin.replies["/feed"] = Reply(status=301, headers={"Location": origin.url("/news", "feeds.test")})
    origin.replies["/news"] = make_rss(origin.url("/one"))
    async with follow_feeds(store, access, clock) as follower:
        await follower.add_source(origin.url("/"))
        await follower.poll_all(120)
    found = await find_by_path(access)
    assert found["feed"].state is FeedState.ABSENT
    assert (found["news"].domain, found["news"].entries_new) == (f"feeds.test:{origin.port}", 1)


async def test_what_robots_forbids_is_not_requested(
    store: StoreUnderTest, access: Access, clock: FakeClock, origin: FeedOrigin
) -> None:
    origin.replies["/robots.txt"] = Reply(body="User-agent: *\nDisallow: /feed\nCrawl-delay: 20\n")
    origin.replies["/feed"] = make_rss("/one")
    async with follow_feeds(store, access, clock) as follower:
        await follower.add_source(origin.url("/"))
        await follower.poll_all(600)
    asked = origin.take_requests()
    assert "/atom.xml" in asked
    assert not {"/feed", "/feed.xml", "/feed.json"} & set(asked)
    assert "robots.txt line 2" in ((await find_by_path(access))["feed"].error or "")


async def test_a_retry_after_applies_to_the_whole_domain(
    store: StoreUnderTest, access: Access, clock: FakeClock, origin: FeedOrigin, worker: StoreWorker
) -> None:
    await worker.add(origin.url("/"))
    origin.replies["/"] = Reply(status=503, headers={"Retry-After": "3000"})
    async with follow_feeds(store, access, clock) as follower:
        await follower.add_source(origin.url("/"))
        await follower.poll_all(1200)
        assert origin.take_requests() == ["/robots.txt", "/"]
        origin.replies["/"] = make_page()
        clock.advance(3000)
        await follower.poll_all(60)
    assert "/feed" in origin.take_requests()


async def test_a_feed_is_requested_with_the_user_agent_of_its_source(
    store: StoreUnderTest, access: Access, clock: FakeClock, origin: FeedOrigin
) -> None:
    origin.replies["/feed"] = make_rss("/one")
    async with follow_feeds(store, access, clock) as follower:
        await follower.add_source(origin.url("/"), user_agent="Gazette/1 (für alle)")
        await follower.add_source(origin.url("/", "other.test"), contact="mailto:me@other.test")
        await follower.poll_all(120)
    agents = {
        "Host: news.test": "User-Agent: Gazette/1 (für alle)",
        "Host: other.test": f"User-Agent: tenax/{__version__} (+mailto:me@other.test)",
    }
    heads = [head.encode("latin-1").decode() for head in origin.heads]
    assert {"/robots.txt", "/feed"} <= set(origin.asked)
    for host, agent in agents.items():
        asked = [head for head in heads if f"{host}:" in head]
        assert asked
        assert all(agent in head and head.count("User-Agent") == 1 for head in asked)


async def test_headers_of_a_source_go_to_the_origins_of_its_seeds_only(
    store: StoreUnderTest, access: Access, clock: FakeClock, origin: FeedOrigin
) -> None:
    origin.replies["/"] = make_page(origin.url("/else", "feeds.test"))
    origin.replies["/else"] = make_rss("/one")
    own = {"X-Key": "s3cret", "Accept": "application/xml"}
    async with follow_feeds(store, access, clock) as follower:
        await follower.add_source(origin.url("/"), headers=own)
        await follower.add_source(origin.url("/", "other.test"))
        await follower.poll_all(120)
    by_host: dict[str, list[str]] = {"news": [], "feeds": [], "other": []}
    for head in origin.heads:
        by_host[head.partition("Host: ")[2].partition(".")[0]].append(head)
    assert all(by_host.values())
    assert all("X-Key: s3cret" in head and head.count("Accept: ") == 1 for head in by_host["news"])
    assert not any("X-Key" in head for host in ("feeds", "other") for head in by_host[host])


async def test_the_delay_of_a_source_applies_to_its_feeds(
    store: StoreUnderTest, access: Access, clock: FakeClock, origin: FeedOrigin
) -> None:
    async with follow_feeds(store, access, clock) as follower:
        await follower.add_source(origin.url("/"), delay_s=100)
        await follower.poll_all(350)
        # The second request, the third and the fourth have waited for the one before.
        assert len(origin.take_requests()) == 4
        await follower.poll_all(100)
    assert len(origin.take_requests()) == 1


async def test_a_robots_that_has_moved_is_followed_with_the_delay_of_the_source(
    store: StoreUnderTest, access: Access, clock: FakeClock, origin: FeedOrigin
) -> None:
    origin.replies["/robots.txt"] = Reply(status=301, headers={"Location": "/elsewhere.txt"})
    origin.replies["/elsewhere.txt"] = Reply(body="User-agent: *\nDisallow: /feed\n")
    settings = SETTINGS.model_copy(update={"robots": RobotsSettings(cache_s=30)})
    async with follow_feeds(store, access, clock, settings) as follower:
        await follower.add_source(origin.url("/"), delay_s=60)
        await follower.poll_all(50)
        assert origin.take_requests() == ["/robots.txt"]
        await follower.poll_all(60)
        assert origin.take_requests() == ["/elsewhere.txt"]
        # However long that took, the rules hold for the request that they were asked for.
        await follower.poll_all(60)
        assert origin.take_requests() == ["/"]


async def test_a_suspended_server_sends_no_request_that_a_crawl_may_send_by_now(
    store: StoreUnderTest, access: Access, clock: FakeClock, origin: FeedOrigin
) -> None:
    async with follow_feeds(store, access, clock) as follower:
        source_id = await follower.add_source(origin.url("/"))
        plan = plan_feeds((await access.read(list_sources))[0], SETTINGS, access.vault)
        terms, now = {source_id: plan.terms}, clock.now()
        taken = await access.write(lambda connection: claim_feeds(connection, "me", 1, terms, now))
        clock.advance(SLACK_S + 1)
        async with open_fetcher(SETTINGS, clock) as fetcher:
            turns = FeedRequests(access, fetcher, clock, FeedClaim(taken=taken[0], token="me", plan=plan))
            answer = await turns.fetch(Request(url=taken[0].feed.url))
    assert isinstance(answer, FeedPostponed)
    assert origin.take_requests() == []


async def test_private_addresses_are_refused(
    store: StoreUnderTest, access: Access, clock: FakeClock, origin: FeedOrigin
) -> None:
    guarded = Settings.model_validate({"fetch": {"resolve": ["*:127.0.0.1"]}})
    async with follow_feeds(store, access, clock, guarded) as follower:
        await follower.add_source(origin.url("/"))
        await follower.poll_all(120)
    assert origin.take_requests() == []


async def test_two_servers_poll_each_feed_once(
    store: StoreUnderTest, access: Access, clock: FakeClock, origin: FeedOrigin
) -> None:
    origin.replies["/feed"] = make_rss("/one")
    async with follow_feeds(store, access, clock) as one, follow_feeds(store, access, clock) as other:
        await one.add_source(origin.url("/"))
        await other.poller.refresh_sources()
        for _ in range(40):
            await asyncio.gather(one.poller.poll(), other.poller.poll())
            clock.advance(5)
    asked = origin.take_requests()
    assert asked.count("/feed") == 1
    assert asked.count("/rss.xml") == 1


async def test_feeds_are_removed_when_they_are_no_longer_wanted(
    store: StoreUnderTest, access: Access, clock: FakeClock, origin: FeedOrigin
) -> None:
    async with follow_feeds(store, access, clock) as follower:
        source_id = await follower.add_source(origin.url("/"))
        assert await list_feeds(access)
        await access.write(
            lambda connection: connection.exec_driver_sql(f"DELETE FROM sources WHERE id = {source_id}")
        )
        await follower.poller.refresh_sources()
    assert await list_feeds(access) == {}


async def test_a_result_that_cannot_be_saved_is_found_again(
    store: StoreUnderTest, access: Access, clock: FakeClock, origin: FeedOrigin
) -> None:
    origin.replies["/"] = make_page("/news.rss")
    async with follow_feeds(store, access, clock) as follower:
        await follower.add_source(origin.url("/"))
        with store.broken("INSERT", "feeds"):
            await follower.poller.poll()
        assert "news.rss" not in await find_by_path(access)
        clock.advance(LOCK_S)
        await follower.poll_all(60)
    assert "news.rss" in await find_by_path(access)
