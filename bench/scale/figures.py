"""The figures that sizes are computed from, saved in bench/scale.json by the last complete run."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from bench.machine import Machine
from bench.paths import SCALE
from bench.scale.crawls import Cost
from bench.scale.large import LargeStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    machine: str
    server: str
    worker_ms: dict[str, float]  # of CPU per page, by the kind of pages
    server_ms: float  # of CPU per page, where it was highest
    wal_bytes: float  # per page, where it was highest
    url_bytes: float  # a queued url in its table and its indexes
    url_index_bytes: float
    url_characters: float
    page_bytes: dict[str, float]  # a page's row and its TOAST data, by the kind of pages
    visit_bytes: float
    domain_bytes: float
    worker_rss_mb: float


def collect(costs: Sequence[Cost], large: LargeStore, machine: Machine, server: str) -> Figures:
    """`costs`: of crawls on the server. The most expensive one counts, so that the computed sizes suffice."""
    return Figures(
        machine=machine.describe(),
        server=server,
        worker_ms={
            web: round(max(cost.result.cpu_ms_per_page for cost in _of(costs, web)), 3)
            for web in ("small", "heavy")
        },
        server_ms=round(max(large.server_ms_per_page, *(cost.server_ms_per_page for cost in costs)), 3),
        wal_bytes=round(max(large.wal_bytes_per_page, *(cost.wal_bytes_per_page for cost in costs))),
        url_bytes=round(large.filled.bytes / large.filled.rows, 1),
        url_index_bytes=round(large.filled.index_bytes / large.filled.rows, 1),
        url_characters=round(large.characters_per_url, 1),
        page_bytes={web: _bytes_per_row(_of(costs, web), "pages") for web in ("small", "heavy")},
        visit_bytes=_bytes_per_row(costs, "visits"),
        domain_bytes=round(large.domains.bytes / large.domains.rows),
        worker_rss_mb=round(max(cost.result.peak_rss_mb for cost in costs)),
    )


def _of(costs: Sequence[Cost], web: str) -> list[Cost]:
    return [cost for cost in costs if cost.result.web == web]


def _bytes_per_row(costs: Sequence[Cost], table: str) -> float:
    states = [cost.tables[table] for cost in costs if cost.tables is not None]
    return round(max(state.bytes / state.rows for state in states))


def save_figures(figures: Figures) -> None:
    SCALE.write_text(json.dumps(asdict(figures), indent=1) + "\n")


def load_figures() -> Figures:
    if not SCALE.exists():
        raise SystemExit("Nothing is measured yet. Run `make bench-scale` first.")
    return Figures(**json.loads(SCALE.read_text()))
