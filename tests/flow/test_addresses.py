"""What is requested is what was linked; which addresses are one url is another question."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.support.running import Crawled, crawl, explain
from tests.support.scripted import Script, ScriptedWeb, moved, page, text

HOST = "a.test"


def crawl_paths(
    paths: Mapping[str, Script], data: Path, **sections: dict[str, Any]
) -> tuple[Crawled, ScriptedWeb]:
    with ScriptedWeb({HOST: dict(paths)}) as web:
        return crawl(data, [web.url(HOST)], **sections), web


def test_a_link_is_requested_as_it_is_written(tmp_path: Path) -> None:
    links = ["/list?z=1&z=0&y", "/p?f[]=1", "/%7Ejoe?b=%7e&a", "/100%?x=50%"]
    crawled, web = crawl_paths(
        {"/": page("Home", *links), **{link: page(f"At {link}") for link in links}}, tmp_path
    )
    assert set(web.paths(HOST)) == {"/robots.txt", "/", *links}
    assert crawled.fetched == {web.url(HOST, path) for path in ("/", *links)}


def test_other_spellings_of_a_url_are_not_requested(tmp_path: Path) -> None:
    first = "/list?z=1&z=0&y&f[]=1"
    others = [
        "/list?y&z=1&z=0&f[]=1",
        "/list?f%5B%5D=1&z=1&z=0&y",
        f"{first}&utm_source=x",
        "/list;jsessionid=1?" + first[6:],
    ]
    crawled, web = crawl_paths({"/": page("Home", first, *others), first: page("List")}, tmp_path)
    assert web.paths(HOST) == ["/robots.txt", "/", first]

    merged = explain(crawled, web.url(HOST, others[0]))
    assert merged.fate == "fetched"
    assert merged.facts[0] == (
        f"It is the same url as {web.url(HOST, first)}, the address that is requested: "
        "the order of parameters with different names does not matter."
    )
    tracked = explain(crawled, web.url(HOST, others[2]))
    assert "left out of addresses: utm_source" in tracked.facts[0]


def test_robots_txt_is_asked_about_what_is_requested(tmp_path: Path) -> None:
    crawled, web = crawl_paths(
        {
            "/robots.txt": text("User-agent: *\nDisallow: /s?q=\nDisallow: /*?utm_\n"),
            "/": page("Home", "/s?q=2&a=1", "/s?a=1&q=3", "/t?utm_source=x"),
            "/s?a=1&q=3": page("Found"),
            "/t": page("Clean"),
        },
        tmp_path,
    )
    assert set(web.paths(HOST)) == {"/robots.txt", "/", "/s?a=1&q=3", "/t"}
    refused = crawled.urls[web.url(HOST, "/s?q=2&a=1")]
    assert (refused.fate, refused.reason) == ("refused", "robots")


def test_a_redirect_to_another_address_of_the_url_is_followed(tmp_path: Path) -> None:
    crawled, web = crawl_paths(
        {"/": page("Home", "/p?b=1&a=2"), "/p?b=1&a=2": moved("/p?a=2&b=1"), "/p?a=2&b=1": page("Here")},
        tmp_path,
    )
    assert web.paths(HOST) == ["/robots.txt", "/", "/p?b=1&a=2", "/p?a=2&b=1"]
    assert crawled.fates == {"fetched": 2}
    assert web.url(HOST, "/p?a=2&b=1") in crawled.fetched


def test_addresses_of_a_url_that_redirect_in_a_circle_end_at_the_limit(tmp_path: Path) -> None:
    crawled, web = crawl_paths(
        {"/": page("Home", "/p?b&a"), "/p?b&a": moved("/p?a&b"), "/p?a&b": moved("/p?b&a")}, tmp_path
    )
    assert len(web.paths(HOST)) == 2 + 6
    assert crawled.fates == {"fetched": 1, "refused": 1}


def test_a_canonical_that_spells_the_url_differently_is_the_url(tmp_path: Path) -> None:
    head = '<link rel="canonical" href="/p?a=2&amp;b=1">'
    crawled, _ = crawl_paths({"/": page("Home", "/p?b=1&a=2"), "/p?b=1&a=2": page("P", head=head)}, tmp_path)
    assert crawled.fates == {"fetched": 2}


def test_parameters_that_count_here_are_requested(tmp_path: Path) -> None:
    links = ["/tree?ref=main", "/tree?ref=next&utm_source=x"]
    paths = {
        "/": page("Home", *links),
        "/tree?ref=main": page("Main", head='<link rel="canonical" href="/tree?ref=main">'),
        "/tree?ref=next": page("Next"),
    }
    crawled, web = crawl_paths(paths, tmp_path, scope={"keep_parameters": ("REF",)})
    assert sorted(web.paths(HOST)) == sorted(["/robots.txt", *paths])
    assert crawled.fates == {"fetched": 3}
    assert explain(crawled, web.url(HOST, links[1])).fate == "fetched"
