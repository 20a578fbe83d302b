"""`tenax explain` as its users meet it."""

import asyncio
import json
from pathlib import Path

import pytest

from tenax.clock import SystemClock
from tenax.stores.commands.frontier import empty_frontier
from tenax.stores.commands.purge import PurgeSelection, purge_pages
from tenax.stores.databases.access import open_access
from tenax.stores.place import Place
from tests.support.command import run_tenax
from tests.support.running import Crawled, crawl
from tests.support.scripted import ScriptedWeb, page, text
from tests.support.stores import SHOP, fill_store

HOST = "a.test"
EVIL = "\x1b]0;owned\x07 \u202eyllaer\u202c"
SITE = {
    "/": page("Home", "/evil", "/closed"),
    "/evil": page(EVIL),
    "/robots.txt": text("User-agent: *\nDisallow: /closed\n"),
}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    with ScriptedWeb({HOST: SITE}) as web:
        return crawl(tmp_path_factory.mktemp("explained"), [web.url(HOST)])


def url_of(crawled: Crawled, path: str) -> str:
    return next(url for url in crawled.urls if url.endswith(path))


def test_a_fate_is_shown_with_its_reason_and_its_facts(crawled: Crawled) -> None:
    url = url_of(crawled, "/closed")
    ended = run_tenax("explain", url, "--data", crawled.data)
    first, because, *facts = ended.out.splitlines()
    assert first == url
    assert because == "  refused: A rule forbids it (robots): robots.txt line 2: Disallow: /closed."
    assert any("forbids it, line 2: Disallow: /closed." in fact for fact in facts)
    assert all(fact.startswith("  - ") for fact in facts)


def test_json_is_one_object(crawled: Crawled) -> None:
    ended = run_tenax("explain", url_of(crawled, "/closed"), "--data", crawled.data, "--json")
    found = json.loads(ended.out)
    assert set(found) == {"url", "fate", "reason", "because", "facts"}
    assert (found["fate"], found["reason"]) == ("refused", "robots")


def test_nor_can_it_in_json_where_it_stays_what_it_is(crawled: Crawled) -> None:
    ended = run_tenax("explain", url_of(crawled, "/evil"), "--data", crawled.data, "--json")
    assert any("\u202eyllaer" in fact for fact in json.loads(ended.out)["facts"])
    assert not {"\x1b", "\x07", "\u202e", "\u202c"} & set(ended.out)


def test_a_title_cannot_inject_escapes(crawled: Crawled) -> None:
    ended = run_tenax("explain", url_of(crawled, "/evil"), "--data", crawled.data)
    assert "owned" in ended.out
    assert not {"\x1b", "\x07", "\u202e"} & set(ended.out)


def test_an_address_cannot_inject_escapes(crawled: Crawled) -> None:
    ended = run_tenax("explain", "mailto:\x1b[31mred", "--data", crawled.data)
    assert "\x1b" not in ended.out


@pytest.mark.parametrize("form", ["{host}:{port}/closed", "HTTP://{host}:{port}/x/../closed#part"])
def test_an_address_is_understood_as_users_write_it(form: str, crawled: Crawled) -> None:
    port = url_of(crawled, "/closed").split(":")[2].split("/")[0]
    address = form.format(host=HOST.upper(), port=port)
    ended = run_tenax("explain", address, "--data", crawled.data, "--json")
    assert json.loads(ended.out)["url"] == url_of(crawled, "/closed")


def test_every_url_is_explained_as_it_is_exported(crawled: Crawled) -> None:
    exported = run_tenax("export", "urls", "--format", "jsonl", "--data", crawled.data).out
    for line in exported.splitlines():
        row = json.loads(line)
        found = json.loads(run_tenax("explain", row["url"], "--data", crawled.data, "--json").out)
        assert found["fate"] == row["fate"]


def test_a_directory_without_a_crawl_is_named(tmp_path: Path) -> None:
    ended = run_tenax("explain", "http://a.test/", "--data", tmp_path / "none")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith(f"tenax: There is no crawl in {tmp_path / 'none'}")
    assert ended.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def ordered(tmp_path: Path) -> Path:
    """A store of the test's own, with pages and urls that wait."""
    fill_store(tmp_path / "ordered")
    return tmp_path / "ordered"


def test_a_url_that_a_user_removed_from_the_frontier_says_so(ordered: Path) -> None:
    place, clock = Place(folder=ordered), SystemClock()

    async def clear_all() -> int:
        async with open_access(place) as access:
            return await empty_frontier(access, clock)

    assert asyncio.run(clear_all()) == 4
    found = json.loads(run_tenax("explain", f"{SHOP}/wait-1", "--json", "--data", ordered).out)
    assert (found["fate"], found["reason"]) == ("refused", "cleared")
    assert found["because"] == "A user removed it from the frontier. Adding it again queues it again."


def test_a_page_that_was_deleted_says_so(ordered: Path) -> None:
    place, clock = Place(folder=ordered), SystemClock()

    async def purge_all() -> int:
        async with open_access(place) as access:
            return await purge_pages(access, clock, PurgeSelection())

    assert asyncio.run(purge_all()) == 2
    out = run_tenax("explain", f"{SHOP}/a", "--data", ordered).out
    assert "fetched: It was fetched at" in out
    assert "Its stored page was deleted since; the next visit stores it again." in out


def test_pages_with_the_same_short_text_say_why_both_are_kept(tmp_path: Path) -> None:
    site = {
        "/": page("Home", "/a", "/b"),
        "/a": page("A", text="Not found"),
        "/b": page("B", text="Not found"),
    }
    with ScriptedWeb({HOST: site}) as web:
        crawled = crawl(tmp_path, [web.url(HOST)])
    out = run_tenax("explain", web.url(HOST, "/a"), "--data", crawled.data).out
    assert f"the same as that of {web.url(HOST, '/b')}, but too short to count as a duplicate" in out
    home = run_tenax("explain", web.url(HOST), "--data", crawled.data).out
    assert "too short" not in home
