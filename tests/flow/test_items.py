"""Crawls with parsers: items are settled with the pages that show them, whatever dies when."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson
import psutil  # type: ignore[import-untyped]
import pytest

from tenax.failpoints import EXIT_CODE
from tests.flow.conftest import MakeCrawler
from tests.support.crawler import assert_complete, query, wait_until
from tests.support.running import pass_time
from tests.support.site import HostBehavior
from tests.support.web import TestWeb

PARSERS = """
from tenax.items.parser import Item, Parser


class Page(Parser):
    name = "page"
    version = "{version}"

    def parse(self, page):
        yield {{"title": page.title, "v": self.version}}
        for link in page.links:
            if link.tag == "a" and "/p/" in link.url:
                yield page.follow(link.url, "detail", {{"word": "followed"}})


class Detail(Parser):
    name = "detail"
    patterns = None

    def parse(self, page):
        {trouble}
        return Item({{"title": page.title, "word": page.data["word"]}}, key="detail of " + page.url)
"""
QUICK = ("--delay", "0")
DAYS_S = 10 * 86_400.0
SMALL = {"TENAX_WORKER__BATCH_PAGES": "4", "TENAX_WORKER__CONCURRENCY": "2"}


def use_parsers(folder: Path, version: str = "1", trouble: str = "pass") -> Mapping[str, str]:
    file = folder / "site_parsers.py"
    file.write_text(PARSERS.format(version=version, trouble=trouble))
    return {
        "TENAX_PARSERS__FILES": orjson.dumps([str(file)]).decode(),
        "TENAX_PARSERS__USE": '["page", "detail"]',
        "TENAX_PARSERS__TIMEOUT_S": "5",
    }


def read_items(where: Any, kind: str) -> dict[str, dict[str, Any]]:
    """Data of the items that are there, by key."""
    rows = query(where, f"SELECT key, data FROM items WHERE kind = '{kind}' AND gone_at IS NULL")
    assert len(rows) == len({key for key, _ in rows})
    return {key: orjson.loads(data) for key, data in rows}


def assert_items_are_whole(where: Any, web: TestWeb, version: str = "1") -> None:
    """Each page has its items, exactly once, with a true history."""
    pages = {url: web.expected_page(url) for url in web.expected_urls()}
    expected = {url: {"title": page.title, "v": version} for url, page in pages.items()}
    assert read_items(where, "page") == expected
    followed = {link.url for page in pages.values() for link in page.links if "/p/" in link.url}
    assert read_items(where, "detail") == {
        f"detail of {url}": {"title": pages[url].title, "word": "followed"}
        for url in followed
        if url in pages
    }
    assert query(where, "SELECT count(*) FROM item_changes WHERE kind = 'new'") == query(
        where, "SELECT count(*) FROM items"
    )
    assert query(where, "SELECT count(*) FROM errors") == [(0,)]


def test_items_are_there_and_counted(make_crawler: MakeCrawler, tmp_path: Path) -> None:
    with TestWeb(hosts=2, pages_per_host=12) as web:
        crawler = make_crawler(web, *QUICK)
        ended = crawler.run(**use_parsers(tmp_path))
        assert ended.code == 0, ended.stderr
        assert_complete(crawler.data, web)
        assert_items_are_whole(crawler.data, web)
        assert ended.report["items"] == sum(
            number for (number,) in query(crawler.data, "SELECT items FROM runs")
        )


def test_items_are_there_in_postgresql_with_two_workers(
    make_crawler: MakeCrawler, tmp_path: Path, url: str
) -> None:
    with TestWeb(hosts=4, pages_per_host=8) as web:
        crawler = make_crawler(web, *QUICK, "--store", url, workers=2)
        ended = crawler.run(**use_parsers(tmp_path))
        assert ended.code == 0, ended.stderr
        assert_items_are_whole(url, web)


STEPS = ("claim", "fetch", "settle", "release")  # each commit has a test of its own
POINTS = [f"{step}.{side}:2" for step in STEPS for side in ("before", "after")]
# Hosts of different speed are done, and released, one after the other.
SPEEDS = {f"h{number}.test": HostBehavior(delay_s=0.03 * number) for number in range(3)}


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """Of a crawl: its directory, or its database."""
    return tmp_path / "data" if request.param == "sqlite" else request.getfixturevalue("url")


def place_of(where: Any) -> tuple[str, ...]:
    return () if isinstance(where, Path) else ("--store", where)


@pytest.mark.parametrize("point", POINTS)
def test_death_at_a_point_loses_and_repeats_no_item(
    make_crawler: MakeCrawler, tmp_path: Path, where: Any, point: str
) -> None:
    with TestWeb(hosts=3, pages_per_host=8, behaviors=SPEEDS) as web:
        crawler, parsers = make_crawler(web, *QUICK, *place_of(where)), use_parsers(tmp_path)
        assert crawler.run(**SMALL, **parsers, TENAX_FAILPOINT=point).code == EXIT_CODE
        assert crawler.run(**SMALL, **parsers).code == 0
        assert_items_are_whole(where, web)


@pytest.mark.parametrize("side", ["before", "after"])
def test_death_at_every_commit_loses_and_repeats_no_item(
    make_crawler: MakeCrawler, tmp_path: Path, where: Any, side: str
) -> None:
    with TestWeb(hosts=2, pages_per_host=4) as web:
        crawler, parsers = make_crawler(web, *QUICK, *place_of(where)), use_parsers(tmp_path)
        for commit in range(1, 40):
            ended = crawler.run(**SMALL, **parsers, TENAX_FAILPOINT=f"commit.{side}:{commit}")
            if ended.code != EXIT_CODE:
                break
        assert ended.code == 0
        assert commit > 6
        assert_items_are_whole(where, web)


@pytest.mark.parametrize("point", ["read", "reader.answer", "reader.parse", "reader.parsed"])
def test_death_of_a_reader_costs_at_most_the_items_of_the_page(
    make_crawler: MakeCrawler, tmp_path: Path, where: Any, point: str
) -> None:
    with TestWeb(hosts=1, pages_per_host=8) as web:
        crawler = make_crawler(web, *QUICK, *place_of(where))
        once = f"{point}@/p/3.html~{tmp_path / 'died'}"
        ended = crawler.run(**use_parsers(tmp_path), TENAX_FAILPOINT=once)
        assert ended.code == 0, ended.stderr
        assert (tmp_path / "died").exists()
        assert_complete(where, web)
        lost = point in ("reader.parse", "reader.parsed")
        errors = query(where, "SELECT category, parser, message FROM errors")
        assert errors == ([("handler", "page", DIED)] if lost else [])
        assert len(read_items(where, "page")) == (7 if lost else 8)
        assert len(read_items(where, "detail")) >= 6


DIED = f"It ended the process that ran it, which ended with exit code {EXIT_CODE}."


def test_a_new_version_of_a_parser_sees_pages_that_have_not_changed(
    make_crawler: MakeCrawler, tmp_path: Path
) -> None:
    with TestWeb(hosts=1, pages_per_host=6, behaviors={"h0.test": HostBehavior(has_validators=True)}) as web:
        crawler = make_crawler(web, *QUICK)
        assert crawler.run(**use_parsers(tmp_path)).code == 0
        refresh = make_crawler(web, *QUICK, seeds=[], command="refresh")
        pass_time(crawler.data, DAYS_S)
        same = refresh.run(**use_parsers(tmp_path))
        assert same.report["changes"] == {"unchanged": 6}
        assert same.report["statuses"]["304"] == 6
        pass_time(crawler.data, DAYS_S)
        newer = refresh.run(**use_parsers(tmp_path, version="2"))
        assert "304" not in newer.report["statuses"]
        assert {data["v"] for data in read_items(crawler.data, "page").values()} == {"2"}


def test_a_parser_that_raises_costs_its_items_and_nothing_else(
    make_crawler: MakeCrawler, tmp_path: Path
) -> None:
    with TestWeb(hosts=1, pages_per_host=6) as web:
        crawler = make_crawler(web, *QUICK)
        ended = crawler.run(**use_parsers(tmp_path, trouble='raise KeyError("price")'))
        assert ended.code == 0, ended.stderr
        assert_complete(crawler.data, web)
        assert len(read_items(crawler.data, "page")) == 6
        assert read_items(crawler.data, "detail") == {}
        (group,) = query(crawler.data, "SELECT category, type, message, parser, count FROM error_groups")
        assert group == ("handler", "KeyError", "'price'", "detail", ended.report["parser_errors"])
        ((stack,),) = query(crawler.data, "SELECT DISTINCT stack FROM errors")
        assert 'raise KeyError("price")' in stack


def test_a_follow_up_out_of_scope_is_refused_and_said(make_crawler: MakeCrawler, tmp_path: Path) -> None:
    file = tmp_path / "outside.py"
    file.write_text(
        "from tenax.items.parser import Parser\n"
        "class Outside(Parser):\n"
        "    name = 'outside'\n"
        "    def parse(self, page):\n"
        "        yield {'a': 1}\n"
        "        yield page.follow('http://elsewhere.test/', self)\n"
        "        yield page.follow('javascript:x', self)\n"
        "        yield page.follow('/', 'nobody')\n"
    )
    with TestWeb(hosts=1, pages_per_host=1) as web:
        crawler = make_crawler(web, *QUICK)
        parsers = {"TENAX_PARSERS__FILES": f'["{file}"]', "TENAX_PARSERS__USE": '["outside"]'}
        assert crawler.run(**parsers).code == 0
        assert len(read_items(crawler.data, "outside")) == 1
        messages = [said for (said,) in query(crawler.data, "SELECT message FROM errors ORDER BY id")]
        assert len(messages) == 3
        assert messages[0].startswith("The follow-up to 'http://elsewhere.test/' was refused: ")
        assert messages[1] == (
            "The follow-up to 'javascript:x' was refused: it is not the address of a page on the web."
        )
        assert messages[2].endswith("was refused: there is no parser of that name in this run.")


@pytest.mark.parametrize("workers", [1, 2])
def test_a_worker_that_lacks_a_parser_refuses_in_one_sentence(
    make_crawler: MakeCrawler, workers: int
) -> None:
    with TestWeb(hosts=1, pages_per_host=2) as web:
        crawler = make_crawler(web, *QUICK, workers=workers)
        ended = crawler.run(TENAX_PARSERS__USE='["missing"]')
        assert ended.code == 2
        assert "missing" in ended.stderr
        assert "Traceback" not in ended.stderr
        assert web.requests() == []


def test_the_death_of_the_parser_host_replaces_the_worker(make_crawler: MakeCrawler, tmp_path: Path) -> None:
    slow = {"h0.test": HostBehavior(delay_s=0.1)}
    with TestWeb(hosts=1, pages_per_host=20, behaviors=slow) as web:
        crawler, parsers = make_crawler(web, *QUICK, workers=2), use_parsers(tmp_path)
        process = crawler.start(**parsers)
        wait_until(lambda: len(web.requests()) > 3, "it crawls")
        (worker,) = process.list_workers()
        (host,) = psutil.Process(worker).children()
        host.kill()
        ended = process.wait()
        assert ended.code == 0, ended.stderr
        assert "starting a replacement" in ended.stderr
        assert_items_are_whole(crawler.data, web)


def test_without_parsers_no_process_is_started(make_crawler: MakeCrawler) -> None:
    slow = {"h0.test": HostBehavior(delay_s=0.2)}
    with TestWeb(hosts=1, pages_per_host=4, behaviors=slow) as web:
        process = make_crawler(web, *QUICK).start()
        wait_until(lambda: len(web.requests()) > 3, "it crawls")
        assert process.list_workers() == []
        assert process.wait().code == 0
