"""Domains over days: hosts that turn us away, that die, and that come back."""

import contextlib
import json
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tenax.records.runs import RunState
from tests.flow.conftest import MakeCrawler
from tests.support.command import run_tenax
from tests.support.crawler import wait_until
from tests.support.days import Calendar, open_calendar
from tests.support.nameserver import NXDOMAIN, name_server
from tests.support.nameserver import Reply as Answer
from tests.support.postgres import fresh_database
from tests.support.scripted import Reply, Script, ScriptedWeb, moved, page, status, text
from tests.support.site import HostBehavior
from tests.support.store import find_wrong_counters
from tests.support.web import TestWeb

HOST = "a.test"
NAMES = [f"/p{number}" for number in range(20)]
SITE: dict[str, Script] = {"/": page("Home", *NAMES), **{name: page(name) for name in NAMES}}
QUICK: dict[str, Any] = {"politeness": {"backoff_s": 0.02}}


def behind(reply: Reply, pages: int = 20) -> dict[str, Script]:
    """A site of which only the home page is to be had."""
    names = [f"/p{number}" for number in range(pages)]
    return {"/": page("Home", *names), **dict.fromkeys(names, reply)}


@pytest.fixture(params=["sqlite", "postgres"])
def calendar(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Calendar]:
    with open_calendar(request.param, tmp_path) as calendar:
        yield calendar
        assert find_wrong_counters(calendar.query) == []


@pytest.mark.parametrize(
    ("reply", "code", "days"),
    [
        (status(403), "forbidden", 14),
        (status(429), "rate_limited", 7),
        (status(401), "login_required", 30),
        (moved("/login"), "login_required", 30),
        (page("Log in", head='<input type="password">'), "login_required", 30),
    ],
    ids=["403", "429", "401", "redirect to login", "password form"],
)
def test_a_host_that_turns_away_is_asked_again_after_its_cooldown(
    calendar: Calendar, reply: Reply, code: str, days: int
) -> None:
    with ScriptedWeb({HOST: {**behind(reply), "/login": page("Login")}}) as web:
        assert calendar.crawl([web.url(HOST)], **QUICK).state is RunState.DONE
        assert calendar.status(HOST) == ("blocked", code)
        assert calendar.rests_days(HOST) == pytest.approx(days, abs=0.01)
        asked = len(web.requests())
        calendar.pass_days(days - 1)
        calendar.crawl([web.url(HOST)], **QUICK)
        assert len(web.requests()) == asked, "asked before its cooldown was over"
        calendar.pass_days(1.1)
        web.hosts[HOST] = {**SITE, "/login": page("Login")}
        calendar.crawl(**QUICK)
    assert calendar.history(HOST) == ["answered", code, "cooldown_over", "answered", "all_done"]
    assert calendar.status(HOST) == ("exhausted", None)
    assert calendar.query("SELECT retries FROM domains") == [(0,)], "a success forgives"


def test_a_host_whose_name_is_gone_is_asked_again_after_its_cooldown(calendar: Calendar) -> None:
    addresses: list[str] = []
    with (
        ScriptedWeb({HOST: SITE}) as web,
        name_server(
            lambda name, kind, asked: Answer(ips=addresses) if addresses else Answer(code=NXDOMAIN)
        ) as dns,
    ):
        settings: dict[str, Any] = {"fetch": {"resolve": [], "dns_servers": [dns.address]}}
        calendar.crawl([web.url(HOST)], **settings)
        assert calendar.status(HOST) == ("unreachable", "dns_failure")
        assert calendar.rests_days(HOST) == pytest.approx(7, abs=0.01)
        addresses.append("127.0.0.1")
        calendar.crawl(**settings)
        assert web.requests() == [], "asked before its cooldown was over"
        calendar.pass_days(7.1)
        calendar.crawl(**settings)
    assert calendar.history(HOST) == ["answered", "dns_failure", "cooldown_over", "answered", "all_done"]
    assert calendar.pages() == {HOST: 21}


