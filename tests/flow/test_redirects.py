"""Redirects in whole crawls: each hop is a url of its own, and passes scope, robots, guard and pace."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.running import Crawled, crawl, explain
from tests.support.scripted import Script, ScriptedWeb, moved, page, status, text
from tests.support.web import assert_polite

A, B = "a.test", "b.test"


def crawl_paths(
    paths: Mapping[str, Script], data: Path, **sections: dict[str, Any]
) -> tuple[Crawled, ScriptedWeb]:
    with ScriptedWeb({A: paths}) as web:
        return crawl(data, [web.url(A)], **sections), web


def chain(length: int) -> dict[str, Script]:
    """A home page that links to /1, which leads over so many redirects to /end."""
    hops = {f"/{n}": moved(f"/{n + 1}" if n < length else "/end") for n in range(1, length + 1)}
    return {"/": page("Home", "/1"), **hops, "/end": page("The end")}


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_every_kind_of_redirect_leads_on(code: int, tmp_path: Path) -> None:
    crawled, web = crawl_paths({"/": moved("/new", code), "/new": page("New")}, tmp_path)
    old = crawled.urls[web.url(A)]
    assert (old.fate, old.status, old.to_url) == ("redirected", code, web.url(A, "/new"))
    assert crawled.fate(web.url(A, "/new")) == "fetched"


def test_a_chain_of_five_is_followed_to_its_end(tmp_path: Path) -> None:
    crawled, web = crawl_paths(chain(5), tmp_path)
    assert crawled.fate(web.url(A, "/end")) == "fetched"


def test_the_sixth_redirect_in_a_row_is_refused(tmp_path: Path) -> None:
    crawled, web = crawl_paths(chain(6), tmp_path)
    last = crawled.urls[web.url(A, "/6")]
    assert (last.fate, last.reason) == ("refused", "too_many_hops")
    assert web.url(A, "/end") not in crawled.urls


@pytest.mark.parametrize(
    "paths",
    [
        {"/": page("Home", "/x"), "/x": moved("/y"), "/y": moved("/x")},
        {"/": page("Home", "/x"), "/x": moved("/y"), "/y": moved("/z"), "/z": moved("/y")},
    ],
)
def test_a_loop_ends_after_one_visit_each(paths: Mapping[str, Script], tmp_path: Path) -> None:
    crawled, web = crawl_paths(paths, tmp_path)
    asked = web.paths(A)
    assert len(asked) == len(set(asked))
    assert crawled.fates == {"fetched": 1, "redirected": len(paths) - 1}


def test_a_url_that_redirects_to_itself_is_dead(tmp_path: Path) -> None:
    crawled, web = crawl_paths({"/": moved("/#top")}, tmp_path)
    assert (crawled.urls[web.url(A)].fate, crawled.urls[web.url(A)].detail) == ("dead", "redirects to itself")


def test_a_redirect_without_a_place_is_dead(tmp_path: Path) -> None:
    crawled, web = crawl_paths({"/": status(302)}, tmp_path)
    assert crawled.urls[web.url(A)].detail == "redirects without saying where to"


@pytest.mark.parametrize("place", ["file:///etc/passwd", "ftp://a.test/x", "javascript:alert(1)", "http://["])
def test_a_redirect_out_of_the_web_is_refused(place: str, tmp_path: Path) -> None:
    crawled, web = crawl_paths({"/": moved(place)}, tmp_path)
    seed = crawled.urls[web.url(A)]
    assert (seed.fate, seed.reason) == ("refused", "scheme")
    assert seed.detail == f"redirects to {place}, which is not a page on the web"


def test_a_forbidden_address_is_refused_without_a_request(tmp_path: Path) -> None:
    with ScriptedWeb({A: {"/": page("Home")}}) as web:
        crawled = crawl(tmp_path, [web.url(A)], fetch={"allow_private": False})
    assert web.requests() == []
    seed = crawled.urls[web.url(A)]
    assert (seed.fate, seed.reason) == ("refused", "private_address")


def test_a_redirect_out_of_scope_is_not_followed_and_explained(tmp_path: Path) -> None:
    paths = {"/": page("Home", "/away"), "/away": moved("http://elsewhere.test/")}
    crawled, web = crawl_paths(paths, tmp_path)
    assert crawled.urls[web.url(A, "/away")].to_url == "http://elsewhere.test/"
    assert explain(crawled, "http://elsewhere.test/").reason == "out_of_scope"


def test_a_seed_that_redirects_to_another_domain_takes_the_scope_along(tmp_path: Path) -> None:
    with ScriptedWeb({A: {}, B: {"/": page("Home", "/more"), "/more": page("More")}}) as web:
        web.hosts[A]["/"] = moved(web.url(B))
        crawled = crawl(tmp_path, [web.url(A)])
    assert crawled.fetched == {web.url(B), web.url(B, "/more")}


def test_a_page_that_redirects_to_another_domain_does_not(tmp_path: Path) -> None:
    with ScriptedWeb({A: {"/": page("Home", "/x")}, B: {"/": page("Home of b")}}) as web:
        web.hosts[A]["/x"] = moved(web.url(B))
        crawled = crawl(tmp_path, [web.url(A)])
    assert crawled.fetched == {web.url(A)}
    assert web.requests(B) == []


def test_the_robots_file_of_the_target_is_obeyed(tmp_path: Path) -> None:
    closed = {"/robots.txt": text("User-agent: *\nDisallow: /"), "/": page("Closed")}
    with ScriptedWeb({A: {}, B: closed}) as web:
        web.hosts[A]["/"] = moved(web.url(B))
        crawled = crawl(tmp_path, [web.url(A)])
    assert web.paths(B) == ["/robots.txt"]
    assert crawled.fate(web.url(B)) == "queued"
    assert crawled.domains[f"{B}:{web.port}"].block_code == "robots_denied"


def test_each_hop_keeps_the_pace(tmp_path: Path) -> None:
    crawled, web = crawl_paths(chain(4), tmp_path, politeness={"delay_s": 0.2})
    assert crawled.fates == {"fetched": 2, "redirected": 4}
    assert_polite(web.requests(), delay_s=0.2)


def test_a_meta_refresh_is_a_link(tmp_path: Path) -> None:
    refresh = '<meta http-equiv="refresh" content="0; url=/next">'
    paths = {"/": page("Home", head=refresh), "/next": page("Next")}
    crawled, web = crawl_paths(paths, tmp_path)
    assert crawled.fetched == {web.url(A), web.url(A, "/next")}


def test_a_redirect_to_a_known_page_adds_nothing(tmp_path: Path) -> None:
    paths = {"/": page("Home", "/x", "/y"), "/x": moved("/y"), "/y": page("Why")}
    _, web = crawl_paths(paths, tmp_path)
    assert web.paths(A).count("/y") == 1


def test_explain_tells_where_redirects_lead(tmp_path: Path) -> None:
    paths = {
        "/": page("Home", "/1", "/x", "/out"),
        "/1": moved("/2"),
        "/2": moved("/end"),
        "/end": page("The end"),
        "/x": moved("/y"),
        "/y": moved("/x"),
        "/out": moved("http://elsewhere.test/a"),
    }
    crawled, web = crawl_paths(paths, tmp_path)
    way = explain(crawled, web.url(A, "/1")).facts[0]
    assert way == f"The redirects end at {web.url(A, '/end')}, which is fetched."
    circle = explain(crawled, web.url(A, "/x")).facts[0]
    assert (
        circle
        == "It redirects in a loop: " + " → ".join(web.url(A, path) for path in ("/x", "/y", "/x")) + "."
    )
    outside = explain(crawled, web.url(A, "/out")).facts[0]
    assert outside.startswith("http://elsewhere.test/a was not followed: a rule forbids it (out_of_scope), ")
