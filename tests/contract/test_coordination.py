"""What workers share, in memory and through a real Redis."""

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack

import pytest

from tenax.coordination.base import Coordination, Notice, UrlName
from tenax.coordination.memory import MemoryCoordination
from tests.support.clock import START, FakeClock
from tests.support.coordination import (
    ORIGIN,
    build_redis,
    make_addresses,
    make_report,
    make_robots,
)
from tests.support.redis_server import find_redis

URLS: list[UrlName] = [("a.test", 1), ("a.test", -(2**63)), ("b.test", 2**63 - 1), ("b.test", 0)]


@pytest.fixture(scope="module")
def redis_url() -> Iterator[str]:
    with find_redis() as url:
        yield url


@pytest.fixture(params=["memory", "redis"])
def shared(
    request: pytest.FixtureRequest, redis_url: str, clock: FakeClock, runner: asyncio.Runner
) -> Iterator[Coordination]:
    if request.param == "memory":
        yield MemoryCoordination(clock)
        return
    stack = AsyncExitStack()
    yield runner.run(stack.enter_async_context(build_redis(redis_url, clock)))
    runner.run(stack.aclose())


async def test_a_robots_txt_is_found_as_it_was_saved(shared: Coordination) -> None:
    record = make_robots(b"User-agent: *\n\x00\xff\n")
    shared.save_robots(record)
    assert await shared.find_robots(ORIGIN) == record


async def test_a_missing_robots_txt_is_a_fact_too(shared: Coordination) -> None:
    shared.save_robots(make_robots(b"", status=404))
    found = await shared.find_robots(ORIGIN)
    assert found is not None
    assert (found.status, found.body, found.error) == (404, b"", None)


async def test_an_origin_that_was_not_requested_is_unknown(shared: Coordination) -> None:
    assert await shared.find_robots(ORIGIN) is None


async def test_a_robots_txt_that_has_expired_is_not_found(shared: Coordination, clock: FakeClock) -> None:
    shared.save_robots(make_robots())
    clock.advance(3600)
    assert await shared.find_robots(ORIGIN) is None


async def test_the_newer_robots_txt_counts(shared: Coordination) -> None:
    shared.save_robots(make_robots(b"old"))
    shared.save_robots(make_robots(b"new"))
    found = await shared.find_robots(ORIGIN)
    assert found is not None
    assert found.body == b"new"


async def test_addresses_are_found_until_they_expire(shared: Coordination, clock: FakeClock) -> None:
    shared.save_addresses("a.test", make_addresses())
    found = await shared.find_addresses("a.test")
    assert found is not None
    assert (found.ips, found.expires_at) == (("192.0.2.1", "2001:db8::1"), START + 300)
    clock.advance(300)
    assert await shared.find_addresses("a.test") is None


async def test_a_host_that_was_not_looked_up_is_unknown(shared: Coordination) -> None:
    assert await shared.find_addresses("a.test") is None


async def test_only_what_was_remembered_is_seen(shared: Coordination) -> None:
    shared.remember(URLS[:3])
    assert await shared.find_seen(URLS) == set(URLS[:3])


async def test_the_same_key_in_another_domain_is_another_url(shared: Coordination) -> None:
    shared.remember([("a.test", 7)])
    assert await shared.find_seen([("b.test", 7), ("a.test", 7)]) == {("a.test", 7)}


async def test_remembering_twice_changes_nothing(shared: Coordination) -> None:
    shared.remember(URLS)
    shared.remember(URLS)
    assert await shared.find_seen(URLS) == set(URLS)


async def test_of_nothing_nothing_is_seen(shared: Coordination) -> None:
    shared.remember([])
    assert await shared.find_seen([]) == set()


async def test_the_last_report_of_every_worker_of_a_run_is_listed(shared: Coordination) -> None:
    for report in (make_report("w1", pages=1), make_report("w2"), make_report("w3", run_id=2)):
        shared.publish(report)
    shared.publish(make_report("w1", pages=5))
    found = {report.worker: report for report in await shared.list_reports(1)}
    assert found == {"w1": make_report("w1", pages=5), "w2": make_report("w2")}


async def test_every_report_is_an_event(shared: Coordination) -> None:
    for pages in (1, 2, 3):
        shared.publish(make_report(pages=pages))
    events = await shared.read_events(None, 100)
    assert [event.report.pages for event in events] == [1, 2, 3]


async def test_events_are_read_on_from_the_last_one(shared: Coordination) -> None:
    for pages in (1, 2, 3):
        shared.publish(make_report(pages=pages))
    first = await shared.read_events(None, 1)
    rest = await shared.read_events(first[-1].id, 100)
    assert [event.report.pages for event in first + rest] == [1, 2, 3]
    assert await shared.read_events(rest[-1].id, 100) == []


async def test_nothing_is_wrong_while_it_works(shared: Coordination) -> None:
    assert shared.trouble is None


async def test_notices_are_read_on_from_the_last_one(shared: Coordination) -> None:
    notices = [Notice(kind="source.added", number=number, name="a\nb", at=START) for number in range(3)]
    for notice in notices:
        shared.announce(notice)
    (first, found), (second, _) = await shared.read_notices(None, 2)
    assert found == notices[0]
    assert first != second
    assert [notice for _, notice in await shared.read_notices(second, 10)] == notices[2:]
