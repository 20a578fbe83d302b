"""The pages that link to a url, on every store."""

import asyncio

import pytest
from sqlalchemy import Connection

from tenax.records.visits import Gone
from tenax.stores import paging as listing
from tenax.stores.databases.reader import read_store
from tenax.stores.paging import ListPosition, SliceRequest
from tenax.stores.queries import inbound
from tenax.stores.queries.export import parts as export_parts
from tenax.stores.queries.inbound import Inbound, find_url_id, slice_inbound
from tests.support.store import StoreUnderTest, StoreWorker, make_fetched, make_visit

A, B = "https://a.example/", "https://b.example/"
TARGET = A + "list?a=1&b=2"
SPELLED_OTHERWISE = A + "list?b=2&a=1"
LINKS = {
    A + "1": [A + "x", TARGET, SPELLED_OTHERWISE],
    A + "2": [A + "list", A + "list?a=1", B + "1"],
    A + "3": [SPELLED_OTHERWISE],
    A + "4": [],
    A + "gone": [TARGET],
    B + "1": [TARGET],
}


async def fill(worker: StoreWorker) -> None:
    await worker.add(*LINKS, TARGET)
    for lease in await worker.claim():
        visits = []
        for target in (await worker.head(lease)).targets:
            links = [(url, "nofollow", f"to {url}", "a") for url in LINKS.get(target.url, ())]
            visits.append(make_visit(target, make_fetched(target.url, links=links), at=worker.clock.now()))
        await worker.settle_visits(lease, visits)
        await worker.release(lease)


async def look(
    store: StoreUnderTest, *, is_anywhere: bool = False, limit: int = 50, after: ListPosition | None = None
) -> Inbound:
    wanted = SliceRequest(key="page_id", is_descending=False, after=after, limit=limit)

    def read(connection: Connection) -> Inbound | None:
        url_id = find_url_id(connection, SPELLED_OTHERWISE, "a.example")
        assert url_id is not None
        return slice_inbound(connection, wanted, url_id, is_anywhere=is_anywhere)

    found = await asyncio.to_thread(read_store, store.place, read)
    assert found is not None
    return found


async def walk(store: StoreUnderTest, *, is_anywhere: bool, limit: int) -> tuple[list[str], int]:
    pages: list[str] = []
    looked_at = 0
    after = None
    while True:
        found = await look(store, is_anywhere=is_anywhere, limit=limit, after=after)
        pages += [link.page for link in found.items]
        looked_at += found.looked_at
        after = found.next
        if after is None:
            return pages, looked_at


async def test_pages_of_the_domain_that_link_to_a_url_are_found_however_they_spell_it(
    store: StoreUnderTest, worker: StoreWorker
) -> None:
    await fill(worker)
    store.query("UPDATE urls SET fate = 'gone' WHERE url = 'https://a.example/gone' RETURNING id")
    found = await look(store)
    assert sorted((link.page, link.anchor, link.rel) for link in found.items) == [
        (A + "1", f"to {TARGET}", "nofollow"),
        (A + "3", f"to {SPELLED_OTHERWISE}", "nofollow"),
    ]
    assert (found.next, found.looked_at, found.pages) == (None, 6, 6)


async def test_pages_of_other_domains_are_found_on_request(
    store: StoreUnderTest, worker: StoreWorker
) -> None:
    await fill(worker)
    found = await look(store, is_anywhere=True)
    assert sorted(link.page for link in found.items) == [A + "1", A + "3", A + "gone", B + "1"]
    assert found.looked_at == 7


@pytest.mark.parametrize("is_anywhere", [False, True])
@pytest.mark.parametrize("large_domain", [0, 50_000])
async def test_a_scan_that_stops_early_continues_where_it_was(
    store: StoreUnderTest,
    worker: StoreWorker,
    monkeypatch: pytest.MonkeyPatch,
    is_anywhere: bool,
    large_domain: int,
) -> None:
    await fill(worker)
    whole = await walk(store, is_anywhere=is_anywhere, limit=50)
    monkeypatch.setattr(listing, "SCAN_S", 0.0)
    monkeypatch.setattr(inbound, "PAGES_AT_ONCE", 2)
    monkeypatch.setattr(inbound, "ROWS_SCANNED", 2)
    monkeypatch.setattr(export_parts, "LARGE_DOMAIN", large_domain)
    assert await walk(store, is_anywhere=is_anywhere, limit=50) == whole
    assert (await walk(store, is_anywhere=is_anywhere, limit=1))[0] == whole[0]


async def test_a_url_without_pages_around_it_has_no_inbound_links(
    store: StoreUnderTest, worker: StoreWorker
) -> None:
    await worker.add(TARGET)
    found = await look(store)
    assert (found.items, found.next, found.looked_at) == ([], None, 0)
    lease = await worker.claim_one()
    await worker.visit_next(lease, Gone(status=404))
    assert (await look(store)).looked_at == 0
