"""A machine that is short of something: the crawl goes on more slowly, and no site is blamed."""

import json
import resource
import signal
import subprocess
from pathlib import Path

import pytest
from pysqlite3 import dbapi2 as sqlite

from tests.support.crawler import TENAX, Crawler, Where, assert_complete, query, wait_until
from tests.support.site import HostBehavior
from tests.support.web import TestWeb

TOUCHED = "status <> 'exhausted' OR breaker_failures > 0 OR breaker_trips > 0 OR total_errors > 0"


def allow_descriptors(count: int) -> tuple[str, ...]:
    """What is launched so may not ask for more."""
    return ("sh", "-c", f'ulimit -n {count} && exec "$@"', "sh")


def test_without_descriptors_every_page_comes_and_no_domain_is_blamed(tmp_path: Path) -> None:
    crawl_with_few_descriptors(tmp_path / "data")


def test_without_descriptors_postgresql_gets_every_page_too(tmp_path: Path, url: str) -> None:
    crawl_with_few_descriptors(tmp_path / "data", url)


def crawl_with_few_descriptors(data: Path, store: str | None = None) -> None:
    options = () if store is None else ("--store", store)
    where: Where = store or data
    with TestWeb(hosts=300, pages_per_host=1, cross_host=False) as web:
        ended = Crawler(data, web, "--delay", "0", *options, launcher=allow_descriptors(64)).run()
        assert ended.code == 0, ended.stderr
        assert_complete(where, web)
    assert query(where, f"SELECT name, status FROM domains WHERE {TOUCHED}") == []
    assert query(where, "SELECT url FROM urls WHERE attempts > 0") == []
    assert query(where, "SELECT state FROM runs") == [("done",)]


def test_descriptors_that_run_out_on_the_way_slow_the_crawl_down_and_harm_nobody(tmp_path: Path) -> None:
    """The limit is lowered below what was planned with, so that sockets cannot be had."""
    data = tmp_path / "data"
    slow = {f"h{number}.test": HostBehavior(delay_s=0.2) for number in range(120)}
    with TestWeb(hosts=120, pages_per_host=3, cross_host=False, behaviors=slow) as web:
        process = Crawler(data, web, "--delay", "0").start()
        wait_until(lambda: len(web.requests()) > 20, "it is at work")
        resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (50, 50))
        ended = process.wait()
        assert ended.code == 0, ended.stderr
        assert_complete(data, web)
    assert query(data, f"SELECT name, status FROM domains WHERE {TOUCHED}") == []
    assert query(data, "SELECT url FROM urls WHERE attempts > 0") == []
    assert read_local_failures(data) > 0


def read_local_failures(data: Path) -> int:
    """As counted in the store."""
    rows = query(data, "SELECT failures FROM stats")
    return sum(json.loads(failures).get("local", 0) for (failures,) in rows)


def test_without_a_network_it_waits_says_so_and_no_domain_is_blamed(tmp_path: Path) -> None:
    data, cut_off = tmp_path / "data", ("unshare", "-rn")
    if subprocess.run([*cut_off, "true"], check=False).returncode:
        pytest.skip("this system allows no network of one's own")
    with TestWeb(hosts=1, pages_per_host=1) as web:
        hosts = [f"http://192.0.2.{number}/" for number in range(1, 6)]
        process = Crawler(data, web, "--delay", "0", seeds=hosts, launcher=cut_off).start()
    wait_until(lambda: "machine" in read_trouble(data), "a heartbeat names it")
    told = subprocess.run([TENAX, "doctor", "--data", str(data)], capture_output=True, text=True, check=False)
    assert "short of resources: this machine has no route to any address of the host" in told.stdout
    assert process.is_running
    process.send(signal.SIGINT)
    process.wait()
    rows = query(data, "SELECT status, breaker_failures, breaker_trips, total_errors FROM domains")
    assert rows == [("pending", 0, 0, 0)] * 5
    assert query(data, "SELECT DISTINCT fate, attempts FROM urls") == [("queued", 0)]


def read_trouble(data: Path) -> str:
    if not (data / "tenax.db").exists():
        return ""
    try:
        return str(query(data, "SELECT trouble FROM workers"))
    except sqlite.OperationalError:
        return ""  # it is being made
