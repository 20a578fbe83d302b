"""Fills a store with the urls of the simulated web, with the statements that settling uses.

    python -m bench.frontier.fill DATA URLS

All of them are queued: the worst case for size, since each is in both indexes. They are added in rounds over
all domains, as a crawl finds them, so that the urls of a domain are far apart in the table. Prints {urls,
file_bytes, url_bytes, seconds} as JSON.
"""

import asyncio
import json
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from bench.frontier.web import DOMAINS, SimulatedWeb
from tenax.clock import SystemClock
from tenax.records.jobs import NO_SOURCE
from tenax.records.urls import NewUrl
from tenax.stores.layout import STORE_NAME
from tenax.stores.sqlite.connection.database import Connection, SqliteDatabase
from tenax.stores.sqlite.frontier.urls import ensure_domains, insert_urls
from tenax.web.urls import domain_of, origin_of

ROUNDS = 10
URLS_PER_TRANSACTION = 100_000
ROBOTS = b"User-agent: *\nDisallow: /private/\n"
ROBOTS_FRESH_S = 86_400.0


async def fill(data: Path, web: SimulatedWeb) -> dict[str, float]:
    started = time.monotonic()
    clock = SystemClock()
    store = data / STORE_NAME
    async with SqliteDatabase(store, clock) as database:
        for urls in iter_batches(web):
            await database.write(partial(insert_urls, urls=urls, now=clock.now()))
        await database.write(partial(_add_robots, web=web, now=clock.now()))
        urls, url_bytes = await database.read(
            lambda connection: connection.execute("SELECT count(*), sum(length(url)) FROM urls").fetchone()
        )
    # Closing the last connection has moved everything from the log into the file.
    return {
        "urls": urls,
        "file_bytes": store.stat().st_size,
        "url_bytes": url_bytes,
        "seconds": time.monotonic() - started,
    }


def iter_batches(web: SimulatedWeb) -> Iterator[list[NewUrl]]:
    batch: list[NewUrl] = []
    for turn in range(ROUNDS):
        for domain in range(DOMAINS):
            size = web.size_of(domain)
            numbers = range(turn * size // ROUNDS, (turn + 1) * size // ROUNDS)
            batch += [web.new_url(domain, number) for number in numbers]
            if len(batch) >= URLS_PER_TRANSACTION:
                yield batch
                batch = []
    yield batch


def _add_robots(connection: Connection, *, web: SimulatedWeb, now: float) -> None:
    """Add robots.txt records: a crawl of this size has fetched them long ago."""
    urls = [web.url_of(domain, 0) for domain in range(DOMAINS)]
    ids = ensure_domains(connection, [domain_of(url) for url in urls], now, NO_SOURCE)
    connection.executemany(
        "INSERT INTO robots (origin, domain_id, status, body, fetched_at, expires_at)"
        " VALUES (?, ?, 200, ?, ?, ?)",
        [(origin_of(url), ids[domain_of(url)], ROBOTS, now, now + ROBOTS_FRESH_S) for url in urls],
    )


if __name__ == "__main__":
    print(json.dumps(asyncio.run(fill(Path(sys.argv[1]), SimulatedWeb(urls=int(sys.argv[2]))))))
