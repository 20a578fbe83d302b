"""Merge rules: urls that differ in what does not count are fetched once, and all of them are explained."""

from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tenax.failpoints import EXIT_CODE
from tests.flow.conftest import MakeCrawler
from tests.support.crawler import assert_sound, query
from tests.support.running import Crawled, crawl, explain, pass_time, refresh
from tests.support.scripted import Script, ScriptedWeb, in_turn, moved, page, status, text

HOST = "a.test"
SORT = {"name": "sorting", "ignore_parameters": ("sort", "view")}
SLASH = {"ignore_trailing_slash": True}


def crawl_web(web: ScriptedWeb, data: Path, *rules: dict[str, Any], **sections: dict[str, Any]) -> Crawled:
    return crawl(data, [web.url(HOST)], scope={"merge_rules": rules}, **sections)


def crawl_paths(
    paths: dict[str, Script], data: Path, *rules: dict[str, Any], **sections: dict[str, Any]
) -> tuple[Crawled, ScriptedWeb]:
    with ScriptedWeb({HOST: paths}) as web:
        return crawl_web(web, data, *rules, **sections), web


def list_pages(crawled: Crawled) -> set[str]:
    """Those that stand for themselves."""
    return {url.url for url in crawled.urls.values() if url.fate == "fetched"}


def test_variants_are_fetched_once_and_again_when_the_rule_is_gone(tmp_path: Path) -> None:
    variants = ["/list?sort=a", "/list?sort=b&view=1", "/list", "/about", "/about/"]
    paths: dict[str, Script] = {"/": page("Home", *variants)}
    paths |= {variant: page(f"At {variant}") for variant in variants}
    with ScriptedWeb({HOST: paths}) as web:
        merged = crawl_web(web, tmp_path, SORT, SLASH)
        asked = web.paths(HOST)
        assert len([path for path in asked if path.startswith("/list")]) == 1
        assert len([path for path in asked if path.startswith("/about")]) == 1
        assert merged.fates == {"fetched": 3, "duplicate": 3}
        assert all(url.due_at is None for url in merged.urls.values())
        assert merged.domains[f"{HOST}:{web.port}"].queued == 0
        for url in merged.urls.values():
            if url.fate == "duplicate":
                assert url.reason == "merged"
                assert merged.fate(url.to_url or "") == "fetched"
                told = explain(merged, url.url)
                rule = "ignore the trailing slash" if "about" in url.url else "sorting"
                assert told.because == (
                    f"The merge rule “{rule}” makes it the same url as {url.to_url}: it is not requested."
                )
                assert told.facts[0] == f"{url.to_url} is fetched."

        unknown = explain(merged, web.url(HOST, "/list?sort=zzz"))
        assert unknown.fate == "never seen"
        plain = web.url(HOST, "/list")
        assert unknown.facts[-1] == f"The merge rule “sorting” makes it the same url as {plain}."

        once_more = crawl_web(web, tmp_path, SORT, SLASH)
        assert once_more.fates == merged.fates
        assert web.paths(HOST)[len(asked) :] in ([], ["/robots.txt"])

        only_slash = crawl_web(web, tmp_path, SLASH)
        assert only_slash.fates == {"fetched": 5, "duplicate": 1}

        gone = crawl_web(web, tmp_path)
        assert gone.fates == {"fetched": 6}
        assert sorted(set(web.paths(HOST))) == sorted(["/robots.txt", *paths])
        assert all(web.paths(HOST).count(path) == 1 for path in paths)


def test_pages_that_were_fetched_before_a_rule_stand_for_what_comes_later(tmp_path: Path) -> None:
    home = in_turn(page("Home", "/list?sort=a"), page("Home", "/list?sort=a", "/list?sort=b", "/list"))
    paths: dict[str, Script] = {"/": home, "/list?sort=a": page("List")}
    with ScriptedWeb({HOST: paths}) as web:
        crawl_web(web, tmp_path)
        pass_time(tmp_path, 1e9)
        crawled = refresh(tmp_path, scope={"merge_rules": (SORT,)})
        assert crawled.fates == {"fetched": 2, "duplicate": 2}
        assert {path for path in web.paths(HOST) if path.startswith("/list")} == {"/list?sort=a"}


def test_a_class_is_not_lost_with_its_first_url(tmp_path: Path) -> None:
    variants = [f"/{name}?sort={order}" for name in ("gone", "bad", "shut", "busy") for order in "ab"]
    crawled, web = crawl_paths(
        {
            "/robots.txt": text("User-agent: *\nDisallow: /shut?sort=a\n"),
            "/": page("Home", *variants),
            "/gone?sort=a": status(404),
            "/gone?sort=b": page("Gone b"),
            "/bad?sort=a": status(400),
            "/bad?sort=b": page("Bad b"),
            "/shut?sort=a": page("Shut a"),
            "/shut?sort=b": page("Shut b"),
            "/busy?sort=a": status(500),
            "/busy?sort=b": page("Busy b"),
        },
        tmp_path,
        SORT,
        retry={"attempts": 2, "base_s": 0.05, "jitter_s": 0.01},
    )
    good = {web.url(HOST, f"/{name}?sort=b") for name in ("gone", "bad", "shut", "busy")}
    assert list_pages(crawled) == {web.url(HOST), *good}
    # Which of a page's links comes first is open: one that is tried later is merged with the good one.
    assert crawled.fates.total() == 9
    assert not {"queued", "retrying"} & crawled.fates.keys()


