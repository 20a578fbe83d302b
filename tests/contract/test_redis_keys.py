"""The keys in Redis: their names, lifetimes and bounds."""

import re
from collections.abc import Iterator

import pytest

from tenax.config.fetch import FetchSettings
from tenax.coordination.base import Notice, UrlName
from tenax.coordination.gate import LoginSubject
from tenax.coordination.keys import ATTEMPTS, HITS, KEYS, SESSIONS, RedisNames, build_names
from tenax.coordination.redis import MAX_ROBOTS_BYTES
from tests.support.clock import START, FakeClock
from tests.support.coordination import (
    ORIGIN,
    build_gate,
    build_redis,
    make_addresses,
    make_report,
    make_robots,
    new_names,
)
from tests.support.redis_server import RedisServer

pytestmark = pytest.mark.usefixtures("runner")


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with RedisServer() as server:
        yield server


@pytest.fixture(autouse=True)
def _empty(redis: RedisServer) -> None:
    redis.ask("FLUSHALL")


def urls(count: int, domain: str = "a.test") -> list[UrlName]:
    return [(domain, number * 0x9E3779B97F4A7C15 % 2**63) for number in range(count)]


def list_keys(redis: RedisServer) -> list[str]:
    return [name.decode() for name in redis.ask("KEYS", "*")]


async def test_every_key_has_a_documented_name_a_type_and_a_time_to_live(
    redis: RedisServer, clock: FakeClock
) -> None:
    async with build_redis(redis.url, clock) as shared:
        shared.save_robots(make_robots(expires_at=START + 86_400))
        shared.save_addresses("a.test", make_addresses(expires_at=START + 86_400))
        shared.remember(urls(100))
        shared.publish(make_report())
        shared.announce(Notice(kind="source.added", number=1, name="news", at=START))
    async with build_gate(redis.url, clock) as gate:
        await gate.save_session("00ff", b"{}", SESSIONS.ttl_s)
        await gate.hit("alice", 10, HITS.ttl_s)
        await gate.attempt([LoginSubject(key="alice", free=-10)])  # far beyond: the longest wait
    patterns = {re.sub("<[a-z]+>", ".+", key.pattern): key for key in KEYS}
    used = set()
    for name in list_keys(redis):
        (pattern,) = [each for each in patterns if re.fullmatch(each, name)]
        key = patterns[pattern]
        assert redis.ask("TYPE", name) == key.kind.encode()
        # One failure is remembered for a shorter time than repeated ones.
        least_s = 60 if key is ATTEMPTS else key.ttl_s - 59
        assert least_s <= redis.ask("TTL", name) <= key.ttl_s
        used.add(key)
    assert used == set(KEYS)


async def test_a_copy_lives_no_longer_in_redis_than_it_may_be_used(
    redis: RedisServer, clock: FakeClock
) -> None:
    names = new_names()
    async with build_redis(redis.url, clock, names) as shared:
        shared.save_robots(make_robots(expires_at=START + 90))
        shared.save_addresses("a.test", make_addresses(expires_at=START + 30))
        shared.save_addresses("b.test", make_addresses(expires_at=START))
    assert 60 < redis.ask("TTL", names.robots(ORIGIN)) <= 90
    assert 0 < redis.ask("TTL", names.addresses("a.test")) <= 30
    assert redis.ask("EXISTS", names.addresses("b.test")) == 0


async def test_a_bucket_that_is_in_use_expires_all_the_same(redis: RedisServer, clock: FakeClock) -> None:
    async with build_redis(redis.url, clock) as shared:
        shared.remember([("a.test", 1)])
        await shared.check()
        (name,) = list_keys(redis)
        redis.ask("EXPIRE", name, 100)
        shared.remember([("a.test", 1)])
    assert redis.ask("TTL", name) <= 100


async def test_the_filter_is_bounded(redis: RedisServer, clock: FakeClock) -> None:
    async with build_redis(redis.url, clock, seen_urls=20_000) as shared:
        shared.remember(urls(60_000))
        seen = await shared.find_seen(urls(20_000))
    sizes = [redis.ask("SCARD", name) for name in list_keys(redis)[:200]]
    assert max(sizes) <= 2
    assert 0 < len(seen) < 20_000


