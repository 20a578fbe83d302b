"""Exit code 0 is a promise: nothing is left that might have been fetched. Held against webs that fail at
random, and against deaths."""

import random
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tenax.cli.show.outcome import choose_exit
from tenax.exits import Exit
from tenax.records.runs import RunState
from tenax.workers.session import CrawlResult
from tests.flow.conftest import MakeCrawler
from tests.support.crawler import KILLED, Ended, assert_sound, query
from tests.support.running import Crawled, crawl
from tests.support.scripted import Reply, Script, ScriptedWeb, in_turn, page, status, text

WEBS = 20
PAGES = 8
# A run waits for the short ones, and no run of a test for the long ones.
LONGEST_WAIT_S, SHORT_S, LONG_S = 1.0, 0.1, 3600

WELL = "well.test"  # one host always has pages: a crawl of nothing has another code
FAULTS: tuple[Callable[[Reply], Script], ...] = (
    lambda well: status(429, Retry_After=str(LONG_S)),
    lambda well: in_turn(status(429), well),
    lambda well: in_turn(status(503), well),
    lambda well: status(503),
    lambda well: status(500),
    lambda well: in_turn(status(500), well),
    lambda well: Reply(is_reset=True),
    lambda well: in_turn(Reply(is_reset=True), well),
    lambda well: Reply(delay_s=30),
    lambda well: status(404),
    lambda well: status(403),
)
ROBOTS: tuple[Script | None, ...] = (
    *(None,) * 12,
    text("User-agent: *\nDisallow: /"),
    text("User-agent: *\nDisallow: /p1"),
    status(503),
    Reply(is_reset=True),
)


def make_site(chance: random.Random) -> dict[str, Script]:
    """Each page links to the next ones; some fail, in one way or another."""
    site: dict[str, Script] = {}
    if (robots := chance.choice(ROBOTS)) is not None:
        site["/robots.txt"] = robots
    rate = chance.choice((0.0, 0.2, 1.0))
    for number in range(PAGES):
        well = page(f"Page {number}", f"/p{number + 1}", f"/p{number + 2}")
        is_failing = number and chance.random() < rate
        site[f"/p{number}" if number else "/"] = chance.choice(FAULTS)(well) if is_failing else well
    return site


def make_web(chance: random.Random) -> ScriptedWeb:
    hosts: dict[str, dict[str, Script]] = {WELL: {"/": page("Well", "/more"), "/more": page("More")}}
    for number in range(chance.randrange(1, 4)):
        hosts[f"h{number}.test"] = make_site(chance)
    return ScriptedWeb(hosts)


def draw_settings(chance: random.Random) -> dict[str, dict[str, Any]]:
    return {
        "politeness": {
            "longest_wait_s": LONGEST_WAIT_S,
            "backoff_s": chance.choice((SHORT_S, LONG_S)),
        },
        "retry": {"base_s": chance.choice((SHORT_S, LONG_S)), "jitter_s": 0.01, "attempts": 2},
        "breaker": {"open_s": chance.choice((SHORT_S, LONG_S)), "trips": chance.choice((1, 100))},
        "limits": {
            "pages_per_domain": chance.choice((0, 0, 3)),
            "max_pages": chance.choice((None, None, None, 5)),
        },
        "robots": {"retry_s": chance.choice((SHORT_S, LONG_S))},
        "fetch": {"timeout_s": 0.5},
        "worker": {"batch_s": 0.02},
    }


def find_exit(crawled: Crawled) -> Exit:
    return choose_exit(
        CrawlResult(
            ended=crawled.ended,
            tally=crawled.tally,
            summary=crawled.summary,
            duration_s=crawled.duration_s,
            cpu_s=0.0,
            peak_rss_bytes=(),
        )
    )


def list_fetchable(data: Path) -> list[tuple[str, float]]:
    """Urls that waited when the last run ended, of domains that no site held back then."""
    ((ended_at,),) = query(data, "SELECT ended_at FROM runs ORDER BY id DESC LIMIT 1")
    return query(
        data,
        "SELECT u.url, u.due_at FROM urls u JOIN domains d ON d.id = u.domain_id WHERE u.due_at IS NOT NULL"
        " AND d.status NOT IN ('blocked', 'unreachable')"
        f" AND coalesce(d.backoff_until, 0) <= {ended_at} AND coalesce(d.breaker_reopen_at, 0) <= {ended_at}",
    )


