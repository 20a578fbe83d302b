"""Computes what a crawl of a given size needs from the results of bench.scale; writes its part of
docs/scale-out.md.

    python -m bench.capacity [--days N] [--pages small|heavy]

Only a run without options writes.
"""

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench.document import format_markdown_table, format_text_table, save_block
from bench.paths import SCALE_GUIDE
from bench.scale.figures import Figures, load_figures
from tenax.config.settings import Settings
from tenax.stores.postgres.connection.database import READERS

SIZES = (1_000_000, 100_000_000, 10_000_000_000)
DAYS, KIND = 30, "heavy"

CONNECTIONS = 1 + READERS  # maximum of a worker
URLS_PER_DOMAIN = 1_000
RESPONSE_S = 0.5  # from the start of a request to the end of its response
WORKER_BUSY, SERVER_BUSY = 0.7, 0.5  # of a core: the rest is for peaks, repairs, vacuum, backups
ROOM = 1.3  # of the disk: row versions that wait for a vacuum, growth
# The maximum for one server; depends on its hardware and on how much risk is acceptable.
SERVER_CORES, SERVER_BYTES, SERVER_CONNECTIONS = 32, 8e12, 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Every url is visited once in the given days, and its page is kept."""

    urls: int
    pages_per_s: float
    workers: int
    worker_bytes: float  # of memory
    server_cores: float
    connections: int
    wal_bytes_per_s: float
    index_bytes: float  # of urls: should fit into memory
    url_bytes: float
    page_bytes: float
    visit_bytes: float  # of one pass over all urls
    domain_bytes: float

    @property
    def disk_bytes(self) -> float:
        return ROOM * (self.url_bytes + self.page_bytes + self.visit_bytes + self.domain_bytes)

    @property
    def servers(self) -> int:
        return math.ceil(
            max(
                self.server_cores / SERVER_CORES,
                self.disk_bytes / SERVER_BYTES,
                self.connections / SERVER_CONNECTIONS,
            )
        )


def plan(urls: int, figures: Figures, *, days: float, kind: str) -> Plan:
    pages_per_s = urls / (days * 86_400)
    by_cpu = WORKER_BUSY * 1000 / figures.worker_ms[kind]
    by_waiting = Settings().worker.concurrency / RESPONSE_S
    workers = math.ceil(pages_per_s / min(by_cpu, by_waiting))
    return Plan(
        urls=urls,
        pages_per_s=pages_per_s,
        workers=workers,
        worker_bytes=workers * figures.worker_rss_mb * 1e6,
        server_cores=pages_per_s * figures.server_ms / 1000 / SERVER_BUSY,
        connections=workers * CONNECTIONS,
        wal_bytes_per_s=pages_per_s * figures.wal_bytes,
        index_bytes=urls * figures.url_index_bytes,
        url_bytes=urls * figures.url_bytes,
        page_bytes=urls * figures.page_bytes[kind],
        visit_bytes=urls * figures.visit_bytes,
        domain_bytes=urls / URLS_PER_DOMAIN * figures.domain_bytes,
    )


ROWS: Sequence[tuple[str, Callable[[Plan], str]]] = (
    ("urls", lambda found: f"{found.urls:,}"),
    ("domains", lambda found: f"{found.urls // URLS_PER_DOMAIN:,}"),
    ("pages per second", lambda found: format_number(found.pages_per_s)),
    ("worker processes, one core each", lambda found: f"{found.workers:,}"),
    ("memory of the workers", lambda found: format_bytes(found.worker_bytes)),
    ("cores of PostgreSQL", lambda found: format_number(found.server_cores)),
    ("connections", lambda found: f"{found.connections:,}"),
    ("write-ahead log per second", lambda found: format_bytes(found.wal_bytes_per_s)),
    ("memory for the indexes of urls", lambda found: format_bytes(found.index_bytes)),
    ("disk: urls", lambda found: format_bytes(found.url_bytes)),
    ("disk: pages", lambda found: format_bytes(found.page_bytes)),
    ("disk: visits of one pass", lambda found: format_bytes(found.visit_bytes)),
    ("disk: domains", lambda found: format_bytes(found.domain_bytes)),
    ("disk, with a third in reserve", lambda found: format_bytes(found.disk_bytes)),
    ("PostgreSQL servers", lambda found: f"{found.servers:,}"),
)


def format_bytes(count: float) -> str:
    for unit, size in (("PB", 1e15), ("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if count >= size:
            return f"{format_number(count / size)} {unit}"
    return f"{format_number(count / 1e3)} kB"


def format_number(number: float) -> str:
    if number < 0.1:
        return "less than 0.1"
    return f"{number:,.0f}" if number >= 10 else f"{number:.1f}"


def make_table(figures: Figures, *, days: float, kind: str) -> list[list[str]]:
    plans = [plan(urls, figures, days=days, kind=kind) for urls in SIZES]
    return [[name, *(show(each) for each in plans)] for name, show in ROWS]


def describe_figures(figures: Figures) -> list[tuple[str, str]]:
    kinds = ("small", "heavy")
    return [
        ("CPU of a worker per page, small / heavy", _both(figures.worker_ms, kinds, "ms")),
        ("CPU of PostgreSQL per page", f"{figures.server_ms:.2f} ms"),
        ("write-ahead log per page", f"{figures.wal_bytes / 1000:.1f} kB"),
        ("a queued url, of which indexes", f"{figures.url_bytes:.0f}, {figures.url_index_bytes:.0f} bytes"),
        ("of which the url itself", f"{figures.url_characters:.0f} bytes"),
        ("a page, small / heavy", _both(figures.page_bytes, kinds, "bytes")),
        ("a visit", f"{figures.visit_bytes:.0f} bytes"),
        ("a domain", f"{figures.domain_bytes:.0f} bytes"),
        ("largest worker", f"{figures.worker_rss_mb:.0f} MB"),
    ]


def _both(values: dict[str, float], kinds: Sequence[str], unit: str) -> str:
    digits = 2 if unit == "ms" else 0
    return " / ".join(f"{values[kind]:,.{digits}f}" for kind in kinds) + f" {unit}"


def format_part(figures: Figures) -> str:
    header, *rows = make_table(figures, days=DAYS, kind=KIND)
    return f"""{figures.machine} {figures.server} on the same machine.

