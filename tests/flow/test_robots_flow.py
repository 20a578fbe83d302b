"""robots.txt in whole crawls: what each answer means (RFC 9309), and that every fetch asks first."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.running import Crawled, crawl, explain
from tests.support.scripted import Reply, Script, ScriptedWeb, in_turn, moved, page, status, text
from tests.support.web import assert_polite, gaps

HOST = "a.test"
OPEN = {"/": page("Home", "/open", "/closed/x"), "/open": page("Open"), "/closed/x": page("Closed")}
RULES = text("User-agent: *\nDisallow: /closed/\n")


def crawl_with(
    robots: Script, data: Path, *, paths: dict[str, Script] | None = None
) -> tuple[Crawled, ScriptedWeb]:
    with ScriptedWeb({HOST: {**(paths or OPEN), "/robots.txt": robots}}) as web:
        return crawl(data, [web.url(HOST)]), web


def test_rules_are_obeyed_and_asked_for_once(tmp_path: Path) -> None:
    _, web = crawl_with(RULES, tmp_path)
    assert web.paths(HOST) == ["/robots.txt", "/", "/open"]


def test_a_disallowed_url_is_refused_with_line_and_rule(tmp_path: Path) -> None:
    crawled, web = crawl_with(RULES, tmp_path)
    closed = crawled.urls[web.url(HOST, "/closed/x")]
    assert (closed.fate, closed.reason) == ("refused", "robots")
    assert closed.detail == "robots.txt line 2: Disallow: /closed/"


@pytest.mark.parametrize("code", [401, 403, 404, 410])
def test_a_missing_file_allows_everything(code: int, tmp_path: Path) -> None:
    crawled, _ = crawl_with(status(code), tmp_path)
    assert len(crawled.fetched) == 3


@pytest.mark.parametrize(
    "body", [b"<!doctype html><title>Welcome</title><p>Disallow: nothing", b"\x00\xff\xfe" * 5000, b""]
)
def test_garbage_allows_everything(body: bytes, tmp_path: Path) -> None:
    crawled, _ = crawl_with(Reply(body=body, headers={"Content-Type": "text/html"}), tmp_path)
    assert len(crawled.fetched) == 3


def test_only_the_first_half_megabyte_of_a_huge_file_is_read(tmp_path: Path) -> None:
    filler = b"# nothing to see here\n" * 2_500_000
    body = b"User-agent: *\nDisallow: /closed/\n" + filler + b"Disallow: /\n"
    crawled, web = crawl_with(Reply(body=body), tmp_path)
    assert crawled.fetched == {web.url(HOST, "/"), web.url(HOST, "/open")}


# --- failures ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Failing:
    crawled: Crawled
    web: ScriptedWeb


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> Failing:
    """A crawl of a host whose robots.txt always answers 500."""
    return Failing(*crawl_with(status(500), tmp_path_factory.mktemp("failing")))


def test_a_failing_file_disallows_everything_and_the_run_ends(failing: Failing) -> None:
    assert set(failing.web.paths(HOST)) == {"/robots.txt"}
    assert failing.crawled.fates == {"queued": 1}


def test_a_host_with_a_failing_file_rests_for_an_hour(failing: Failing) -> None:
    (domain,) = failing.crawled.domains.values()
    assert (domain.status, domain.block_code) == ("unreachable", "robots_unreachable")
    last = failing.web.requests(HOST)[-1].started_at
    assert domain.next_crawl_after == pytest.approx(last + 3600, abs=2)


def test_a_failing_file_is_tried_three_times_with_growing_pauses(failing: Failing) -> None:
    first, second = gaps(failing.web.requests(HOST))
    # A busy machine may be late, and never early.
    assert first >= 1.95
    assert second >= 3.95


def test_the_summary_says_why_nothing_was_fetched(failing: Failing) -> None:
    (troubled,) = failing.crawled.summary.troubled
    assert troubled.domain == f"{HOST}:{failing.web.port}"
    assert troubled.reason == "robots.txt answered 500 3 times, so nothing may be fetched"


def test_a_file_that_fails_once_is_asked_for_again(tmp_path: Path) -> None:
    crawled, _ = crawl_with(in_turn(status(500), RULES), tmp_path)
    assert crawled.fates == {"fetched": 2, "refused": 1}


def test_a_file_that_never_comes_ends_as_unreachable(tmp_path: Path) -> None:
    silent = page("Too late", delay_s=60.0)
    with ScriptedWeb({HOST: {**OPEN, "/robots.txt": silent}}) as web:
        crawled = crawl(tmp_path, [web.url(HOST)], robots={"timeout_s": 0.3})
    (domain,) = crawled.domains.values()
    assert (domain.status, domain.block_code) == ("unreachable", "connection_failed")
    assert crawled.fates == {"queued": 1}


def test_an_old_copy_serves_while_the_server_fails(tmp_path: Path) -> None:
    hrefs = [f"/p{number}" for number in range(8)]
    paths = {"/": page("Home", "/closed/x", *hrefs), **{href: page(href) for href in hrefs}}
    with ScriptedWeb({HOST: {**paths, "/robots.txt": in_turn(RULES, status(500))}}) as web:
        crawled = crawl(tmp_path, [web.url(HOST)], robots={"cache_s": 0.2}, politeness={"delay_s": 0.1})
    assert crawled.fates == {"fetched": 9, "refused": 1}
    assert web.paths(HOST).count("/robots.txt") == 2


def test_rules_that_change_in_the_middle_are_noticed(tmp_path: Path) -> None:
    hrefs = [f"/p{number}" for number in range(10)]
    paths = {"/": page("Home", *hrefs), **{href: page(href) for href in hrefs}}
    stop = text("User-agent: *\nDisallow: /\n")
    with ScriptedWeb({HOST: {**paths, "/robots.txt": in_turn(RULES, stop)}}) as web:
        crawled = crawl(tmp_path, [web.url(HOST)], robots={"cache_s": 0.5}, politeness={"delay_s": 0.1})
    asked = web.paths(HOST)
    second = [i for i, path in enumerate(asked) if path == "/robots.txt"][1]
    assert set(asked[second:]) == {"/robots.txt"}
    assert crawled.fates["queued"] > 0
    assert len(crawled.urls) == 11
    (domain,) = crawled.domains.values()
    assert (domain.status, domain.block_code) == ("blocked", "robots_denied")
    waiting = next(url for url in crawled.urls.values() if url.fate == "queued")
    facts = " ".join(explain(crawled, waiting.url).facts)
    assert "is blocked (robots_denied): robots.txt forbids everything, line 2: Disallow: /; until 20" in facts


def test_a_file_that_forbids_all_but_a_part_refuses_url_by_url(tmp_path: Path) -> None:
    rules = text("User-agent: *\nDisallow: /\nAllow: /$\nAllow: /open\n")
    crawled, web = crawl_with(
        rules, tmp_path, paths={"/": page("Home", "/open", "/other"), "/open": page("Open")}
    )
    assert crawled.fates == {"fetched": 2, "refused": 1}
    assert crawled.urls[web.url(HOST, "/other")].detail == "robots.txt line 2: Disallow: /"


# --- redirects -----------------------------------------------------------------------------------


def test_a_redirected_file_counts_for_the_origin_that_was_asked(tmp_path: Path) -> None:
    crawled, web = crawl_with(moved("/rules"), tmp_path, paths={**OPEN, "/rules": RULES})
    assert web.paths(HOST) == ["/robots.txt", "/rules", "/", "/open"]
    assert crawled.fates == {"fetched": 2, "refused": 1}


def test_a_file_may_be_on_another_host(tmp_path: Path) -> None:
    with ScriptedWeb({HOST: dict(OPEN), "b.test": {"/robots.txt": RULES}}) as web:
        web.hosts[HOST]["/robots.txt"] = moved(web.url("b.test", "/robots.txt"))
        crawled = crawl(tmp_path, [web.url(HOST)])
    assert crawled.fates == {"fetched": 2, "refused": 1}


def test_five_hops_are_followed(tmp_path: Path) -> None:
    hops = {f"/hop{n}": moved(f"/hop{n + 1}") for n in range(1, 5)}
    crawled, _ = crawl_with(moved("/hop1"), tmp_path, paths={**OPEN, **hops, "/hop5": RULES})
    assert crawled.fates == {"fetched": 2, "refused": 1}


def test_a_sixth_hop_is_not_followed_and_allows_everything(tmp_path: Path) -> None:
    hops = {f"/hop{n}": moved(f"/hop{n + 1}") for n in range(1, 6)}
    crawled, web = crawl_with(moved("/hop1"), tmp_path, paths={**OPEN, **hops, "/hop6": RULES})
    assert crawled.fates == {"fetched": 3}
    assert "/hop6" not in web.paths(HOST)


def test_a_loop_allows_everything(tmp_path: Path) -> None:
    crawled, web = crawl_with(moved("/robots.txt"), tmp_path)
    assert crawled.fates == {"fetched": 3}
    assert web.paths(HOST).count("/robots.txt") == 6


def test_the_file_of_a_redirect_target_is_obeyed(tmp_path: Path) -> None:
    with ScriptedWeb({HOST: {}, "b.test": {"/robots.txt": RULES, "/closed/x": page("Closed")}}) as web:
        web.hosts[HOST]["/"] = moved(web.url("b.test", "/closed/x"))
        crawled = crawl(tmp_path, [web.url(HOST)])
    assert web.paths("b.test") == ["/robots.txt"]
    assert crawled.fate(web.url("b.test", "/closed/x")) == "refused"


def test_each_origin_has_its_own_file(tmp_path: Path) -> None:
    hosts = {
        "www.a.test": {"/": page("Home www")},
        HOST: {"/": page("Home"), "/robots.txt": text("User-agent: *\nDisallow: /")},
    }
    with ScriptedWeb(hosts) as web:
        crawled = crawl(tmp_path, [web.url("www.a.test"), web.url(HOST)])
    assert crawled.fate(web.url("www.a.test")) == "fetched"
    assert crawled.fate(web.url(HOST)) == "refused"


# --- crawl-delay ---------------------------------------------------------------------------------


def test_crawl_delay_is_honoured(tmp_path: Path) -> None:
    _, web = crawl_with(text("User-agent: *\nCrawl-delay: 0.5\n"), tmp_path)
    assert_polite(web.requests(), delay_s=0.5)
    assert len(web.requests()) == 4


def test_crawl_delay_is_capped(tmp_path: Path) -> None:
    with ScriptedWeb({HOST: {**OPEN, "/robots.txt": text("User-agent: *\nCrawl-delay: 3600\n")}}) as web:
        crawled = crawl(tmp_path, [web.url(HOST)], politeness={"max_crawl_delay_s": 0.3})
    assert len(crawled.fetched) == 3
    (domain,) = crawled.domains.values()
    assert domain.robots_delay_s == 0.3


def test_a_crawl_delay_that_is_taken_back_is_forgotten(tmp_path: Path) -> None:
    hrefs = [f"/p{number}" for number in range(4)]
    paths = {"/": page("Home", *hrefs), **{href: page(href) for href in hrefs}}
    slow = text("User-agent: *\nCrawl-delay: 0.4\n")
    with ScriptedWeb({HOST: {**paths, "/robots.txt": in_turn(slow, RULES)}}) as web:
        crawled = crawl(tmp_path, [web.url(HOST)], robots={"cache_s": 0.5})
    (domain,) = crawled.domains.values()
    assert domain.robots_delay_s is None


def test_explain_names_the_rule(tmp_path: Path) -> None:
    crawled, web = crawl_with(RULES, tmp_path)
    found = explain(crawled, web.url(HOST, "/closed/x"))
    assert found.because == "A rule forbids it (robots): robots.txt line 2: Disallow: /closed/."
