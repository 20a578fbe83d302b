"""Rules of one domain, as the origin's own log shows them; also when they change while a crawl goes on."""

import time
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from tests.flow.conftest import MakeCrawler
from tests.support.command import run_tenax
from tests.support.crawler import assert_asked_once, assert_complete, assert_sound, query, wait_until
from tests.support.postgres import fresh_database
from tests.support.running import crawl, explain
from tests.support.site import HostBehavior
from tests.support.web import LoggedRequest, TestWeb, assert_polite, gaps, max_overlap

HOST = "a.test"
HEARD_S = 10.0  # two seconds are promised, on a machine that is not busy


@pytest.fixture(params=["sqlite", "postgres"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path | str]:
    """The store of a crawl: a data directory, or a database."""
    if request.param == "sqlite":
        yield tmp_path / "data"
    else:
        with fresh_database() as url:
            yield url


def options_of(where: Path | str) -> tuple[str, ...]:
    return () if isinstance(where, Path) else ("--store", where)


def set_rules(web: TestWeb, where: Path | str, *rules: str, host: str = HOST) -> None:
    place = ("--data", where) if isinstance(where, Path) else ("--store", where)
    ended = run_tenax("domains", "set", web.url(host), *rules, *place)
    assert ended.code == 0, ended.err


def meet(tmp_path: Path, web: TestWeb) -> None:
    """One page is fetched, so that the domains are known."""
    crawl(tmp_path, web.seeds(), limits={"max_pages": len(web.hosts)})


def list_later(web: TestWeb, since: int, host: str = HOST) -> list[LoggedRequest]:
    return web.requests(host)[since:]


# --- a rule and a crawl -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule_s", "setting_s", "robots", "expected_s"),
    [
        pytest.param("0.5", 0.0, "", 0.5, id="a rule goes before a shorter setting"),
        pytest.param("0.1", 30.0, "", 0.1, id="and before a longer one"),
        pytest.param("0.1", 0.0, "Crawl-delay: 0.6\n", 0.6, id="robots.txt goes before the rule"),
    ],
)
def test_the_gaps_are_what_the_first_in_line_says(
    tmp_path: Path, rule_s: str, setting_s: float, robots: str, expected_s: float
) -> None:
    behavior = HostBehavior(robots=f"User-agent: *\nAllow: /\n{robots}")
    with TestWeb(hosts=[HOST], pages_per_host=6, behaviors={HOST: behavior}) as web:
        meet(tmp_path, web)
        before = len(web.requests())
        set_rules(web, tmp_path, "--delay", rule_s)
        crawled = crawl(tmp_path, web.seeds(), politeness={"delay_s": setting_s, "jitter": 0.0})
        later = list_later(web, before)
        assert crawled.fetched == web.expected_urls()
    assert len(later) == 5
    assert_polite(later, delay_s=expected_s)
    assert max(gaps(later)) < 20, "the longer setting did not hold"


def test_one_domain_goes_slowly_and_the_others_do_not(tmp_path: Path) -> None:
    with TestWeb(hosts=[HOST, "b.test"], pages_per_host=6) as web:
        meet(tmp_path, web)
        before = len(web.requests(HOST))
        set_rules(web, tmp_path, "--delay", "0.6")
        crawl(tmp_path, web.seeds())
        slow, quick = list_later(web, before), web.requests("b.test")
    assert_polite(slow, delay_s=0.6)
    assert quick[-1].started_at < slow[-1].started_at - 1.5


def test_requests_at_a_time_are_the_rules(tmp_path: Path) -> None:
    slow = HostBehavior(delay_s=0.15)
    with TestWeb(hosts=[HOST], pages_per_host=20, behaviors={HOST: slow}) as web:
        meet(tmp_path, web)
        set_rules(web, tmp_path, "--concurrency", "3")
        crawl(tmp_path, web.seeds(), politeness={"delay_s": 0.0})
        assert max_overlap(web.requests()) == 3


def test_pages_per_run_are_the_rules(tmp_path: Path) -> None:
    with TestWeb(hosts=[HOST, "b.test"], pages_per_host=12) as web:
        meet(tmp_path, web)
        set_rules(web, tmp_path, "--pages-per-run", "4")
        crawled = crawl(tmp_path, web.seeds(), limits={"pages_per_domain": 7})
        pages = {host: len([url for url in crawled.fetched if f"//{host}:" in url]) for host in web.hosts}
        assert pages == {HOST: 5, "b.test": 8}, "one page each came before"
        assert crawled.summary.leftover.capped == 7 + 4
        waiting = next(url.url for url in crawled.urls.values() if url.due_at and f"//{HOST}:" in url.url)
        (told,) = [fact for fact in explain(crawled, waiting).facts if "used up" in fact]
        assert "its 4 pages for this run (domain rule, set by" in told
        set_rules(web, tmp_path, "--pages-per-run", "0")
        assert len(crawl(tmp_path, web.seeds(), limits={"pages_per_domain": 2}).fetched) == 12 + 10


