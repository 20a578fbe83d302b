"""Near-duplicates in whole crawls: printed versions and dated copies are marked, or not kept."""

from pathlib import Path
from typing import Any

from tests.support.crawler import assert_sound
from tests.support.running import Crawled, crawl, explain, pass_time, query, refresh
from tests.support.scripted import Reply, Script, ScriptedWeb, in_turn, page
from tests.support.similar_texts import make_article, make_site

HOST = "a.test"
SITE = make_site(3)
ONE, TWO = str(make_article(SITE, 4500)), str(make_article(SITE, 4500))


def show(text: str, *hrefs: str) -> Reply:
    return page("Article", *hrefs, text=text.replace("\n", "<br>"))


# Copies are found on their originals, so that they are fetched later.
COPIES = ("/one?day=2", "/one/print")
PATHS: dict[str, Script] = {
    "/": page("Home", "/one", "/two"),
    "/one": show(ONE, *COPIES),
    "/one?day=2": show(ONE.replace("12 March 2025, 08:15", "13 March 2026, 19:20"), *COPIES),
    "/one/print": show(f"Printed on 12/3/2025 {ONE}", *COPIES),
    "/two": show(TWO, "/two/copy"),
    "/two/copy": show(TWO, "/two/copy"),
}


def crawl_web(web: ScriptedWeb, data: Path, **similarity: Any) -> Crawled:
    return crawl(data, [web.url(HOST)], similarity={"enabled": True, **similarity})


def list_marks(crawled: Crawled, web: ScriptedWeb) -> dict[str, str]:
    rows = query(
        crawled.data,
        "SELECT u.url, o.url FROM pages p JOIN urls u ON u.id = p.url_id JOIN urls o ON o.id = p.near_url_id",
    )
    home = web.url(HOST)
    return {"/" + copy.removeprefix(home): "/" + original.removeprefix(home) for copy, original in rows}


def test_near_duplicates_are_kept_and_marked(tmp_path: Path) -> None:
    with ScriptedWeb({HOST: PATHS}) as web:
        crawled = crawl_web(web, tmp_path)
        assert list_marks(crawled, web) == {"/one?day=2": "/one", "/one/print": "/one"}
        assert crawled.fates == {"fetched": 5, "duplicate": 1}
        told = explain(crawled, web.url(HOST, "/one?day=2"))
        original = web.url(HOST, "/one")
        assert any(fact.startswith(f"It is nearly the same as {original} (") for fact in told.facts)
    assert_sound(tmp_path)


def test_near_duplicates_are_not_kept_if_that_is_set(tmp_path: Path) -> None:
    with ScriptedWeb({HOST: PATHS}) as web:
        crawled = crawl_web(web, tmp_path, keep=False)
        copy, original = web.url(HOST, "/one?day=2"), web.url(HOST, "/one")
        found = crawled.urls[copy]
        assert (found.fate, found.reason, found.to_url) == ("duplicate", "near", original)
        assert explain(crawled, copy).because.endswith(f"not kept: it is nearly the same as {original}.")
        assert query(tmp_path, "SELECT count(*) FROM pages") == [(4,)]
    assert_sound(tmp_path)


def test_nothing_is_compared_when_it_is_switched_off(tmp_path: Path) -> None:
    with ScriptedWeb({HOST: PATHS}) as web:
        crawled = crawl_web(web, tmp_path, enabled=False)
        assert list_marks(crawled, web) == {}
    assert query(tmp_path, "SELECT count(simhash) FROM pages") == [(0,)]


def test_a_copy_is_decided_again_when_it_is_visited_again(tmp_path: Path) -> None:
    paths: dict[str, Script] = {
        "/": page("Home", "/one"),
        "/one": show(ONE, "/copy"),
        "/copy": in_turn(show(f"7 {ONE}", "/copy"), show(TWO)),
    }
    with ScriptedWeb({HOST: paths}) as web:
        crawled = crawl_web(web, tmp_path)
        assert list_marks(crawled, web) == {"/copy": "/one"}
        pass_time(tmp_path, 1e9)
        assert list_marks(refresh(tmp_path, similarity={"enabled": True}), web) == {}
    assert_sound(tmp_path)
