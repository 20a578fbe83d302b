"""The report of the benchmark at 100 million urls."""

from typing import Any

from bench.document import format_markdown_table, format_text_table
from bench.frontier.sizes import Limits, Size, format_verdicts, judge, list_rows
from bench.frontier.web import describe_web
from bench.goals import Verdict
from bench.machine import Machine

LIMITS = Limits(cpu_growth=1.5, rss_mb=300, extra_bytes=130, first_claim_s=2.0, urls_per_s=40_000)
# Lee, Leonard, Wang, Loguinov: IRLbot: Scaling to 6 Billion Pages and Beyond (2008).
IRLBOT_PAGES_PER_S = 1_789

Figures = dict[str, Any]  # by step, as bench.frontier.large keeps them


def format_terminal(figures: Figures) -> str:
    header, *rows = _list_columns(figures)
    workers_header, *workers_rows = _list_workers(figures)
    tables = (
        format_text_table(header, rows),
        format_text_table(workers_header, workers_rows),
        format_verdicts(_judge(figures)),
    )
    return "\n\n".join(tables)


def format_section(figures: Figures, pages: int) -> str:
    header, *rows = _list_columns(figures)
    workers_header, *workers_rows = _list_workers(figures)
    goals = [(verdict.goal, verdict.measured, verdict.word) for verdict in _judge(figures)]
    crawl, filled = Machine(**figures["crawl"]["machine"]), figures["fill"]
    workers = figures["workers"]["machine"]
    return f"""## A hundred million urls

{crawl.describe()} The store was filled at a load of {filled["machine"]["load"]:.1f}; its log took at most
{filled["log_bytes"] / 1e6:,.0f} MB.

{pages:,} pages are crawled without a network by one worker. {describe_web()}
Large: what the machine's memory holds of the file is cached; what it does not hold is read from the disk.

{format_markdown_table(header, rows)}

{format_markdown_table(("goal", "measured", ""), goals)}

### Pages per second

What workers reach on that store when politeness is not their limit: {pages:,} pages each, with
`worker.memory_mb=600`, `worker.concurrency=300` and `worker.queue_head=16`, so that each can hold some 2,000
domains at a second per request. The rate is that of the time in which all of them are active. Load before the
start {workers["load"]:.1f}.

{format_markdown_table(workers_header, workers_rows)}"""


def _list_sizes(figures: Figures) -> tuple[Size, Size, Size]:
    """Small, large, and large with nothing cached."""
    filled, crawls, cold = figures["fill"], figures["crawl"], figures["cold"]
    return (
        Size(**crawls["small"]),
        Size(filled=filled, **crawls["large"]),
        Size(filled=filled, crawl=cold["crawl"], first_claim_s=cold["first_claim_s"]),
    )


def _judge(figures: Figures) -> list[Verdict]:
    small, large, cold = _list_sizes(figures)
    pages_per_s = figures["workers"]["2"]["pages_per_s"]
    return [
        *judge([small, large], LIMITS),
        Verdict(
            goal=f"first claim within {LIMITS.first_claim_s:g} s, nothing cached",
            measured=f"{cold.first_claim_s:.2f} s",
            is_met=cold.first_claim_s <= LIMITS.first_claim_s,
        ),
        Verdict(
            goal=f"two workers: more than the {IRLBOT_PAGES_PER_S:,} pages/s of IRLbot",
            measured=f"{pages_per_s:,.0f}",
            is_met=pages_per_s > IRLBOT_PAGES_PER_S,
        ),
    ]


def _list_columns(figures: Figures) -> list[list[str]]:
    return [["", "small", "large", "large, nothing cached"], *list_rows(_list_sizes(figures))]


def _list_workers(figures: Figures) -> list[list[str]]:
    return [
        ["workers", "pages/s", "CPU per page, ms", "read per page, kB", "peak RSS of one, MB", "domains"],
        *(
            [
                count,
                f"{together['pages_per_s']:,.0f}",
                f"{together['cpu_ms_per_page']:.3f}",
                f"{together['read_kb_per_page']:.0f}",
                f"{together['peak_rss_mb']:.0f}",
                f"{together['domains']:,.0f}",
            ]
            for count, together in figures["workers"].items()
            if count != "machine"
        ),
    ]
