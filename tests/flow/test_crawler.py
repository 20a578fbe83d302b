"""`tenax.Crawler`: programs that crawl, and get the items that are committed."""

import asyncio
import contextlib
import json
import os
import signal
import stat
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
import pytest

import tenax
from tests.support.crawler import TENAX, query, wait_until
from tests.support.postgres import Console
from tests.support.programs import LOCAL, PROGRAM, RunningProgram
from tests.support.scripted import ScriptedWeb, in_turn, moved, page, status
from tests.support.site import HostBehavior
from tests.support.web import TestWeb

StartProgram = Callable[..., RunningProgram]
SLOW = HostBehavior(delay_s=0.05)


@pytest.fixture(autouse=True)
def local(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in LOCAL.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def web() -> Iterator[TestWeb]:
    with TestWeb(hosts=1, pages_per_host=12) as web:
        yield web


@pytest.fixture
def start(tmp_path: Path) -> Iterator[StartProgram]:
    """start(web, script=PROGRAM, command=None)"""
    started: list[RunningProgram] = []

    def start(web: TestWeb, script: str = PROGRAM, command: Sequence[str] | None = None) -> RunningProgram:
        given = {"seeds": web.seeds(), "data": str(tmp_path / "data"), "delay": 0, "workers": 1}
        script = script.replace("OPTIONS", repr(json.dumps(given)))
        started.append(RunningProgram(tmp_path / "program", script, command))
        return started[-1]

    yield start
    for program in started:
        program.list_processes()
        program.kill_group()
        for process in program.list_processes():
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()


def make_crawler(seeds: Sequence[str], data: Path, **options: Any) -> tenax.Crawler:
    crawler = tenax.Crawler(*seeds, data=data, delay=0, workers=1, **options)
    prefix = "page"

    @crawler.page("/p/*")
    def product(page: tenax.Page) -> dict[str, Any] | None:
        return None if page.title == "Nothing" else {"title": f"{prefix}: {page.title}"}

    return crawler


def write_everywhere() -> None:
    """To every socket that this process has, as code that has lost track of its descriptors does."""
    for number in range(3, 256):
        with contextlib.suppress(OSError):
            if stat.S_ISSOCK(os.fstat(number).st_mode):
                os.write(number, b"nonsense")


def test_what_a_handler_writes_to_foreign_sockets_does_not_end_the_crawl(
    web: TestWeb, tmp_path: Path
) -> None:
    crawler = make_crawler(web.seeds(), tmp_path / "data")
    first = expected_keys(web)[0]

    @crawler.page("/p/*")
    def vandal(page: tenax.Page) -> None:
        if page.url == first:
            write_everywhere()

    told = [item.key for item in crawler.run()]
    assert sorted(told) == expected_keys(web)
    assert crawler.result is not None
    assert (crawler.result.state, crawler.result.errors) == ("done", 1)


def expected_keys(web: TestWeb) -> list[str]:
    return sorted(url for url in web.expected_urls() if "/p/" in url)


def has_open_run(data: Path) -> bool:
    return query(data, "SELECT state FROM runs ORDER BY id DESC LIMIT 1") == [("running",)]


def list_children() -> list[psutil.Process]:
    """Of this process, which runs crawlers: forks of it, and not the servers that other tests started."""
    own = psutil.Process()
    found = [each for each in own.children() if each.status() != "zombie"]
    return [each for each in found if each.cmdline() == own.cmdline()]


# --- what it yields ------------------------------------------------------------------------------


def test_items_are_yielded_once_each(web: TestWeb, tmp_path: Path) -> None:
    crawler = make_crawler(web.seeds(), tmp_path)
    found = list(crawler.run())
    assert sorted(item.key for item in found) == expected_keys(web)
    assert {(item.kind, item.change, item.parser) for item in found} == {("product", "new", "product")}
    # A live object of the program: the handler's closure was never pickled or imported again.
    assert all(item["title"].startswith("page: Page ") for item in found)
    assert (crawler.result and crawler.result.state, crawler.result and crawler.result.pages) == ("done", 12)


def test_a_second_run_has_nothing_new_and_the_store_has_all_items(web: TestWeb, tmp_path: Path) -> None:
    crawler = make_crawler(web.seeds(), tmp_path)
    first = list(crawler.run())
    assert list(crawler.run()) == []
    assert sorted(item.key for item in crawler.items()) == sorted(item.key for item in first)


def test_pages_that_are_visited_again_yield_what_has_changed(tmp_path: Path) -> None:
    paths = {"/": page("Home", "/p/1", "/p/2"), "/p/1": in_turn(page("One"), page("Eins"))}
    with ScriptedWeb({"a.test": {**paths, "/p/2": in_turn(page("Two"), page("Nothing"))}}) as web:
        crawler = make_crawler([web.url("a.test")], tmp_path)
        list(crawler.run())
        changes = {item.key[-1]: item for item in crawler.run(recrawl="all")}
    assert {key: item.change for key, item in changes.items()} == {"1": "changed", "2": "gone"}
    assert changes["1"].fields == {"title": ("page: One", "page: Eins")}
    assert changes["2"].data == {"title": "page: Two"}


def test_a_reader_goes_on_behind_its_cursor(web: TestWeb, tmp_path: Path) -> None:
    crawler = make_crawler(web.seeds(), tmp_path)
    found = list(crawler.run())
    assert list(crawler.items(after=found[4].cursor)) == found[5:]
    assert list(crawler.run(after=found[-2].cursor)) == found[-1:]


def test_follow_ups_bring_data_along(tmp_path: Path) -> None:
    with ScriptedWeb({"a.test": {"/": page("Home", "/x"), "/detail": page("Detail")}}) as web:
        crawler = tenax.Crawler(web.url("a.test"), data=tmp_path, delay=0)

        @crawler.page("/")
        def listing(page: tenax.Page) -> tenax.Follow:
            return page.follow("/detail", detail, {"from": page.title})

        @crawler.followed()
        def detail(page: tenax.Page) -> dict[str, Any]:
            return {"title": page.title, **page.data}

        assert [item.data for item in crawler.run()] == [{"title": "Detail", "from": "Home"}]


def test_a_follow_up_reaches_the_page_that_its_url_redirects_to(tmp_path: Path) -> None:
    paths = {"/": page("Home", "/new"), "/old": moved("/hop"), "/hop": moved("/new"), "/new": page("Moved")}
    with ScriptedWeb({"a.test": paths}) as web:
        crawler = tenax.Crawler(web.url("a.test"), data=tmp_path, delay=0)

        @crawler.page("/")
        def listing(page: tenax.Page) -> tenax.Follow:
            return page.follow("/old", detail, {"from": page.title})

        @crawler.followed()
        def detail(page: tenax.Page) -> dict[str, Any]:
            return {"title": page.title, **page.data}

        assert [item.data for item in crawler.run()] == [{"title": "Moved", "from": "Home"}]


def test_only_the_chosen_links_are_followed(tmp_path: Path) -> None:
    links = ["/p/1", "/p/2", "/q/1"]
    with ScriptedWeb({"a.test": {"/": page("Home", *links), **{each: page(each) for each in links}}}) as web:
        crawler = make_crawler([web.url("a.test")], tmp_path, follow=["/p/*"], skip=["*/2"])
        list(crawler.run())
        assert set(web.paths("a.test")) - {"/robots.txt", "/sitemap.xml"} == {"/", "/p/1"}


# --- where it runs -------------------------------------------------------------------------------


def test_items_come_by_async_for(web: TestWeb, tmp_path: Path) -> None:
    async def read() -> list[str]:
        return [item.key async for item in make_crawler(web.seeds(), tmp_path)]

    assert sorted(asyncio.run(read())) == expected_keys(web)


def test_a_cancelled_task_stops_its_crawl(tmp_path: Path) -> None:
    async def cancel(crawler: tenax.Crawler) -> None:
        seen = asyncio.Event()

        async def read() -> None:
            async for _ in crawler.run_async():
                seen.set()

        reading = asyncio.create_task(read())
        await seen.wait()
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading

    with TestWeb(hosts=1, pages_per_host=200, behaviors={"h0.test": SLOW}) as web:
        asyncio.run(cancel(make_crawler(web.seeds(), tmp_path)))
        assert list_children() == []
    assert has_open_run(tmp_path)


NOTEBOOK = PROGRAM.replace(
    "for item in crawler.run():",
    """
import asyncio, threading, time

def work():
    while True:
        time.sleep(0.001)

for _ in range(4):
    threading.Thread(target=work, daemon=True).start()

async def cell():
    asyncio.get_running_loop().run_in_executor(None, time.sleep, 0.1)
    return list(crawler.run())

for item in asyncio.run(cell()):""",
)


def test_a_notebook_with_threads_and_a_running_loop_works(web: TestWeb, start: StartProgram) -> None:
    program = start(web, NOTEBOOK)
    assert program.wait() == 0, program.stderr
    assert sorted(key for key, _, _ in program.lines) == expected_keys(web)
    assert program.stderr == ""


def test_items_may_be_read_by_one_thread_after_the_other(web: TestWeb, tmp_path: Path) -> None:
    items = make_crawler(web.seeds(), tmp_path).run()
    found: list[tenax.StoredItem | None] = []
    while not found or found[-1] is not None:
        # Its thread ends with it: the crawl must not take that for the death of the program.
        thread = threading.Thread(target=lambda: found.append(next(items, None)))
        thread.start()
        thread.join()
    assert sorted(item.key for item in found if item is not None) == expected_keys(web)


def test_a_program_may_crawl_two_sites_at_once(tmp_path: Path) -> None:
    with TestWeb(hosts=2, pages_per_host=8) as web, ThreadPoolExecutor(2) as pool:
        crawlers = [make_crawler([seed], tmp_path / seed[7:9]) for seed in web.seeds()]
        found = list(pool.map(lambda crawler: [item.key for item in crawler.run()], crawlers))
    assert sorted(key for keys in found for key in keys) == expected_keys(web)


def test_what_a_program_has_printed_is_not_printed_twice(web: TestWeb, start: StartProgram) -> None:
    program = start(web, "print('[\"once\"]')\n" + PROGRAM)
    assert program.wait() == 0, program.stderr
    assert program.lines.count(["once"]) == 1


# --- how it ends ---------------------------------------------------------------------------------


def test_leaving_the_loop_stops_the_crawl_and_the_next_run_continues_it(tmp_path: Path) -> None:
    with TestWeb(hosts=1, pages_per_host=60, behaviors={"h0.test": SLOW}) as web:
        crawler = make_crawler(web.seeds(), tmp_path)
        for _ in crawler.run():
            break
        # The generator is closed when nothing refers to it.
        assert list_children() == []
        assert has_open_run(tmp_path)
        assert crawler.result is None
        assert sorted(item.key for item in crawler.run()) == expected_keys(web)
    assert query(tmp_path, "SELECT count(*) FROM runs") == [(1,)]


def test_an_exception_in_the_loop_stops_the_crawl(tmp_path: Path) -> None:
    with TestWeb(hosts=1, pages_per_host=60, behaviors={"h0.test": SLOW}) as web:
        with pytest.raises(ZeroDivisionError):
            sum(1 // 0 for _ in make_crawler(web.seeds(), tmp_path).run())
        assert list_children() == []
    assert has_open_run(tmp_path)


def test_a_new_run_ends_one_that_was_left_behind(tmp_path: Path) -> None:
    with TestWeb(hosts=1, pages_per_host=60, behaviors={"h0.test": SLOW}) as web:
        crawler = make_crawler(web.seeds(), tmp_path)
        left_behind = crawler.run()
        next(left_behind)
        assert sorted(item.key for item in crawler.run()) == expected_keys(web)


def test_ctrl_c_stops_the_crawl_and_saves_everything(start: StartProgram, tmp_path: Path) -> None:
    with TestWeb(hosts=1, pages_per_host=60, behaviors={"h0.test": SLOW}) as web:
        program = start(web)
        wait_until(lambda: program.lines, "an item is there")
        program.list_processes()
        program.send_to_group(signal.SIGINT)
        assert program.wait() != 0
        assert program.stderr.strip().endswith("KeyboardInterrupt")
        assert program.list_processes() == []
        assert has_open_run(tmp_path / "data")
        again = start(web)
        assert again.wait() == 0, again.stderr
        assert sorted(key for key, _, _ in again.lines) == expected_keys(web)


def test_a_second_ctrl_c_does_not_wait(start: StartProgram, tmp_path: Path) -> None:
    with TestWeb(hosts=1, pages_per_host=20, behaviors={"h0.test": HostBehavior(delay_s=3)}) as web:
        program = start(web)
        wait_until(lambda: len(program.list_processes()) >= 4, "it crawls")
        wait_until(lambda: len(web.requests()) >= 2, "a page is requested")
        program.send_to_group(signal.SIGINT)
        time.sleep(0.3)
        program.send_to_group(signal.SIGINT)
        assert program.wait() != 0
        wait_until(lambda: not program.list_processes(), "everything is saved in the background")
    assert has_open_run(tmp_path / "data")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_death_of_the_program_ends_its_crawl(
    start: StartProgram, tmp_path: Path, number: signal.Signals
) -> None:
    with TestWeb(hosts=1, pages_per_host=200, behaviors={"h0.test": SLOW}) as web:
        program = start(web)
        wait_until(lambda: program.lines, "an item is there")
        assert len(program.list_processes()) >= 4  # the process behind it, the crawl, a worker, its host
        program.send(number)
        assert program.wait() == -number
        wait_until(lambda: not program.list_processes(), "all its processes have ended")
    assert has_open_run(tmp_path / "data")


def test_the_death_of_the_process_behind_it_is_an_error(start: StartProgram) -> None:
    with TestWeb(hosts=1, pages_per_host=200, behaviors={"h0.test": SLOW}) as web:
        program = start(web)
        wait_until(lambda: program.lines, "an item is there")
        program.list_processes()
        (behind,) = psutil.Process(program.pid).children()
        behind.kill()
        assert program.wait() == 1
        assert "tenax.errors.CrawlError: The process of the crawl was killed" in program.stderr
        wait_until(lambda: not program.list_processes(), "all its processes have ended")


def test_the_death_of_the_crawl_is_an_error(start: StartProgram) -> None:
    with TestWeb(hosts=1, pages_per_host=200, behaviors={"h0.test": SLOW}) as web:
        program = start(web)
        wait_until(lambda: program.lines, "an item is there")
        program.list_processes()
        (behind,) = psutil.Process(program.pid).children()
        behind.children()[0].kill()
        assert program.wait() == 1
        assert "The process of the crawl died (SIGKILL); run the same program to continue." in program.stderr
        wait_until(lambda: not program.list_processes(), "all its processes have ended")


def test_a_site_that_cannot_be_fetched_is_an_error(tmp_path: Path) -> None:
    with ScriptedWeb({"a.test": {"/": status(404)}}) as web:
        crawler = make_crawler([web.url("a.test")], tmp_path)
        with pytest.raises(tenax.CrawlError, match=r"Nothing could be fetched: http://a.test:\d+/: .*404"):
            list(crawler.run())


def test_a_directory_that_cannot_be_used_is_an_error(web: TestWeb, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(tenax.CrawlError, match="Cannot use the data directory"):
        list(make_crawler(web.seeds(), tmp_path / "file" / "data").run())


def test_items_of_a_crawl_that_was_never_run_are_an_error(web: TestWeb, tmp_path: Path) -> None:
    with pytest.raises(tenax.CrawlError, match="There is no crawl"):
        list(make_crawler(web.seeds(), tmp_path / "nothing").items())


def test_a_handler_that_fails_costs_its_items_and_nothing_else(web: TestWeb, tmp_path: Path) -> None:
    crawler = make_crawler(web.seeds(), tmp_path)

    @crawler.page()
    def wrong(page: tenax.Page) -> None:
        raise KeyError("price")

    assert sorted(item.key for item in crawler.run()) == expected_keys(web)
    assert query(tmp_path, "SELECT type, count FROM error_groups") == [("KeyError", 12)]


# --- commands ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command", [["run", "program.py"], ["crawl", "--app", "program:crawler", "--workers", "2"]]
)
def test_a_command_crawls_for_a_script(
    web: TestWeb, start: StartProgram, tmp_path: Path, command: list[str]
) -> None:
    program = start(web, command=[TENAX, *command, "--json"])
    assert program.wait() == 0, program.stderr
    (report,) = program.lines
    assert (report["state"], report["pages"]) == ("done", 12)
    rows = query(tmp_path / "data", "SELECT key FROM items ORDER BY key")
    assert [key for (key,) in rows] == expected_keys(web)


# --- a database ----------------------------------------------------------------------------------


def test_a_run_ends_only_when_all_that_it_committed_is_told(web: TestWeb, tmp_path: Path, url: str) -> None:
    """A transaction of somebody else holds the change log back, but nothing is lost."""
    found: list[str] = []
    crawler = make_crawler(web.seeds(), tmp_path, store=url)
    with contextlib.closing(Console(url)) as other:
        other.execute("BEGIN; SELECT pg_current_xact_id();")
        reading = threading.Thread(target=lambda: found.extend(item.key for item in crawler.run()))
        reading.start()
        wait_until(lambda: query(url, "SELECT 1 FROM runs WHERE state = 'done'"), "the run is over")
        assert found == []
        assert reading.is_alive()
        other.execute("COMMIT")
        reading.join()
    assert sorted(found) == expected_keys(web)


def test_items_that_a_transaction_holds_back_for_long_are_named_as_missing(
    web: TestWeb, tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tenax.crawler.process.DRAIN_S", 0.2)
    crawler = make_crawler(web.seeds(), tmp_path, store=url)
    with contextlib.closing(Console(url)) as other:
        other.execute("BEGIN; SELECT pg_current_xact_id();")
        with pytest.raises(tenax.CrawlError, match=r"items\(after='[0-9]+-[0-9]+'\)") as raised:
            list(crawler.run())
        other.execute("COMMIT")
    cursor = str(raised.value).partition("after='")[2].partition("'")[0]
    assert sorted(item.key for item in crawler.items(after=cursor)) == expected_keys(web)


async def read_async(crawler: tenax.Crawler) -> list[str]:
    return [item.key async for item in crawler.run_async()]


def test_a_database_is_read_from_within_a_coroutine(web: TestWeb, tmp_path: Path, url: str) -> None:
    crawler = make_crawler(web.seeds(), tmp_path, store=url)
    assert sorted(asyncio.run(read_async(crawler))) == expected_keys(web)
    assert sorted(item.key for item in crawler.items()) == expected_keys(web)
