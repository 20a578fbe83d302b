"""Answers that are no pages: walls, parked domains, and sites that say 200 where there is nothing."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tenax.exits import Exit
from tenax.failpoints import EXIT_CODE
from tenax.records.runs import RunState
from tests.flow.conftest import MakeCrawler
from tests.support.command import run_tenax
from tests.support.crawler import assert_sound
from tests.support.days import Calendar, open_calendar
from tests.support.running import crawl, explain, query
from tests.support.scripted import HTML, Reply, Script, ScriptedWeb, in_turn, moved, page, text
from tests.support.store import find_wrong_counters
from tests.support.walls import WALLS
from tests.support.web import TestWeb

HOST = "a.test"
PROBING = {"soft_404": True}


def wall(signature: str) -> Reply:
    found = next(each for each in WALLS if each.signature == signature)
    return Reply(body=found.body, headers={"Content-Type": HTML, **found.headers})


def site_of(*paths: str, **others: Script) -> dict[str, Script]:
    return {"/": page("Home", *paths), **{path: page(path) for path in paths}, **others}


@pytest.fixture(params=["sqlite", "postgres"])
def calendar(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Calendar]:
    with open_calendar(request.param, tmp_path) as calendar:
        yield calendar
        assert find_wrong_counters(calendar.query) == []


def find_fates(calendar: Calendar) -> dict[str, tuple[str, str | None]]:
    rows = calendar.query("SELECT url, fate, reason FROM urls")
    return {"/" + url.partition("://")[2].partition("/")[2]: (fate, reason) for url, fate, reason in rows}


def count_fates(calendar: Calendar) -> dict[tuple[str, str | None], int]:
    return {
        (fate, reason): number
        for fate, reason, number in calendar.query("SELECT fate, reason, count(*) FROM urls GROUP BY 1, 2")
    }


# --- walls --------------------------------------------------------------------------------------------


def test_a_site_behind_a_bot_wall_rests_at_once(calendar: Calendar) -> None:
    paths = [f"/p{number}" for number in range(20)]
    with ScriptedWeb({HOST: {"/": page("Home", *paths), "*": wall("cloudflare_challenge")}}) as web:
        calendar.crawl([web.url(HOST)])
        assert len(web.paths(HOST)) == 3, "robots.txt, the home page and the wall"
    assert calendar.status(HOST) == ("blocked", "bot_wall")
    assert 0.9 < calendar.rests_days(HOST) <= 1.0
    assert calendar.history(HOST) == ["answered", "bot_wall"]
    assert count_fates(calendar) == {
        ("fetched", None): 1,
        ("rejected", "bot_check"): 1,
        ("queued", None): 19,
    }


def test_a_wall_makes_no_page_and_its_visit_says_why(calendar: Calendar) -> None:
    with ScriptedWeb({HOST: {"/": wall("cloudflare_challenge")}}) as web:
        calendar.crawl([web.url(HOST)])
    assert calendar.query("SELECT count(*) FROM pages")[0][0] == 0
    rows = calendar.query(
        "SELECT outcome, status, error_kind, error_detail FROM visits WHERE url_id IS NOT NULL"
    )
    assert [tuple(row) for row in rows] == [
        ("rejected", 200, "bot_check", "Cloudflare checks the browser (cloudflare_challenge)")
    ]


def test_walls_of_no_known_vendor_count_like_403(calendar: Calendar) -> None:
    paths = [f"/p{number}" for number in range(20)]
    with ScriptedWeb({HOST: {"/": page("Home", *paths), "*": wall("access_denied")}}) as web:
        calendar.crawl([web.url(HOST)], politeness={"backoff_s": 0.02})
    assert calendar.status(HOST) == ("blocked", "forbidden")
    assert count_fates(calendar)["rejected", "access_denied"] == 7, "as many 403s block, too"


def test_a_good_page_ends_the_row(calendar: Calendar) -> None:
    pages: dict[str, Script] = {f"/p{at}": page(f"p{at}", f"/wall{at}", f"/p{at + 1}") for at in range(9)}
    walls: dict[str, Script] = {f"/wall{at}": wall("access_denied") for at in range(9)}
    site: dict[str, Script] = {"/": page("Home", "/p0"), **pages, **walls}
    with ScriptedWeb({HOST: site}) as web:
        quick = {"backoff_s": 0.02}
        assert calendar.crawl([web.url(HOST)], politeness=quick).state is RunState.DONE
    assert calendar.status(HOST)[0] == "exhausted"
    assert count_fates(calendar)["rejected", "access_denied"] == 9


def test_a_consent_wall_waits_to_be_rendered_and_its_links_are_followed(calendar: Calendar) -> None:
    shown = wall("consent_wall")
    linked = Reply(body=shown.body + b'<a href="/legal">Legal</a>', headers=shown.headers)
    with ScriptedWeb({HOST: {"/": linked, "/legal": page("Legal")}}) as web:
        calendar.crawl([web.url(HOST)])
    assert find_fates(calendar) == {"/": ("rejected", "needs_rendering"), "/legal": ("fetched", None)}
    assert calendar.status(HOST)[0] == "exhausted"


def test_the_links_of_a_parked_domain_are_not_followed(calendar: Calendar) -> None:
    with ScriptedWeb({HOST: {"/": wall("parkingcrew"), "*": page("An advertisement")}}) as web:
        calendar.crawl([web.url(HOST)])
    assert find_fates(calendar) == {"/": ("rejected", "parked")}


def test_an_older_page_stays_when_a_wall_comes(calendar: Calendar) -> None:
    with ScriptedWeb({HOST: {"/": in_turn(page("Home"), wall("access_denied"))}}) as web:
        calendar.crawl([web.url(HOST)])
        visit_again(calendar, web.url(HOST))
        calendar.crawl()
    ((fate, detail),) = calendar.query("SELECT fate, detail FROM urls")
    assert (fate, detail) == (
        "fetched",
        "its answer was rejected (access_denied): access is denied (access_denied)",
    )
    assert calendar.query("SELECT count(*) FROM pages")[0][0] == 1


def visit_again(calendar: Calendar, url: str) -> None:
    place = calendar.place
    options = ("--store", place.url) if place.url else ("--data", str(place.folder))
    assert run_tenax("retry", url, *options).code == 0


def test_a_rejected_url_is_stored_after_a_retry_without_validation(calendar: Calendar) -> None:
    with ScriptedWeb({HOST: {"/": wall("nginx_default")}}) as web:
        calendar.crawl([web.url(HOST)])
        assert find_fates(calendar)["/"] == ("rejected", "default_page")
        place = calendar.place
        options = ("--store", place.url) if place.url else ("--data", str(place.folder))
        assert run_tenax("retry", "--reason", "rejected", *options).code == 0
        calendar.crawl(validation={"enabled": False})
    assert find_fates(calendar)["/"] == ("fetched", None)
    assert calendar.query("SELECT title FROM pages")[0][0] == "Welcome to nginx!"


def test_the_vendor_of_a_403_is_named(tmp_path: Path) -> None:
    reply = Reply(status=403, headers={"cf-mitigated": "challenge", "Content-Type": HTML})
    with ScriptedWeb({HOST: {"/": reply}}) as web:
        crawled = crawl(tmp_path, [web.url(HOST)])
        because = explain(crawled, web.url(HOST)).because
    assert because == "It was given up: the server answered 403: Cloudflare turns the request away."


def test_explain_names_the_signature_and_what_to_do(tmp_path: Path) -> None:
    with ScriptedWeb({HOST: {"/": wall("captcha_wall")}}) as web:
        found = explain(crawl(tmp_path, [web.url(HOST)]), web.url(HOST))
    assert (found.fate, found.reason) == ("rejected", "bot_check")
    assert found.because == "Its answer is no page (bot_check): it asks for a captcha (captcha_wall)."
    assert "The site turns crawlers away: ask its owner for access, or crawl more slowly." in found.facts
    assert any(
        "validation.ignore" in fact and "tenax retry --reason bot_check" in fact for fact in found.facts
    )


def test_a_page_that_is_read_apart_is_judged_as_well(make_crawler: MakeCrawler) -> None:
    """Reading it kills a worker, so that a reader process reads it next time."""
    with TestWeb(hosts=1, pages_per_host=2) as web:
        crawler = make_crawler(web, "--delay", "0")
        assert crawler.run(TENAX_FAILPOINT="read:1").code == EXIT_CODE
        assert crawler.run(TENAX_VALIDATION__MIN_BYTES="10000000").code == Exit.NOTHING
        assert query(crawler.data, "SELECT DISTINCT crashes, fate, reason FROM urls") == [
            (0, "rejected", "no_content")
        ]


# --- soft 404 -------------------------------------------------------------------------------------------

MENU = '<p>Shop</p><p>About</p><p>Contact</p><a href="/">Home</a>'


def error_page(path: str = "") -> Reply:
    body = f"<title>Shop</title>{MENU}<h1>Sorry</h1><p>The page {path} could not be found.</p><p>Code 17</p>"
    return Reply(body=body.encode(), headers={"Content-Type": HTML})


def product(number: int) -> Reply:
    """Hardly more than the menu, under the title that all pages have."""
    body = f"<title>Shop</title>{MENU}<h1>Tin {number}</h1><p>{number * 7} grams of sardines</p>"
    return Reply(body=body.encode(), headers={"Content-Type": HTML})


def soft_site(real: int, garbage: int) -> dict[str, Script]:
    products: dict[str, Script] = {f"/p{number}": product(number) for number in range(real)}
    junk = [f"/old{number}.html" for number in range(garbage)]
    links = "".join(f'<a href="{path}">x</a> ' for pair in spread(products, junk) for path in pair)
    home = f"<title>Shop</title>{MENU}<p>Welcome</p>{links}"
    return {
        "/": Reply(body=home.encode(), headers={"Content-Type": HTML}),
        "/robots.txt": text("User-agent: *\n"),
        **products,
        "*": error_page(),
    }


def spread(real: dict[str, Script], junk: list[str]) -> Iterator[list[str]]:
    """The real pages spread evenly among the others."""
    step = max(1, len(junk) // max(1, len(real)))
    for at, path in enumerate(real):
        yield [path, *junk[at * step : (at + 1) * step]]
    yield junk[len(real) * step :]


def test_a_site_that_says_200_for_everything_keeps_only_its_real_pages(calendar: Calendar) -> None:
    with ScriptedWeb({HOST: soft_site(real=30, garbage=300)}) as web:
        assert calendar.crawl([web.url(HOST)], validation=PROBING).state is RunState.DONE
    fates = find_fates(calendar)
    real = {f"/p{number}" for number in range(30)}
    assert {path: fates[path] for path in real if fates[path] != ("fetched", None)} == {}
    assert fates["/"] == ("fetched", None)
    counts = count_fates(calendar)
    assert counts["gone", "probe"] == 1
    # What came before the probe was answered is stored.
    later = calendar.query(
        "SELECT DISTINCT v.outcome FROM visits v JOIN urls u ON u.id = v.url_id WHERE u.url LIKE '%/old%'"
        " AND v.id > (SELECT max(p.id) FROM visits p WHERE p.error_kind = 'probe')"
    )
    assert [tuple(row) for row in later] == [("gone",)]


def test_a_site_that_says_404_is_not_probed(calendar: Calendar) -> None:
    paths = [f"/p{number}" for number in range(30)]
    # What is missing is found before the pages, and so is visited before them.
    site = {**site_of(*paths), "/": page("Home", "/list", "/missing"), "/list": page("List", *paths)}
    with ScriptedWeb({HOST: site}) as web:
        calendar.crawl([web.url(HOST)], validation=PROBING)
        assert set(web.paths(HOST)) == {"/robots.txt", *site, "/missing"}


def test_an_honest_site_is_probed_once_and_loses_nothing(calendar: Calendar) -> None:
    paths = [f"/p{number}" for number in range(40)]
    with ScriptedWeb({HOST: site_of(*paths)}) as web:
        calendar.crawl([web.url(HOST)], validation=PROBING)
        probes = set(web.paths(HOST)) - {"/robots.txt", "/", *paths}
        calendar.crawl([web.url(HOST)], validation=PROBING)
    assert len(probes) == 1
    assert count_fates(calendar) == {("fetched", None): 41, ("gone", "probe"): 1}
    assert '"honest"' in calendar.query("SELECT soft_404 FROM domains")[0][0]


def test_a_site_that_shows_the_same_everywhere_is_left_alone(calendar: Calendar) -> None:
    """Its scripts draw the pages."""
    shell = b"<title>App</title><p>Loading</p>"
    links = "".join(f'<a href="/p{number}"></a>' for number in range(40)).encode()
    home = Reply(body=shell + links, headers={"Content-Type": HTML})
    other = Reply(body=shell, headers={"Content-Type": HTML})
    with ScriptedWeb({HOST: {"/": home, "*": other, "/robots.txt": text("")}}) as web:
        calendar.crawl([web.url(HOST)], validation=PROBING)
    assert ("gone", "soft_404") not in count_fates(calendar)
    assert '"unclear"' in calendar.query("SELECT soft_404 FROM domains")[0][0]


def test_redirects_of_everything_to_the_home_page_count(calendar: Calendar) -> None:
    paths = [f"/p{number}" for number in range(25)]
    junk = [f"/x{number}" for number in range(50)]
    # Deeper than the pages, and so visited after them and the probe.
    lists: dict[str, Script] = {"/p0": page("/p0", "/list"), "/list": page("List", *junk)}
    site: dict[str, Script] = {**site_of(*paths), **lists, "*": moved("/"), "/robots.txt": text("")}
    with ScriptedWeb({HOST: site}) as web:
        calendar.crawl([web.url(HOST)], validation={**PROBING, "soft_404_pages": 5})
    assert count_fates(calendar) == {
        ("fetched", None): 27,
        ("gone", "probe"): 1,
        ("gone", "soft_404"): 50,
    }


def test_a_probe_that_robots_txt_forbids_is_not_made(calendar: Calendar) -> None:
    paths = [f"/shop/p{number}" for number in range(30)]
    site = {**site_of(*paths), "/robots.txt": text("User-agent: *\nDisallow: /\nAllow: /shop/\nAllow: /$\n")}
    with ScriptedWeb({HOST: site}) as web:
        calendar.crawl([web.url(HOST)], validation=PROBING)
        assert set(web.paths(HOST)) == {"/robots.txt", "/", *paths}


def test_soft_404_urls_are_stored_after_a_retry_without_it(calendar: Calendar) -> None:
    with ScriptedWeb({HOST: soft_site(real=5, garbage=150)}) as web:
        calendar.crawl([web.url(HOST)], validation=PROBING)
        assert count_fates(calendar)["gone", "soft_404"] > 0
        place = calendar.place
        options = ("--store", place.url) if place.url else ("--data", str(place.folder))
        assert run_tenax("retry", "--reason", "soft_404", *options).code == 0
        calendar.crawl(validation={"soft_404": False})
    assert ("gone", "soft_404") not in count_fates(calendar)


@pytest.mark.parametrize("point", ["settle.before:3", "settle.after:3", "commit.before:6", "commit.after:6"])
def test_death_while_a_site_is_probed_loses_nothing(make_crawler: MakeCrawler, point: str) -> None:
    environment: dict[str, Any] = {"TENAX_VALIDATION__SOFT_404": "true", "TENAX_WORKER__BATCH_PAGES": "10"}
    with ScriptedWeb({HOST: soft_site(real=30, garbage=120)}) as web:
        crawler = make_crawler(web, "--delay", "0", seeds=[web.url(HOST)])
        assert crawler.run(**environment, TENAX_FAILPOINT=point).code == EXIT_CODE
        assert crawler.run(**environment).code == 0
        probes = [path for path in web.paths(HOST) if len(path) == 21]
    assert_sound(crawler.data)
    rows = query(crawler.data, "SELECT url, fate, reason FROM urls")
    real = {url: fate for url, fate, _ in rows if "/p" in url}
    assert set(real.values()) == {"fetched"}
    assert len(real) == 30
    assert sum(reason == "probe" for _, _, reason in rows) == 1
    assert len(set(probes)) <= 2