{format_markdown_table(("measured", ""), describe_figures(figures))}

Computed from these figures, if every url is visited once in {DAYS} days, pages are {KIND} and kept, and a
domain has {URLS_PER_DOMAIN:,} urls:

{format_markdown_table(header, rows)}

- pages per second = urls ÷ ({DAYS} × 86,400)
- worker processes = pages per second ÷ the smaller of {WORKER_BUSY:g} × 1,000 ÷ CPU ms per page, and
  {Settings().worker.concurrency} concurrent requests ÷ {RESPONSE_S:g} s per response
- cores of PostgreSQL = pages per second × its CPU ms per page ÷ 1,000 ÷ {SERVER_BUSY:g}
- connections = {CONNECTIONS} × worker processes; write-ahead log = pages per second × bytes per page
- disk = (urls × bytes of a url, a page and a visit + domains × bytes of a domain) × {ROOM:g}
- servers: as many as needed so that none uses more than {SERVER_CORES} cores, {format_bytes(SERVER_BYTES)}
  of disk or {SERVER_CONNECTIONS} connections"""


def save_capacity() -> None:
    save_block(SCALE_GUIDE, "capacity", format_part(load_figures()))


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.capacity", description="Compute what a crawl needs.")
    parser.add_argument(
        "--days", type=float, default=DAYS, metavar="N", help="duration of one pass over all urls"
    )
    parser.add_argument("--pages", choices=["small", "heavy"], default=KIND)
    arguments = parser.parse_args()
    header, *rows = make_table(load_figures(), days=arguments.days, kind=arguments.pages)
    print(format_text_table(header, rows))
    if (arguments.days, arguments.pages) == (DAYS, KIND):
        save_capacity()


if __name__ == "__main__":
    main()
