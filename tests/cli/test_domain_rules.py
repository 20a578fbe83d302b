"""`tenax domains set`, and domains by their site."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from pysqlite3 import dbapi2 as sqlite

from tenax.stores.place import Place
from tests.support.clock import FakeClock
from tests.support.command import Ended, run_tenax
from tests.support.postgres import fresh_database
from tests.support.stores import fill_place, fill_store

Run = Callable[..., Ended]


@pytest.fixture(params=["sqlite", "postgres"])
def crawl(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Run]:
    """`tenax domains` over a small crawl of this test's own."""
    if request.param == "sqlite":
        fill_store(tmp_path)
        yield lambda *arguments: run_tenax("domains", *arguments, "--data", tmp_path)
        return
    with fresh_database() as url:
        fill_place(Place(folder=tmp_path, url=url), FakeClock())
        yield lambda *arguments: run_tenax("domains", *arguments, "--store", url)


def test_rules_are_set_shown_and_cleared(crawl: Run) -> None:
    ended = crawl(
        "set", "https://shop.example/a", "--delay", "3", "--concurrency", "2", "--pages-per-run", "500"
    )
    assert ended.out == ("shop.example: delay 3 s; concurrent requests 2; pages per run 500 pages; active.\n")
    shown = crawl("show", "shop.example").out
    assert "delay          3 s (from domain rule)" in shown
    assert "concurrency    2 requests (from domain rule)" in shown
    assert "pages per run  500 pages (from domain rule)" in shown
    assert " (command line), " in shown
    ended = crawl("set", "shop.example", "--clear", "delay", "--clear", "concurrency")
    assert ended.out == (
        "shop.example: delay set by its crawl; concurrent requests set by its crawl;"
        " pages per run 500 pages; active.\n"
    )
    shown = crawl("show", "shop.example").out
    assert "delay          2 s (from robots.txt Crawl-delay)" in shown
    assert "concurrency    1 request (from setting)" in shown


def test_a_longer_crawl_delay_goes_before_the_rule(crawl: Run) -> None:
    crawl("set", "shop.example", "--delay", "0.5")
    assert "delay          2 s (from robots.txt Crawl-delay)" in crawl("show", "shop.example").out


def test_everything_is_cleared_at_once(crawl: Run) -> None:
    crawl("set", "shop.example", "--delay", "3", "--pages-per-run", "0")
    ended = crawl("set", "shop.example", "--clear", "all", "--json")
    assert json.loads(ended.out) == {
        "name": "shop.example",
        "delay_s": None,
        "per_domain": None,
        "pages_per_run": None,
        "is_active": True,
    }


def test_an_inactive_domain_says_so_everywhere(crawl: Run) -> None:
    ended = crawl("set", "later.example", "--inactive")
    assert ended.out.endswith("; inactive: it is not crawled, and its urls wait.\n")
    assert "  └─ inactive since " in crawl().out
    shown = crawl("show", "later.example").out
    assert "after 'tenax domains set later.example --active'" in shown
    assert "inactive       it is not crawled, and its urls wait" in shown
    assert crawl("set", "later.example", "--active").out.endswith("; active.\n")
    assert "inactive" not in crawl("show", "later.example").out


def test_explain_names_the_rule_and_who_set_it(tmp_path: Path) -> None:
    fill_store(tmp_path)
    run_tenax("domains", "set", "later.example", "--delay", "7", "--inactive", "--data", tmp_path)
    told = run_tenax("explain", "https://later.example/", "--data", tmp_path).out
    assert "later.example is inactive, set by " in told
    assert "nothing is requested from it, and its urls wait." in told
    assert "later.example gets at most one request every 7 s (domain rule), set by " in told
    assert "used up" not in told


def test_the_doctor_says_what_waits_for_a_user(tmp_path: Path) -> None:
    fill_store(tmp_path)
    for name in ("later.example", "shop.example", "down.example"):
        run_tenax("domains", "set", name, "--inactive", "--data", tmp_path)
    with closing(sqlite.connect(tmp_path / "tenax.db")) as connection:
        assert connection.execute("SELECT count(*) FROM domains WHERE avail_at IS NOT NULL").fetchone() == (
            0,
        )
    assert "Traceback" not in run_tenax("doctor", "--data", tmp_path).out


