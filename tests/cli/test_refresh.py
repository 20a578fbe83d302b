"""`tenax refresh` as its users meet it."""

import json
from pathlib import Path

import pytest

from tests.support.command import Ended, run_tenax
from tests.support.crawler import query
from tests.support.running import pass_time
from tests.support.scripted import ScriptedWeb, page, status
from tests.support.stores import make_empty_store

REACH = ("--resolve", "*:127.0.0.1", "--allow-private", "--delay", "0")
SITE = {"/": page("Home", "/one", "/two"), "/one": page("One"), "/two": page("Two")}
DAYS_S = 10 * 86_400.0
CRAWL = Path("crawl")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test works in an empty directory, with one worker: a process with threads cannot fork more."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TENAX_WORKER__PROCESSES", "1")
    return tmp_path


def crawl(web: ScriptedWeb, *options: str) -> None:
    assert run_tenax("crawl", web.url("a.test"), *REACH, *options).code == 0


def refresh(*options: str) -> Ended:
    return run_tenax("refresh", *REACH, *options)


def test_it_says_what_it_found_and_where_to_read_it() -> None:
    with ScriptedWeb({"a.test": SITE}) as web:
        crawl(web)
        web.hosts["a.test"]["/one"] = page("Another one", "/three")
        web.hosts["a.test"]["/three"] = page("Three")
        pass_time(CRAWL, DAYS_S)
        ended = refresh()
    assert ended.code == 0
    assert ended.out.startswith("Refreshing the crawl http://a.test:")
    assert "  found    1 new, 1 changed, 0 gone, 2 unchanged\n" in ended.out
    assert "changes --data crawl" in ended.out


def test_it_says_when_nothing_was_due() -> None:
    with ScriptedWeb({"a.test": SITE}) as web:
        crawl(web)
        ended = refresh()
    assert (ended.code, "nothing was due" in ended.out) == (0, True)


def test_json_counts_the_changes() -> None:
    with ScriptedWeb({"a.test": SITE}) as web:
        crawl(web)
        web.hosts["a.test"]["/two"] = status(404)
        for _ in range(2):
            pass_time(CRAWL, DAYS_S)
            ended = refresh("--json")
    assert json.loads(ended.out)["changes"] == {"unchanged": 2, "gone": 1}


def test_the_rules_of_the_last_crawl_hold() -> None:
    with ScriptedWeb({"a.test": SITE}) as web:
        crawl(web, "--exclude", "/two$", "--max-depth", "3", "--max-pages", "1")
        pass_time(CRAWL, DAYS_S)
        assert refresh().code == 0
        assert "/two" not in web.asked("a.test")
    (settings,) = query(CRAWL, "SELECT settings FROM runs ORDER BY id DESC LIMIT 1")
    kept = json.loads(settings[0])
    assert (kept["scope"]["exclude"], kept["limits"]["max_depth"]) == (["/two$"], 3)
    assert kept["limits"]["max_pages"] is None, "a budget is for one run"


def test_what_counted_in_the_last_crawl_counts() -> None:
    with ScriptedWeb({"a.test": {"/": page("Home", head="<h1>12:00</h1>")}}) as web:
        crawl(web, "--without", "h1")
        web.hosts["a.test"]["/"] = page("Home", head="<h1>12:01</h1>")
        pass_time(CRAWL, DAYS_S)
        assert "0 new, 0 changed, 0 gone, 1 unchanged" in refresh().out


def test_no_more_pages_are_visited_than_allowed() -> None:
    with ScriptedWeb({"a.test": SITE}) as web:
        crawl(web)
        pass_time(CRAWL, DAYS_S)
        assert json.loads(refresh("--max-pages", "2", "--json").out)["pages"] == 2
        assert json.loads(refresh("--json").out)["pages"] == 1


def test_a_refresh_of_which_every_request_fails_is_no_success(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENAX_RETRY__ATTEMPTS", "0")
    with ScriptedWeb({"a.test": {"/": page("Home")}}) as web:
        crawl(web)
        web.hosts["a.test"]["/"] = status(500)
        pass_time(CRAWL, DAYS_S)
        ended = refresh()
        assert (ended.code, "Nothing could be fetched after " in ended.out) == (4, True)
        assert refresh().code == 0, "nothing was due"


def test_switched_off_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENAX_REFRESH__ENABLED", "false")
    with ScriptedWeb({"a.test": SITE}) as web:
        crawl(web)
    ended = refresh()
    assert (ended.code, ended.out) == (2, "")
    assert "Refreshing is disabled" in ended.err
    assert "off (refresh.enabled)" in run_tenax("status").out


def test_without_a_crawl_there_is_nothing_to_refresh(tmp_path: Path) -> None:
    make_empty_store(tmp_path / "empty")
    for data in ("typo", "empty"):
        ended = refresh("--data", data)
        assert (ended.code, ended.out) == (2, "")
        assert f"There is nothing to refresh in {data}" in ended.err
    assert not Path("typo").exists()


def test_status_says_what_is_due_and_when() -> None:
    with ScriptedWeb({"a.test": SITE}) as web:
        crawl(web)
    assert "refresh   nothing due before 20" in run_tenax("status").out
    pass_time(CRAWL, DAYS_S)
    assert "refresh   pages of 1 domain are due" in run_tenax("status").out
    assert json.loads(run_tenax("status", "--json").out)["refresh_due"] == 1


def test_explain_says_when_and_why() -> None:
    with ScriptedWeb({"a.test": SITE}) as web:
        crawl(web)
        address = web.url("a.test", "/one")
        assert (
            "on: a page that is new or has changed is due after 1 day." in run_tenax("explain", address).out
        )
        for due_after in (
            "found unchanged once, so it is due after 2 days",
            "2 times in a row, so it is due after 4",
        ):
            pass_time(CRAWL, DAYS_S)
            refresh()
            assert due_after in run_tenax("explain", address).out
        web.hosts["a.test"]["/one"] = status(404)
        pass_time(CRAWL, DAYS_S)
        refresh()
        told = run_tenax("explain", address).out
        assert "The last visit did not find its page: the server answered 404." in told
        assert "a page is gone when it is missing twice in a row" in told
        pass_time(CRAWL, DAYS_S)
        refresh()
        assert "a page that is gone is checked every 30 days" in run_tenax("explain", address).out
