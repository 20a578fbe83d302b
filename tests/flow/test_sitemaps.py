"""Sitemaps in whole crawls: what they list is crawled, and what is wrong with them is said."""

import contextlib
import gzip
import os
import subprocess
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from pysqlite3 import dbapi2 as sqlite

from tenax.failpoints import EXIT_CODE
from tenax.stores.place import Place
from tenax.stores.postgres.backend import migrate
from tests.support.crawler import DEADLINE_S, TENAX, assert_sound, query
from tests.support.postgres import fresh_database
from tests.support.running import Crawled, crawl, explain, pass_time, refresh
from tests.support.scripted import Reply, Script, ScriptedWeb, in_turn, moved, page, status, text

HOST, OTHER = "a.test", "b.test"
DAY_S = 86_400.0
pack = partial(gzip.compress, mtime=0)
XML = {"Content-Type": "application/xml"}
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


def xml(body: str, **headers: str) -> Reply:
    return Reply(body=body.encode(), headers={**XML, **headers})


def urlset(*locs: str, lastmod: str = "") -> str:
    dated = f"<lastmod>{lastmod}</lastmod>" if lastmod else ""
    items = "".join(f"<url><loc>{loc}</loc>{dated}</url>" for loc in locs)
    return f'<?xml version="1.0"?><urlset xmlns="{NAMESPACE}">{items}</urlset>'


def index(*locs: str) -> str:
    items = "".join(f"<sitemap><loc>{loc}</loc></sitemap>" for loc in locs)
    return f'<?xml version="1.0"?><sitemapindex xmlns="{NAMESPACE}">{items}</sitemapindex>'


def robots(*sitemaps: str) -> Reply:
    return text("User-agent: *\nDisallow: /secret\n" + "".join(f"Sitemap: {each}\n" for each in sitemaps))


def hidden(*names: str) -> dict[str, Script]:
    """Pages that nothing links to."""
    return {f"/{name}": page(f"Page {name}") for name in names}


@contextlib.contextmanager
def serve(paths: dict[str, Script], **hosts: dict[str, Script]) -> Iterator[ScriptedWeb]:
    """A host with a home page without links; addresses are written without their host."""
    with ScriptedWeb({HOST: {"/": page("Home"), **paths}, **hosts}) as web:
        yield web


def crawl_site(data: Path, paths: dict[str, Script], **sections: dict[str, object]) -> Crawled:
    with serve(paths) as web:
        crawled = crawl(data, [web.url(HOST)], **sections)
    assert_sound(data)
    return crawled


def list_paths(crawled: Crawled, fate: str) -> set[str]:
    return {"/" + url.url.split("/", 3)[3] for url in crawled.urls.values() if url.fate == fate}


def read_sitemaps(data: Path, *columns: str) -> list[tuple[object, ...]]:
    return query(
        data,
        f"SELECT {', '.join(columns)} FROM sitemaps s JOIN urls u ON u.id = s.url_id ORDER BY u.url",
    )


def test_a_site_that_only_its_sitemap_knows_is_crawled_whole(tmp_path: Path) -> None:
    names = [f"p{number}" for number in range(30)]
    paths = hidden(*names) | {
        "/robots.txt": robots("/index.xml"),
        "/index.xml": xml(index("/one.xml", "/two.xml.gz")),
        "/one.xml": xml(urlset(*names[:10])),
        "/two.xml.gz": Reply(
            body=pack(urlset(*names[10:]).encode()), headers={"Content-Type": "application/gzip"}
        ),
    }
    crawled = crawl_site(tmp_path, paths)
    assert list_paths(crawled, "fetched") == {"/", *(f"/{name}" for name in names)}
    assert list_paths(crawled, "read") == {"/index.xml", "/one.xml", "/two.xml.gz"}
    assert crawled.tally.pages == 31


