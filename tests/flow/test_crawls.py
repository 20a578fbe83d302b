"""Several crawls of one store with real processes: each gets what it was asked for, whoever is killed."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest
from pysqlite3 import dbapi2 as sqlite

from tenax.failpoints import EXIT_CODE
from tests.support.command import COMMAND, run_tenax
from tests.support.crawler import UNPROBED
from tests.support.running import query
from tests.support.scripted import Reply, Script, ScriptedWeb, page

QUICK = ("--resolve", "*:127.0.0.1", "--allow-private", "--delay", "0.02", "--workers", "1")
PAGES = 40
GUARD_S = 120.0


def site(*sections: str, pages: int = PAGES) -> dict[str, Reply]:
    """No section leads to another one."""
    found: dict[str, Reply] = {}
    for name in sections:
        links = [f"/{name}/{number}" for number in range(pages)]
        found |= {f"/{name}": page(name, *links)} | {link: page(link) for link in links}
    return found


def asked(web: ScriptedWeb, host: str = "a.test") -> list[str]:
    return [path for path in web.paths(host) if path != "/robots.txt"]


def held(reply: Reply, until: Event) -> Script:
    """Answers only when that has happened, so that its crawl is at work until then."""

    def answer(asked: int) -> Reply:
        assert until.wait(GUARD_S)
        return reply

    return answer


def start(data: Path, url: str, *options: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [COMMAND, "crawl", url, "--data", data, *QUICK, *options],
        env={**os.environ, **UNPROBED, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> tuple[int, str]:
    out, _ = process.communicate(timeout=GUARD_S)
    return process.returncode, out


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + GUARD_S
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def count_pages(data: Path) -> int:
    try:
        return int(query(data, "SELECT count(*) FROM pages")[0][0])
    except sqlite.OperationalError:  # the file is not made yet
        return 0


def test_who_is_killed_and_cancelled_goes_on_later_with_exactly_the_rest(tmp_path: Path) -> None:
    with ScriptedWeb({"a.test": site("docs", "blog")}) as web:
        docs, blog = web.url("a.test", "/docs"), web.url("a.test", "/blog")
        first = start(tmp_path, docs, "--delay", "0.2")
        wait_until(lambda: count_pages(tmp_path) > 5)
        first.send_signal(signal.SIGKILL)
        finish(first)
        code, out = finish(start(tmp_path, blog))
        assert code == 1
        assert "is being crawled by run 1 of crawl" in out
        assert run_tenax("runs", "cancel", "--data", tmp_path).code == 0
        before = len(asked(web))
        assert finish(start(tmp_path, blog))[0] == 0
        assert sorted(asked(web)[before:]) == sorted(site("blog")), "only what it was asked for"
        assert finish(start(tmp_path, docs))[0] == 0
    fetched = {row[0] for row in query(tmp_path, "SELECT u.url FROM pages p JOIN urls u ON u.id = p.url_id")}
    assert fetched == {web.url("a.test", path) for path in site("docs", "blog")}
    assert query(tmp_path, "SELECT count(*) FROM set_aside") == [(0,)]
    twice = len(asked(web)) - len(site("docs", "blog"))
    assert twice <= 2, "but for what was under way when it was killed"


@pytest.mark.parametrize("failpoint", ["take.before", "take.after", "open.before"])
def test_who_dies_while_it_takes_a_domain_over_loses_nothing(tmp_path: Path, failpoint: str) -> None:
    with ScriptedWeb({"a.test": site("docs", "blog", pages=5)}) as web:
        docs, blog = web.url("a.test", "/docs"), web.url("a.test", "/blog")
        finish(start(tmp_path, docs, "--max-pages", "2"))
        code, _ = finish(start(tmp_path, blog, TENAX_FAILPOINT=failpoint))
        assert code == EXIT_CODE
        assert finish(start(tmp_path, blog))[0] == 0
        assert finish(start(tmp_path, docs))[0] == 0
    assert sorted(asked(web)) == sorted(site("docs", "blog", pages=5)), "each page once"


def test_what_one_crawl_has_merged_is_not_requested_by_another(tmp_path: Path) -> None:
    """It is, by the one that found it, when its rule goes."""
    variants = [f"/blog/{number}?sort={order}" for number in range(3) for order in "ab"]
    web_pages = (
        site("docs", pages=5) | {"/blog": page("blog", *variants)} | {path: page(path) for path in variants}
    )
    with ScriptedWeb({"a.test": web_pages}) as web:
        docs, blog = web.url("a.test", "/docs"), web.url("a.test", "/blog")
        finish(start(tmp_path, docs, "--max-pages", "2"))
        assert finish(start(tmp_path, blog, "--ignore-parameter", "sort"))[0] == 0
        assert len([path for path in asked(web) if path.startswith("/blog/")]) == 3
        before = len(asked(web))
        assert finish(start(tmp_path, docs))[0] == 0
        assert [path for path in asked(web)[before:] if path.startswith("/blog")] == []
        assert finish(start(tmp_path, blog))[0] == 0
    assert sorted(asked(web)) == sorted(web_pages), "each page once"


def test_what_one_crawl_has_given_up_for_its_limits_is_not_requested_by_another(tmp_path: Path) -> None:
    web_pages = site("docs", "blog", pages=3) | {"/docs/2": page("words " * 20_000)}
    with ScriptedWeb({"a.test": web_pages}) as web:
        docs, blog = web.url("a.test", "/docs"), web.url("a.test", "/blog")
        assert finish(start(tmp_path, docs, TENAX_FETCH__MAX_BYTES="50000"))[0] == 0
        assert query(tmp_path, "SELECT reason FROM urls WHERE fate = 'dead'") == [("too_large",)]
        before = len(asked(web))
        assert finish(start(tmp_path, blog))[0] == 0
        assert sorted(asked(web)[before:]) == sorted(site("blog", pages=3)), "only what it was asked for"
        assert finish(start(tmp_path, docs))[0] == 0
    assert asked(web)[-1] == "/docs/2", "it is tried again by its own crawl, whose limit is higher now"


def test_two_crawls_run_side_by_side_in_one_place(tmp_path: Path) -> None:
    with ScriptedWeb({"a.test": site("docs"), "b.test": site("blog")}) as web:
        processes = [start(tmp_path, web.url("a.test", "/docs"), "--json")]
        processes.append(start(tmp_path, web.url("b.test", "/blog"), "--json"))
        ends = [finish(process) for process in processes]
    assert [code for code, _ in ends] == [0, 0], ends
    reports = [json.loads(out.splitlines()[-1]) for _, out in ends]
    assert [report["pages"] for report in reports] == [PAGES + 1, PAGES + 1]
    assert len({report["run"] for report in reports}) == 2


def test_links_into_the_domain_of_a_running_crawl_are_followed_when_it_has_ended(tmp_path: Path) -> None:
    blog = site("blog", pages=2)
    with ScriptedWeb({"a.test": site("docs"), "b.test": blog}) as web:
        web.hosts["b.test"]["/blog"] = page("blog", "/blog/0", web.url("a.test", "/extra"))
        web.hosts["a.test"]["/extra"] = page("extra")
        is_through = Event()
        web.hosts["a.test"]["/docs/0"] = held(page("late"), is_through)
        docs = start(tmp_path, web.url("a.test", "/docs"))
        wait_until(lambda: "/docs/0" in web.asked("a.test"))
        code, out = finish(start(tmp_path, web.url("b.test", "/blog"), "--scope", "any"))
        assert (code, "1 url in domains that other crawls hold at the moment" in out) == (3, True), out
        is_through.set()
        assert "/extra" not in asked(web)
        assert finish(docs)[0] == 0
        assert "/extra" not in asked(web), "it was not asked for it"
        assert finish(start(tmp_path, web.url("b.test", "/blog"), "--scope", "any"))[0] == 0
    assert asked(web)[-1] == "/extra"


def test_what_another_crawl_has_fetched_is_followed_before_the_run_ends(tmp_path: Path) -> None:
    """A page that is new leads to one that was fetched for another crawl, and that to what nobody has."""
    with ScriptedWeb({"a.test": {}}) as web:
        web.hosts["a.test"] = {
            "/": page("home", "/shop", "/about"),
            "/shop": page("shop", "/shop/1"),
            "/shop/1": page("one"),
            "/about": page("about"),
            "/docs": page("docs", "/"),
        }
        finish(start(tmp_path, web.url("a.test"), "--max-pages", "1"))
        assert finish(start(tmp_path, web.url("a.test", "/docs")))[0] == 0
    assert sorted(asked(web)) == ["/", "/about", "/docs", "/shop", "/shop/1"]