def test_a_rule_that_changes_nothing_is_reported(crawl: Run) -> None:
    assert crawl("set", "shop.example", "--active").out.endswith("; active. Nothing changed.\n")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--delay", "-1"), "must be at least 0"),
        (("--delay", "1e9"), "must be at most 86400"),
        (("--delay", "nan"), "must be at most 86400"),
        (("--concurrency", "0"), "must be at least 1"),
        (("--pages-per-run", "-5"), "must be at least 0"),
        (("--pages-per-run", "99999999999"), "must be at most 2147483647"),
        (("--clear", "mood"), "is not one of"),
        ((), "Give a rule: --delay"),
        (("--delay", "2", "--clear", "delay"), "set or cleared, but not both"),
        (("--delay", "2", "--clear", "all"), "set or cleared, but not both"),
    ],
)
def test_bad_rules_are_refused_with_one_sentence(
    tmp_path: Path, arguments: tuple[str, ...], complaint: str
) -> None:
    fill_store(tmp_path)
    ended = run_tenax("domains", "set", "shop.example", *arguments, "--data", tmp_path)
    assert ended.code != 0
    assert complaint in " ".join(ended.err.split())
    with closing(sqlite.connect(tmp_path / "tenax.db")) as connection:
        assert connection.execute("SELECT DISTINCT rules_at FROM domains").fetchall() == [(None,)]


def test_an_unknown_domain_is_refused(crawl: Run) -> None:
    ended = crawl("set", "unknown.example", "--delay", "1")
    assert ended.code == 1
    assert "There is no domain unknown.example in" in ended.err


# --- sites ----------------------------------------------------------------------------------------------


@pytest.fixture
def many(tmp_path: Path) -> Path:
    fill_store(tmp_path)
    names = ("shop.co.uk", "blog.shop.co.uk", "www2.shop.co.uk:8443", "other.co.uk")
    with closing(sqlite.connect(tmp_path / "tenax.db")) as connection:
        connection.executemany(
            "INSERT INTO domains (name, site, status, pages_discovered, pages_crawled, queued, first_seen_at)"
            " VALUES (?, ?, 'active', 10, 4, 6, 1)",
            [(name, "other.co.uk" if name.startswith("other") else "shop.co.uk") for name in names],
        )
        connection.commit()
    return tmp_path


@pytest.mark.parametrize("site", ["shop.co.uk", "blog.shop.co.uk", "https://shop.co.uk/a"])
def test_domains_of_one_site_are_listed(many: Path, site: str) -> None:
    lines = run_tenax("domains", "--site", site, "--data", many, "--json").out.splitlines()
    found = [json.loads(line) for line in lines]
    assert {each["name"] for each in found} == {"shop.co.uk", "blog.shop.co.uk", "www2.shop.co.uk:8443"}
    assert {each["site"] for each in found} == {"shop.co.uk"}
    ended = run_tenax("domains", "--site", site, "--limit", "1", "--data", many)
    assert "… and 2 more" in ended.out


def test_sites_are_listed_with_all_their_domains_together(many: Path) -> None:
    lines = run_tenax("domains", "sites", "--data", many).out.splitlines()
    assert lines[0].split() == ["SITE", "DOMAINS", "PAGES", "QUEUED", "ERRORS", "LAST", "CRAWLED"]
    assert lines[1].split()[:4] == ["shop.co.uk", "3", "12/30", "18"]
    first = json.loads(run_tenax("domains", "sites", "--data", many, "--json").out.splitlines()[0])
    assert (first["name"], first["domains"], first["urls"]) == ("shop.co.uk", 3, 30)
    ended = run_tenax("domains", "sites", "--limit", "1", "--data", many)
    assert "… and 4 more: --limit 5 shows all." in ended.out


def test_domains_are_exported_with_their_site_and_rules(many: Path) -> None:
    run_tenax("domains", "set", "shop.co.uk", "--delay", "4", "--inactive", "--data", many)
    ended = run_tenax("export", "domains", "--site", "blog.shop.co.uk", "--data", many)
    found = {each["domain"]: each for each in map(json.loads, ended.out.splitlines())}
    assert len(found) == 3
    ruled = found["shop.co.uk"]
    assert (ruled["site"], ruled["rule_delay_s"], ruled["is_active"]) == ("shop.co.uk", 4.0, False)
    assert found["blog.shop.co.uk"]["rule_delay_s"] is None


@pytest.mark.parametrize("noun", ["pages", "urls", "visits", "links", "images"])
def test_every_export_can_be_of_one_site(many: Path, noun: str) -> None:
    whole = run_tenax("export", noun, "--data", many).out.splitlines()
    shop = run_tenax("export", noun, "--site", "shop.example", "--data", many).out.splitlines()
    assert shop, "there is something of it"
    assert set(shop) <= set(whole)
    assert run_tenax("export", noun, "--site", "other.co.uk", "--data", many).out == ""
