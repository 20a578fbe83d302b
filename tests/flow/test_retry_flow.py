"""Failures in whole crawls: rests that a server asks for, retries, the breaker, walls."""

from collections.abc import Sequence
from email.utils import formatdate
from functools import partial
from pathlib import Path
from time import time
from typing import Any

import pytest

from tests.support.crawler import assert_sound
from tests.support.nameserver import NXDOMAIN, name_server
from tests.support.nameserver import Reply as Answer
from tests.support.running import Crawled, crawl
from tests.support.scripted import Reply, Script, ScriptedWeb, in_turn, page, status
from tests.support.web import gaps

HOST, HEALTHY = "a.test", "b.test"
RESET = Reply(is_reset=True)
SHORT_RESTS = {"backoff_s": 0.05}


def site(*names: str, **scripts: Script) -> dict[str, Script]:
    """A home page that links to pages /name; `scripts` replace some of them."""
    hrefs = [f"/{name}" for name in names]
    pages: dict[str, Script] = {href: page(f"Page {href}") for href in hrefs}
    return {"/": page("Home", *hrefs), **pages, **{f"/{name}": each for name, each in scripts.items()}}


def failing_after(count: int, names: Sequence[str], failure: Reply) -> dict[str, Script]:
    """Pages of which the first so many that are asked for are well, whichever they are."""
    asked: set[str] = set()

    def script(name: str, before: int) -> Reply:
        if len(asked) < count:
            asked.add(name)
        return page(f"Page {name}") if name in asked else failure

    return {name: partial(script, name) for name in names}


def crawl_site(
    paths: dict[str, Script], data: Path, **sections: dict[str, Any]
) -> tuple[Crawled, ScriptedWeb]:
    with ScriptedWeb({HOST: paths}) as web:
        return crawl(data, [web.url(HOST)], **sections), web


# --- Retry-After ---------------------------------------------------------------------------------


def in_two_seconds(asked: int) -> Reply:
    """A date has whole seconds, so this asks for more than one second and at most two."""
    return status(429, Retry_After=formatdate(time() + 2, usegmt=True)) if asked == 0 else page("At last")


@pytest.mark.parametrize(
    ("script", "least_s", "most_s"),
    [
        pytest.param(in_turn(status(429, Retry_After="1"), page("At last")), 1.0, 6.0, id="seconds"),
        pytest.param(in_turn(status(503, Retry_After="1"), page("At last")), 1.0, 6.0, id="503"),
        pytest.param(in_two_seconds, 0.9, 7.0, id="date"),
        pytest.param(in_turn(status(429, Retry_After="soon"), page("At last")), 0.4, 5.0, id="garbage"),
        pytest.param(in_turn(status(429), page("At last")), 0.4, 5.0, id="none"),
    ],
)
def test_a_rest_is_kept_as_the_origin_sees_it(
    script: Script, least_s: float, most_s: float, tmp_path: Path
) -> None:
    crawled, web = crawl_site({"/": script}, tmp_path, politeness={"backoff_s": 0.4})
    first, second = [request.started_at for request in web.requests(HOST) if request.path == "/"]
    assert least_s - 0.02 <= second - first <= most_s
    assert crawled.fates == {"fetched": 1}


def test_a_rest_holds_for_the_whole_domain(tmp_path: Path) -> None:
    limited = in_turn(status(429, Retry_After="1"), page("At last"))
    _, web = crawl_site(site("x", "y", "z", x=limited), tmp_path)
    assert max(gaps(web.requests(HOST))) >= 0.98


@pytest.fixture
def year(tmp_path: Path) -> Crawled:
    """A crawl of a host that asks for a year of rest."""
    limited = dict.fromkeys("xy", status(429, Retry_After="31536000"))
    return crawl_site(site("x", "y", **limited), tmp_path)[0]


def test_a_year_of_rest_ends_the_run_and_loses_nothing(year: Crawled) -> None:
    assert year.duration_s < 120
    assert year.fates == {"fetched": 1, "queued": 1, "retrying": 1}


