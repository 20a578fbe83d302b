"""`tenax feeds`."""

import json
from pathlib import Path

import pytest

from tenax.stores.place import Place
from tests.support.command import run_tenax
from tests.support.service_rows import FEEDS_SOURCE, fill_service_rows
from tests.support.stores import make_empty_store


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    make_empty_store(tmp_path / "crawl")
    fill_service_rows(Place(folder=tmp_path / "crawl"))
    return tmp_path / "crawl"


def test_feeds_are_listed(crawl: Path) -> None:
    header, *rows = run_tenax("feeds", "--data", crawl).out.splitlines()
    assert header.split() == ["FEED", "SOURCE", "KIND", "STATE", "NEW", "NEXT", "POLL", "URL", "ERROR"]
    assert rows[0].split() == [
        "1",
        str(FEEDS_SOURCE),
        "rss",
        "active",
        "1",
        "–",
        "https://feeds.example/1.xml",
    ]
    assert run_tenax("feeds", "--source", "2", "--data", crawl).out == "No feeds.\n"


def test_a_feed_is_polled_on_request(crawl: Path) -> None:
    assert run_tenax("feeds", "poll", "2", "--data", crawl).code == 0
    lines = run_tenax("feeds", "--json", "--data", crawl).out.splitlines()
    assert [json.loads(line)["next_poll_at"] is None for line in lines] == [True, False, True, True]


def test_an_unknown_feed_is_an_error(crawl: Path) -> None:
    ended = run_tenax("feeds", "poll", "99", "--data", crawl)
    assert (ended.code, "There is no feed 99" in ended.err) == (1, True)