def test_the_sitemap_is_read_before_the_links_of_the_home_page(tmp_path: Path) -> None:
    paths = hidden("x") | {
        "/robots.txt": robots("/map.xml"),
        "/": page("Home", *(f"/l{number}" for number in range(30))),
        "/map.xml": xml(urlset("/x")),
    }
    with ScriptedWeb({HOST: paths}) as web:
        crawl(tmp_path, [web.url(HOST)])
        assert web.paths(HOST).index("/map.xml") < 5


def test_without_sitemaps_nothing_is_asked_for(tmp_path: Path) -> None:
    paths = hidden("x") | {
        "/robots.txt": robots("/map.xml"),
        "/": page("Home", head='<link rel="sitemap" href="/other.xml">'),
        "/map.xml": xml(urlset("/x")),
    }
    with ScriptedWeb({HOST: paths}) as web:
        crawl(tmp_path, [web.url(HOST)], sitemaps={"enabled": False})
        assert web.paths(HOST) == ["/robots.txt", "/"]


def test_sitemaps_are_read_once_they_are_switched_on(tmp_path: Path) -> None:
    paths = hidden("x") | {"/robots.txt": robots("/map.xml"), "/map.xml": xml(urlset("/x"))}
    with serve({**paths, "/": page("Home", "/later")}) as web:
        crawl(tmp_path, [web.url(HOST)], sitemaps={"enabled": False}, limits={"max_pages": 1})
        crawled = crawl(tmp_path, [web.url(HOST)])
    assert "/x" in list_paths(crawled, "fetched")


def test_a_page_may_name_a_sitemap(tmp_path: Path) -> None:
    paths = hidden("x") | {
        "/": page("Home", head='<link rel="sitemap" type="application/xml" href="/map.xml">'),
        "/map.xml": xml(urlset("/x")),
    }
    assert list_paths(crawl_site(tmp_path, paths), "fetched") == {"/", "/x"}
    assert read_sitemaps(tmp_path, "origin", "kind", "entries") == [("link", "urls", 1)]


def test_usual_addresses_are_tried_only_on_demand(tmp_path: Path) -> None:
    paths = hidden("x") | {"/sitemap.xml": xml(urlset("/x"))}
    assert list_paths(crawl_site(tmp_path / "off", paths), "fetched") == {"/"}
    crawled = crawl_site(tmp_path / "on", paths, sitemaps={"guess": True})
    assert list_paths(crawled, "fetched") == {"/", "/x"}
    assert list_paths(crawled, "gone") == {"/sitemap_index.xml"}


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b"http://a.test:PORT/x\nhttp://a.test:PORT/y\n", {"/x", "/y"}),
        (
            b"<rss version='2.0'><channel><item><link>http://a.test:PORT/x</link></item></channel></rss>",
            {"/x"},
        ),
        (
            b"<feed xmlns='http://www.w3.org/2005/Atom'><entry><link href='http://a.test:PORT/y'/></entry></feed>",
            {"/y"},
        ),
    ],
)
def test_lists_and_feeds_are_sitemaps_too(body: bytes, found: set[str], tmp_path: Path) -> None:
    with serve(hidden("x", "y") | {"/robots.txt": robots("/map")}) as web:
        web.hosts[HOST]["/map"] = Reply(body=body.replace(b"PORT", str(web.port).encode()))
        crawled = crawl(tmp_path, [web.url(HOST)])
    assert list_paths(crawled, "fetched") == {"/", *found}


# --- faults -----------------------------------------------------------------------------------------