async def test_urls_are_packed_into_eight_bytes(redis: RedisServer, clock: FakeClock) -> None:
    async with build_redis(redis.url, clock) as shared:
        shared.remember(urls(20_000))
    assert {redis.ask("OBJECT", "ENCODING", name) for name in list_keys(redis)[:50]} == {b"intset"}


async def test_more_urls_than_fit_into_one_script_are_all_remembered(
    redis: RedisServer, clock: FakeClock
) -> None:
    async with build_redis(redis.url, clock) as shared:
        shared.remember(urls(12_000))
        assert await shared.find_seen(urls(12_000)) == set(urls(12_000))


async def test_a_filter_that_was_cleared_knows_nothing(redis: RedisServer, clock: FakeClock) -> None:
    async with build_redis(redis.url, clock) as shared:
        shared.remember(urls(300))
        await shared.clear_seen()
        assert await shared.find_seen(urls(300)) == set()
    assert list_keys(redis) == []


async def test_two_stores_do_not_share_what_they_have_seen(redis: RedisServer, clock: FakeClock) -> None:
    async with build_redis(redis.url, clock) as one, build_redis(redis.url, clock) as other:
        one.remember(urls(10))
        await one.check()
        assert await other.find_seen(urls(10)) == set()


async def test_two_stores_share_what_they_know_of_the_web(redis: RedisServer, clock: FakeClock) -> None:
    stores = [build_names(store, FetchSettings()) for store in ("one", "two")]
    async with (
        build_redis(redis.url, clock, stores[0]) as one,
        build_redis(redis.url, clock, stores[1]) as two,
    ):
        one.save_robots(make_robots())
        await one.check()
        assert await two.find_robots(ORIGIN) is not None


@pytest.mark.parametrize(
    "other", [{"user_agent": "other/1"}, {"resolve": ("*:127.0.0.1",)}, {"dns_servers": ("192.0.2.53",)}]
)
def test_another_view_of_the_web_has_other_keys(other: dict[str, object]) -> None:
    view = build_names("store", FetchSettings()).view
    assert build_names("store", FetchSettings.model_validate(other)).view != view


async def test_a_huge_robots_txt_is_not_shared(redis: RedisServer, clock: FakeClock) -> None:
    async with build_redis(redis.url, clock) as shared:
        shared.save_robots(make_robots(b"#" * (MAX_ROBOTS_BYTES + 1)))
        assert await shared.find_robots(ORIGIN) is None


@pytest.mark.parametrize(
    "value",
    ["", "garbage", "{}\nDisallow:", "[1]", '{"ips": ["not an address"], "expires_at": 9e99}', "\x00"],
)
async def test_what_others_wrote_into_a_key_is_not_taken_for_a_fact(
    redis: RedisServer, clock: FakeClock, value: str
) -> None:
    names: RedisNames = new_names()
    redis.ask("SET", names.robots(ORIGIN), value)
    redis.ask("SET", names.addresses("a.test"), value)
    redis.ask("HSET", names.reports(1), "w1", value)
    async with build_redis(redis.url, clock, names) as shared:
        assert await shared.find_robots(ORIGIN) is None
        assert await shared.find_addresses("a.test") is None
        assert await shared.list_reports(1) == []


async def test_a_key_of_another_type_is_a_refusal_and_no_error(redis: RedisServer, clock: FakeClock) -> None:
    names = new_names()
    redis.ask("SADD", names.robots(ORIGIN), "x")
    async with build_redis(redis.url, clock, names) as shared:
        assert await shared.find_robots(ORIGIN) is None
        assert "WRONGTYPE" in (shared.trouble or "")


async def test_events_are_capped(
    redis: RedisServer, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tenax.coordination.redis.KEPT_EVENTS", 100)
    names = new_names()
    async with build_redis(redis.url, clock, names) as shared:
        for pages in range(500):
            shared.publish(make_report(pages=pages))
    assert redis.ask("XLEN", names.events) <= 300
