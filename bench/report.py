"""Formats results as tables for the terminal and for docs/benchmarks.md."""

from collections.abc import Sequence

from bench.document import format_markdown_table, format_text_table
from bench.goals import Verdict, format_ratio
from bench.machine import Machine
from bench.measure import Peer, Result
from bench.startup import Startup
from bench.web import Web

REFERENCE, FLOOR = "tenax", "floor"
HEADER = (
    "crawler", "pages", "requests", "CPU ms/page", "pages/s", "peak RSS MB", "Tenax ÷ it", "it ÷ floor"
)  # fmt: skip


def format_terminal(results: Sequence[Result], peers: Sequence[Peer], verdicts: Sequence[Verdict]) -> str:
    parts = []
    for web in dict.fromkeys(result.web for result in results):
        parts.append(f"{web} pages\n{format_text_table(HEADER, _rows(results, web))}")
    parts += [f"missing: {peer.crawler.name}: {peer.missing}" for peer in peers if peer.missing]
    if verdicts:
        rows = [(verdict.goal, verdict.measured, verdict.word) for verdict in verdicts]
        parts.append(format_text_table(("goal", "measured", ""), rows))
    return "\n\n".join(parts)


def format_section(
    results: Sequence[Result],
    peers: Sequence[Peer],
    startup: Startup,
    webs: Sequence[Web],
    machine: Machine,
    rounds: int,
) -> str:
    kept = f"; the cheapest of {rounds} runs of each" if rounds > 1 else ""
    parts = [f"## The cost of a page\n\n{machine.describe()}"]
    for web in webs:
        title = f"### {web.name.capitalize()} pages"
        size = f"{web.hosts} hosts × {web.pages_per_host} pages, {web.links_per_page} links each{kept}."
        parts.append(f"{title}\n\n{size}\n\n{format_markdown_table(HEADER, _rows(results, web.name))}")
    parts.append(f"### Start-up\n\n{_format_startup(startup)}")
    parts.append(f"### What each crawler does\n\n{_format_habits(peers)}")
    return "\n\n".join(parts)


def _format_startup(startup: Startup) -> str:
    return (
        f"`tenax --help` takes {startup.help_cpu_s:.2f} s of CPU; a crawl makes its first request"
        f" {startup.first_request_s:.2f} s after its start."
    )


def _format_habits(peers: Sequence[Peer]) -> str:
    header = ("crawler", "version", "robots.txt", "extracts from a page", "stores", "concurrent requests")
    rows = []
    for peer in peers:
        habits = peer.crawler.habits
        version = f"missing: {peer.missing}" if peer.missing else peer.version
        rows.append((peer.crawler.name, version, habits.robots, habits.takes, habits.keeps, habits.at_a_time))
    return format_markdown_table(header, rows).replace("---:", "---")


def _rows(results: Sequence[Result], web: str) -> list[Sequence[str]]:
    here = [result for result in results if result.web == web]
    costs = {result.crawler: result.cpu_ms_per_page for result in here if not result.problem}
    return [_row(result, costs.get(REFERENCE), costs.get(FLOOR)) for result in here]


def _row(result: Result, reference: float | None, floor: float | None) -> Sequence[str]:
    start = (result.crawler, f"{result.pages:,}", f"{result.requests:,}")
    if result.problem:
        return (*start, result.problem, "", "", "", "")
    cost = result.cpu_ms_per_page
    return (
        *start,
        f"{cost:.3f}",
        f"{result.pages_per_s:,.0f}",
        f"{result.peak_rss_mb:,.0f}",
        format_ratio(reference / cost) if reference else "–",
        f"{cost / floor:.2f}" if floor else "–",
    )