BOMB = pack(b"<urlset>" + b"<url><loc>/x</loc></url>" * 40_000)
FAULTS: dict[str, tuple[Reply, str]] = {
    "/doctype.xml": (
        xml('<!DOCTYPE urlset [<!ENTITY a "b">]><urlset><url><loc>/x1</loc></url></urlset>'),
        "it has a DOCTYPE, which may hide entities",
    ),
    "/laughs.xml": (
        xml('<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><urlset><url><loc>&b;</loc></url></urlset>'),
        "it has a DOCTYPE, which may hide entities",
    ),
    "/truncated.xml": (xml(urlset("/kept1", "/lost")[:-40]), "broken XML in line 1: unclosed token"),
    "/ampersand.xml": (
        xml(urlset("/kept2", "/lost?a=1&b=2")),
        "broken XML in line 1: not well-formed (invalid token)",
    ),
    "/many.xml": (xml(urlset(*["/many"] * 101)), "it lists more than 100 addresses; the rest was not read"),
    "/long.xml": (
        xml(urlset("/kept3") + " " * 200_000),
        "it is longer than 100,000 bytes; the rest was not read",
    ),
    "/bomb.xml.gz": (Reply(body=BOMB), "it lists more than 100 addresses; the rest was not read"),
    "/cut.xml.gz": (
        Reply(body=pack(urlset("/x").encode())[:-20]),
        "its compressed data ends too early",
    ),
    "/triple.xml.gz": (
        Reply(body=pack(pack(pack(urlset("/x").encode())))),
        "it is compressed more than 2 times",
    ),
    "/empty.xml": (xml(""), "it is empty"),
    "/garbage.xml": (Reply(body=b"\x00\x01\x02" * 500, headers=XML), "it is no sitemap"),
    "/deep.xml": (xml("<urlset>" + "<a>" * 1000), "its elements are nested more than 50 deep"),
    "/page.xml": (page("A page, not a sitemap"), "it is an HTML page, not a sitemap"),
}
FINE: dict[str, tuple[Reply, int]] = {
    "/bom.xml": (Reply(body=b"\xef\xbb\xbf" + urlset("/f1").encode(), headers=XML), 1),
    "/utf16.xml": (
        Reply(body=urlset("/f2").replace("?>", ' encoding="utf-16"?>', 1).encode("utf-16"), headers=XML),
        1,
    ),
    "/cdata.xml": (xml(urlset("<![CDATA[/f3?a=1&b=2]]>")), 1),
    "/plain.xml": (xml("<urlset><url><loc> /f4 </loc></url></urlset>"), 1),
    "/prefixed.xml": (xml("<x:urlset xmlns:x='urn:other'><x:url><x:loc>/f5</x:loc></x:url></x:urlset>"), 1),
    "/html-type.xml": (Reply(body=urlset("/f6").encode(), headers={"Content-Type": "text/html"}), 1),
    "/no-type": (Reply(body=urlset("/f7").encode()), 1),
    "/double.xml.gz": (Reply(body=pack(pack(urlset("/f8").encode()))), 1),
    "/dates.xml": (xml(urlset("/f9", lastmod="9" * 90 + "-99-99")), 1),
    "/itself.xml": (xml(index("/itself.xml", "/around.xml")), 2),
    "/around.xml": (xml(index("/itself.xml")), 1),
}


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    """A crawl of a site with one sitemap of each fault."""
    names = [*FAULTS, *FINE, "/moved.xml", "/foreign.xml", "/secret/map.xml", "/missing.xml"]
    pages = hidden("kept1", "kept2", "kept3", "many", "x", *(f"f{number}" for number in range(1, 10)))
    paths: dict[str, Script] = {
        **pages,
        "/f3?a=1&b=2": page("F 3"),
        "/moved": page("Moved"),
        "/robots.txt": robots(*names),
        **{name: reply for name, (reply, _) in FAULTS.items()},
        **{name: reply for name, (reply, _) in FINE.items()},
        "/moved.xml": moved("/new.xml"),
        "/new.xml": xml(urlset("/moved")),
    }
    data = tmp_path_factory.mktemp("faulty")
    with serve(paths) as web:
        foreign = f"http://{OTHER}:{web.port}/foreign"
        web.hosts[HOST]["/foreign.xml"] = xml(urlset(foreign, "ftp://a.test/x", "/kept1"))
        crawled = crawl(
            data,
            [web.url(HOST)],
            sitemaps={"urls_per_file": 100, "max_bytes": 100_000},
            scope={"kind": "any"},
        )
        assert OTHER not in {request.host for request in web.requests()}
    assert_sound(data)
    return crawled