def test_a_year_of_rest_is_cut_to_a_day(year: Crawled) -> None:
    (domain,) = year.domains.values()
    assert domain.backoff_until == pytest.approx(time() + 86400, abs=60)


def test_a_year_of_rest_is_told_at_the_end(year: Crawled) -> None:
    (troubled,) = year.summary.troubled
    assert troubled.queued == 2
    assert "rest" in troubled.reason
    assert troubled.until == pytest.approx(time() + 86400, abs=60)


# --- walls ---------------------------------------------------------------------------------------


def test_a_page_that_always_answers_503_does_not_block_its_domain(tmp_path: Path) -> None:
    names = [f"p{number}" for number in range(8)]
    crawled, web = crawl_site(site(*names, p1=status(503), p4=status(503)), tmp_path, politeness=SHORT_RESTS)
    assert crawled.fates == {"fetched": 7, "dead": 2}
    (domain,) = crawled.domains.values()
    assert domain.status == "exhausted"
    assert crawled.urls[web.url(HOST, "/p1")].reason == "rate_limited"


def test_a_storm_of_429_blocks_the_domain_and_keeps_its_urls(tmp_path: Path) -> None:
    names = [f"p{number}" for number in range(8)]
    crawled, _ = crawl_site(
        site(*names, **dict.fromkeys(names, status(429))), tmp_path, politeness=SHORT_RESTS
    )
    (domain,) = crawled.domains.values()
    assert (domain.status, domain.block_code) == ("blocked", "rate_limited")
    assert crawled.fates["fetched"] == 1
    assert crawled.fates["queued"] + crawled.fates["retrying"] == 8


def test_a_wall_of_403_blocks_the_domain_and_keeps_its_queue(tmp_path: Path) -> None:
    names = [f"p{number}" for number in range(20)]
    crawled, web = crawl_site(
        site(*names, **dict.fromkeys(names, status(403))), tmp_path, politeness=SHORT_RESTS
    )
    (domain,) = crawled.domains.values()
    assert (domain.status, domain.block_code) == ("blocked", "forbidden")
    assert crawled.fates["queued"] + crawled.fates["retrying"] >= 18
    assert len(web.requests(HOST)) < 15


def test_a_few_forbidden_pages_are_dead_and_the_rest_is_crawled(tmp_path: Path) -> None:
    names = [f"p{number}" for number in range(12)]
    # Two: the order within a batch is that of hashes, and three in a row would be a push-back.
    forbidden = {"p1": status(403), "p5": status(401)}
    crawled, web = crawl_site(site(*names, **forbidden), tmp_path)
    assert crawled.fates == {"fetched": 11, "dead": 2}
    dead = crawled.urls[web.url(HOST, "/p5")]
    assert (dead.reason, dead.status, dead.detail) == ("forbidden", 401, "the server answered 401")


# --- retries -------------------------------------------------------------------------------------


@pytest.mark.parametrize("failure", [status(500), status(502), RESET])
def test_a_passing_failure_is_tried_again(failure: Reply, tmp_path: Path) -> None:
    crawled, web = crawl_site(site("x", x=in_turn(failure, failure, page("At last"))), tmp_path)
    assert crawled.fates == {"fetched": 2}
    assert web.paths(HOST).count("/x") == 3


def test_pauses_between_retries_double(tmp_path: Path) -> None:
    _, web = crawl_site(site("x", x=status(500)), tmp_path, retry={"base_s": 0.3, "jitter_s": 0.0})
    first, second, third = gaps(request for request in web.requests(HOST) if request.path == "/x")
    assert first >= 0.28
    assert second >= 0.58
    assert third >= 1.18


def test_a_lasting_failure_is_dead_after_four_attempts(tmp_path: Path) -> None:
    crawled, web = crawl_site(site("x", x=status(500)), tmp_path)
    dead = crawled.urls[web.url(HOST, "/x")]
    assert (dead.fate, dead.attempts, dead.detail) == ("dead", 4, "the server answered 500")
    assert web.paths(HOST).count("/x") == 4