def test_a_host_that_is_dead_is_called_unreachable(calendar: Calendar) -> None:
    with ScriptedWeb({HOST: behind(Reply(is_reset=True))}) as web:
        calendar.crawl([web.url(HOST)], breaker={"failures": 3, "open_s": 0.1, "trips": 2})
    assert calendar.status(HOST) == ("unreachable", "connection_failed")


def test_a_host_that_serves_nothing_but_errors_is_called_so(calendar: Calendar) -> None:
    with ScriptedWeb({HOST: behind(status(502))}) as web:
        calendar.crawl([web.url(HOST)], breaker={"failures": 3, "open_s": 0.1, "trips": 2})
    assert calendar.status(HOST) == ("unreachable", "server_error")


def test_a_robots_txt_that_forbids_everything_rests_the_domain_for_ninety_days(calendar: Calendar) -> None:
    closed = text("User-agent: *\nDisallow: /\n")
    with ScriptedWeb({HOST: {**SITE, "/robots.txt": closed}}) as web:
        calendar.crawl([web.url(HOST)])
        assert calendar.status(HOST) == ("blocked", "robots_denied")
        assert calendar.rests_days(HOST) == pytest.approx(90, abs=0.01)
        assert web.paths(HOST) == ["/robots.txt"]
        web.hosts[HOST] = SITE
        calendar.pass_days(90.1)
        calendar.crawl()
    assert calendar.history(HOST)[-3:] == ["cooldown_over", "answered", "all_done"]
    assert calendar.pages() == {HOST: 21}


def test_after_three_more_tries_a_block_is_for_good_until_a_person_lifts_it(calendar: Calendar) -> None:
    with ScriptedWeb({HOST: behind(status(403), pages=60)}) as web:
        calendar.crawl([web.url(HOST)], **QUICK)
        for _ in range(3):
            calendar.pass_days(14.1)
            calendar.crawl(**QUICK)
        (row,) = calendar.query("SELECT next_crawl_after, avail_at, retries FROM domains")
        assert row == (None, None, 3)
        asked = len(web.requests())
        calendar.pass_days(1000)
        calendar.crawl([web.url(HOST)], **QUICK)
        assert len(web.requests()) == asked, "asked although it is blocked for good"
        web.hosts[HOST] = SITE
        calendar.change_domains(lambda domains: domains.unblock(f"{HOST}:{web.port}", "they said yes"))
        calendar.crawl(**QUICK)
    tries = ["forbidden", "cooldown_over", "answered"]
    assert calendar.history(HOST) == [
        "answered",
        *3 * tries,
        "forbidden",
        "unblocked",
        "answered",
        "all_done",
    ]


# --- what is no wall -----------------------------------------------------------------------------


def test_a_site_with_a_login_on_every_page_is_crawled(calendar: Calendar) -> None:
    form = '<form><input type="password" name="p"></form>'
    pages: dict[str, Script] = {name: page(name, "/login", "/cart", head=form) for name in NAMES}
    site = {**pages, "/": page("Home", *NAMES, head=form), "/login": page("Login", head=form)}
    with ScriptedWeb({HOST: {**site, "/cart": moved("/login?next=/cart")}}) as web:
        calendar.crawl([web.url(HOST)])
    assert calendar.status(HOST) == ("exhausted", None)


def test_a_forum_whose_every_page_has_links_behind_its_login_is_crawled(calendar: Calendar) -> None:
    site: dict[str, Script] = {"/": page("Home", "/t0"), "/login": page("Login")}
    for number in range(40):
        # A thread with four places to log in, and the next thread.
        replies = [f"/t{number}/reply/{reply}" for reply in range(4)]
        site[f"/t{number}"] = page(f"Thread {number}", *replies, f"/t{number + 1}")
        site |= {reply: moved("/login") for reply in replies}
    with ScriptedWeb({HOST: site}) as web:
        calendar.crawl([web.url(HOST)], limits={"max_depth": 100})
    assert calendar.status(HOST) == ("exhausted", None)
    assert calendar.pages() == {HOST: 42}


# --- one run after the other ---------------------------------------------------------------------