def find_sitemap(crawled: Crawled, path: str) -> dict[str, object]:
    columns = ("kind", "entries", "refused", "error", "fate")
    rows = read_sitemaps(crawled.data, "u.url", *columns)
    return next(dict(zip(columns, row[1:], strict=True)) for row in rows if str(row[0]).endswith(path))


@pytest.mark.parametrize("path", FAULTS)
def test_a_fault_is_said(faulty: Crawled, path: str) -> None:
    assert find_sitemap(faulty, path)["error"] == FAULTS[path][1]


@pytest.mark.parametrize("path", FINE)
def test_what_is_only_odd_is_read(faulty: Crawled, path: str) -> None:
    found = find_sitemap(faulty, path)
    assert (found["entries"], found["error"]) == (FINE[path][1], None)


def test_a_broken_file_is_read_as_far_as_it_goes(faulty: Crawled) -> None:
    assert {"/kept1", "/kept2", "/kept3"} <= list_paths(faulty, "fetched")


def test_every_page_of_a_readable_sitemap_is_fetched(faulty: Crawled) -> None:
    pages = {f"/f{number}" for number in range(1, 10)} - {"/f3"}
    assert pages | {"/f3?a=1&b=2"} <= list_paths(faulty, "fetched")


def test_a_sitemap_may_not_list_urls_of_another_host(faulty: Crawled) -> None:
    found = find_sitemap(faulty, "/foreign.xml")
    assert (found["entries"], found["refused"]) == (3, 2)


def test_a_sitemap_that_has_moved_is_read_there(faulty: Crawled) -> None:
    assert find_sitemap(faulty, "/moved.xml")["fate"] == "redirected"
    assert find_sitemap(faulty, "/new.xml")["entries"] == 1
    assert "/moved" in list_paths(faulty, "fetched")


def test_robots_txt_applies_to_sitemaps(faulty: Crawled) -> None:
    assert find_sitemap(faulty, "/secret/map.xml")["fate"] == "refused"


def test_a_missing_sitemap_is_gone(faulty: Crawled) -> None:
    assert find_sitemap(faulty, "/missing.xml")["fate"] == "gone"


def test_a_page_that_is_named_as_a_sitemap_remains_a_page(faulty: Crawled) -> None:
    assert "/page.xml" in list_paths(faulty, "fetched")


def test_a_url_knows_its_sitemap(faulty: Crawled) -> None:
    url = next(url for url in faulty.urls if url.endswith("/f1"))
    facts = explain(faulty, url).facts
    assert any("in the sitemap http://a.test" in fact for fact in facts)


def test_a_sitemap_is_explained(faulty: Crawled) -> None:
    url = next(url for url in faulty.urls if url.endswith("/truncated.xml"))
    explained = explain(faulty, url)
    assert "Not to its end: broken XML" in explained.because
    assert any("named as a sitemap" in fact for fact in explained.facts)


# --- rules --------------------------------------------------------------------------------------------


def test_a_host_may_be_spoken_for_by_a_sitemap_that_its_robots_txt_names(tmp_path: Path) -> None:
    with ScriptedWeb({HOST: {"/": page("Home"), **hidden("x")}, OTHER: {"/": page("Other")}}) as web:
        elsewhere = web.url(OTHER, "/map.xml")
        web.hosts[HOST]["/robots.txt"] = robots(elsewhere)
        web.hosts[OTHER]["/map.xml"] = xml(urlset(web.url(HOST, "/x")))
        crawled = crawl(tmp_path, [web.url(HOST), web.url(OTHER)])
    assert web.url(HOST, "/x") in crawled.fetched


