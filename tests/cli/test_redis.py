"""Redis as the commands see it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command import run_tenax
from tests.support.redis_server import RedisServer
from tests.support.stores import fill_store

NOWHERE = "redis://:hush@127.0.0.1:1"


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with RedisServer() as server:
        yield server


@pytest.fixture(autouse=True)
def _empty(redis: RedisServer) -> None:
    redis.ask("FLUSHALL")


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A crawl of the test's own: giving it an identity changes it."""
    fill_store(tmp_path)
    return tmp_path


def test_rebuild_seen_fills_the_filter_from_the_store(own: Path, redis: RedisServer) -> None:
    ended = run_tenax("rebuild-seen", "--data", own, "--redis", redis.url)
    assert (ended.code, ended.out) == (0, "The seen filter knows 10 urls.\n")
    assert sum(redis.ask("SCARD", bucket.decode()) for bucket in redis.ask("KEYS", "*")) == 10


def test_rebuild_seen_forgets_what_the_store_does_not_hold(own: Path, redis: RedisServer) -> None:
    run_tenax("rebuild-seen", "--data", own, "--redis", redis.url)
    (bucket, *_) = redis.ask("KEYS", "tenax:*:seen:*")
    redis.ask("SADD", bucket.decode(), 12345)
    run_tenax("rebuild-seen", "--data", own, "--redis", redis.url)
    assert redis.ask("SISMEMBER", bucket.decode(), 12345) == 0


def test_rebuild_seen_without_a_redis_is_a_usage_error(own: Path) -> None:
    ended = run_tenax("rebuild-seen", "--data", own)
    assert ended.code == 2
    assert "--redis" in ended.err


def test_rebuild_seen_names_a_redis_that_does_not_answer(own: Path) -> None:
    ended = run_tenax("rebuild-seen", "--data", own, "--redis", NOWHERE)
    assert ended.code == 1
    assert "Redis at 127.0.0.1:1 does not answer" in ended.err
    assert "hush" not in ended.err


def test_status_says_that_redis_answers(data: Path, redis: RedisServer) -> None:
    assert "redis     reachable\n" in run_tenax("status", "--data", data, "--redis", redis.url).out


def test_status_says_that_redis_does_not_answer(data: Path) -> None:
    ended = run_tenax("status", "--data", data, "--redis", NOWHERE)
    assert ended.code == 0
    assert "Redis at 127.0.0.1:1 does not answer" in ended.out
    assert "crawls continue without it" in ended.out


def test_status_in_json_has_what_is_wrong_with_redis(data: Path) -> None:
    found = json.loads(run_tenax("status", "--data", data, "--redis", NOWHERE, "--json").out)
    assert "does not answer" in found["redis"]["trouble"]
    assert found["redis"]["reports"] == []


def test_status_without_a_redis_does_not_mention_it(data: Path) -> None:
    assert "redis" not in run_tenax("status", "--data", data).out


def test_the_environment_names_redis_and_its_password_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENAX_REDIS__URL", "redis://me:hush@host/1")
    ended = run_tenax("config", "show")
    assert "redis://me:***@host/1" in ended.out
    assert "hush" not in ended.out


@pytest.mark.parametrize("command", [("crawl", "http://a.test/"), ("status",), ("rebuild-seen",)])
def test_an_address_that_is_none_is_a_usage_error(data: Path, command: tuple[str, ...]) -> None:
    ended = run_tenax(*command, "--data", data, "--redis", "http://:hush@host")
    assert ended.code == 2
    assert "redis://" in ended.err
    assert "hush" not in ended.err


def test_a_crawl_without_redis_does_not_import_its_client() -> None:
    code = "import sys, tenax.cli.commands.crawl; sys.exit('hiredis' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
