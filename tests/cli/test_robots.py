import json
from collections.abc import Iterator

import pytest

from tests.support.command import Ended, run_tenax
from tests.support.site import HostBehavior
from tests.support.web import TestWeb

RULES = """# hello \x1b[31m
User-agent: other
Disallow: /

User-agent: tenax
Disallow: /private/
Crawl-delay: 1.5
Sitemap: http://rules.test/map.xml
"""

BEHAVIOURS = {
    "rules.test": HostBehavior(robots=RULES),
    "missing.test": HostBehavior(robots_status=404),
    "failing.test": HostBehavior(robots_status=500),
}


@pytest.fixture(scope="module")
def web() -> Iterator[TestWeb]:
    with TestWeb(hosts=list(BEHAVIOURS), pages_per_host=2, behaviors=BEHAVIOURS) as running:
        yield running


def robots(url: str, *options: str) -> Ended:
    return run_tenax("robots", url, "--resolve", "*:127.0.0.1", "--allow-private", *options)


def test_a_forbidden_url_names_the_line_and_is_no_error(web: TestWeb) -> None:
    ended = robots(web.url("rules.test", "/private/x"))
    assert ended.code == 0
    assert "→     6  Disallow: /private/" in ended.out
    assert ended.out.endswith("/private/x is forbidden by line 6, 'Disallow: /private/', for agent tenax.\n")


def test_an_allowed_url_says_that_no_rule_is_about_it(web: TestWeb) -> None:
    assert robots(web.url("rules.test", "/")).out.endswith("/ is allowed: no rule applies.\n")


def test_group_crawl_delay_and_sitemaps_are_shown(web: TestWeb) -> None:
    out = robots(web.url("rules.test", "/")).out
    assert "rules for tenax  the group for tenax" in out
    assert "Crawl-delay      1.5 s" in out
    assert "sitemap          http://rules.test/map.xml" in out


def test_the_file_is_shown_without_its_escapes(web: TestWeb) -> None:
    out = robots(web.url("rules.test", "/")).out
    assert "    1  # hello \\x1b[31m" in out
    assert "\x1b" not in out


def test_a_missing_file_allows_everything(web: TestWeb) -> None:
    ended = robots(web.url("missing.test", "/"))
    assert ended.code == 0
    assert "without a file everything may be fetched" in ended.out


def test_a_server_error_forbids_everything(web: TestWeb) -> None:
    ended = robots(web.url("failing.test", "/"))
    assert ended.code == 0
    assert "is forbidden: robots.txt answered 500, so nothing may be fetched." in ended.out


def test_no_answer_is_an_error(web: TestWeb) -> None:
    ended = robots("http://rules.test:1/")
    assert ended.code == 1
    assert "failed  connect:" in ended.out


def test_json_has_the_verdict_and_the_file(web: TestWeb) -> None:
    found = json.loads(robots(web.url("rules.test", "/private/x"), "--json").out)
    assert found["verdict"] == {
        "is_allowed": False,
        "line_number": 6,
        "rule": "Disallow: /private/",
        "agent": "tenax",
    }
    assert (found["crawl_delay_s"], found["sitemaps"]) == (1.5, ["http://rules.test/map.xml"])
    assert found["body"] == RULES
