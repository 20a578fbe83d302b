"""What readers of items are told: each change once and in order, or all items that there are."""

import asyncio
from functools import partial

import pytest

from tenax.records.items import ItemChangeKind
from tenax.stores.access import Access
from tenax.stores.change_log import START, LogPosition, find_end
from tenax.stores.connection import Connection
from tenax.stores.queries import item_log
from tenax.stores.queries.item_log import (
    DeliveredItem,
    LogSlice,
    find_beginning,
    has_hidden,
    iter_items,
    read_changes,
)
from tests.support.items import PARSER, VERSION, ItemWorker, found_item
from tests.support.store import StoreUnderTest, StoreWorker

A = "https://a.example/"
SOURCE = 0


@pytest.fixture
def shop(worker: StoreWorker, runner: asyncio.Runner) -> ItemWorker:
    return runner.run(ItemWorker(worker).begin(A))


async def read(access: Access, after: LogPosition = START, source_id: int = SOURCE) -> LogSlice:
    return await access.read(partial(read_changes, after=after, source_id=source_id))


async def list_items(access: Access) -> list[DeliveredItem]:
    def work(connection: Connection) -> list[DeliveredItem]:
        return list(iter_items(connection, SOURCE))

    return await access.read(work)


async def test_a_change_is_told_with_the_item_as_it_is_now(shop: ItemWorker, access: Access) -> None:
    await shop.show(A, found_item("x", price=1, confidence=0.5))
    await shop.show(A, found_item("x", price=2, confidence=0.5))
    new, changed = (await read(access)).items
    assert (new.change, changed.change) == (ItemChangeKind.NEW, ItemChangeKind.CHANGED)
    assert (new.kind, new.key, new.url) == ("product", "x", A)
    assert new.data == changed.data == '{"price":2}'
    assert changed.fields == '{"price":[1,2]}'
    assert (changed.parser, changed.parser_version, changed.confidence) == (PARSER, VERSION, 0.5)


async def test_an_item_that_is_gone_is_told_with_its_last_data(shop: ItemWorker, access: Access) -> None:
    await shop.show(A, found_item("x", price=1))
    await shop.show(A)
    gone = (await read(access)).items[-1]
    assert (gone.change, gone.data, gone.fields) == (ItemChangeKind.GONE, '{"price":1}', None)


async def test_a_reader_gets_every_change_once_whatever_its_slices(
    shop: ItemWorker, access: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(item_log, "ROWS_AT_ONCE", 2)
    await shop.show(A, *(found_item(str(number), price=number) for number in range(5)))
    got: list[DeliveredItem] = []
    part = await read(access)
    while not part.is_last:
        assert len(part.items) == 2
        got += part.items
        part = await read(access, part.end)
    got += part.items
    assert sorted(item.key for item in got) == [str(number) for number in range(5)]
    assert (await read(access, got[2].position)).items == got[3:5]


async def test_a_slice_ends_behind_what_other_sources_have_logged(shop: ItemWorker, access: Access) -> None:
    await shop.show(A, found_item("x", price=1))
    of_another = await read(access, source_id=7)
    assert (of_another.items, of_another.is_last) == ([], True)
    assert of_another.end == await access.read(find_end)


async def test_a_change_whose_item_was_removed_is_not_told(
    shop: ItemWorker, store: StoreUnderTest, access: Access
) -> None:
    await shop.show(A, found_item("x", price=1), found_item("y", price=1))
    await access.write(lambda connection: connection.exec_driver_sql("DELETE FROM items WHERE key = 'x'"))
    told = await read(access)
    assert [item.key for item in told.items] == ["y"]
    assert (await read(access, told.end)).items == []


async def test_all_items_are_those_that_a_page_shows(shop: ItemWorker, access: Access) -> None:
    await shop.show(A, found_item("x", price=1), found_item("y", price=2))
    await shop.show(A, found_item("y", price=2))
    (item,) = await list_items(access)
    assert (item.key, item.data, item.change, item.url) == ("y", '{"price":2}', None, A)


async def test_what_changes_after_the_list_began_comes_after_its_positions(
    shop: ItemWorker, access: Access
) -> None:
    await shop.show(A, found_item("x", price=1))
    (item,) = await list_items(access)
    await shop.show(A, found_item("x", price=2))
    assert [told.change for told in (await read(access, item.position)).items] == [ItemChangeKind.CHANGED]


async def test_a_run_begins_before_its_first_change(shop: ItemWorker, access: Access) -> None:
    await shop.show(A, found_item("x", price=1))
    (first,) = (await read(access)).items
    beginning = await access.read(partial(find_beginning, source_id=SOURCE, run_id=first.run_id))
    assert (await read(access, beginning)).items == [first]


async def test_a_run_without_a_change_begins_at_the_end(shop: ItemWorker, access: Access) -> None:
    await shop.show(A, found_item("x", price=1))
    beginning = await access.read(partial(find_beginning, source_id=SOURCE, run_id=99))
    assert (await read(access, beginning)).items == []


async def test_nothing_is_hidden_once_everything_was_read(shop: ItemWorker, access: Access) -> None:
    await shop.show(A, found_item("x", price=1))
    assert await access.read(partial(has_hidden, after=START, source_id=SOURCE))
    end = (await read(access)).end
    assert not await access.read(partial(has_hidden, after=end, source_id=SOURCE))