def test_nothing_is_requested_of_an_inactive_domain_and_nothing_is_lost(tmp_path: Path) -> None:
    with TestWeb(hosts=[HOST, "b.test"], pages_per_host=8) as web:
        meet(tmp_path, web)
        set_rules(web, tmp_path, "--inactive")
        before = len(web.requests(HOST))
        crawled = crawl(tmp_path, web.seeds())
        assert len(web.requests(HOST)) == before
        assert len(crawled.fetched) == 1 + 8
        left = crawled.summary.leftover
        assert (left.inactive, left.is_unfinished) == (left.urls, False)
        waiting = next(url.url for url in crawled.urls.values() if url.due_at is not None)
        assert any("is inactive, set by" in fact for fact in explain(crawled, waiting).facts)
        set_rules(web, tmp_path, "--active")
        assert crawl(tmp_path, web.seeds()).fetched == web.expected_urls()
        assert_asked_once(web.requests())


# --- a change while a crawl goes on ------------------------------------------------------------------


def is_slowed(requests: Sequence[LoggedRequest], delay_s: float) -> bool:
    """The last two requests keep the new distance."""
    last = [later.started_at - earlier.started_at for earlier, later in pairwise(requests[-3:])]
    return len(last) == 2 and min(last) >= delay_s - 0.02


def test_a_worker_hears_of_a_longer_delay_and_keeps_every_gap(
    where: Path | str, make_crawler: MakeCrawler
) -> None:
    with TestWeb(hosts=[HOST], pages_per_host=60) as web:
        process = make_crawler(web, "--delay", "0.2", *options_of(where)).start()
        wait_until(lambda: len(web.requests()) > 8, "it asks")
        set_rules(web, where, "--delay", "1.2")
        changed_at = time.time()
        wait_until(lambda: is_slowed(web.requests(), 1.2), "it is slower", HEARD_S + 5)
        heard = [each for each in web.requests() if each.started_at > changed_at + HEARD_S]
        set_rules(web, where, "--delay", "0.05")
        ended = process.wait()
        assert ended.code == 0, ended.stderr
        assert_polite(heard, delay_s=1.2)
        assert min(gaps(web.requests())) >= 0.05 - 0.02
        assert_asked_once(web.requests())
        assert_complete(where, web)
        assert_sound(where)


def test_a_worker_that_rests_for_long_hears_that_it_may_go_on(
    where: Path | str, make_crawler: MakeCrawler
) -> None:
    with TestWeb(hosts=[HOST], pages_per_host=5) as web:
        process = make_crawler(web, "--delay", "60", *options_of(where)).start()
        wait_until(lambda: query_safely(where, "SELECT 1 FROM visits"), "it rests", 60)
        started_at = time.monotonic()
        set_rules(web, where, "--delay", "0.1")
        assert process.wait().code == 0
        assert time.monotonic() - started_at < 50
        assert_complete(where, web)


def query_safely(where: Path | str, sql: str) -> bool:
    """A store that is not there yet has no rows."""
    try:
        return bool(query(where, sql))
    except Exception:
        return False


def test_a_domain_that_becomes_inactive_is_asked_no_more_until_it_is_active(
    where: Path | str, make_crawler: MakeCrawler
) -> None:
    with TestWeb(hosts=[HOST], pages_per_host=40) as web:
        crawler = make_crawler(web, "--delay", "0.2", *options_of(where))
        process = crawler.start()
        wait_until(lambda: len(web.requests()) > 8, "it asks")
        set_rules(web, where, "--inactive")
        ended = process.wait()
        assert ended.code == 0, ended.stderr
        assert ended.report["leftover"]["inactive"] > 0
        asked = len(web.requests())
        assert asked < 40
        assert query(where, "SELECT count(*) FROM domains WHERE claimed_by IS NOT NULL") == [(0,)]
        assert_sound(where)
        assert crawler.run().code == 0
        assert len(web.requests()) == asked, "nobody asks for anything"
        set_rules(web, where, "--active")
        assert crawler.run().code == 0
        assert_asked_once(web.requests())
        assert_polite(web.requests(), delay_s=0.2)
        assert_complete(where, web)


def test_a_rule_outlives_the_death_of_whoever_heard_of_it(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=[HOST], pages_per_host=12) as web:
        crawler = make_crawler(web, "--delay", "0.1")
        process = crawler.start()
        wait_until(lambda: len(web.requests()) > 3, "it asks")
        set_rules(web, crawler.data, "--delay", "0.9")
        wait_until(lambda: is_slowed(web.requests(), 0.9), "it has heard", HEARD_S + 5)
        heard = len(web.requests())
        process.kill()
        assert crawler.run().code == 0
        assert_polite(web.requests()[heard - 1 :], delay_s=0.9)
        assert_complete(crawler.data, web)
