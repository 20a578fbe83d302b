"""Politeness as the origin's own log shows it (I3), and that bad neighbours change nothing (I8)."""

from collections import Counter
from pathlib import Path

import pytest

from tenax.crawl.visits.slots import PROMPT_S
from tests.support.running import crawl, query
from tests.support.scripted import ScriptedWeb, page
from tests.support.site import HostBehavior
from tests.support.web import TestWeb, assert_polite, gaps, max_overlap


def test_a_domain_is_asked_one_by_one_and_never_too_soon(tmp_path: Path) -> None:
    with TestWeb(hosts=4, pages_per_host=10) as web:
        crawled = crawl(tmp_path, web.seeds(), politeness={"delay_s": 0.15})
        assert crawled.fetched == web.expected_urls()
        assert_polite(web.requests(), delay_s=0.15)


def test_hosts_with_and_without_www_are_one_domain(tmp_path: Path) -> None:
    with TestWeb(hosts=["a.test"], pages_per_host=8) as web:
        seeds = [web.url("a.test"), web.url("www.a.test")]
        crawl(tmp_path, seeds, politeness={"delay_s": 0.1})
        assert {request.host for request in web.requests()} == {"a.test", "www.a.test"}
        assert_polite(web.requests(), delay_s=0.1)


def test_a_slow_server_gets_as_much_rest_as_it_took(tmp_path: Path) -> None:
    slow = HostBehavior(delay_s=0.3)
    with TestWeb(hosts=["a.test"], pages_per_host=5, behaviors={"a.test": slow}) as web:
        crawl(tmp_path, web.seeds(), politeness={"delay_s": 0.05})
        pages = [request for request in web.requests() if request.path != "/robots.txt"]
    # Its answer takes 0.3 s, and only then the rest of 0.3 s begins.
    assert min(gaps(pages)) >= 0.55
    assert max_overlap(pages) == 1


def test_a_delay_of_zero_still_asks_one_by_one(tmp_path: Path) -> None:
    slow = HostBehavior(delay_s=0.02)
    with TestWeb(hosts=["a.test"], pages_per_host=20, behaviors={"a.test": slow}) as web:
        crawl(tmp_path, web.seeds(), politeness={"delay_s": 0.0})
        assert max_overlap(web.requests()) == 1


def test_more_requests_at_a_time_are_used_when_they_are_allowed(tmp_path: Path) -> None:
    slow = HostBehavior(delay_s=0.1)
    with TestWeb(hosts=["a.test"], pages_per_host=20, behaviors={"a.test": slow}) as web:
        crawl(tmp_path, web.seeds(), politeness={"delay_s": 0.0, "per_domain": 3})
        assert max_overlap(web.requests()) == 3


def test_the_delay_holds_across_two_runs(tmp_path: Path) -> None:
    with TestWeb(hosts=["a.test"], pages_per_host=6) as web:
        for _ in range(2):
            crawl(tmp_path, web.seeds(), politeness={"delay_s": 0.8}, limits={"max_pages": 2})
        requests = web.requests()
    assert len(requests) == 5  # robots.txt once: the second run remembers it
    assert_polite(requests, delay_s=0.8)


def test_the_limit_of_requests_at_the_same_time_holds_over_all_domains(tmp_path: Path) -> None:
    """Of domains that are known to answer: waiting for others takes none of these."""
    slow = HostBehavior(delay_s=0.05)
    hosts = [f"h{number}.test" for number in range(12)]
    with TestWeb(hosts=hosts, pages_per_host=3, behaviors=dict.fromkeys(hosts, slow)) as web:
        crawl(tmp_path, web.seeds(), worker={"concurrency": 4})
        events = sorted(
            event
            for request in web.requests()
            if request.path != "/robots.txt" and request.ended_at is not None
            if request.ended_at < request.started_at + PROMPT_S
            for event in ((request.started_at, 1), (request.ended_at, -1))
        )
    running = most = 0
    for _, change in events:
        running += change
        most = max(most, running)
    assert most <= 4


def test_the_user_agent_names_the_crawler_and_the_contact(tmp_path: Path) -> None:
    with TestWeb(hosts=["a.test"], pages_per_host=2) as web:
        crawl(tmp_path, web.seeds(), fetch={"contact": "https://example.com/bot"})
        agents = {request.user_agent for request in web.requests()}
    (agent,) = agents
    assert agent.startswith("tenax/")
    assert agent.endswith("(+https://example.com/bot)")


def test_every_page_is_asked_for_once(tmp_path: Path) -> None:
    with TestWeb(hosts=3, pages_per_host=40, cross_host=True) as web:
        crawl(tmp_path, web.seeds(), scope={"kind": "any"})
        asked = Counter((request.host, request.path) for request in web.requests())
    assert set(asked.values()) == {1}


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param(HostBehavior(robots_hangs=True), id="robots hangs"),
        pytest.param(HostBehavior(limited_requests=1000, retry_after=None), id="429 for ever"),
        pytest.param(HostBehavior(delay_s=10.0), id="too slow"),
    ],
)
def test_bad_neighbours_do_not_slow_healthy_domains_down(bad: HostBehavior, tmp_path: Path) -> None:
    hosts = ["good.test", *(f"bad{number}.test" for number in range(6))]
    behaviors = dict.fromkeys(hosts[1:], bad)
    with TestWeb(hosts=hosts, pages_per_host=20, behaviors=behaviors) as web:
        crawl(
            tmp_path,
            web.seeds(),
            politeness={"delay_s": 0.05, "backoff_s": 0.2, "longest_wait_s": 1.0},
            fetch={"timeout_s": 0.4},
            robots={"timeout_s": 0.4},
            retry={"attempts": 1},
            breaker={"failures": 2, "open_s": 0.3, "trips": 2},
            # Fewer requests at a time than bad hosts would like to have.
            worker={"concurrency": 8},
        )
        requests = web.requests("good.test")
    assert len(requests) == 21
    # One second by politeness, and room for a busy machine: 20 pages behind a host that is waited for would
    # take 8 s.
    assert requests[-1].started_at - requests[0].started_at < 7


def test_the_receipt_in_the_store_agrees_with_the_log(tmp_path: Path) -> None:
    with TestWeb(hosts=["a.test"], pages_per_host=6) as web:
        crawl(tmp_path, web.seeds(), politeness={"delay_s": 0.1})
        requests = web.requests()
    visits = query(tmp_path, "SELECT at, status FROM visits ORDER BY at")
    assert [status for _, status in visits] == [request.status for request in requests]
    for (at, _), request in zip(visits, requests, strict=True):
        assert at <= request.started_at <= at + 1


def test_a_domain_whose_next_url_is_new_does_not_wait_for_a_full_batch(tmp_path: Path) -> None:
    pages = {f"/{number}": page(f"Page {number}", f"/{number + 1}") for number in range(10)}
    with ScriptedWeb({"a.test": {**pages, "/10": page("The last")}}) as web:
        crawl(tmp_path, [web.url("a.test", "/0")], politeness={"delay_s": 0.05}, worker={"batch_s": 1.0})
        requests = web.requests()
    assert len(requests) == 12
    assert requests[-1].started_at - requests[0].started_at < 10
