"""Keys follow the identity of urls when that changes: no row is lost except duplicates."""

from collections.abc import Awaitable, Callable

import pytest
import xxhash
from sqlalchemy import Connection, text

from tenax.stores.access import Access
from tenax.stores.schema.rekeying import rekey
from tests.support.store import StoreUnderTest, StoreWorker, find_wrong_counters, make_fetched

A = "https://a.example/"
IMAGE = (f"{A}boat.jpg?b=1&a[]=2", "A boat", "img")

Settle = Callable[..., Awaitable[None]]


def old_key(url: str) -> int:
    """Of a version that took addresses as they are for identities."""
    digest = xxhash.xxh3_64_intdigest(url.encode())
    return digest - (1 << 64) if digest >> 63 else digest


def spoil(connection: Connection, table: str, url: str, as_url: str) -> None:
    connection.execute(
        text(f"UPDATE {table} SET url = :as_url, key = :key WHERE url = :url"),
        {"url": url, "as_url": as_url, "key": old_key(as_url)},
    )


@pytest.fixture
def keep(worker: StoreWorker, access: Access) -> Settle:
    """Adds urls as an older version has left them: (how they are found now, how they stand in the store)."""

    async def keep_all(*names: tuple[str, str], fetched: int = 0) -> None:
        for new, _ in names:
            await worker.add(new)
        lease = await worker.claim_one()
        for _ in range(fetched):
            await worker.visit_next(lease, make_fetched(images=[IMAGE]))
        await worker.release(lease)

        def spoil_all(connection: Connection) -> None:
            for new, old in names:
                spoil(connection, "urls", new, old)

        await access.write(spoil_all)

    return keep_all


async def test_urls_are_known_again_under_their_new_keys(
    keep: Settle, worker: StoreWorker, access: Access, store: StoreUnderTest
) -> None:
    await keep(
        (f"{A}p?f%5B%5D=1", f"{A}p?f[]=1"), (f"{A}cart", f"{A}cart;jsessionid=7"), (f"{A}plain", f"{A}plain")
    )
    assert await access.write(rekey) == 0
    assert await worker.add(f"{A}p?f[]=1", f"{A}cart", f"{A}plain") == 0
    urls = [row[0] for row in store.query("SELECT url FROM urls ORDER BY id")]
    assert urls == [f"{A}p?f[]=1", f"{A}cart", f"{A}plain"]


async def test_of_two_rows_for_one_url_the_one_with_a_page_stays(
    keep: Settle, access: Access, store: StoreUnderTest
) -> None:
    await keep((f"{A}x", f"{A}p?f%5B%5D=1"), (f"{A}y", f"{A}p?f[]=1"), fetched=1)
    ((stays,),) = store.query("SELECT url_id FROM pages")
    assert await access.write(rekey) == 1
    assert store.query("SELECT id FROM urls") == [(stays,)]
    assert store.query("SELECT DISTINCT url_id FROM visits") == [(stays,)]
    assert find_wrong_counters(store.query) == []


async def test_references_move_to_the_row_that_stays(
    keep: Settle, access: Access, store: StoreUnderTest
) -> None:
    await keep((f"{A}x", f"{A}p?f%5B%5D=1"), (f"{A}y", f"{A}p?f[]=1"), fetched=2)
    assert await access.write(rekey) == 1
    ((stays,),) = store.query("SELECT id FROM urls")
    assert store.query("SELECT DISTINCT url_id FROM visits") == [(stays,)]
    assert store.query("SELECT url_id FROM images") == [(stays,)]
    assert store.query("SELECT url_id FROM pages") == [(stays,)]
    assert find_wrong_counters(store.query) == []


async def test_images_are_known_again(keep: Settle, access: Access, store: StoreUnderTest) -> None:
    await keep((f"{A}x", f"{A}x"), fetched=1)
    before = store.query("SELECT url, key FROM images")
    await access.write(lambda connection: spoil(connection, "images", IMAGE[0], IMAGE[0]))
    assert store.query("SELECT url, key FROM images") != before
    await access.write(rekey)
    assert store.query("SELECT url, key FROM images") == before


async def test_repeating_it_changes_nothing(keep: Settle, access: Access, store: StoreUnderTest) -> None:
    await keep((f"{A}p?f%5B%5D=1", f"{A}p?f[]=1"), (f"{A}q", f"{A}q?b&a;sid=1"))
    await access.write(rekey)
    before = store.query("SELECT id, url, key FROM urls ORDER BY id")
    assert await access.write(rekey) == 0
    assert store.query("SELECT id, url, key FROM urls ORDER BY id") == before
