"""A store as rows, and its note that it is a copy. See copy/base.py."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tenax.clock import SystemClock
from tenax.errors import StoreError
from tenax.runtime.backends import find_backend
from tenax.stores.copy.base import CopyNote, Row, RowStore
from tenax.stores.copy.rows import BYTES_AT_ONCE, SHAPES
from tenax.stores.databases.copying import open_rows
from tests.support.copying import KINDS, empty_store
from tests.support.store import SharedStore, StoreWorker

BY_NAME = {shape.name: shape for shape in SHAPES}
SEEDS, PAGES, VISITS, ROBOTS = (BY_NAME[name] for name in ("seeds", "pages", "visits", "robots"))
NOTE = CopyNote(source="a", fingerprint="f", started_at=5.0)


@pytest.fixture(params=KINDS)
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SharedStore]:
    with empty_store(request.param, tmp_path / "store") as store:
        yield store


@pytest.fixture
def rows(stored: SharedStore, runner: asyncio.Runner) -> Iterator[RowStore]:
    opened = open_rows(stored.place, SystemClock())
    yield runner.run(opened.__aenter__())
    runner.run(opened.__aexit__(None, None, None))


@asynccontextmanager
async def joined(stored: SharedStore) -> AsyncIterator[RowStore]:
    """The store as another process sees it."""
    async with open_rows(stored.place, SystemClock()) as other:
        yield other


def make_seeds(first: int, last: int) -> list[Row]:
    return [
        (number, f"https://s{number}.test/", "user", 1.5, None, None, f"s{number}.test", f"s{number}.test", 0)
        for number in range(first, last + 1)
    ]


def make_page(url_id: int, size: int) -> Row:
    known = {"url_id": url_id, "links": b"", "content": bytes(size), "charset": "utf-8"}
    nullable = {"content_type", "language", "title", "description", "canonical", "images"}
    return tuple(known.get(name, None if name in nullable else 1) for name in PAGES.columns)


def make_visit(number: int, at: float) -> Row:
    known = {"id": number, "at": at, "outcome": "fetched", "error_kind": None, "error_detail": None}
    return tuple(known.get(name, 1) for name in VISITS.columns)


async def test_rows_come_back_as_they_were_in_the_order_of_their_key(rows: RowStore) -> None:
    await rows.begin_copy(NOTE)
    assert await rows.append(SEEDS, 0, make_seeds(1, 5)) == 5
    assert await rows.read(SEEDS, 0, 3) == make_seeds(1, 3)
    assert await rows.read(SEEDS, 3, 3) == make_seeds(4, 5)
    assert await rows.read(SEEDS, 5, 3) == []
    assert await rows.count(SEEDS) == 5


async def test_keys_may_be_text(rows: RowStore) -> None:
    robots: list[Row] = [(f"https://{name}.test", 1, 200, b"", 1.0, 2.0, None) for name in "cab"]
    await rows.begin_copy(NOTE)
    await rows.append(ROBOTS, "", robots)
    first = await rows.read(ROBOTS, "", 2)
    rest = await rows.read(ROBOTS, first[-1][0], 2)
    assert first + rest == sorted(robots)


async def test_a_chunk_of_large_rows_is_small(rows: RowStore) -> None:
    pages = [make_page(number, BYTES_AT_ONCE // 2 + 1) for number in range(1, 5)]
    await rows.begin_copy(NOTE)
    await rows.append(PAGES, 0, pages)
    assert [row[0] for row in await rows.read(PAGES, 0, 100)] == [1, 2]
    assert [row[0] for row in await rows.read(PAGES, 2, 1)] == [3]


async def test_a_row_larger_than_a_chunk_comes_all_the_same(rows: RowStore) -> None:
    await rows.begin_copy(NOTE)
    await rows.append(PAGES, 0, [make_page(1, BYTES_AT_ONCE + 1)])
    assert len(await rows.read(PAGES, 0, 100)) == 1


async def test_rows_are_not_added_twice(rows: RowStore) -> None:
    await rows.begin_copy(NOTE)
    await rows.append(SEEDS, 0, make_seeds(1, 2))
    assert await rows.append(SEEDS, 0, make_seeds(1, 2)) == 2, "it says how far the table is"
    assert await rows.append(SEEDS, 2, make_seeds(3, 3)) == 3
    assert await rows.count(SEEDS) == 3


async def test_the_note_records_how_far_each_table_was_copied(rows: RowStore) -> None:
    assert await rows.find_copy() is None
    await rows.begin_copy(NOTE)
    await rows.append(SEEDS, 0, make_seeds(1, 2))
    found = await rows.find_copy()
    assert found is not None
    assert (found.source, found.fingerprint, found.started_at, found.ended_at) == ("a", "f", 5.0, None)
    assert found.reached == {"seeds": 2}


async def test_an_earlier_note_stays(rows: RowStore) -> None:
    await rows.begin_copy(NOTE)
    found = await rows.begin_copy(CopyNote(source="b", fingerprint="g", started_at=6.0))
    assert found == NOTE


async def test_of_two_that_begin_at_once_one_wins(rows: RowStore, stored: SharedStore) -> None:
    async with joined(stored) as other:
        notes = await asyncio.gather(
            rows.begin_copy(NOTE), other.begin_copy(CopyNote(source="b", fingerprint="g", started_at=6.0))
        )
    assert notes[0] == notes[1]


async def test_of_two_that_add_the_same_at_once_one_does(rows: RowStore, stored: SharedStore) -> None:
    await rows.begin_copy(NOTE)
    async with joined(stored) as other:
        await asyncio.gather(*(each.append(SEEDS, 0, make_seeds(1, 9)) for each in (rows, other)))
    assert await rows.count(SEEDS) == 9


async def test_a_store_with_a_crawl_does_not_become_a_copy(rows: RowStore, stored: SharedStore) -> None:
    async with find_backend(stored.place).open_stores(stored.place, SystemClock()) as stores:
        await StoreWorker(stores.frontier, stores.runs, stores.clock).add_seeds("https://a.test/")
    with pytest.raises(StoreError, match="already holds a crawl"):
        await rows.begin_copy(NOTE)
    assert await rows.find_copy() is None


async def test_an_unfinished_copy_cannot_be_crawled(rows: RowStore, stored: SharedStore) -> None:
    await rows.begin_copy(NOTE)
    with pytest.raises(StoreError, match="is incomplete"):
        async with find_backend(stored.place).open_stores(stored.place, SystemClock()):
            pass
    await rows.end_copy(SHAPES)
    async with find_backend(stored.place).open_stores(stored.place, SystemClock()):
        pass


async def test_new_rows_get_new_ids(rows: RowStore, stored: SharedStore) -> None:
    await rows.begin_copy(NOTE)
    await rows.append(SEEDS, 0, make_seeds(1, 40))
    await rows.end_copy(SHAPES)
    await rows.end_copy(SHAPES)
    async with find_backend(stored.place).open_stores(stored.place, SystemClock()) as stores:
        await StoreWorker(stores.frontier, stores.runs, stores.clock).add_seeds("https://new.test/")
        assert await stores.seeds.load_seeds(40, 9) == (["https://new.test/"], 41)


async def test_visits_go_to_their_months(rows: RowStore, stored: SharedStore) -> None:
    if stored.place.url is None:
        return
    june, july = 1_750_000_000.0, 1_752_000_000.0
    await rows.begin_copy(NOTE)
    await rows.append(VISITS, 0, [make_visit(1, june), make_visit(2, july), make_visit(3, june)])
    found = stored.query("SELECT tableoid::regclass::text, count(*) FROM visits GROUP BY 1 ORDER BY 1")
    assert found == [("visits_2025_06", 2), ("visits_2025_07", 1)]


async def test_rows_of_others_are_fitted(rows: RowStore) -> None:
    await rows.begin_copy(NOTE)
    fitted = rows.fit([(1, "https://a.test/\0", "user", 1.5, None, None, "a.test", "a.test", 0)])
    await rows.append(SEEDS, 0, fitted)
    assert await rows.read(SEEDS, 0, 9) == list(fitted)