def test_urls_of_a_sitemap_obey_the_scope(tmp_path: Path) -> None:
    paths = hidden("x", "y") | {"/robots.txt": robots("/map.xml"), "/map.xml": xml(urlset("/x", "/y"))}
    crawled = crawl_site(tmp_path, paths, scope={"exclude": ["/y$"]})
    assert list_paths(crawled, "fetched") == {"/", "/x"}
    assert find_sitemap(crawled, "/map.xml")["refused"] == 1


def test_without_any_depth_there_are_no_sitemaps(tmp_path: Path) -> None:
    paths = hidden("x") | {"/robots.txt": robots("/map.xml"), "/map.xml": xml(urlset("/x"))}
    crawled = crawl_site(tmp_path, paths, limits={"max_depth": 0})
    assert list_paths(crawled, "fetched") == {"/"}
    assert read_sitemaps(tmp_path, "u.url") == []


def test_a_domain_gets_only_so_many_urls_from_sitemaps(tmp_path: Path) -> None:
    names = [f"p{number}" for number in range(20)]
    paths = hidden(*names) | {
        "/robots.txt": robots("/one.xml", "/two.xml"),
        "/one.xml": xml(urlset(*names[:12])),
        "/two.xml": xml(urlset(*names[12:])),
    }
    crawled = crawl_site(tmp_path, paths, sitemaps={"urls_per_domain": 15})
    assert len(list_paths(crawled, "fetched")) <= 1 + 15
    errors = [row[0] for row in read_sitemaps(tmp_path, "error") if row[0] is not None]
    assert len(errors) == 1
    assert "more than 15 urls of its domain come from sitemaps" in str(errors[0])


def test_indexes_may_not_be_nested_for_ever(tmp_path: Path) -> None:
    paths: dict[str, Script] = {f"/i{number}.xml": xml(index(f"/i{number + 1}.xml")) for number in range(9)}
    crawled = crawl_site(tmp_path, {**paths, "/robots.txt": robots("/i0.xml")}, sitemaps={"nesting": 2})
    assert list_paths(crawled, "read") == {"/i0.xml", "/i1.xml", "/i2.xml"}


# --- again ----------------------------------------------------------------------------------------------


def test_a_sitemap_is_visited_again_with_a_conditional_request(tmp_path: Path) -> None:
    paths = hidden("x") | {
        "/robots.txt": robots("/map.xml"),
        "/map.xml": in_turn(xml(urlset("/x"), ETag='"1"'), status(304)),
    }
    with serve(paths) as web:
        crawl(tmp_path, [web.url(HOST)])
        pass_time(tmp_path, 2 * DAY_S, url="%/map.xml")
        crawled = refresh(tmp_path)
        again = web.requests(HOST)[-1]
    assert (again.path, again.if_none_match) == ("/map.xml", '"1"')
    assert list_paths(crawled, "read") == {"/map.xml"}
    assert_sound(tmp_path)


def ago(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - seconds))


def age_pages(data: Path, seconds: float) -> None:
    """As if everything had been fetched earlier."""
    query_change(data, f"UPDATE urls SET fetched_at = fetched_at - {seconds}")
    query_change(data, f"UPDATE sitemaps SET read_at = read_at - {seconds}")


def query_change(data: Path, sql: str) -> None:
    with contextlib.closing(sqlite.connect(data / "tenax.db", isolation_level=None)) as connection:
        connection.execute(sql)


def visit_map_again(data: Path, second: str) -> list[str]:
    """Which paths are requested when the sitemap is read again ten days later."""
    first = urlset("/x", lastmod=ago(400 * DAY_S)) + "<!-- 1 -->"
    paths = hidden("x", "y", "z") | {
        "/robots.txt": robots("/map.xml"),
        "/map.xml": in_turn(
            xml(first.replace("</urlset>", "<url><loc>/y</loc></url></urlset>")), xml(second)
        ),
    }
    with serve(paths) as web:
        crawl(data, [web.url(HOST)])
        age_pages(data, 10 * DAY_S)
        pass_time(data, 2 * DAY_S, url="%/map.xml")
        asked = len(web.requests())
        refresh(data)
        return [request.path for request in web.requests()[asked:] if request.path != "/robots.txt"]


