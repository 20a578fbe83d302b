"""Fills a store with the urls of the simulated web, with the statements that settling uses.

    python -m bench.frontier.fill DATA URLS

All of them are queued: the worst case for size, since each is in both indexes. They are added in rounds over
all domains, as a crawl finds them, so that the urls of a domain are far apart in the table, and a round
changes most pages of the index of keys. Prints {urls, file_bytes, url_bytes, seconds, slowest_per_s,
log_bytes} as JSON; the rate is that of the slowest twentieth.
"""

import asyncio
import json
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from bench.frontier.web import DOMAINS, NEW_LINKS, SimulatedWeb
from tenax.clock import SystemClock
from tenax.records.jobs import NO_SOURCE
from tenax.records.urls import NewUrl
from tenax.stores.layout import STORE_NAME
from tenax.stores.sqlite.connection.database import Connection, SqliteDatabase
from tenax.stores.sqlite.frontier.urls import ensure_domains, insert_urls
from tenax.web.urls import domain_of, origin_of

LEAST_ROUNDS = 10
URLS_PER_ROUND = 1_000_000  # 50 of most domains
STEPS = 20
URLS_PER_TRANSACTION = 100_000
ROBOTS = b"User-agent: *\nDisallow: /private/\n"
ROBOTS_FRESH_S = 86_400.0


async def fill(data: Path, web: SimulatedWeb) -> dict[str, float]:
    started = time.monotonic()
    clock = SystemClock()
    store = data / STORE_NAME
    progress = Progress(web.urls, store)
    async with SqliteDatabase(store, clock) as database:
        for urls in iter_batches(web):
            added = await database.write(partial(insert_urls, urls=urls, now=clock.now()))
            assert added.new == len(urls)
            progress.note(urls)
        await database.write(partial(_add_robots, web=web, now=clock.now()))
    # Closing the last connection has moved everything from the log into the file.
    return {
        "urls": progress.urls,
        "url_bytes": progress.url_bytes,
        "file_bytes": store.stat().st_size,
        "seconds": time.monotonic() - started,
        "slowest_per_s": min(progress.rates),
        "log_bytes": progress.log_bytes,
    }


class Progress:
    """What was added, and how fast."""

    def __init__(self, urls: int, store: Path) -> None:
        self._step = urls / STEPS
        self._log = store.with_name(store.name + "-wal")
        self._in_step = 0
        self._since = time.monotonic()
        self.urls = 0
        self.url_bytes = 0
        self.rates: list[float] = []  # urls per second
        self.log_bytes = 0  # the largest size of the write-ahead log

    def note(self, urls: Sequence[NewUrl]) -> None:
        self.urls += len(urls)
        self.url_bytes += sum(len(url.url) for url in urls)
        self._in_step += len(urls)
        self.log_bytes = max(self.log_bytes, self._log.stat().st_size)
        if self._in_step >= self._step:
            self._end_step()

    def _end_step(self) -> None:
        now = time.monotonic()
        rate = self._in_step / (now - self._since)
        self.rates.append(rate)
        self._in_step, self._since = 0, now
        print(f"{self.urls:,} urls: {rate:,.0f} per s; log {self.log_bytes / 1e6:,.0f} MB", file=sys.stderr)


def iter_batches(web: SimulatedWeb) -> Iterator[list[NewUrl]]:
    rounds = max(LEAST_ROUNDS, web.urls // URLS_PER_ROUND)
    batch: list[NewUrl] = []
    added = 0
    for turn in range(rounds):
        for domain in range(DOMAINS):
            size = web.size_of(domain)
            for number in range(turn * size // rounds, (turn + 1) * size // rounds):
                batch.append(web.new_url(domain, number, found_on=1 + added // NEW_LINKS))
                added += 1
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
        [(origin_of(url), ids[domain_of(url)][0], ROBOTS, now, now + ROBOTS_FRESH_S) for url in urls],
    )


if __name__ == "__main__":
    print(json.dumps(asyncio.run(fill(Path(sys.argv[1]), SimulatedWeb(urls=int(sys.argv[2]))))))
