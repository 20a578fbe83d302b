"""The programs of docs/extract-your-data.md and docs/coming-from-scrapy.md do what the pages say."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import tenax
from tests.support.crawler import DEADLINE_S, query
from tests.support.programs import LOCAL
from tests.support.scripted import HTML, Reply, ScriptedWeb, page

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "extract-your-data.md").read_text()
PROGRAMS = dict(re.findall(r"```python\n# (\w+\.py)\n(.*?)```", GUIDE, re.DOTALL))


def html(title: str, body: str) -> Reply:
    words = f"<p>{f'This page is about {title} and nothing else. ' * 6}</p>"
    document = f"<!doctype html><title>{title}</title>{words}{body}"
    return Reply(body=document.encode(), headers={"Content-Type": HTML})


LAMPS = {
    "/": page("Home", "/products/1", "/products/2"),
    "/products/1": html("Oak lamp", "<b class=price>€ 40</b><i class=sku>OAK</i>"),
    "/products/2": html("Pine lamp", "<b class=price>€ 25</b><i class=sku>PINE</i>"),
}
QUOTE = '<div class=quote><i class=author>Ada</i><a href="/author/ada">about</a></div>'
QUOTES = {"/": html("Quotes", QUOTE), "/author/ada": html("Ada", "<span class=born>1815</span>")}


@pytest.fixture(autouse=True)
def local(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {**LOCAL, "TENAX_POLITENESS__DELAY_S": "0"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def web() -> Iterator[ScriptedWeb]:
    with ScriptedWeb({"shop.example": LAMPS, "quotes.example": QUOTES}) as web:
        yield web


NOTHING_NEW = (
    'All known pages were visited before, and none is new: run(recrawl="all") visits them again, items() has'
    " their items\n"
)


def write(name: str, web: ScriptedWeb, text: str | None = None) -> None:
    """A program of the guide, for the hosts of the test."""
    text = PROGRAMS[name] if text is None else text
    for host in web.hosts:
        text = text.replace(f"https://{host}/", web.url(host))
    Path(name).write_text(text)


def run(name: str, web: ScriptedWeb, note: str = "") -> list[str]:
    """What it prints, with the addresses of the guide; `note`: what its crawler tells of the run."""
    command = [sys.executable, name]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE_S, check=False)
    assert (ended.returncode, ended.stderr) == (0, note)
    said = ended.stdout
    for host in web.hosts:
        said = said.replace(web.url(host), f"https://{host}/")
    return sorted(said.splitlines())


def test_the_first_item(web: ScriptedWeb) -> None:
    write("shop.py", web)
    shown = re.search(r"\$ python shop.py\n(( {4}product .*\n)+)", GUIDE)
    assert shown is not None
    assert run("shop.py", web) == [line.strip() for line in shown[1].splitlines()]
    assert Path("shop.crawl").is_dir()


EXPECTED = {
    "keys.py": ["lamp OAK Oak lamp", "lamp PINE Pine lamp"],
    "quotes.py": ["Ada 1815"],
    "cursor.py": ["told Oak lamp", "told Pine lamp"],
    "in_a_coroutine.py": ["Oak lamp", "Pine lamp"],
}


@pytest.mark.parametrize("name", EXPECTED)
def test_a_program_of_the_guide(name: str, web: ScriptedWeb) -> None:
    write(name, web)
    assert run(name, web) == EXPECTED[name]


def test_an_item_that_breaks_its_schema_is_kept_apart(web: ScriptedWeb) -> None:
    web.hosts["shop.example"]["/products/2"] = html("Free lamp", "<b class=price>€ 0</b>")
    write("checked.py", web)
    note = "1 of 2 items of the handler product breaks its schema (tenax items invalid --data checked.crawl)"
    assert run("checked.py", web, note=f"{note}\n") == ["Oak lamp 40.0"]
    assert query(Path("checked.crawl"), "SELECT faults FROM invalid_items") != []


def test_a_reader_with_a_cursor_is_told_nothing_twice(web: ScriptedWeb) -> None:
    write("cursor.py", web)
    assert run("cursor.py", web)
    assert run("cursor.py", web, note=NOTHING_NEW) == []


def test_a_handler_is_tested_without_a_crawl(web: ScriptedWeb) -> None:
    write("shop.py", web, PROGRAMS["shop.py"].replace("for item in crawler.run():", "for item in ():"))
    write("test_product.py", web)
    assert run("test_product.py", web) == []


def test_the_spider_that_comes_from_scrapy(web: ScriptedWeb) -> None:
    page = (ROOT / "docs" / "coming-from-scrapy.md").read_text()
    programs = dict(re.findall(r"```python\n# (\S+)\n(.*?)```", page, re.DOTALL))
    compile(programs["scrapy"], "scrapy", "exec")
    quote = QUOTE.replace("<a ", "<b class=text>Words</b><a ")
    web.hosts["quotes.example"] |= {
        "/": html("Quotes", f'{quote}<a class=next href="/page/2">next</a>'),
        "/page/2": html("More", quote),
    }
    write("quotes.py", web, programs["quotes.py"].replace("delay=1, ", ""))
    assert run("quotes.py", web) == [
        "author https://quotes.example/author/ada: born='1815', name='Ada'",
        "quote https://quotes.example/: author='Ada', text='Words'",
        "quote https://quotes.example/page/2: author='Ada', text='Words'",
    ]


def test_every_program_of_the_guide_is_tested() -> None:
    assert set(PROGRAMS) == {"shop.py", "checked.py", "test_product.py", *EXPECTED}


def test_the_contract_names_what_there_is() -> None:
    stable = GUIDE[GUIDE.index("## What is stable") :]
    names = {name for name in dir(tenax) if name[0].isupper() and name != "API_VERSION"} | {"parse_page"}
    assert [name for name in names if name not in stable] == []
    assert f"`tenax.API_VERSION` is {tenax.API_VERSION}." in stable


def test_the_program_of_the_readme(web: ScriptedWeb) -> None:
    (text,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    write("readme.py", web, text)
    assert len(run("readme.py", web)) == 2
