"""Formats results as tables for the terminal and for docs/benchmarks.md."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.crawlers import FLOOR, ONE_WORKER, TWO_STORES, TWO_WORKERS
from bench.document import format_markdown_table, format_text_table
from bench.goals import Verdict, find_ratio, format_ratio, get_speed
from bench.machine import Machine
from bench.measure import Peer, Result
from bench.startup import Startup
from bench.store_lock import LockShares
from bench.web import Web

HEADER = (
    "crawler", "pages", "requests", "CPU ms/page", "pages/s", "peak RSS MB", "Tenax ÷ it", "it ÷ floor"
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What one run of the benchmark has measured."""

    results: Sequence[Result]
    peers: Sequence[Peer]
    locks: Mapping[str, LockShares]  # by web
    startup: Startup


def format_terminal(found: Findings, verdicts: Sequence[Verdict]) -> str:
    parts = []
    for web in dict.fromkeys(result.web for result in found.results):
        parts.append(f"{web} pages\n{format_text_table(HEADER, _rows(found.results, web))}")
        parts += _format_two_workers(found, web)
    parts += [f"missing: {peer.crawler.name}: {peer.missing}" for peer in found.peers if peer.missing]
    if verdicts:
        rows = [(verdict.goal, verdict.measured, verdict.word) for verdict in verdicts]
        parts.append(format_text_table(("goal", "measured", ""), rows))
    return "\n\n".join(parts)


def format_section(found: Findings, webs: Sequence[Web], machine: Machine, rounds: int) -> str:
    kept = f"; the cheapest of {rounds} runs of each" if rounds > 1 else ""
    parts = [f"## The cost of a page\n\n{machine.describe()}"]
    for web in webs:
        title = f"### {web.name.capitalize()} pages"
        size = f"{web.hosts} hosts × {web.pages_per_host} pages, {web.links_per_page} links each{kept}."
        parts.append(f"{title}\n\n{size}\n\n{format_markdown_table(HEADER, _rows(found.results, web.name))}")
        parts += _format_two_workers(found, web.name)
    parts.append(f"### Start-up\n\n{_format_startup(found.startup)}")
    parts.append(f"### What each crawler does\n\n{_format_habits(found.peers)}")
    return "\n\n".join(parts)


def _format_two_workers(found: Findings, web: str) -> list[str]:
    """One paragraph with the figures that were measured, or none."""
    speeds = [
        f"{ratio:.2f} × {what}"
        for what, other in (
            ("those of one worker", ONE_WORKER),
            ("those of two crawls on two stores", TWO_STORES),
        )
        if (ratio := find_ratio(found.results, web, TWO_WORKERS.name, other.name, get_speed)) is not None
    ]
    sentences = [f"The pages/s of two workers on one store are {' and '.join(speeds)}."] if speeds else []
    if lock := found.locks.get(web):
        sentences.append(
            f"They hold the store's write lock for {lock.held:.0%} of the time, and each waits for it for"
            f" {lock.waited:.0%}."
        )
    return [" ".join(sentences)] if sentences else []


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
    return [_row(result, costs.get(ONE_WORKER.name), costs.get(FLOOR.name)) for result in here]


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