def test_a_newer_date_makes_a_page_due(tmp_path: Path) -> None:
    old, new = ago(300 * DAY_S), ago(5 * DAY_S)
    second = urlset("/y", lastmod=old).replace(
        "</urlset>", f"<url><loc>/x</loc><lastmod>{new}</lastmod></url></urlset>"
    )
    assert visit_map_again(tmp_path, second) == ["/map.xml", "/x"]
    assert_sound(tmp_path)


def test_dates_that_say_when_the_sitemap_was_made_are_ignored(tmp_path: Path) -> None:
    assert visit_map_again(tmp_path, urlset("/x", "/y", "/z", lastmod=ago(60))) == ["/map.xml", "/z"]
    assert read_sitemaps(tmp_path, "lastmod") == [("ignored",)]


# --- yields -----------------------------------------------------------------------------------------------


def test_what_was_found_in_which_way_is_counted(tmp_path: Path) -> None:
    paths = hidden("x", "y", "l") | {
        "/": page("Home", "/l", "/gone"),
        "/robots.txt": robots("/map.xml"),
        "/map.xml": xml(urlset("/x", "/y", "/missing")),
    }
    crawl_site(tmp_path, paths)
    rows = query(tmp_path, "SELECT seed_urls, seed_pages, sitemap_urls, sitemap_pages, feed_urls FROM yields")
    assert rows == [(1, 1, 4, 2, 0)]


# --- both stores, and death -----------------------------------------------------------------------------

LISTED = 5_000
SLICES = 2  # while a sitemap of this size is read


def serve_large() -> contextlib.AbstractContextManager[ScriptedWeb]:
    """A sitemap of which few urls are pages."""
    names = [f"/p{number}" for number in range(LISTED)]
    body = urlset(*names)
    return serve(hidden("p1", "p4999") | {"/robots.txt": robots("/map.xml"), "/map.xml": xml(body)})


def run_command(folder: Path, web: ScriptedWeb, *options: str, failpoint: str = "") -> int:
    command = [
        TENAX, "crawl", web.url(HOST), "--data", str(folder), "--delay", "0", "--allow-private", "--quiet",
        "--resolve", "*:127.0.0.1", "--workers", "1", "--pages-per-domain", "0", *options,
    ]  # fmt: skip
    environment = {**os.environ, "TENAX_FAILPOINT": failpoint, "TENAX_POLITENESS__JITTER": "0"}
    return subprocess.run(command, env=environment, timeout=DEADLINE_S, capture_output=True).returncode


def count_known(where: Path | str) -> list[tuple[object, ...]]:
    fates = "SELECT fate, count(*) FROM urls GROUP BY fate ORDER BY fate"
    return query(where, fates)


@pytest.mark.parametrize("store", ["sqlite", "postgres"])
@pytest.mark.parametrize(
    "point",
    ["sitemap.slice:1", f"sitemap.slice:{SLICES}", "commit.before:3", "commit.after:3", "settle.after:2"],
)
def test_death_while_a_sitemap_is_read_loses_nothing(store: str, point: str, tmp_path: Path) -> None:
    with contextlib.ExitStack() as stack:
        web = stack.enter_context(serve_large())
        where: Path | str = tmp_path
        options: tuple[str, ...] = ()
        if store == "postgres":
            where = stack.enter_context(fresh_database())
            options = ("--store", where)
            migrate(Place(folder=tmp_path, url=where))
        assert run_command(tmp_path, web, *options, failpoint=point) == EXIT_CODE
        assert_sound(where)
        assert run_command(tmp_path, web, *options) == 0
        assert count_known(where) == [("fetched", 3), ("gone", LISTED - 2), ("read", 1)]
        assert_sound(where)
