"""Which links whole crawls follow: scope, patterns, limits, and what changes when the rules change."""

from pathlib import Path
from typing import Any

import pytest

from tenax.records.runs import RunState
from tenax.web.urls import domain_of
from tests.support.crawler import assert_sound, query
from tests.support.running import Crawled, crawl, explain
from tests.support.scripted import Script, ScriptedWeb, page

HOSTS = ("a.org", "www.a.org", "blog.a.org", "b.org")


def build_web() -> ScriptedWeb:
    """Every host links to the homes of all hosts and to two pages of its own."""
    web = ScriptedWeb({})
    homes = [web.url(host) for host in HOSTS]
    for host in HOSTS:
        own = {f"/{name}": page(f"{name} of {host}") for name in ("one", "two")}
        web.hosts[host] = {"/": page(f"Home of {host}", *homes, *own), **own}
    return web


def crawl_scope(data: Path, **scope: Any) -> tuple[Crawled, ScriptedWeb]:
    with build_web() as web:
        return crawl(data, [web.url("a.org")], scope=scope), web


def hosts_of(crawled: Crawled) -> set[str]:
    return {url.split("/")[2].partition(":")[0] for url in crawled.fetched}


@pytest.mark.parametrize(
    ("kind", "hosts"),
    [
        ("host", {"a.org"}),
        ("domain", {"a.org", "www.a.org"}),
        ("site", {"a.org", "www.a.org", "blog.a.org"}),
        ("any", set(HOSTS)),
    ],
)
def test_scope_decides_which_hosts_are_crawled(kind: str, hosts: set[str], tmp_path: Path) -> None:
    crawled, _ = crawl_scope(tmp_path, kind=kind)
    assert hosts_of(crawled) == hosts


def test_nothing_outside_the_scope_is_asked(tmp_path: Path) -> None:
    _, web = crawl_scope(tmp_path, kind="domain")
    assert {request.host for request in web.requests()} == {"a.org", "www.a.org"}


def test_an_excluded_url_is_not_asked(tmp_path: Path) -> None:
    crawled, web = crawl_scope(tmp_path, kind="host", exclude=["/two$"])
    assert crawled.fetched == {web.url("a.org"), web.url("a.org", "/one")}
    assert explain(crawled, web.url("a.org", "/two")).reason == "excluded"


def test_only_included_urls_are_asked_beside_the_seeds(tmp_path: Path) -> None:
    crawled, web = crawl_scope(tmp_path, kind="host", include=["/one$"])
    assert crawled.fetched == {web.url("a.org"), web.url("a.org", "/one")}
    assert explain(crawled, web.url("a.org", "/two")).reason == "not_included"


# --- limits --------------------------------------------------------------------------------------


def line(length: int) -> dict[str, Script]:
    """Pages that each link to the next one."""
    pages = {f"/{n}": page(f"Page {n}", f"/{n + 1}") for n in range(1, length + 1)}
    return {"/": page("Home", "/1"), **pages}


def test_depth_is_counted_in_links_from_the_seed(tmp_path: Path) -> None:
    with ScriptedWeb({"a.org": line(6)}) as web:
        crawled = crawl(tmp_path, [web.url("a.org")], limits={"max_depth": 3})
    assert {url.depth for url in crawled.urls.values()} == {0, 1, 2, 3}


def test_a_run_ends_at_its_page_limit_and_the_next_goes_on(tmp_path: Path) -> None:
    with ScriptedWeb({"a.org": line(9)}) as web:
        first = crawl(tmp_path, [web.url("a.org")], limits={"max_pages": 4})
        assert (len(first.fetched), first.ended.state) == (4, RunState.BUDGET)
        second = crawl(tmp_path, [web.url("a.org")], limits={"max_pages": 4})
        assert len(second.fetched) == 8
    assert_sound(tmp_path)


def test_a_domain_stops_at_its_page_limit_and_the_next_run_goes_on(tmp_path: Path) -> None:
    with ScriptedWeb({"a.org": line(5), "b.org": line(1)}) as web:
        seeds = [web.url("a.org"), web.url("b.org")]
        first = crawl(tmp_path, seeds, limits={"pages_per_domain": 3})
        assert len(first.fetched) == 5
        (troubled,) = first.summary.troubled
        assert troubled.reason == "its page budget of this run is used up"
        second = crawl(tmp_path, seeds, limits={"pages_per_domain": 3})
        assert len(second.fetched) == 8


def test_links_beyond_the_limit_of_a_page_are_left(tmp_path: Path) -> None:
    hrefs = [f"/{number}" for number in range(20)]
    with ScriptedWeb({"a.org": {"/": page("Home", *hrefs)}}) as web:
        crawled = crawl(tmp_path, [web.url("a.org")], limits={"links_per_page": 5})
    assert set(crawled.urls) == {web.url("a.org", path) for path in ("/", *hrefs[:5])}


def test_a_long_url_is_not_kept_and_explained(tmp_path: Path) -> None:
    path = "/" + "x" * 300
    with ScriptedWeb({"a.org": {"/": page("Home", path), path: page("Long")}}) as web:
        crawled = crawl(tmp_path, [web.url("a.org")], limits={"url_length": 200})
    assert set(crawled.urls) == {web.url("a.org")}
    assert explain(crawled, web.url("a.org", path)).reason == "url_too_long"


# --- rules that change between runs ----------------------------------------------------------------


def test_a_wider_scope_finds_what_the_narrow_one_refused(tmp_path: Path) -> None:
    with build_web() as web:
        seed = [web.url("a.org")]
        assert hosts_of(crawl(tmp_path, seed, scope={"kind": "host"})) == {"a.org"}
        assert hosts_of(crawl(tmp_path, seed, scope={"kind": "any"})) == set(HOSTS)
        asked = [(request.host, request.path) for request in web.requests() if request.path != "/robots.txt"]
    assert len(asked) == len(set(asked))
    assert_sound(tmp_path)


def test_a_narrower_scope_refuses_what_was_queued(tmp_path: Path) -> None:
    with ScriptedWeb(
        {"a.org": {"/": page("Home", "/one", "/two"), "/one": page("1"), "/two": page("2")}}
    ) as web:
        seed = [web.url("a.org")]
        crawl(tmp_path, seed, limits={"max_pages": 1})
        second = crawl(tmp_path, seed, scope={"exclude": ["/two"]})
    refused = second.urls[web.url("a.org", "/two")]
    assert (refused.fate, refused.reason) == ("refused", "excluded")


def test_a_deeper_limit_goes_on_where_the_last_run_ended(tmp_path: Path) -> None:
    with ScriptedWeb({"a.org": line(5)}) as web:
        crawl(tmp_path, [web.url("a.org")], limits={"max_depth": 2})
        second = crawl(tmp_path, [web.url("a.org")], limits={"max_depth": 4})
    assert len(second.fetched) == 5


def test_domains_outside_the_scope_are_noted_once_with_an_example(tmp_path: Path) -> None:
    crawled, web = crawl_scope(tmp_path, kind="domain")
    rows = query(crawled.data, "SELECT domain, url, links, pages FROM discovered_links ORDER BY domain")
    # www.a.org belongs to the domain, and both homes name the others: the second says nothing new.
    homes = [web.url(host) for host in ("b.org", "blog.a.org")]
    assert rows == [(domain_of(home), home, 1, 1) for home in homes]
