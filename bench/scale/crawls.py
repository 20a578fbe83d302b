"""The same crawl on SQLite and on PostgreSQL, with one worker and with many, in one run."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bench.crawlers import ONE_WORKER, Crawler, Task, command_of_tenax
from bench.measure import Result, choose, measure
from bench.nginx import Nginx
from bench.process import Command
from bench.scale.server import Server, TableState, look_at_table, subtract, tidy
from bench.web import Web

MANY = 8
TABLES = ("urls", "pages", "visits", "domains")


@dataclass(frozen=True, slots=True, kw_only=True)
class Crawl:
    name: str
    workers: int
    is_on_server: bool


ON_SQLITE = Crawl(name="SQLite, one worker", workers=1, is_on_server=False)
ON_POSTGRES = Crawl(name="PostgreSQL, one worker", workers=1, is_on_server=True)
BY_MANY = Crawl(name=f"PostgreSQL, {MANY} workers", workers=MANY, is_on_server=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """One crawl, or the best figures of several."""

    crawl: Crawl
    result: Result
    server_ms_per_page: float = 0.0  # including a final vacuum of everything and a checkpoint
    wal_bytes_per_page: float = 0.0
    tables: dict[str, TableState] | None = None  # None: without a server


def measure_crawls(
    crawls: Sequence[Crawl], web: Web, nginx: Nginx, server: Server, rounds: int
) -> list[Cost]:
    found: dict[str, list[Cost]] = {crawl.name: [] for crawl in crawls}
    for number in range(rounds):
        shift = number % len(crawls)
        for crawl in (*crawls[shift:], *crawls[:shift]):
            print(f"{crawl.name}: {web.pages:,} {web.name} pages …", file=sys.stderr)
            found[crawl.name].append(_measure_one(crawl, web, nginx, server))
    return [_choose(costs) for costs in found.values()]


def _choose(costs: Sequence[Cost]) -> Cost:
    """Combine the best figures: noise only adds cost to the workers, the server and the duration."""
    return replace(
        costs[-1],
        result=choose([cost.result for cost in costs]),
        server_ms_per_page=min(cost.server_ms_per_page for cost in costs),
        wal_bytes_per_page=min(cost.wal_bytes_per_page for cost in costs),
    )


def _measure_one(crawl: Crawl, web: Web, nginx: Nginx, server: Server) -> Cost:
    if not crawl.is_on_server:
        return Cost(crawl=crawl, result=measure(_make_crawler(crawl, None), web, nginx))
    with server.make_database() as url:
        before = server.look()
        result = measure(_make_crawler(crawl, url), web, nginx)
        tables = {name: look_at_table(url, name) for name in TABLES}
        tidy(url)
        spent = subtract(server.look(), before)
    pages = max(result.pages, 1)
    return Cost(
        crawl=crawl,
        result=result,
        server_ms_per_page=1000 * spent.cpu_s / pages,
        wal_bytes_per_page=spent.wal_bytes / pages,
        tables=tables,
    )


def _make_crawler(crawl: Crawl, url: str | None) -> Crawler:
    def command(task: Task) -> Command:
        store = [] if url is None else ["--store", url]
        return [*command_of_tenax(task, workers=crawl.workers), *store]

    return replace(ONE_WORKER, name=crawl.name, command=command)
