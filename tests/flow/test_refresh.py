"""Pages that are visited again: only those that are due, conditionally, and whatever they answer."""

from pathlib import Path

import pytest

from tests.support.crawler import assert_sound, query
from tests.support.running import Crawled, crawl, explain, pass_time, refresh
from tests.support.scripted import Reply, Script, ScriptedWeb, in_turn, moved, page, status, text
from tests.support.site import HostBehavior
from tests.support.web import TestWeb, assert_polite

HOST, OTHER = "a.test", "b.test"
DAY_S = 86_400.0
CHANGED = page("B", text="Something else is said here now. " * 9)


def site(*names: str, **scripts: Script) -> dict[str, Script]:
    """A home page that links to pages /name; `scripts` replace some of them."""
    hrefs = [f"/{name}" for name in names]
    pages: dict[str, Script] = {href: page(f"Page {href}") for href in hrefs}
    return {"/": page("Home", *hrefs), **pages, **{f"/{name}": each for name, each in scripts.items()}}


def visit_again(data: Path, days: float = 40) -> Crawled:
    """When everything has become due."""
    pass_time(data, days * DAY_S)
    crawled = refresh(data)
    assert_sound(data)
    return crawled


def list_changes(data: Path) -> list[tuple[str, str]]:
    """(kind, path) in the order of time."""
    rows = query(data, "SELECT c.kind, u.url FROM changes c JOIN urls u ON u.id = c.url_id ORDER BY c.id")
    return [(kind, "/" + url.split("/", 3)[3]) for kind, url in rows]


def test_nothing_is_asked_while_nothing_is_due(tmp_path: Path) -> None:
    with ScriptedWeb({HOST: site("x")}) as web:
        crawl(tmp_path, [web.url(HOST)])
        asked = len(web.requests())
        assert refresh(tmp_path).tally.requests == 0
        assert len(web.requests()) == asked


def test_only_what_is_due_is_fetched(tmp_path: Path) -> None:
    with ScriptedWeb({HOST: site("x", "y"), OTHER: site("z")}) as web:
        crawl(tmp_path, [web.url(HOST), web.url(OTHER)])
        asked = len(web.requests())
        pass_time(tmp_path, 2 * DAY_S, url="%/x")
        crawled = refresh(tmp_path)
        again = [(request.host, request.path) for request in web.requests()[asked:]]
        assert again == [(HOST, "/robots.txt"), (HOST, "/x")]
        assert crawled.tally.changes == {"unchanged": 1}
        assert refresh(tmp_path).tally.requests == 0, "it has been done"
        assert_sound(tmp_path)


def test_conditional_requests_are_seen_by_the_origin(tmp_path: Path) -> None:
    careful = HostBehavior(has_validators=True)
    with TestWeb(hosts=2, pages_per_host=5, behaviors={"h0.test": careful}) as web:
        crawl(tmp_path, web.seeds())
        asked = len(web.requests())
        crawled = visit_again(tmp_path)
        again = [request for request in web.requests()[asked:] if request.path != "/robots.txt"]
        assert len(again) == 10
        for request in again:
            has_validators = request.host == "h0.test"
            assert (request.if_none_match is not None) == has_validators
            assert (request.if_modified_since is not None) == has_validators
            assert request.status == (304 if has_validators else 200)
        assert crawled.tally.changes == {"unchanged": 10}
        assert list_changes(tmp_path) == []


def test_a_refresh_is_as_polite_as_a_crawl(tmp_path: Path) -> None:
    with ScriptedWeb({HOST: site("x", "y", "z")}) as web:
        crawl(tmp_path, [web.url(HOST)])
        asked = len(web.requests())
        pass_time(tmp_path, 2 * DAY_S)
        refresh(tmp_path, politeness={"delay_s": 0.2})
        assert_polite(web.requests()[asked:], delay_s=0.2)


def test_robots_txt_is_asked_again_and_obeyed(tmp_path: Path) -> None:
    with ScriptedWeb({HOST: site("x")}) as web:
        crawl(tmp_path, [web.url(HOST)])
        web.hosts[HOST]["/robots.txt"] = text("User-agent: *\nDisallow: /x")
        asked = len(web.requests())
        crawled = visit_again(tmp_path)
        assert {request.path for request in web.requests()[asked:]} == {"/robots.txt", "/"}
        assert crawled.fate(web.url(HOST, "/x")) == "fetched", "what was fetched before is kept"
        facts = explain(crawled, web.url(HOST, "/x")).facts
        assert any("a rule forbids it (robots)" in fact for fact in facts)


def test_links_on_pages_that_changed_are_followed(tmp_path: Path) -> None:
    with ScriptedWeb({HOST: site("x")}) as web:
        crawl(tmp_path, [web.url(HOST)])
        web.hosts[HOST] |= {"/x": page("X", "/new", text="It links to something new. "), "/new": page("New")}
        crawled = visit_again(tmp_path)
        assert crawled.fate(web.url(HOST, "/new")) == "fetched"
        assert crawled.tally.changes == {"changed": 1, "unchanged": 1, "new": 1}


