"""`tenax parsers stats`, and what doctor says about parsers."""

import asyncio
import json
import time
from pathlib import Path

import pytest

from tenax.runtime.actions import write_store
from tenax.runtime.backends import find_backend
from tenax.stores.connection import Connection
from tenax.stores.place import Place
from tests.support.clock import FakeClock
from tests.support.command import run_tenax
from tests.support.parser_figures import DAY_S, add_figures
from tests.support.stores import fill_place

DOMAIN = "shop.example"


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    place = Place(folder=tmp_path / "crawl")
    find_backend(place).migrate(place)
    fill_place(place, FakeClock())
    return place.folder


@pytest.fixture
def worse(crawl: Path) -> Path:
    now = time.time()

    def add(connection: Connection) -> None:
        add_figures(connection, DOMAIN, now - 3 * DAY_S, pages=400, full=400)
        add_figures(connection, DOMAIN, now - 7200, pages=100, full=25, version="2")

    asyncio.run(write_store(Place(folder=crawl), add))
    return crawl


def test_parsers_are_shown_with_their_figures_and_drops(worse: Path) -> None:
    lines = run_tenax("parsers", "stats", "--data", worse).out.splitlines()
    assert lines[0].split()[:3] == ["PARSER", "VERSION", "LAST"]
    assert "25.0 %" in lines[1]
    assert "100.0 %" in lines[2]
    assert lines[3].startswith("Warning: The parser shop on shop.example finds items on 25 % of its pages")


def test_one_parser_is_shown_by_day(worse: Path) -> None:
    found = json.loads(run_tenax("parsers", "stats", "shop", "--json", "--data", worse).out)
    assert [each["share_with_items"] for each in found["days"]] == [1.0, 0.25]
    assert [each["domain"] for each in found["domains"]] == [DOMAIN]


def test_doctor_names_a_parser_that_does_worse(worse: Path) -> None:
    assert "Warning: The parser shop on shop.example finds" in run_tenax("doctor", "--data", worse).out


def test_without_pages_it_says_so(crawl: Path) -> None:
    assert "No page was given to a parser" in run_tenax("parsers", "stats", "--data", crawl).out
    ended = run_tenax("parsers", "stats", "cars", "--data", crawl)
    assert ended.code == 1
    assert "No page was given to a parser cars" in ended.err
