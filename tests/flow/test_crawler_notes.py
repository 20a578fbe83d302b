"""What a program that crawls is told at the end of a run: what went wrong with its items."""

import logging
from pathlib import Path
from typing import Any

import pytest

import tenax
from tests.support.programs import LOCAL, RunningProgram
from tests.support.scripted import ScriptedWeb, page

PATHS = [f"/p/{number}" for number in range(7)]
SITE = {"/": page("Home", *PATHS), **{path: page(path[3:]) for path in PATHS}}
SCRIPT = """
import tenax

crawler = tenax.Crawler(SEED, data="shop.crawl", delay=0, workers=1)

@crawler.page("/p/*")
def product(page):
    if page.title in "01":
        raise KeyError("price")
    yield {"title": page.title}

for item in crawler.run():
    pass
"""


@pytest.fixture(autouse=True)
def local(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in LOCAL.items():
        monkeypatch.setenv(name, value)


def run(data: Path, handle: Any, schema: Any = None) -> tenax.FinishedRun:
    with ScriptedWeb({"a.test": SITE}) as web:
        crawler = tenax.Crawler(web.url("a.test"), data=data, delay=0, workers=1)
        crawler.page("/p/*", name="product", version="1", schema=schema)(handle)
        list(crawler.run())
    assert crawler.result is not None
    return crawler.result


def test_a_program_whose_handler_raises_gets_one_line(tmp_path: Path) -> None:
    with ScriptedWeb({"a.test": SITE}) as web:
        program = RunningProgram(tmp_path, SCRIPT.replace("SEED", repr(web.url("a.test"))))
        assert program.wait() == 0, program.stderr
    assert program.stderr == (
        "2 of 7 pages failed in the handler product; the last: KeyError: 'price'"
        f" (tenax errors --data {tmp_path / 'shop.crawl'})\n"
    ).replace(str(tmp_path) + "/", "")


def test_the_line_is_that_of_a_logger(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def handle(page: tenax.Page) -> dict[str, Any]:
        return {"price": int(page.title or "") or "dear"}

    with caplog.at_level(logging.WARNING, "tenax.crawler"):
        result = run(tmp_path, handle, {"properties": {"price": {"type": "number"}}})
    assert (result.pages, result.items, result.invalid, result.errors) == (8, 6, 1, 0)
    assert caplog.messages == [
        f"1 of 7 items of the handler product breaks its schema (tenax items invalid --data {tmp_path})"
    ]


def test_a_handler_that_makes_no_item_is_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    result = run(tmp_path, lambda page: None)
    assert (result.pages, result.items) == (8, 0)
    assert caplog.messages == ["The handler product made no item of 7 pages"]


def test_a_run_without_trouble_says_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    result = run(tmp_path, lambda page: {"title": page.title})
    assert (result.items, result.invalid, result.errors) == (7, 0, 0)
    assert caplog.messages == []


def test_a_changed_handler_is_told_with_the_way_to_use_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with ScriptedWeb({"a.test": SITE}) as web:
        for version in ("1", "2"):
            crawler = tenax.Crawler(web.url("a.test"), data=tmp_path, delay=0, workers=1)
            crawler.page("/p/*", name="product", version=version)(lambda page: {"title": page.title})
            list(crawler.run())
    assert caplog.messages == [
        "The handler product is new or changed since the stored pages were visited:"
        ' run(recrawl="all") visits them again'
    ]


def test_a_second_run_says_why_it_yields_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with ScriptedWeb({"a.test": SITE}) as web:
        crawler = tenax.Crawler(web.url("a.test"), data=tmp_path, delay=0, workers=1)
        crawler.page("/p/*", name="product", version="1")(lambda page: {"title": page.title})
        for recrawl in ("new", "due", "all"):
            list(crawler.run(recrawl=recrawl))
        assert caplog.messages == []
        assert list(crawler.run()) == []
    assert caplog.messages == [
        'All known pages were visited before, and none is new: run(recrawl="all") visits them again,'
        " items() has their items"
    ]


def test_a_run_that_yields_earlier_changes_says_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with ScriptedWeb({"a.test": SITE}) as web:
        crawler = tenax.Crawler(web.url("a.test"), data=tmp_path, delay=0, workers=1)
        crawler.page("/p/*", name="product", version="1")(lambda page: {"title": page.title})
        told = list(crawler.run())
        assert [item.key for item in crawler.run(after=told[2].cursor)] == [item.key for item in told[3:]]
    assert caplog.messages == []


def test_a_refused_address_is_told_with_the_way_to_allow_it(tmp_path: Path) -> None:
    crawler = tenax.Crawler(
        "http://127.0.0.1:9/", data=tmp_path, settings={"fetch": {"allow_private": False}}
    )
    crawler.page("/p/*", name="product", version="1")(lambda page: None)
    with pytest.raises(tenax.CrawlError, match=r"settings=\{'fetch': \{'allow_private': True\}\}"):
        list(crawler.run())


def test_a_host_that_does_not_answer_is_named(tmp_path: Path) -> None:
    crawler = tenax.Crawler("http://127.0.0.1:9/", data=tmp_path)
    crawler.page("/p/*", name="product", version="1")(lambda page: None)
    with pytest.raises(tenax.CrawlError, match=r"fetched: 127\.0\.0\.1:9: the connection was refused"):
        list(crawler.run())