def test_a_page_changes_goes_and_comes_back(tmp_path: Path) -> None:
    with ScriptedWeb({HOST: site("x")}) as web:
        crawl(tmp_path, [web.url(HOST)])
        replies = [CHANGED, status(404), CHANGED, status(410), status(404), status(404), CHANGED]
        fates = []
        for reply in replies:
            web.hosts[HOST]["/x"] = reply
            fates.append(visit_again(tmp_path).fate(web.url(HOST, "/x")))
        assert fates == ["fetched", "fetched", "fetched", "fetched", "gone", "gone", "fetched"]
        assert list_changes(tmp_path) == [("changed", "/x"), ("gone", "/x"), ("new", "/x")]


def test_the_interval_grows_while_nothing_changes_and_shrinks_with_a_change(tmp_path: Path) -> None:
    def find_days(crawled: Crawled) -> float:
        sql = "SELECT (revisit_at - fetched_at) / 86400 FROM urls"
        return float(query(crawled.data, sql)[0][0])

    with ScriptedWeb({HOST: {"/": page("Home")}}) as web:
        days = [find_days(crawl(tmp_path, [web.url(HOST)]))]
        for reply in (page("Home"), page("Home"), CHANGED):
            web.hosts[HOST]["/"] = reply
            days.append(find_days(visit_again(tmp_path)))
    assert [round(each / days[0], 3) for each in days] == [1, 2, 4, 1]


TROUBLES: dict[str, Reply] = {
    "an error": status(500),
    "a broken connection": Reply(is_reset=True),
    "forbidden": status(403),
    "a redirect": moved("/login"),
    "no HTML": text("plain"),
}


@pytest.mark.parametrize("reply", TROUBLES.values(), ids=list(TROUBLES))
def test_a_page_is_not_lost_to_trouble(reply: Reply, tmp_path: Path) -> None:
    with ScriptedWeb({HOST: site("x", "login")}) as web:
        url = web.url(HOST, "/x")
        crawl(tmp_path, [web.url(HOST)])
        before = query(
            tmp_path, f"SELECT p.title, p.content, u.fate FROM pages p, urls u WHERE u.url = '{url}'"
        )
        web.hosts[HOST]["/x"] = reply
        crawled = visit_again(tmp_path)
        after = query(
            tmp_path, f"SELECT p.title, p.content, u.fate FROM pages p, urls u WHERE u.url = '{url}'"
        )
        assert after == before
        assert list_changes(tmp_path) == []
        facts = explain(crawled, url).facts
        assert any(fact.startswith("The last visit did not find its page: ") for fact in facts)
        assert any(fact.startswith("'tenax refresh' visits it again from ") for fact in facts)


def test_a_failed_revisit_is_retried_in_the_same_run(tmp_path: Path) -> None:
    with ScriptedWeb({HOST: site("x")}) as web:
        crawl(tmp_path, [web.url(HOST)])
        web.hosts[HOST]["/x"] = in_turn(page("Page /x"), status(500), page("Page /x"))
        crawled = visit_again(tmp_path)
        assert crawled.tally.outcomes["failed"] == 1
        assert crawled.tally.changes == {"unchanged": 2}


def test_a_page_that_moved_is_found_at_its_new_place(tmp_path: Path) -> None:
    with ScriptedWeb({HOST: site("x")}) as web:
        crawl(tmp_path, [web.url(HOST)])
        web.hosts[HOST] |= {"/x": moved("/y", 301), "/y": page("Y")}
        visit_again(tmp_path)
        crawled = visit_again(tmp_path)
        assert crawled.fate(web.url(HOST, "/x")) == "redirected"
        assert crawled.fate(web.url(HOST, "/y")) == "fetched"
        assert list_changes(tmp_path) == [("gone", "/x")]


def test_the_budgets_of_a_run_hold(tmp_path: Path) -> None:
    with ScriptedWeb({HOST: site("1", "2", "3"), OTHER: site("1", "2", "3")}) as web:
        crawl(tmp_path, [web.url(HOST), web.url(OTHER)])
        pass_time(tmp_path, 2 * DAY_S)
        few = refresh(tmp_path, limits={"pages_per_domain": 2})
        assert few.tally.pages == 4
        assert few.summary.leftover.urls == 0, "what does not fit into the run waits for its refresh"
        assert refresh(tmp_path, limits={"max_pages": 3}).tally.pages == 3
        assert refresh(tmp_path).tally.pages == 1
        assert_sound(tmp_path)


def test_switched_off_nothing_is_planned(tmp_path: Path) -> None:
    with ScriptedWeb({HOST: site("x")}) as web:
        crawled = crawl(tmp_path, [web.url(HOST)], refresh={"enabled": False})
        assert query(tmp_path, "SELECT 1 FROM urls WHERE revisit_at IS NOT NULL") == []
        facts = explain(crawled, web.url(HOST)).facts
        assert "It is not visited again: refresh.enabled is off." in facts
        # Switched on again, it catches up.
        assert refresh(tmp_path).tally.changes == {"unchanged": 2}
