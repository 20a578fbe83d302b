"""Pages that are packed whole, and in parts as they were stored before schema 0033, are read alike."""

import asyncio
from typing import Any

import orjson
import pytest
import zstandard
from sqlalchemy import Connection

from tenax.errors import StoreDamaged
from tenax.records.pages import PageImage, PageLink
from tenax.stores.databases.reader import read_store
from tenax.stores.paging import SliceRequest
from tenax.stores.queries.export.rows import EXPORTS, Noun, iter_rows
from tenax.stores.queries.inbound import find_url_id, slice_inbound
from tenax.stores.queries.pages import load_links, load_text
from tenax.web.identity import url_key
from tests.support.store import StoreUnderTest, StoreWorker, make_fetched

A = "https://a.example/"
TEXT = "Ants.\n[]\n[] and bees"
LINK: PageLink = (A + "x", "next", "More…", "a")
IMAGE: PageImage = (A + "ant.png", "An ant", "img")


def compress(value: str | list[Any]) -> bytes:
    data = value.encode() if isinstance(value, str) else orjson.dumps(value)
    return zstandard.ZstdCompressor(level=1).compress(data)


def format_blob(store: StoreUnderTest, data: bytes) -> str:
    return f"x'{data.hex()}'" if store.place.url is None else f"'\\x{data.hex()}'"


def change(store: StoreUnderTest, **columns: bytes) -> None:
    values = ", ".join(f"{name} = {format_blob(store, data)}" for name, data in columns.items())
    store.query(f"UPDATE pages SET {values} RETURNING url_id")


def pack_apart(store: StoreUnderTest) -> None:
    """As earlier versions did."""
    change(store, content=compress(TEXT), links=compress([LINK]), images=compress([IMAGE]))


@pytest.fixture(params=["whole", "in parts"])
def url_id(
    request: pytest.FixtureRequest, store: StoreUnderTest, worker: StoreWorker, runner: asyncio.Runner
) -> int:
    """Of the only page."""
    runner.run(settle_page(worker))
    if request.param == "in parts":
        pack_apart(store)
    ((url_id,),) = store.query("SELECT url_id FROM pages")
    return int(url_id)


async def settle_page(worker: StoreWorker) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    await worker.visit_next(lease, make_fetched(TEXT, links=[LINK], images=[IMAGE]))
    await worker.release(lease)


def read_export(store: StoreUnderTest, noun: Noun) -> list[dict[str, Any]]:
    export = EXPORTS[noun]
    rows = read_store(store.place, lambda connection: list(iter_rows(connection, export)))
    return [dict(zip(export.columns, row, strict=True)) for row in rows]


def test_its_text_and_links_are_shown(store: StoreUnderTest, url_id: int) -> None:
    assert read_store(store.place, lambda connection: load_text(connection, url_id)) == TEXT
    assert read_store(store.place, lambda connection: load_links(connection, url_id)) == [LINK]


def test_it_is_exported(store: StoreUnderTest, url_id: int) -> None:
    assert [page["text"] for page in read_export(store, Noun.PAGES)] == [TEXT]
    (link,) = read_export(store, Noun.LINKS)
    assert tuple(link.values()) == (A, *LINK)
    (placement,) = read_export(store, Noun.PLACEMENTS)
    assert tuple(placement.values()) == (A, *IMAGE)


async def test_it_is_found_by_its_links(store: StoreUnderTest, worker: StoreWorker, url_id: int) -> None:
    def look(connection: Connection) -> list[int]:
        target_id = find_url_id(connection, LINK[0], "a.example")
        assert target_id is not None
        wanted = SliceRequest(key="page_id", is_descending=False, after=None, limit=9)
        inbound = slice_inbound(connection, wanted, target_id, is_anywhere=False)
        assert inbound is not None
        return [link.page_id for link in inbound.items]

    await worker.add(LINK[0])
    assert await asyncio.to_thread(read_store, store.place, look) == [url_id]


async def test_its_links_are_followed_again(store: StoreUnderTest, url_id: int) -> None:
    assert [page.links for page in await store.runs.stored_links(0, 9)] == [(LINK[0],)]
    (page,) = await store.runs.find_pages([("a.example", url_key(A))])
    assert page.leads_to == (LINK[0],)


async def test_a_page_in_parts_is_replaced_by_one_that_is_whole(
    store: StoreUnderTest, worker: StoreWorker
) -> None:
    await settle_page(worker)
    pack_apart(store)
    store.query("UPDATE urls SET due_at = 0 RETURNING id")
    store.query("UPDATE domains SET queued = 1, avail_at = 0 RETURNING id")
    await worker.visit_next(await worker.claim_one(), make_fetched("Bees", links=[]))
    assert [page.links for page in await store.runs.stored_links(0, 9)] == [()]
    assert store.query("SELECT length(links), images FROM pages") == [(0, None)]
    assert await asyncio.to_thread(read_export, store, Noun.PLACEMENTS) == []
    (page,) = await asyncio.to_thread(read_export, store, Noun.PAGES)
    assert page["text"] == "Bees"


@pytest.mark.parametrize("content", [b"", b"\x01", b"\x01" + compress("no parts"), b"text"])
async def test_damage_is_told_with_the_url(
    store: StoreUnderTest, worker: StoreWorker, content: bytes
) -> None:
    await settle_page(worker)
    change(store, content=content)
    ((url_id,),) = store.query("SELECT url_id FROM pages")
    for read in (load_text, load_links):
        with pytest.raises(StoreDamaged, match=f"the id {url_id} is damaged"):
            await asyncio.to_thread(read_store, store.place, lambda opened, read=read: read(opened, url_id))
    for noun in (Noun.PAGES, Noun.LINKS, Noun.PLACEMENTS):
        with pytest.raises(StoreDamaged, match=f"the id {url_id} is damaged"):
            await asyncio.to_thread(read_export, store, noun)