@pytest.mark.parametrize("seed", range(WEBS))
def test_zero_means_that_nothing_was_left_to_fetch(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    settings = draw_settings(chance)
    with make_web(chance) as web:
        crawled = crawl(tmp_path, [web.url(host) for host in web.hosts], **settings)
    print(settings, crawled.summary)
    code, left = find_exit(crawled), list_fetchable(tmp_path)
    assert_sound(tmp_path)
    if crawled.ended.state is RunState.BUDGET:
        assert (code, crawled.tally.pages) == (Exit.DONE, settings["limits"]["max_pages"])
        return
    assert crawled.ended.state is RunState.DONE
    assert crawled.summary.leftover.urls == sum(domain.queued for domain in crawled.domains.values())
    assert crawled.summary.leftover.due == crawled.summary.leftover.held == 0
    if code is Exit.DONE:
        assert left == []
    else:
        assert code is Exit.STOPPED
        assert crawled.summary.leftover.is_unfinished
    if left:
        assert code is Exit.STOPPED


def test_the_webs_are_of_all_kinds(tmp_path: Path) -> None:
    """Otherwise the promise above would be kept by nothing that could break it."""
    drawn = [draw_settings(random.Random(seed)) for seed in range(WEBS)]
    for name, values in {
        ("limits", "pages_per_domain"): {0, 3},
        ("limits", "max_pages"): {None, 5},
        ("retry", "base_s"): {SHORT_S, LONG_S},
        ("politeness", "backoff_s"): {SHORT_S, LONG_S},
        ("breaker", "open_s"): {SHORT_S, LONG_S},
    }.items():
        assert {each[name[0]][name[1]] for each in drawn} == values


# --- one by one ----------------------------------------------------------------------------------


def crawl_one(data: Path, site: dict[str, Script], **sections: dict[str, Any]) -> Crawled:
    with ScriptedWeb({WELL: site}) as web:
        return crawl(data, [web.url(WELL)], **sections)


def test_a_late_retry_is_no_success(tmp_path: Path) -> None:
    site: dict[str, Script] = {"/": page("Home", "/p"), "/p": status(500)}
    crawled = crawl_one(tmp_path, site, retry={"base_s": LONG_S}, politeness={"longest_wait_s": 1.0})
    assert (crawled.ended.state, find_exit(crawled)) == (RunState.DONE, Exit.STOPPED)
    assert crawled.summary.leftover.later == 1
    assert crawled.summary.leftover.next_at == pytest.approx(time.time() + LONG_S, abs=120)


def test_a_page_cap_is_no_success(tmp_path: Path) -> None:
    names = [f"/p{number}" for number in range(6)]
    site: dict[str, Script] = {"/": page("Home", *names), **{name: page(name) for name in names}}
    crawled = crawl_one(tmp_path, site, limits={"pages_per_domain": 3})
    assert (crawled.tally.pages, find_exit(crawled)) == (3, Exit.STOPPED)
    assert crawled.summary.leftover.capped == 4


def test_a_rest_by_the_word_of_the_site_is_all_that_can_be_had(tmp_path: Path) -> None:
    site: dict[str, Script] = {"/": page("Home", "/p"), "/p": status(429, Retry_After=str(LONG_S))}
    crawled = crawl_one(tmp_path, site)
    assert (crawled.ended.state, find_exit(crawled)) == (RunState.DONE, Exit.DONE)
    assert crawled.summary.leftover.resting == 1


def test_one_url_that_is_always_turned_away_does_not_hold_a_run_up(tmp_path: Path) -> None:
    """The first rest is as short as the site says; the second is ours, and is left to the next run."""
    site: dict[str, Script] = {"/": page("Home", "/p"), "/p": status(429, Retry_After="1")}
    crawled = crawl_one(tmp_path, site, politeness={"delay_s": 0.05, "backoff_s": 60.0})
    assert (crawled.ended.state, crawled.summary.leftover.resting) == (RunState.DONE, 1)
    # Home, the url, and the url once more when it had rested for as long as it said.
    assert (crawled.tally.pages, crawled.tally.statuses[429]) == (1, 2)
    ((due_at,),) = query(tmp_path, "SELECT due_at FROM urls WHERE due_at IS NOT NULL")
    assert due_at > time.time() + 75


def test_the_rest_of_a_site_is_waited_for_longer_than_what_has_failed(tmp_path: Path) -> None:
    site: dict[str, Script] = {
        "/": page("Home", "/p", "/q"),
        "/p": in_turn(status(429), page("P")),
        "/q": page("Q"),
    }
    politeness = {"backoff_s": 2.0, "longest_retry_wait_s": 0.5, "longest_wait_s": 60.0}
    crawled = crawl_one(tmp_path, site, politeness=politeness)
    assert (crawled.tally.pages, crawled.summary.leftover.urls) == (3, 0)


# --- with deaths ---------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [1, 2])
def test_the_promise_holds_after_deaths(make_crawler: MakeCrawler, workers: int) -> None:
    chance = random.Random(workers)
    environment = {
        "TENAX_POLITENESS__LONGEST_WAIT_S": str(LONGEST_WAIT_S),
        "TENAX_POLITENESS__BACKOFF_S": str(SHORT_S),
        "TENAX_RETRY__BASE_S": str(SHORT_S),
        "TENAX_LIMITS__PAGES_PER_DOMAIN": "5",
    }
    slow = partial(page, delay_s=0.05)
    hosts: dict[str, dict[str, Script]] = {
        f"h{host}.test": {
            "/": slow(f"Home of {host}", *(f"/p{number}" for number in range(12))),
            **{f"/p{number}": slow(f"Page {number} of {host}") for number in range(12)},
            "/p3": in_turn(status(503), slow("At last")),
        }
        for host in range(4)
    }
    ends: list[Ended] = []
    with ScriptedWeb(hosts) as web:
        seeds = [web.url(host) for host in hosts]
        crawler = make_crawler(web, "--delay", "0", seeds=seeds, workers=workers)
        while not ends or ends[-1].code != Exit.DONE:
            assert len(ends) < 12, [each.code for each in ends]
            process = crawler.start(**environment)
            if len(ends) < 3:
                time.sleep(chance.uniform(0.6, 1.2))
                process.kill()
            ends.append(process.wait())
    codes = [each.code for each in ends]
    assert set(codes) <= {KILLED, Exit.STOPPED, Exit.DONE}
    assert Exit.STOPPED in codes, "no run ended at the page cap"
    assert list_fetchable(crawler.data) == []
    assert query(crawler.data, "SELECT count(*) FROM pages") == [(4 * 13,)]
