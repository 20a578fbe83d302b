"""A candidate beside a current parser: compared on real pages, never kept, promoted in its source."""

import json
from pathlib import Path

import orjson

from tests.flow.conftest import MakeCrawler
from tests.support.command import run_tenax
from tests.support.crawler import query
from tests.support.web import TestWeb

CURRENT = {"name": "page", "version": "1", "fields": {"title": "title", "kind": {"css": "title"}}}
CANDIDATE = {"name": "page", "version": "2", "fields": {"title": "title", "heading": "h1"}}


def test_a_candidate_is_compared_and_its_items_are_not_kept(make_crawler: MakeCrawler) -> None:
    candidates = [{"parser": "page", "share": 1, "definition": CANDIDATE}]
    with TestWeb(hosts=1, pages_per_host=6) as web:
        crawler = make_crawler(web, "--delay", "0")
        ended = crawler.run(
            TENAX_PARSERS__DEFINITIONS=orjson.dumps([CURRENT]).decode(),
            TENAX_PARSERS__CANDIDATES=orjson.dumps(candidates).decode(),
        )
        assert ended.code == 0, ended.stderr
        pages = len(web.expected_urls())
    assert query(crawler.data, "SELECT count(*) FROM items WHERE parser_version = '1'") == [(pages,)]
    assert query(crawler.data, "SELECT count(*) FROM items") == [(pages,)]
    assert query(crawler.data, "SELECT DISTINCT parser FROM parser_stats") == [("page",)]
    found = json.loads(run_tenax("parsers", "compare", "page", "--json", "--data", crawler.data).out)
    assert (found["version"], found["candidate"]) == ("1", "2")
    assert (found["pages_same"], found["pages_different"], found["pages_failed"]) == (0, pages, 0)
    fields = {each["field"]: each for each in found["fields"]}
    assert fields["title"]["same"] == pages
    assert (fields["kind"]["only_current"], fields["heading"]["only_candidate"]) == (pages, pages)
    assert fields["heading"]["example_url"].startswith("http")
    shown = run_tenax("parsers", "compare", "page", "--data", crawler.data).out
    assert f"page 1 and its candidate 2 on {pages} pages: 0 alike, {pages} different, 0 failed." in shown


def test_a_parser_without_trials_says_so(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=1, pages_per_host=2) as web:
        crawler = make_crawler(web, "--delay", "0")
        crawler.run()
    ended = run_tenax("parsers", "compare", "page", "--data", crawler.data)
    assert ended.code == 1
    assert "'tenax retry --kind KIND' queues them" in ended.err


SOURCE = """\
- name: Shop
  seeds: [https://shop.example/]
  parsers: [{name: page, version: '1', fields: {title: title}}]
  candidates: [{name: page, version: '2', share: 0.5, fields: {title: h1}}]
"""


def test_a_candidate_is_promoted_once(tmp_path: Path) -> None:
    file, data = tmp_path / "sources.yaml", tmp_path / "crawl"
    file.write_text(SOURCE)
    assert run_tenax("apply", "-f", file, "--data", data).code == 0
    promoted = run_tenax("parsers", "promote", "page", "--data", data)
    assert promoted.out == (
        "The candidate is now the parser page of Shop, from its next run on.\n"
        "A file that you apply still has the old one: 'tenax sources export' writes the new definition.\n"
        "Shop has no schedule: 'tenax jobs create Shop' runs it once.\n"
    )
    shown = run_tenax("sources", "export", "--data", data).out
    assert "candidates" not in shown
    assert "version: '2'" in shown
    again = run_tenax("parsers", "promote", "page", "--data", data)
    assert (again.code, again.err.strip()) == (2, "tenax: No source has a candidate for a parser page.")
