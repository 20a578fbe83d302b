"""The programs of examples/, run as their users run them, against a local web."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.support.crawler import DEADLINE_S, query
from tests.support.programs import LOCAL
from tests.support.scripted import HTML, Reply, ScriptedWeb, page, text
from tests.support.webhooks import run_receiver

EXAMPLES = Path("examples").absolute()
PROGRAMS = sorted(path.name for path in EXAMPLES.glob("*.py"))


@pytest.fixture(autouse=True)
def local(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {**LOCAL, "TENAX_POLITENESS__DELAY_S": "0"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def web() -> Iterator[ScriptedWeb]:
    with ScriptedWeb({"site.test": {"/robots.txt": text("")}}) as web:
        yield web


def run(program: str, *arguments: str, note: str = "") -> list[str]:
    """The lines that it prints. `note`: what it says about its handlers."""
    command = [sys.executable, str(EXAMPLES / program), *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE_S, check=False)
    assert (ended.returncode, ended.stderr) == (0, note)
    return ended.stdout.splitlines()


def html(title: str, body: str, head: str = "") -> Reply:
    words = f"<p>{f'This page is about {title} and nothing else. ' * 6}</p>"
    document = f"<!doctype html><title>{title}</title>{head}{words}{body}"
    return Reply(body=document.encode(), headers={"Content-Type": HTML})


def quotes(*authors: str, more: str = "") -> str:
    blocks = [
        f"<div class=quote><span class=text>Words of {name} {number}</span>"
        f'<small class=author>{name}</small><a href="/author/{name}">about</a></div>'
        for number, name in enumerate(authors)
    ]
    return "".join(blocks) + more


def test_quotes(web: ScriptedWeb) -> None:
    web.hosts["site.test"] |= {
        "/": html(
            "Quotes", quotes("ada", "bob", more='<a href="/page/2">next</a><a href="/login">login</a>')
        ),
        "/page/2": html("More quotes", quotes("ada")),
        "/author/ada": html("About ada", "<span class=born>1815</span>"),
        "/author/bob": html("About bob", "<span class=born>1935</span>"),
    }
    lines = run("quotes.py", web.url("site.test"))
    assert "author ada: born='1815', name='ada'" in lines
    assert len([line for line in lines if line.startswith("author ")]) == 2
    assert len([line for line in lines if line.startswith("quote ")]) == 3
    assert "/login" not in web.paths("site.test")
    note = (
        'All known pages were visited before, and none is new: run(recrawl="all") visits them again, items()'
    )
    assert run("quotes.py", web.url("site.test"), note=f"{note} has their items\n") == []


def product(sku: str, price: str, note: str = "") -> Reply:
    return html(f"Lamp {sku}", f"<h1>Lamp {sku}</h1><i class=sku>{sku}</i><b class=price>{price}</b>{note}")


def test_shop(web: ScriptedWeb) -> None:
    home = page("Home", "/products/1", "/products/2", "/products/3", "/products/again", "/cart")
    web.hosts["site.test"] |= {
        "/": home,
        "/products/1": product("L-1", "€ 10.50"),
        "/products/2": product("L-2", "€ 20", "<p class=sold-out>Sold out</p>"),
        "/products/3": product("L-3", "€ 0"),  # breaks the schema
        "/products/again": product("L-1", "€ 10.50"),
    }
    note = "1 of 4 items of the handler product breaks its schema (tenax items invalid --data shop.crawl)\n"
    lines = run("shop.py", web.url("site.test"), note=note)
    assert sorted(lines) == [
        "product L-1: in_stock=True, name='Lamp L-1', price=10.5, sku='L-1'",
        "product L-2: in_stock=False, name='Lamp L-2', price=20.0, sku='L-2'",
    ]
    assert query(Path("shop.crawl"), "SELECT key FROM invalid_items") == [("L-3",)]
    web.hosts["site.test"]["/products/2"] = product("L-2", "€ 18")
    assert "Lamp L-2: 20.0 -> 18.0" in run("shop.py", web.url("site.test"), note=note)


def article(headline: str, *hrefs: str) -> Reply:
    data = json.dumps({"@type": "NewsArticle", "headline": headline, "datePublished": "2026-01-02"})
    links = "".join(f'<a href="{href}">more</a>' for href in hrefs)
    return html(headline, links, f'<script type="application/ld+json">{data}</script>')


def test_news_to_parquet(web: ScriptedWeb) -> None:
    web.hosts["site.test"] |= {
        "/": page("Home", "/a", "/b"),
        "/a": article("Bridge reopens", "/b"),
        "/b": article("Ferry returns"),
    }
    assert run("news_to_parquet.py", web.url("site.test"), "out.parquet") == ["2 new or changed articles"]
    rows = pq.read_table("out.parquet").to_pylist()
    assert sorted((row["headline"], row["published"]) for row in rows) == [
        ("Bridge reopens", "2026-01-02"),
        ("Ferry returns", "2026-01-02"),
    ]
    assert all("nothing else" in row["text"] for row in rows)


def test_news_every_morning(web: ScriptedWeb) -> None:
    site = web.url("site.test")
    web.hosts["site.test"] |= {"/": page("Home", "/a", text="News."), "/a": article("Bridge reopens")}
    (name,) = run("news_every_morning.py", "news", site)
    assert name.startswith("2026-01-02-bridge-reopens-")
    said = (Path("news") / name).read_text()
    assert said.startswith(f"# Bridge reopens\n\n2026-01-02 · {site}a\n\nThis page is about Bridge reopens")
    web.hosts["site.test"] |= {"/": page("Home", "/a", "/b", text="News."), "/b": article("Ferry returns")}
    (name,) = run("news_every_morning.py", "news", site)
    assert name.startswith("2026-01-02-ferry-returns-")


def test_sitemap_to_jsonl(web: ScriptedWeb) -> None:
    web.hosts["site.test"] |= {"/": page("Home", "/a", "http://other.test/"), "/a": page("A", "/")}
    home = web.url("site.test")
    assert sorted(run("sitemap_to_jsonl.py", home, "map.jsonl")) == [home, f"{home}a"]
    entries = [json.loads(line) for line in Path("map.jsonl").read_text().splitlines()]
    assert sorted(entries, key=lambda entry: str(entry["url"])) == [
        {"url": home, "title": "Home", "links": [f"{home}a"]},
        {"url": f"{home}a", "title": "A", "links": [home]},
    ]


def prices(**of: str) -> Reply:
    rows = "".join(f"<tr><td>{name}</td><td>{price}</td></tr>" for name, price in of.items())
    return html("Prices", f"<table class=prices>{rows}</table>")


def test_change_monitor(web: ScriptedWeb) -> None:
    seed = web.url("site.test", "/prices")
    with run_receiver() as receiver:
        hook = receiver.url.replace("receiver.test", "127.0.0.1")
        web.hosts["site.test"]["/prices"] = prices(oak="10", pine="5")
        assert sorted(run("change_monitor.py", seed, hook)) == ["new oak", "new pine"]
        assert run("change_monitor.py", seed, hook) == []
        web.hosts["site.test"]["/prices"] = prices(oak="12")
        assert sorted(run("change_monitor.py", seed, hook)) == ["changed oak", "gone pine"]
        told = [json.loads(body) for _, body in receiver.messages]
    assert len(told) == 4
    changed = next(message for message in told if message["change"] == "changed")
    assert (changed["key"], changed["fields"], changed["url"]) == ("oak", {"price": ["10", "12"]}, seed)


def offer(name: str, price: str) -> Reply:
    data = {"@type": "Product", "name": name, "offers": {"price": price, "priceCurrency": "EUR"}}
    return html(name, "", f'<script type="application/ld+json">{json.dumps(data)}</script>')


def test_price_watch(web: ScriptedWeb) -> None:
    seed = web.url("site.test")
    web.hosts["site.test"] |= {"/": page("Home", "/lamp", "/vase"), "/vase": offer("Vase", "30")}
    told = []
    for price in ("20.00", "15", "18", "16", "12.5"):
        web.hosts["site.test"]["/lamp"] = offer("Lamp", price)
        told.append(run("price_watch.py", seed))
    assert told == [
        [],
        ["New low: Lamp for 15.00, before 20.00"],
        [],
        [],
        ["New low: Lamp for 12.50, before 15.00"],
    ]
    names = "SELECT name, reduced_by FROM products ORDER BY name"
    assert query(Path("price_watch.crawl"), names) == [("Lamp", 0.21875), ("Vase", None)]


def test_every_program_is_tested() -> None:
    source = Path(__file__).read_text()
    assert [name for name in PROGRAMS if f"def test_{name.removesuffix('.py')}(" not in source] == []
    readme = (EXAMPLES / "README.md").read_text()
    assert [name for name in PROGRAMS if f"({name})" not in readme] == []
