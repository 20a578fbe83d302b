"""Pages that are too large for a worker are read beside it, whole, one at a time on a machine."""

import contextlib
import fcntl
import os
import signal
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest
from pysqlite3 import dbapi2 as sqlite

from tests.flow.conftest import MakeCrawler
from tests.support.crawler import Process, Where, assert_at_rest, assert_sound, query, read_pages, wait_until
from tests.support.large import FIRST, LAST, large_pages, large_web, table
from tests.support.processes import is_running
from tests.support.scripted import ScriptedWeb, page

QUICK = ("--delay", "0", "--max-depth", "1")
WORKER_BYTES = 300_000_000


@pytest.fixture(params=["sqlite", "postgres"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> Where:
    """Where a crawl is kept."""
    return tmp_path / "data" if request.param == "sqlite" else request.getfixturevalue("url")


def options(where: Where) -> tuple[str, ...]:
    return (*QUICK, "--store", where) if isinstance(where, str) else QUICK


def test_large_pages_are_fetched_whole_with_default_settings(where: Where, make_crawler: MakeCrawler) -> None:
    pages = large_pages()
    with large_web(pages) as web:
        ended = make_crawler(web, *options(where), seeds=[web.url("a.test")]).run()
        assert (ended.code, ended.report["state"]) == (0, "done"), ended.stderr
        stored = read_pages(where)
        for path, large in pages.items():
            found = stored[web.url("a.test", path)]
            assert found.text.split("\n")[0].strip() == FIRST, path
            assert found.text.strip().endswith(LAST), path
            assert [link.url for link in found.links] == [web.url("a.test", link) for link in large.links], (
                path
            )
        assert len(stored) == 1 + 3 + len(pages)
        assert max(large.body.count(b"<") for large in pages.values()) > 250_000
    assert ended.report["peak_rss_bytes"] <= WORKER_BYTES
    assert query(where, "SELECT count(*) FROM urls WHERE crashes > 0 OR fate = 'dead'") == [(0,)]
    assert_sound(where)
    assert_at_rest(where)


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ("TENAX_READER__MEMORY_MB=100", "reader_memory"),
        ("TENAX_FETCH__MAX_BYTES=2000000", "too_large"),
    ],
)
def test_a_page_beyond_a_limit_names_it_and_the_same_command_fetches_it_once_that_is_raised(
    where: Where, make_crawler: MakeCrawler, setting: str, reason: str
) -> None:
    name, _, low = setting.partition("=")
    with large_web({"/large": table(2_600_000)}) as web:
        crawler = make_crawler(web, *options(where), seeds=[web.url("a.test")])
        assert crawler.run(**{name: low}).code == 0
        assert_given_up(where, reason, name.removeprefix("TENAX_").lower().replace("__", "."))
        assert crawler.run(**{name: low}).report["requests"] == 0, "nothing has changed"
        ended = crawler.run()
        assert (ended.code, ended.report["pages"]) == (0, 1)
        assert read_pages(where)[web.url("a.test", "/large")].text.strip().endswith(LAST)
        assert crawler.run().report["requests"] == 0
    assert_sound(where)
    assert_at_rest(where)


def assert_given_up(where: Where, reason: str, setting: str) -> None:
    ((fate, why, detail),) = query(where, "SELECT fate, reason, detail FROM urls WHERE fate <> 'fetched'")
    assert (fate, why) == ("dead", reason)
    assert setting in detail


# --- the turn ------------------------------------------------------------------------------------

LEASE = {"TENAX_WORKER__LEASE_S": "1"}


class Machine:
    """One on which somebody reads a large document at the moment."""

    def __init__(self, folder: Path) -> None:
        file = folder / f"tenax-{os.getuid()}" / "reader.lock"
        file.parent.mkdir(parents=True)
        self._lock = file.open("w")
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        self.environment = {"TMPDIR": str(folder)}

    def release(self) -> None:
        self._lock.close()


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    made = Machine(tmp_path / "machine")
    yield made
    made.release()


def count_fetched(where: Where, host: str) -> int:
    try:
        return sum(f"//{host}" in url for url in read_pages(where))
    except sqlite.OperationalError:
        return 0  # the store is being made


def find_heartbeat(where: Where) -> float:
    ((at,),) = query(where, "SELECT max(heartbeat_at) FROM workers")
    return float(at)


