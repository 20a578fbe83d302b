"""What `tenax crawl` says about parsers: how many items they made, and what went wrong with them."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command import Ended, run_tenax
from tests.support.scripted import Reply, ScriptedWeb, page

QUICK = ("--resolve", "*:127.0.0.1", "--allow-private", "--delay", "0", "--data", "crawl")
PARSERS = """
from tenax.items.parser import Parser


class Wood(Parser):
    name = "wood"
    version = "{version}"
    patterns = ("/p/*",)
    schema = {{"properties": {{"price": {{"type": "number"}}}}}}

    def parse(self, page):
        {body}


class Lists(Parser):
    name = "lists"
    patterns = ("/",)

    def parse(self, page):
        yield page.follow("/p/0", "sheet", {{}})


class Sheet(Parser):
    name = "sheet"
    patterns = None

    def parse(self, page):
        return {{"name": page.title}}
"""
NOTHING = "return [{'name': each.text()} for each in page.css('h7')]"
PRICES = """number = int(page.title)
        if number < 2:
            raise KeyError("price")
        return {"price": number if number < 5 else "dear"}"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TENAX_WORKER__PROCESSES", "1")
    monkeypatch.setenv("TENAX_PARSERS__FILES", json.dumps([str(tmp_path / "shop.py")]))
    use("wood", monkeypatch)
    return tmp_path


def use(names: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENAX_PARSERS__USE", json.dumps(names.split()))


@pytest.fixture
def web() -> Iterator[ScriptedWeb]:
    paths = [f"/p/{number}" for number in range(7)]
    pages: dict[str, Reply] = {"/": page("Home", *paths), **{path: page(path[3:]) for path in paths}}
    with ScriptedWeb({"a.test": pages}) as web:
        yield web


def crawl(web: ScriptedWeb, folder: Path, body: str, *options: str, version: str = "1") -> Ended:
    (folder / "shop.py").write_text(PARSERS.format(body=body, version=version))
    ended = run_tenax("crawl", web.url("a.test"), *QUICK, *options)
    assert (ended.code, ended.err) == (0, "" if "--json" not in options else ended.err)
    return ended


def read_lines(ended: Ended) -> dict[str, str]:
    """The lines of the report by their labels."""
    lines = (line.split(maxsplit=1) for line in ended.out.splitlines() if line.startswith("  "))
    return dict(lines)


def test_items_that_break_their_schema_and_errors_are_counted(web: ScriptedWeb, folder: Path) -> None:
    ended = crawl(web, folder, PRICES)
    assert ": 8 pages, 3 items, 2 invalid items, 2 parser errors, 9 requests, " in ended.out
    lines = read_lines(ended)
    assert "items" not in lines
    assert lines["next"] == (
        "tenax status --data crawl, or items, items invalid, errors, explain URL, domains, export items"
    )


def test_a_parser_that_makes_no_item_is_named(web: ScriptedWeb, folder: Path) -> None:
    lines = read_lines(crawl(web, folder, NOTHING))
    assert lines["items"] == "the parser wood made no item of 7 pages"
    assert lines["next"] == "tenax status --data crawl, or explain URL, domains, export pages"


def test_a_parser_that_only_follows_is_not(
    web: ScriptedWeb, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use("lists sheet", monkeypatch)
    ended = crawl(web, folder, NOTHING)
    assert ": 8 pages, 1 item, " in ended.out
    assert "items" not in read_lines(ended)


def test_a_program_gets_the_counts_of_each_parser(web: ScriptedWeb, folder: Path) -> None:
    report = json.loads(crawl(web, folder, PRICES, "--json").out)
    assert (report["items"], report["invalid_items"], report["parser_errors"]) == (3, 2, 2)
    assert report["parsers"]["wood"] == {
        "pages": 7,
        "items": 3,
        "invalid": 2,
        "empty": 0,
        "errors": 2,
        "confidence_sum": 0.0,
        "rated": 0,
    }


def test_work_that_is_left_does_not_hide_the_lists(web: ScriptedWeb, folder: Path) -> None:
    lines = read_lines(crawl(web, folder, "return {'price': 'dear'}", "--max-pages", "5"))
    assert lines["next"] == "run the same command to continue; tenax items invalid --data crawl"


def test_status_and_doctor_say_what_went_wrong(web: ScriptedWeb, folder: Path) -> None:
    crawl(web, folder, PRICES)
    status = run_tenax("status", "--data", "crawl").out
    assert "  parsers   3 items, 2 invalid items, 2 parser errors in the last day\n" in status
    assert status.endswith(
        "Everything known is done: see 'tenax items', 'tenax items invalid', 'tenax errors'.\n"
    )
    sentence, advice = run_tenax("doctor", "--data", "crawl").out.splitlines()
    assert sentence.startswith(
        "Run 1 is over, and every known url is done, with 2 invalid items and 2 parser errors in the last"
        " day."
    )
    assert advice.startswith("What to do: See 'tenax items invalid' and 'tenax errors'. ")


def test_status_and_doctor_name_a_parser_that_makes_no_item(web: ScriptedWeb, folder: Path) -> None:
    crawl(web, folder, NOTHING)
    status = run_tenax("status", "--data", "crawl").out
    assert "  parsers   the parser wood made no item of 7 pages\n" in status
    sentence, advice = run_tenax("doctor", "--data", "crawl").out.splitlines()
    assert sentence == "The parser wood made no item of 7 pages in the last day."
    assert advice.startswith("What to do: 'tenax parse URL' shows what a parser finds on a page.")


def test_a_run_with_nothing_to_do_says_that_a_parser_has_changed(web: ScriptedWeb, folder: Path) -> None:
    crawl(web, folder, NOTHING)
    assert "items" not in read_lines(crawl(web, folder, NOTHING))
    lines = read_lines(crawl(web, folder, "return {'name': page.title}", version="2"))
    assert lines["items"] == (
        "the parser wood is new or changed since the stored pages were visited;"
        " the same command with --recrawl all visits them again"
    )


def test_a_run_with_nothing_to_do_says_that_its_parsers_are_new(
    web: ScriptedWeb, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use("", monkeypatch)
    crawl(web, folder, NOTHING)
    use("wood lists", monkeypatch)
    said = read_lines(crawl(web, folder, NOTHING))["items"]
    assert said.startswith("the parsers wood and lists are new or changed since")
