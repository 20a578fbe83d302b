"""A database with very many queued urls: its size, and the cost of a crawl of it without a network."""

import asyncio
import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import asyncpg

from bench.frontier.fill import ROBOTS, ROBOTS_FRESH_S, iter_batches
from bench.frontier.web import DOMAINS, SimulatedWeb
from bench.paths import REPOSITORY
from bench.scale.server import Server, TableState, look_at_table, query, subtract, tidy
from tenax.clock import SystemClock
from tenax.stores.place import Place
from tenax.stores.postgres.backend import open_stores
from tenax.web.urls import domain_of, origin_of


@dataclass(frozen=True, slots=True, kw_only=True)
class LargeStore:
    filled: TableState  # urls, all of them queued
    domains: TableState
    characters_per_url: float
    crawl: dict[str, float]  # as bench.frontier.simulate prints it
    crawled: TableState  # urls afterwards
    server_ms_per_page: float
    wal_bytes_per_page: float


def measure_large(urls: int, pages: int, server: Server, data: Path) -> LargeStore:
    web = SimulatedWeb(urls=urls)
    with server.make_database() as url:
        place = Place(folder=data, url=url)
        print(f"fill: {urls:,} urls …", file=sys.stderr)
        asyncio.run(_fill(place, web))
        tidy(url)
        filled, domains = look_at_table(url, "urls"), look_at_table(url, "domains")
        (characters,) = query(url, "SELECT avg(length(url))::float8 FROM urls")[0]
        print(f"crawl: {pages:,} pages …", file=sys.stderr)
        before = server.look()
        crawl = _simulate(place, urls, pages)
        crawled = look_at_table(url, "urls")
        tidy(url)
        spent = subtract(server.look(), before)
    return LargeStore(
        filled=filled,
        domains=domains,
        characters_per_url=characters,
        crawl=crawl,
        crawled=crawled,
        server_ms_per_page=1000 * spent.cpu_s / crawl["pages"],
        wal_bytes_per_page=spent.wal_bytes / crawl["pages"],
    )


async def _fill(place: Place, web: SimulatedWeb) -> None:
    clock = SystemClock()
    async with open_stores(place, clock) as stores:
        for urls in iter_batches(web):
            await stores.frontier.add_urls(urls, clock.now())
    assert place.url is not None
    connection = await asyncpg.connect(place.url)
    try:
        await _add_robots(connection, web, time.time())
    finally:
        await connection.close()


async def _add_robots(connection: asyncpg.Connection, web: SimulatedWeb, now: float) -> None:
    """Add robots.txt records: a crawl of this size has fetched them long ago."""
    ids = {row[0]: row[1] for row in await connection.fetch("SELECT name, id FROM domains")}
    urls = [web.url_of(domain, 0) for domain in range(DOMAINS)]
    await connection.copy_records_to_table(
        "robots",
        columns=["origin", "domain_id", "status", "body", "fetched_at", "expires_at"],
        records=[
            (origin_of(url), ids[domain_of(url)], 200, ROBOTS, now, now + ROBOTS_FRESH_S) for url in urls
        ],
    )


def _simulate(place: Place, urls: int, pages: int) -> dict[str, float]:
    assert place.url is not None
    command = [
        sys.executable,
        "-m",
        "bench.frontier.simulate",
        str(place.folder),
        str(urls),
        str(pages),
        place.url,
    ]
    done = subprocess.run(command, cwd=REPOSITORY, check=True, stdout=subprocess.PIPE, text=True)
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result