def test_the_wait_for_the_turn_holds_up_and_blames_nobody(
    where: Where, make_crawler: MakeCrawler, machine: Machine
) -> None:
    """Two workers: the pages of other domains come meanwhile, and leases are kept."""
    large = {"/": table(1_700_000).reply}
    small = {f"/{n}": page(f"Small {n}") for n in range(30)}
    sites = {"a.test": large, "b.test": large, "c.test": {"/": page("Home", *small), **small}}
    with ScriptedWeb(sites) as web:
        seeds = [web.url(host) for host in sites]
        crawler = make_crawler(web, *options(where), seeds=seeds, workers=2)
        started = crawler.start(**machine.environment, **LEASE)
        wait_until(lambda: count_fetched(where, "c.test") == 31, "small pages are fetched")
        wait_until(lambda: {"a.test", "b.test"} <= {each.host for each in web.requests() if each.path == "/"},
                   "large ones were asked for")  # fmt: skip
        heard_at = find_heartbeat(where)
        wait_until(lambda: find_heartbeat(where) > heard_at + 3, "leases are renewed")
        assert count_fetched(where, "a.test") + count_fetched(where, "b.test") == 0
        machine.release()
        assert started.wait().code == 0
        assert [web.paths(host).count("/") for host in ("a.test", "b.test")] == [1, 1], "asked once"
    fates = query(where, "SELECT fate, attempts, crashes, count(*) FROM urls GROUP BY 1, 2, 3")
    assert [tuple(row) for row in fates] == [("fetched", 0, 0, 33)]
    assert query(where, "SELECT count(*) FROM visits WHERE outcome = 'failed'") == [(0,)]
    assert_sound(where)
    assert_at_rest(where)


def test_two_crawls_of_a_machine_share_the_turn(
    make_crawler: MakeCrawler, machine: Machine, tmp_path: Path
) -> None:
    with ScriptedWeb({"a.test": {"/": table(1_700_000).reply}}) as web:
        folders = [tmp_path / name for name in ("one", "two")]
        crawlers = [make_crawler(web, *QUICK, seeds=[web.url("a.test")], data=each) for each in folders]
        started = [crawler.start(**machine.environment) for crawler in crawlers]
        wait_until(lambda: all(each.list_readers() for each in started), "both have a reader")
        machine.release()
        assert [each.wait().code for each in started] == [0, 0]
        assert [count_fetched(each, "a.test") for each in folders] == [1, 1]


# --- kill -9 -------------------------------------------------------------------------------------


@pytest.mark.parametrize("point", ["reader.turn", "reader.body", "reader.answer"])
def test_a_worker_that_is_killed_while_a_large_page_is_read_loses_nothing(
    where: Where, make_crawler: MakeCrawler, point: str
) -> None:
    """The reader is stopped there, so that both are killed in the middle of it."""
    with large_web({"/large": table(1_700_000)}) as web:
        crawler = make_crawler(web, *options(where), seeds=[web.url("a.test")])
        for _ in range(2):
            process = crawler.start(TENAX_FAILPOINT=f"{point}@/large!SIGSTOP")
            wait_until(partial(has_stopped_reader, process), "its reader is there")
            readers = process.list_readers()
            process.kill()
            wait_until(partial(are_gone, readers), "no reader is left")
        ended = crawler.run()
        assert (ended.code, ended.report["state"]) == (0, "done")
        assert len(read_pages(where)) == 5
    assert query(where, "SELECT count(*) FROM urls WHERE crashes > 0 OR fate <> 'fetched'") == [(0,)]
    assert_sound(where)
    assert_at_rest(where)


def has_stopped_reader(process: Process) -> bool:
    return any(map(is_stopped, process.list_readers()))


def are_gone(pids: Iterable[int]) -> bool:
    return not any(map(is_running, pids))


def is_stopped(pid: int) -> bool:
    with contextlib.suppress(psutil.NoSuchProcess):
        return bool(psutil.Process(pid).status() == psutil.STATUS_STOPPED)
    return False


def test_a_large_page_whose_readers_are_killed_is_put_off_and_no_crash(make_crawler: MakeCrawler) -> None:
    with large_web({"/large": table(1_700_000)}) as web:
        crawler = make_crawler(web, *QUICK, seeds=[web.url("a.test")])
        process = crawler.start(TENAX_FAILPOINT="reader.body@/large!SIGKILL")
        find_fate = "SELECT fate, reason, crashes, attempts FROM urls WHERE url LIKE '%/large'"
        wait_until(
            lambda: (
                count_fetched(crawler.data, "a.test") == 4
                and query(crawler.data, find_fate) == [("retrying", "reader", 0, 1)]
            ),
            "it is put off",
        )
        process.send(signal.SIGTERM)
        process.wait()
        assert_sound(crawler.data)
