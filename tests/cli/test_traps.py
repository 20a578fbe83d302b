"""`tenax traps`."""

import contextlib
import json
from pathlib import Path

import pytest
from pysqlite3 import dbapi2 as sqlite

from tenax.runtime.backends import find_backend
from tenax.stores.place import Place
from tests.support.clock import FakeClock
from tests.support.command import run_tenax
from tests.support.stores import SHOP, fill_place

SHAPE = "/cal/{n}"


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    place = Place(folder=tmp_path / "crawl")
    find_backend(place).migrate(place)
    fill_place(place, FakeClock())
    return place.folder


def test_a_cluster_is_closed_listed_and_opened(crawl: Path) -> None:
    closed = run_tenax("traps", "close", "shop.example", SHAPE, "--data", crawl)
    assert (closed.code, closed.out) == (0, "Urls like /cal/{n} of shop.example are closed.\n")
    header, row = run_tenax("traps", "list", "--data", crawl).out.splitlines()
    assert header.split()[:3] == ["DOMAIN", "URLS", "LIKE"]
    assert row.split()[:3] == ["shop.example", SHAPE, "closed"]
    assert row.endswith("(command line)")
    opened = run_tenax("traps", "open", "shop.example", SHAPE, "--data", crawl)
    assert (opened.code, opened.out) == (0, "Urls like /cal/{n} of shop.example are open.\n")
    found = json.loads(run_tenax("traps", "list", "--json", "--data", crawl).out)
    assert (found["domain"], found["shape"], found["state"]) == ("shop.example", SHAPE, "open")


def test_a_filter_that_matches_nothing_says_so(crawl: Path) -> None:
    assert run_tenax("traps", "list", "--domain", "shop.example", "--data", crawl).out == "No traps.\n"


def test_what_is_unknown_cannot_be_opened(crawl: Path) -> None:
    ended = run_tenax("traps", "open", "shop.example", SHAPE, "--data", crawl)
    assert ended.code == 1
    assert "Nothing is known about urls like /cal/{n} of shop.example" in ended.err


def test_a_shape_starts_with_a_slash(crawl: Path) -> None:
    ended = run_tenax("traps", "close", "shop.example", "cal", "--data", crawl)
    assert (ended.code, "starts with a slash" in ended.err) == (2, True)


def test_a_retry_says_what_to_open_first(crawl: Path) -> None:
    run_tenax("traps", "close", "shop.example", SHAPE, "--data", crawl)
    with contextlib.closing(sqlite.connect(crawl / "tenax.db", isolation_level=None)) as connection:
        connection.execute(
            "UPDATE urls SET fate = 'trapped', detail = ? WHERE url = ? AND due_at IS NULL",
            (SHAPE, f"{SHOP}/gone"),
        )
    ended = run_tenax("retry", "--reason", "trapped", "--data", crawl)
    assert ended.code == 0
    assert ended.out.splitlines() == [
        "No url can be queued.",
        f"1 url stays trapped, as urls like it are closed (shop.example {SHAPE}):"
        f" 'tenax traps open NAME SHAPE --data {crawl}' opens and queues them.",
    ]