def test_all_of_a_class_may_be_gone(tmp_path: Path) -> None:
    variants = [f"/none?sort={order}" for order in "abcd"]
    crawled, web = crawl_paths({"/": page("Home", *variants)}, tmp_path, SORT)
    assert crawled.fates == {"fetched": 1, "gone": 4}
    assert sorted(path for path in web.paths(HOST) if path.startswith("/none")) == variants


def test_a_redirect_within_a_class_is_followed(tmp_path: Path) -> None:
    crawled, web = crawl_paths(
        {"/": page("Home", "/a", "/a/", "/b"), "/a": moved("/a/"), "/a/": page("A"), "/b": moved("/b/"),
         "/b/": page("B")},
        tmp_path,
        SLASH,
        politeness={"delay_s": 0.0, "jitter": 0.0, "per_domain": 4},
    )  # fmt: skip
    assert {web.url(HOST, path) for path in ("/", "/a/", "/b/")} == list_pages(crawled)
    assert crawled.fate(web.url(HOST, "/b")) == "redirected"
    assert crawled.fate(web.url(HOST, "/a")) in ("redirected", "duplicate")
    assert all(web.paths(HOST).count(path) <= 1 for path in web.paths(HOST))


def test_urls_of_a_class_that_redirect_in_a_circle_end(tmp_path: Path) -> None:
    crawled, web = crawl_paths(
        {"/": page("Home", "/a", "/a/"), "/a": moved("/a/"), "/a/": moved("/a")}, tmp_path, SLASH
    )
    assert crawled.fates == {"fetched": 1, "redirected": 2}
    assert len(web.paths(HOST)) == 4


def test_a_canonical_of_the_same_class_is_the_url_itself(tmp_path: Path) -> None:
    head = '<link rel="canonical" href="/list">'
    paths: dict[str, Script] = {"/": page("Home", "/list?sort=a"), "/list?sort=a": page("List", head=head)}
    crawled, web = crawl_paths(paths, tmp_path / "with", SORT)
    assert list_pages(crawled) == {web.url(HOST), web.url(HOST, "/list?sort=a")}
    assert crawled.urls[web.url(HOST, "/list")].reason == "merged"
    crawled, web = crawl_paths(paths, tmp_path / "without")
    assert crawled.urls[web.url(HOST, "/list?sort=a")].reason == "canonical"


def test_rules_hold_where_they_say(tmp_path: Path) -> None:
    links = ["/list?sort=a", "/list?sort=b", "/other?sort=a", "/other?sort=b", "/p?page=1", "/p", "/p?page=2"]
    rules = ({"under": "/list", "ignore_parameters": ("sort",)}, {"ignore_matching": ("^page=1$",)})
    crawled, web = crawl_paths(
        {"/": page("Home", *links), **{link: page(link) for link in links}}, tmp_path, *rules
    )
    assert crawled.fates == {"fetched": 6, "duplicate": 2}
    assert {"/other?sort=a", "/other?sort=b", "/p?page=2"} <= set(web.paths(HOST))


@pytest.mark.parametrize("side", ["before", "after"])
def test_death_at_every_commit_loses_no_class(make_crawler: MakeCrawler, side: str) -> None:
    """A class whose first url is gone, one that is fetched, one that is refused: whoever dies when."""
    links = [f"/{name}?sort={order}" for name in ("gone", "kept", "shut", "none") for order in "abc"]
    paths: dict[str, Script] = {link: page(link) for link in links if "none" not in link}
    paths |= {"/": page("Home", *links), "/gone?sort=a": status(404), "/gone?sort=b": status(404)}
    paths["/robots.txt"] = text("User-agent: *\nDisallow: /shut?sort=a\n")
    with ScriptedWeb({HOST: paths}) as web:
        seeds = [web.url(HOST)]
        crawler = make_crawler(web, "--delay", "0", "--ignore-parameter", "sort", seeds=seeds)
        for commit in count(1):
            ended = crawler.run(TENAX_WORKER__BATCH_PAGES="2", TENAX_FAILPOINT=f"commit.{side}:{commit}")
            assert_sound(crawler.data)
            if ended.code != EXIT_CODE:
                break
        assert ended.code == 0
        assert commit > 4
        fates: dict[str, str] = dict(query(crawler.data, "SELECT url, fate FROM urls"))
    for name in ("gone", "kept", "shut"):
        assert [fates[web.url(HOST, f"/{name}?sort={order}")] for order in "abc"].count("fetched") == 1
    assert [fates[web.url(HOST, f"/none?sort={order}")] for order in "abc"] == ["gone"] * 3
    assert not {"queued", "retrying"} & set(fates.values())
