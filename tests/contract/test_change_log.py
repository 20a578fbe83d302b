"""The change log: every change once and in order, for every reader that remembers how far it got."""

import asyncio
from functools import partial

import pytest

from tenax.errors import UsageError
from tenax.stores.access import Access
from tenax.stores.change_log import (
    KEPT_S,
    START,
    LogEntry,
    LogPosition,
    LogTopic,
    find_end,
    find_log_cursor,
    hold_log_cursor,
    move_log_cursor,
    parse_position,
    prune_log,
    read_log,
)
from tenax.stores.connection import Connection
from tests.support.clock import START as AT
from tests.support.items import ItemWorker, found_item
from tests.support.store import StoreUnderTest, StoreWorker

A = "https://a.example/"


@pytest.fixture
def shop(worker: StoreWorker, runner: asyncio.Runner) -> ItemWorker:
    return runner.run(ItemWorker(worker).begin(A))


async def read(access: Access, after: LogPosition = START, limit: int = 100) -> list[LogEntry]:
    return await access.read(partial(read_log, after=after, limit=limit))


async def test_each_change_of_an_item_is_an_entry(
    shop: ItemWorker, store: StoreUnderTest, access: Access
) -> None:
    await shop.show(A, found_item("x", price=1))
    await shop.show(A, found_item("x", price=1))
    await shop.show(A, found_item("x", price=2))
    entries = await read(access)
    assert [(entry.topic, entry.source_id, entry.at) for entry in entries] == [(LogTopic.ITEM, 0, AT)] * 2
    assert [(entry.subject_id,) for entry in entries] == store.query(
        "SELECT id FROM item_changes ORDER BY id"
    )


async def test_a_reader_goes_on_where_it_stopped(shop: ItemWorker, access: Access) -> None:
    await shop.show(A, *(found_item(str(number)) for number in range(5)))
    all_entries = await read(access)
    got: list[LogEntry] = []
    while part := await read(access, got[-1].position if got else START, 2):
        assert len(part) <= 2
        got += part
    assert got == all_entries
    assert len(got) == 5


async def test_a_reader_that_starts_at_the_end_gets_what_follows(shop: ItemWorker, access: Access) -> None:
    assert await access.read(find_end) == START
    await shop.show(A, found_item("x", price=1))
    end = await access.read(find_end)
    assert await read(access, end) == []
    await shop.show(A, found_item("x", price=2))
    assert len(await read(access, end)) == 1


async def test_entries_can_be_chosen_by_topic_and_source(shop: ItemWorker, access: Access) -> None:
    await shop.show(A, found_item("x", price=1))
    topics = [LogTopic.ITEM]
    assert len(await access.read(partial(read_log, after=START, limit=9, topics=topics, source_id=0))) == 1
    assert await access.read(partial(read_log, after=START, limit=9, topics=topics, source_id=7)) == []


async def test_a_cursor_with_a_name_keeps_its_position(access: Access) -> None:
    assert await access.read(partial(find_log_cursor, name="sync")) is None

    def move(connection: Connection) -> LogPosition:
        before = hold_log_cursor(connection, "sync")
        move_log_cursor(connection, "sync", LogPosition(3, 7))
        return before

    assert await access.write(move) == START
    assert await access.read(partial(find_log_cursor, name="sync")) == LogPosition(3, 7)
    assert await access.write(partial(hold_log_cursor, name="sync")) == LogPosition(3, 7)


async def test_old_entries_are_deleted_and_positions_go_on(
    shop: ItemWorker, store: StoreUnderTest, access: Access
) -> None:
    await shop.show(A, found_item("x", price=1))
    before = await access.read(find_end)
    assert await access.write(partial(prune_log, now=AT + KEPT_S)) is False
    assert len(await read(access)) == 1
    await access.write(partial(prune_log, now=AT + KEPT_S + 1))
    assert await read(access) == []
    assert store.query("SELECT count(*) FROM item_changes") == [(1,)]
    await shop.show(A, found_item("x", price=2))
    (entry,) = await read(access, before)
    assert entry.position > before


def test_a_position_can_be_written_and_read() -> None:
    assert parse_position(str(LogPosition(12, 345))) == LogPosition(12, 345)


@pytest.mark.parametrize("text", ["", "12", "a-b", "1-", "-1-2", "1-2-3", "¹-2", "1-" + "9" * 40])
def test_a_wrong_position_is_refused_with_one_sentence(text: str) -> None:
    with pytest.raises(UsageError, match="is no cursor"):
        parse_position(text)
