"""Crawls that make items of articles, on both stores."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.flow.conftest import MakeCrawler
from tests.support.crawler import Crawler, query
from tests.support.scripted import HTML, Reply, ScriptedWeb

HOST = "news.test"
TEXT = [
    "The ferry between the two islands returns on Monday after a year of repairs, the harbour office said.",
    "It carries forty cars and three hundred people, and crosses four times a day, twice as often as before.",
    "Tickets stay at the old price until summer, when the council will look at the accounts once more.",
]
PARSERS = """
import os
from tenax.items.parser import Parser


class Shop(Parser):
    name = "shop"

    def parse(self, page):
        if "/dies" in page.url:
            os._exit(7)
        if "/lamp" in page.url:
            return {"name": page.title}


class Last(Parser):
    name = "zlast"

    def parse(self, page):
        if "/lamp" in page.url:
            os._exit(7)
"""


def html(title: str, body: str) -> Reply:
    markup = f"<!doctype html><html lang=en><title>{title}</title><body>{body}"
    return Reply(body=markup.encode(), headers={"Content-Type": HTML})


def story(title: str) -> Reply:
    return html(title, f"<article><h1>{title}</h1>{''.join(f'<p>{text}</p>' for text in TEXT)}</article>")


@pytest.fixture
def web() -> Iterator[ScriptedWeb]:
    paths = ("/ferry", "/lamp", "/dies")
    links = "".join(f'<li><a href="{path}">The page at {path}</a></li>' for path in paths)
    pages = {"/": html("News", f"<ul>{links}</ul>"), **{path: story(f"About {path[1:]}") for path in paths}}
    with ScriptedWeb({HOST: pages}) as web:
        yield web


def crawl(make_crawler: MakeCrawler, web: ScriptedWeb, *options: str, **environment: str) -> Crawler:
    crawler = make_crawler(web, "--delay", "0", *options, seeds=[web.url(HOST)])
    ended = crawler.run(**environment)
    assert ended.code == 0, ended.stderr
    return crawler


def read_articles(where: Any) -> dict[str, dict[str, Any]]:
    rows = query(where, "SELECT key, data FROM items WHERE kind = 'article' AND gone_at IS NULL")
    return {key.rpartition("/")[2]: orjson.loads(data) for key, data in rows}


def use_parsers(folder: Path) -> dict[str, str]:
    file = folder / "shop_parsers.py"
    file.write_text(PARSERS)
    return {
        "TENAX_PARSERS__FILES": orjson.dumps([str(file)]).decode(),
        "TENAX_PARSERS__USE": '["shop", "zlast"]',
        "TENAX_PARSERS__TIMEOUT_S": "5",
    }


def test_every_article_becomes_an_item(make_crawler: MakeCrawler, web: ScriptedWeb) -> None:
    crawler = crawl(make_crawler, web, TENAX_EXTRACT__ARTICLE="always")
    articles = read_articles(crawler.data)
    assert set(articles) == {"ferry", "lamp", "dies"}
    assert (articles["ferry"]["title"], articles["ferry"]["text"]) == ("About ferry", "\n\n".join(TEXT))


def test_every_article_becomes_an_item_in_postgresql(
    make_crawler: MakeCrawler, web: ScriptedWeb, url: str
) -> None:
    crawl(make_crawler, web, "--store", url, TENAX_EXTRACT__ARTICLE="always")
    assert set(read_articles(url)) == {"ferry", "lamp", "dies"}


def test_as_a_fallback_it_runs_where_no_other_parser_made_an_item(
    make_crawler: MakeCrawler, web: ScriptedWeb, tmp_path: Path
) -> None:
    """Also where a parser has ended its process: with an item made before, or without."""
    crawler = crawl(make_crawler, web, TENAX_EXTRACT__ARTICLE="fallback", **use_parsers(tmp_path))
    assert set(read_articles(crawler.data)) == {"ferry", "dies"}
    items = query(crawler.data, "SELECT kind, key FROM items WHERE kind = 'shop'")
    assert [key.rpartition("/")[2] for _, key in items] == ["lamp"]


def test_by_default_there_are_no_articles(make_crawler: MakeCrawler, web: ScriptedWeb) -> None:
    crawler = crawl(make_crawler, web)
    assert query(crawler.data, "SELECT count(*) FROM items") == [(0,)]


def test_languages_are_detected_if_wanted(make_crawler: MakeCrawler, web: ScriptedWeb) -> None:
    plain = story("Plain")
    web.hosts[HOST]["/ferry"] = Reply(body=plain.body.replace(b" lang=en", b""), headers=plain.headers)
    crawler = crawl(make_crawler, web, TENAX_EXTRACT__DETECT_LANGUAGE="true")
    languages = query(crawler.data, "SELECT language FROM pages WHERE title = 'Plain'")
    assert languages == [("en",)]
