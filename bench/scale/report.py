"""Formats costs as tables for the terminal and for docs/benchmarks.md."""

from collections.abc import Sequence

from bench.document import format_markdown_table, format_text_table
from bench.frontier.web import DOMAINS
from bench.goals import Verdict
from bench.machine import Machine
from bench.scale.crawls import BY_MANY, MANY, ON_POSTGRES, ON_SQLITE, Cost, Crawl
from bench.scale.large import LargeStore
from bench.scale.server import OPTIONS, TableState

SERVER_RATIO, MANY_RATIO = 1.5, 1.25
COSTS_HEADER = (
    "crawl", "pages", "worker CPU ms/page", "server CPU ms/page", "WAL kB/page", "pages/s", "RSS MB"
)  # fmt: skip
TABLES_HEADER = ("table", "rows", "bytes/row", "of which indexes", "updates", "of which HOT", "dead rows")


def judge(costs: Sequence[Cost]) -> list[Verdict]:
    verdicts = [
        _judge_ratio(
            costs,
            web,
            (ON_POSTGRES, ON_SQLITE),
            SERVER_RATIO,
            f"{web} pages: CPU of a worker on PostgreSQL at most {SERVER_RATIO} × that on SQLite",
        )
        for web in dict.fromkeys(cost.result.web for cost in costs)
    ]
    text = f"small pages: CPU of {MANY} workers on PostgreSQL at most {MANY_RATIO} × that of one, per page"
    return [*verdicts, _judge_ratio(costs, "small", (BY_MANY, ON_POSTGRES), MANY_RATIO, text)]


def _judge_ratio(
    costs: Sequence[Cost], web: str, pair: tuple[Crawl, Crawl], limit: float, goal: str
) -> Verdict:
    found = {
        cost.crawl: cost.result.cpu_ms_per_page
        for cost in costs
        if cost.result.web == web and not cost.result.problem
    }
    if not all(crawl in found for crawl in pair):
        return Verdict(goal=goal, measured="not measured", is_met=None)
    ratio = found[pair[0]] / found[pair[1]]
    return Verdict(goal=goal, measured=f"{ratio:.2f}", is_met=ratio <= limit)


def format_terminal(costs: Sequence[Cost], large: LargeStore, verdicts: Sequence[Verdict]) -> str:
    goals = [(verdict.goal, verdict.measured, verdict.word) for verdict in verdicts]
    return "\n\n".join(
        [
            format_text_table(COSTS_HEADER, [_cost_row(cost) for cost in costs]),
            format_text_table(TABLES_HEADER, _table_rows(costs)),
            format_text_table(("large store", "measured"), _large_rows(large)),
            format_text_table(("goal", "measured", ""), goals),
        ]
    )


def format_section(
    costs: Sequence[Cost],
    large: LargeStore,
    machine: Machine,
    server_version: str,
    rounds: int,
) -> str:
    return f"""## Scaling out on PostgreSQL

{machine.describe()}
PostgreSQL {server_version} on the same machine, fsync on, {", ".join(OPTIONS)}.

The webs of the benchmark above; the cheapest of {rounds} runs of each. The CPU of the server is that of all
its processes, including a vacuum of everything and a checkpoint after the crawl. Startup is included; nginx
is not.

{format_markdown_table(COSTS_HEADER, [_cost_row(cost) for cost in costs])}

The tables after the crawl of small pages by {MANY} workers, before any vacuum:

{format_markdown_table(TABLES_HEADER, _table_rows(costs))}

A visit removes its url from the frontier's index, so its update cannot be HOT: PostgreSQL adds one entry to
each of the two other indexes, and removes the old ones by itself.

### One worker on a large store

Every url of a simulated web of {DOMAINS:,} domains is queued. {int(large.crawl["pages"]):,} pages are crawled
without a network, as in the frontier benchmark.

{format_markdown_table(("", "measured"), _large_rows(large))}"""


def _cost_row(cost: Cost) -> Sequence[str]:
    result = cost.result
    start = (f"{result.web}: {cost.crawl.name}", f"{result.pages:,}")
    if result.problem:
        return (*start, result.problem, "", "", "", "")
    return (
        *start,
        f"{result.cpu_ms_per_page:.3f}",
        f"{cost.server_ms_per_page:.3f}" if cost.tables else "–",
        f"{cost.wal_bytes_per_page / 1000:.1f}" if cost.tables else "–",
        f"{result.pages_per_s:,.0f}",
        f"{result.peak_rss_mb:,.0f}",
    )


def _table_rows(costs: Sequence[Cost]) -> list[Sequence[str]]:
    tables = next(cost.tables for cost in costs if cost.crawl is BY_MANY and cost.tables is not None)
    return [_table_row(name, state) for name, state in tables.items()]


def _table_row(name: str, state: TableState) -> Sequence[str]:
    rows = max(state.rows, 1)
    return (
        name,
        f"{state.rows:,}",
        f"{state.bytes / rows:,.0f}",
        f"{state.index_bytes / rows:,.0f}",
        f"{state.updates:,}",
        f"{state.hot_updates / state.updates:.0%}" if state.updates else "–",
        f"{state.dead:,}",
    )


def _large_rows(large: LargeStore) -> list[Sequence[str]]:
    filled, crawled = large.filled, large.crawled
    growth = crawled.bytes / crawled.rows / (filled.bytes / filled.rows)
    return [
        ("urls", f"{filled.rows:,}"),
        ("bytes per url", f"{filled.bytes / filled.rows:.0f}"),
        ("of which indexes", f"{filled.index_bytes / filled.rows:.0f}"),
        ("of which the url itself", f"{large.characters_per_url:.0f}"),
        ("bytes per url after the crawl, relative", f"{growth:.2f} ×"),
        ("worker CPU ms/page", f"{large.crawl['cpu_ms_per_page']:.3f}"),
        ("server CPU ms/page", f"{large.server_ms_per_page:.3f}"),
        ("WAL kB/page", f"{large.wal_bytes_per_page / 1000:.1f}"),
        ("claim of 64 domains by an idle worker, ms", f"{large.crawl['claim_ms_first']:.1f}"),
        ("load of the claimed domains, median, ms", f"{large.crawl['load_ms_median']:.1f}"),
        ("settle per page, ms of wall time", f"{large.crawl['settle_ms_per_page']:.3f}"),
        ("overview for the live view, ms", f"{large.crawl['overview_ms']:.1f}"),
    ]