def test_the_second_run_goes_on_where_the_first_one_stopped(calendar: Calendar) -> None:
    small: dict[str, Script] = {"/": page("Home", *NAMES[:4]), **{name: page(name) for name in NAMES[:4]}}
    hosts = {
        "a.test": SITE,
        "b.test": small,
        "c.test": behind(status(403)),
        "d.test": {**small, "/robots.txt": text("", 404)},
    }
    budget: dict[str, Any] = {
        "limits": {"pages_per_domain": 10},
        "worker": {"batch_s": 0.05, "drain_s": 0.3},
        **QUICK,
    }
    with ScriptedWeb(hosts) as web:
        web.hosts["d.test"]["/robots.txt"] = Reply(status=404, delay_s=60)
        seeds = [web.url(host) for host in hosts]

        def is_far_enough() -> bool:
            rows: dict[str, str] = dict(calendar.query("SELECT substr(name, 1, 1), status FROM domains"))
            crawled = calendar.pages()
            return crawled.get("a.test") == 10 and (rows["b"], rows["c"]) == ("exhausted", "blocked")

        assert calendar.crawl(seeds, is_far_enough, **budget).state is RunState.STOPPED
        statuses = {host: calendar.status(host)[0] for host in hosts}
        assert statuses == {
            "a.test": "active",
            "b.test": "exhausted",
            "c.test": "blocked",
            "d.test": "pending",
        }
        assert calendar.rests_days("c.test") == pytest.approx(14, abs=0.01)
        first = {host: web.asked(host) for host in hosts}

        web.hosts["d.test"]["/robots.txt"] = text("", 404)
        assert calendar.crawl(seeds, **budget).state is RunState.DONE
        again = {host: web.paths(host) for host in hosts}
    assert calendar.pages() == {"a.test": 20, "b.test": 5, "c.test": 1, "d.test": 5}
    assert len([path for path in again["a.test"] if path in NAMES]) == 19, "no page of a was asked twice"
    assert set(again["b.test"]) == first["b.test"], "b was done"
    assert len(again["b.test"]) == 6
    assert set(again["c.test"]) == first["c.test"], "c was left alone"
    assert calendar.status("a.test")[0] == "active"


# --- fairness ------------------------------------------------------------------------------------


@pytest.mark.parametrize("concurrency", [100, 2], ids=["all at once", "two at a time"])
def test_no_domain_starves_when_a_run_has_few_pages_for_many(calendar: Calendar, concurrency: int) -> None:
    hosts = [f"h{number}.test" for number in range(50)]
    with ScriptedWeb(dict.fromkeys(hosts, SITE)) as web:
        ended = calendar.crawl(
            [web.url(host) for host in hosts],
            limits={"max_pages": 100},
            politeness={"delay_s": 0.1},
            worker={"batch_s": 0.05, "concurrency": concurrency},
        )
    assert ended.state is RunState.BUDGET
    pages = calendar.pages()
    assert sum(pages.values()) == 100
    assert min(pages.values()) >= 1
    assert max(pages.values()) <= 5


# --- counters ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_counters_are_right_after_kills(kind: str, make_crawler: MakeCrawler, tmp_path: Path) -> None:
    slow = HostBehavior(delay_s=0.05)
    with contextlib.ExitStack() as stack:
        store = ["--store", stack.enter_context(fresh_database())] if kind == "postgres" else []
        web = stack.enter_context(
            TestWeb(hosts=6, pages_per_host=40, cross_host=True, behaviors={"h0.test": slow})
        )
        crawler = make_crawler(web, "--delay", "0.02", *store)
        chance = random.Random(5)
        for _ in range(5):
            asked = len(web.requests())
            process = crawler.start()
            wait_until(lambda asked=asked: len(web.requests()) > asked + 10, "it crawls")  # type: ignore[misc]
            time.sleep(chance.uniform(0.0, 0.5))
            process.kill()
        checked = run_tenax("domains", "rebuild", "--json", "--data", crawler.data, *store)
        assert checked.code == 0, checked.err
        found = json.loads(checked.out)
    assert (found["domains"], found["differences"]) == (6, [])
