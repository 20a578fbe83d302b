"""The crawler of a script: found without running it, or refused in one sentence."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenax.crawler.apps import load_app
from tenax.errors import UsageError

MAKE = "import tenax\ncrawler = tenax.Crawler('https://shop.example/')\n@crawler.page()\ndef p(page): ...\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if name.startswith(("shop", "aside")):
            del sys.modules[name]


def write(text: str, name: str = "shop.py") -> str:
    Path(name).write_text(text)
    return name


@pytest.mark.parametrize("app", ["shop.py", "shop", "shop:crawler", "shop.py:crawler"])
def test_a_crawler_is_found_by_file_module_and_name(app: str) -> None:
    write(MAKE)
    assert [parser.name for parser in load_app(app).parsers] == ["p"]


def test_the_crawl_of_a_script_has_the_same_directory_however_it_is_started() -> None:
    write(MAKE)
    assert load_app("shop").plan({}).place.folder == Path("shop.crawl")


@pytest.mark.parametrize(
    "loop",
    [
        "for item in crawler.run(): print(item)",
        "try:\n    list(crawler.run())\nexcept Exception: pass",
        "import asyncio\nasync def main():\n    async for item in crawler: ...\nasyncio.run(main())",
    ],
)
def test_a_script_is_executed_until_it_would_crawl(loop: str) -> None:
    app = write(f"{MAKE}{loop}\nraise SystemExit('too far')\n")
    assert load_app(app).parsers


def test_what_is_guarded_does_not_run() -> None:
    app = write(f"{MAKE}if __name__ == '__main__':\n    raise SystemExit('too far')\n")
    assert load_app(app).parsers


def test_a_script_can_import_what_lies_beside_it() -> None:
    Path("scripts").mkdir()
    write(MAKE, "scripts/aside.py")
    assert load_app(write("from aside import crawler", "scripts/shop.py")).parsers


def test_one_crawler_with_two_names_is_one() -> None:
    assert load_app(write(f"{MAKE}again = crawler\n")).parsers


NO_MODULE = "give one, or a file, as in --app shop.py."
NO_CRAWLER = "make one, as in crawler = tenax.Crawler('https://example.com/')."
NO_ADDRESS = "is not a web address; write it like https://example.com/."


@pytest.mark.parametrize(
    ("text", "app", "sentence"),
    [
        (MAKE, "other.py", "There is no file other.py."),
        (MAKE, "other:crawler", f"There is no module 'other': {NO_MODULE}"),
        (MAKE, "other.part", f"There is no module 'other.part': {NO_MODULE}"),
        (
            MAKE,
            "wood.yaml",
            "wood.yaml is no Python script. If it holds a parser without code, name the file in the setting"
            " parsers.files and the parser in parsers.use, and start the crawl by 'tenax crawl'.",
        ),
        (MAKE, "", f"There is no module '': {NO_MODULE}"),
        (MAKE, "shop:bot", "There is no crawler bot in shop: there is crawler."),
        ("x = 1", "shop:bot", "There is no crawler bot in shop."),
        ("x = 1", "shop.py", f"There is no crawler in shop.py: {NO_CRAWLER}"),
        (
            f"{MAKE}other = tenax.Crawler('https://b.example/')",
            "shop.py",
            "There are several crawlers in shop.py, crawler, other: choose one, as in --app shop.py:crawler.",
        ),
    ],
)
def test_a_crawler_that_is_not_found_is_told_in_one_sentence(text: str, app: str, sentence: str) -> None:
    write(text)
    with pytest.raises(UsageError) as caught:
        load_app(app)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("a = 1\nb = a / 0\n", "line 2 of shop.py: ZeroDivisionError: division by zero."),
        ("a = (1\n", "line 1: '(' was never closed."),
        ("import tenax\ntenax.Crawler('a b')", f"line 2 of shop.py: 'a b' {NO_ADDRESS}"),
        ("raise SystemExit(3)", "line 1 of shop.py: SystemExit: 3."),
        ("import nosuch", "line 1 of shop.py: ModuleNotFoundError: No module named 'nosuch'."),
    ],
)
def test_an_exception_in_the_script_is_told_with_its_line(text: str, cause: str) -> None:
    write(text)
    with pytest.raises(UsageError) as caught:
        load_app("shop.py")
    assert str(caught.value) == f"shop.py cannot be loaded: {cause}"