@pytest.mark.parametrize("code", [400, 405, 418, 501])
def test_a_permanent_error_is_not_tried_again(code: int, tmp_path: Path) -> None:
    crawled, web = crawl_site(site("x", x=status(code)), tmp_path)
    assert crawled.fate(web.url(HOST, "/x")) == "dead"
    assert web.paths(HOST).count("/x") == 1


# --- the breaker ---------------------------------------------------------------------------------

QUICK_BREAKER = {"failures": 3, "open_s": 0.2, "trips": 2}


def test_a_host_that_stops_answering_ends_as_unreachable(tmp_path: Path) -> None:
    names = [f"p{number}" for number in range(10)]
    crawled, _ = crawl_site(site(*names, **failing_after(3, names, RESET)), tmp_path, breaker=QUICK_BREAKER)
    (domain,) = crawled.domains.values()
    assert (domain.status, domain.block_code) == ("unreachable", "connection_failed")
    assert crawled.fates["fetched"] == 4
    assert len(crawled.urls) == 11
    assert crawled.fates["queued"] + crawled.fates["retrying"] >= 5


def test_a_host_that_recovers_is_crawled_to_the_end(tmp_path: Path) -> None:
    names = [f"p{number}" for number in range(10)]
    troubled = dict.fromkeys(names[3:7], in_turn(RESET, page("Back again")))
    crawled, _ = crawl_site(site(*names, **troubled), tmp_path, breaker=QUICK_BREAKER)
    assert len(crawled.fetched) == 11


def test_healthy_hosts_keep_their_rate_while_another_is_dying(tmp_path: Path) -> None:
    names = [f"p{number}" for number in range(20)]
    dying = site(*names, **dict.fromkeys(names, page("Never", delay_s=30.0)))
    with ScriptedWeb({HOST: dying, HEALTHY: site(*names)}) as web:
        crawled = crawl(
            tmp_path,
            [web.url(HOST), web.url(HEALTHY)],
            politeness={"delay_s": 0.05},
            fetch={"timeout_s": 0.3},
            breaker=QUICK_BREAKER,
        )
    assert sum(url.startswith(web.url(HEALTHY)) for url in crawled.fetched) == 21
    requests = web.requests(HEALTHY)
    assert requests[-1].started_at - requests[0].started_at < 22 * 0.05 / 0.8 + 3


def test_a_host_that_does_not_exist_is_named_with_its_reason(tmp_path: Path) -> None:
    with name_server(lambda name, kind, asked: Answer(code=NXDOMAIN)) as server:
        crawled = crawl(tmp_path, ["http://no.test/"], fetch={"resolve": [], "dns_servers": [server.address]})
    (troubled,) = crawled.summary.troubled
    assert (troubled.domain, troubled.queued) == ("no.test", 1)
    assert troubled.reason == "the name does not exist or has no address"
    assert crawled.fates == {"queued": 1}


def test_a_seed_that_is_asked_for_again_is_tried_again(tmp_path: Path) -> None:
    # Whoever repeats the command has perhaps repaired the network.
    seed = "http://a.test/"
    with name_server(lambda name, kind, asked: Answer(code=NXDOMAIN)) as server:
        crawl(tmp_path, [seed], fetch={"resolve": [], "dns_servers": [server.address]})
        asked = server.asked.total()
        crawl(tmp_path, [seed], fetch={"resolve": [], "dns_servers": [server.address]})
        assert server.asked.total() > asked


def test_a_dead_seed_that_is_asked_for_again_is_tried_again(tmp_path: Path) -> None:
    with ScriptedWeb({HOST: {"/": in_turn(status(403), page("At last"))}}) as web:
        assert crawl(tmp_path, [web.url(HOST)]).fates == {"dead": 1}
        assert crawl(tmp_path, [web.url(HOST)]).fates == {"fetched": 1}
    assert_sound(tmp_path)
