"""A Redis that is down, slow, full or not a Redis: no call waits long or raises, and it recovers."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tenax.clock import SystemClock
from tenax.coordination import link
from tenax.coordination.redis import RedisCoordination
from tests.support.clock import START
from tests.support.coordination import ORIGIN, build_redis, make_report, make_robots, new_names
from tests.support.redis_server import RedisServer

pytestmark = pytest.mark.usefixtures("runner")

NOWHERE = "redis://127.0.0.1:1/0"


@pytest.fixture
def redis() -> Iterator[RedisServer]:
    with RedisServer() as server:
        yield server


def build(url: str, timeout_s: float = 0.1) -> RedisCoordination:
    return build_redis(url, SystemClock(), timeout_s=timeout_s)


async def wait_until(condition: Callable[[], object], timeout_s: float = 60.0) -> float:
    """How long it took."""
    started = time.monotonic()
    while not condition():
        assert time.monotonic() < started + timeout_s, "waited too long"
        await asyncio.sleep(0.01)
    return time.monotonic() - started


async def ask_until_trouble(shared: RedisCoordination) -> None:
    while shared.trouble is None:
        await shared.find_robots(ORIGIN)
        await asyncio.sleep(0.01)


async def test_without_a_server_everything_is_unknown_and_said_so() -> None:
    async with build(NOWHERE) as shared:
        shared.save_robots(make_robots())
        shared.remember([("a.test", 1)])
        shared.publish(make_report())
        assert await shared.find_robots(ORIGIN) is None
        assert await shared.find_seen([("a.test", 1)]) == set()
        assert await shared.read_events(None, 10) == []
        await wait_until(lambda: shared.trouble)
        assert "127.0.0.1:1 does not answer" in (shared.trouble or "")


async def test_no_call_waits_for_a_server_known_to_be_dead() -> None:
    async with build(NOWHERE) as shared:
        await wait_until(lambda: shared.trouble)
        started = time.monotonic()
        for _ in range(1000):
            await shared.find_robots(ORIGIN)
        assert time.monotonic() - started < 10


async def test_a_server_that_was_killed_is_found_again_within_ten_seconds(redis: RedisServer) -> None:
    async with build(redis.url) as shared:
        redis.kill()
        await asyncio.wait_for(ask_until_trouble(shared), 20)
        redis.start()
        assert await wait_until(lambda: shared.trouble is None) < 30
        assert await shared.check() is None


async def test_a_short_absence_is_no_trouble(redis: RedisServer) -> None:
    async with build(redis.url) as shared:
        redis.ask("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        back = asyncio.create_task(_answers(shared))
        await asyncio.wait_for(back, 20)
        assert shared.trouble is None


async def _answers(shared: RedisCoordination) -> None:
    while await shared.check() is not None:  # noqa: ASYNC110
        await asyncio.sleep(0.01)


async def test_a_server_that_says_nothing_costs_five_deadlines(redis: RedisServer) -> None:
    async with build(redis.url) as shared:
        redis.pause()
        asked = 0
        while shared.trouble is None:
            await shared.find_robots(ORIGIN)
            asked += 1
        assert asked <= 5
        assert "no reply within 100 ms" in (shared.trouble or "")
        redis.resume()
        assert await wait_until(lambda: shared.trouble is None) < 30


async def test_late_replies_do_not_answer_later_questions(redis: RedisServer) -> None:
    names = new_names()
    async with build_redis(redis.url, SystemClock(), names, timeout_s=0.1) as shared:
        redis.ask("SET", names.robots(ORIGIN), "x")
        redis.pause()
        assert await shared.find_robots(ORIGIN) is None
        redis.resume()
        assert await shared.read_events(None, 10) == []
        assert await shared.check() is None


async def test_a_full_server_is_named_and_still_read(redis: RedisServer) -> None:
    names = new_names()
    async with build_redis(redis.url, SystemClock(), names) as shared:
        shared.publish(make_report())
        await shared.check()
        redis.ask("CONFIG", "SET", "maxmemory", "1")
        shared.publish(make_report(pages=99))
        assert [report.pages for report in await shared.list_reports(1)] == [10]
        assert "OOM" in (shared.trouble or "")


async def test_a_refusal_is_news_for_a_moment_only(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "REFUSAL_SHOWN_S", 0.2)
    async with build(redis.url) as shared:
        redis.ask("CONFIG", "SET", "maxmemory", "1")
        shared.publish(make_report())
        await wait_until(lambda: shared.trouble)
        await wait_until(lambda: shared.trouble is None)


async def test_a_password_is_used_and_never_said() -> None:
    with RedisServer("--requirepass", "hush") as redis:
        right = redis.url.replace("//", "//:hush@")
        async with build(right) as shared:
            assert await shared.check() is None
        async with build(redis.url.replace("//", "//:wrong-hush@")) as shared:
            await wait_until(lambda: shared.trouble)
            assert "WRONGPASS" in (shared.trouble or "")
            assert "hush" not in (shared.trouble or "")


async def test_a_unix_socket_does_too(tmp_path: Path) -> None:
    with RedisServer("--unixsocket", str(tmp_path / "redis.sock")):
        async with build(f"unix://{tmp_path}/redis.sock?db=2") as shared:
            assert await shared.check() is None


@asynccontextmanager
async def chatter(words: bytes) -> AsyncIterator[str]:
    """A server that says the same to everyone."""

    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(words)
        await reader.read()
        writer.close()

    server = await asyncio.start_server(greet, "127.0.0.1", 0)
    async with server:
        yield f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}/0"


@pytest.mark.parametrize("words", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"+PONG\r\n" * 50, b"-ERR no\r\n"])
async def test_a_server_that_is_no_redis_is_trouble_and_no_crash(words: bytes) -> None:
    async with chatter(words) as url, build(url) as shared:
        await wait_until(lambda: shared.trouble)


async def test_leaving_delivers_what_was_sent_before(redis: RedisServer) -> None:
    names = new_names()
    async with build_redis(redis.url, SystemClock(), names) as shared:
        shared.publish(make_report(at=START))
    assert redis.ask("HLEN", names.reports(1)) == 1
