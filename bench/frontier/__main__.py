"""Measures the frontier at several sizes, prints a table and writes its section of docs/benchmarks.md.

    python -m bench.frontier [--urls N …] [--pages N] [--loaded]

Every step runs in its own process. The store of a size is deleted before the next one is filled.
"""

import argparse
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.document import format_markdown_table, format_text_table, save_section
from bench.frontier.web import DOMAINS, FOREIGN_LINKS, LINKS, MENU_LINKS, NEW_LINKS, TEXT_BYTES
from bench.goals import Verdict
from bench.machine import Machine, describe_machine
from bench.paths import REPOSITORY, WORK
from bench.quiet import add_option, require_quiet
from bench.turns import take_turn

SIZES = (100_000, 1_000_000, 10_000_000)
PAGES = 20_000
DISK_BYTES_PER_URL = 600  # the store and its log while it is filled
CRAWL_BEFORE_KILL_S = 3.0
ENDLESS = 10**9

CPU_GROWTH, RSS_MB, EXTRA_BYTES, FIRST_CLAIM_S = 1.3, 300, 250, 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    urls: int
    fill_s: float
    extra_bytes_per_url: float  # on disk, beyond the url itself
    crawl: dict[str, float]
    first_claim_s: float  # from the start of the process, after a kill -9


def measure(urls: int, pages: int, data: Path) -> Size:
    shutil.rmtree(data, ignore_errors=True)
    data.mkdir(parents=True)
    if shutil.disk_usage(data).free < urls * DISK_BYTES_PER_URL:
        raise SystemExit(f"{urls:,} urls need {urls * DISK_BYTES_PER_URL / 1e9:.1f} GB of free disk.")
    try:
        filled = _run("fill", data, urls)
        crawl = _run("simulate", data, urls, pages)
        return Size(
            urls=int(filled["urls"]),
            fill_s=filled["seconds"],
            extra_bytes_per_url=(filled["file_bytes"] - filled["url_bytes"]) / filled["urls"],
            crawl=crawl,
            first_claim_s=_time_resume(data, urls),
        )
    finally:
        shutil.rmtree(data, ignore_errors=True)


def _command(module: str, *arguments: object) -> list[str]:
    return [sys.executable, "-m", f"bench.frontier.{module}", *map(str, arguments)]


def _run(module: str, data: Path, urls: int, *arguments: object) -> dict[str, float]:
    """Run a step and return the last line that it prints."""
    print(f"{module}: {urls:,} urls …", file=sys.stderr)
    done = subprocess.run(
        _command(module, data, urls, *arguments),
        cwd=REPOSITORY,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def _time_resume(data: Path, urls: int) -> float:
    """Kill an active crawl, and measure how long the next one takes from its start to its first claim."""
    print(f"kill -9 and resume: {urls:,} urls …", file=sys.stderr)
    _crawl_until_claim(data, urls, CRAWL_BEFORE_KILL_S)
    return _crawl_until_claim(data, urls, 0.0)


def _crawl_until_claim(data: Path, urls: int, linger_s: float) -> float:
    started = time.time()
    with subprocess.Popen(
        _command("simulate", data, urls, ENDLESS), cwd=REPOSITORY, stdout=subprocess.PIPE, text=True
    ) as crawl:
        assert crawl.stdout is not None
        claimed: dict[str, Any] = json.loads(crawl.stdout.readline())
        time.sleep(linger_s)
        crawl.kill()
    return float(claimed["first_claim_at"]) - started


ROWS: Sequence[tuple[str, Callable[[Size], str]]] = (
    ("urls", lambda size: f"{size.urls:,}"),
    ("fill, s", lambda size: f"{size.fill_s:,.0f}"),
    ("CPU per page, ms", lambda size: f"{size.crawl['cpu_ms_per_page']:.3f}"),
    ("peak RSS, MB", lambda size: f"{size.crawl['peak_rss_mb']:,.0f}"),
    ("bytes per url on disk beyond the url", lambda size: f"{size.extra_bytes_per_url:.0f}"),
    ("kill -9, start to first claim, s", lambda size: f"{size.first_claim_s:.2f}"),
    ("claim of 64 domains by an idle worker, ms", lambda size: f"{size.crawl['claim_ms_first']:.1f}"),
    ("claim by a busy worker, median, ms", lambda size: f"{size.crawl['claim_ms_median']:.1f}"),
    ("claim by a busy worker, worst, ms", lambda size: f"{size.crawl['claim_ms_worst']:.1f}"),
    ("load of the claimed domains, median, ms", lambda size: f"{size.crawl['load_ms_median']:.1f}"),
    ("settle per page, ms of wall time", lambda size: f"{size.crawl['settle_ms_per_page']:.3f}"),
    ("written per page, kB", lambda size: f"{size.crawl['written_kb_per_page']:.0f}"),
    ("domains claimed", lambda size: f"{size.crawl['domains']:,}"),
    ("pages per batch", lambda size: f"{size.crawl['pages_per_batch']:.0f}"),
    ("overview for the live view, ms", lambda size: f"{size.crawl['overview_ms']:.1f}"),
)


def judge(sizes: Sequence[Size]) -> list[Verdict]:
    smallest, largest = sizes[0], sizes[-1]
    growth = largest.crawl["cpu_ms_per_page"] / smallest.crawl["cpu_ms_per_page"]
    rss_mb = max(size.crawl["peak_rss_mb"] for size in sizes)
    extra = largest.extra_bytes_per_url
    names = f"{largest.urls:,} urls", f"{smallest.urls:,}"
    return [
        Verdict(
            goal=f"CPU per page at {names[0]} at most {CPU_GROWTH} × that at {names[1]}",
            measured=f"{growth:.2f}",
            is_met=growth <= CPU_GROWTH,
        ),
        Verdict(goal=f"RSS at most {RSS_MB} MB", measured=f"{rss_mb:.0f} MB", is_met=rss_mb <= RSS_MB),
        Verdict(
            goal=f"at most {EXTRA_BYTES} bytes per url on disk beyond the url",
            measured=f"{extra:.0f}",
            is_met=extra <= EXTRA_BYTES,
        ),
        Verdict(
            goal=f"first claim within {FIRST_CLAIM_S:g} s of the start at {names[0]}",
            measured=f"{largest.first_claim_s:.2f} s",
            is_met=largest.first_claim_s <= FIRST_CLAIM_S,
        ),
    ]


def format_section(sizes: Sequence[Size], machine: Machine, pages: int) -> str:
    header, *rows = _table(sizes)
    return f"""## The frontier as it grows

{machine.describe()}

{pages:,} pages of a simulated web of {DOMAINS:,} domains, crawled without a network by one worker, on stores
with different numbers of queued urls. {LINKS} links per page, {NEW_LINKS} of them new, {FOREIGN_LINKS} to
other domains, {MENU_LINKS} the same on all pages of a domain; {TEXT_BYTES:,} bytes of text; 1 s between two
requests to a domain, warm caches. Half of the urls belong to one domain in a hundred.

{format_markdown_table(header, rows)}"""


def _table(sizes: Sequence[Size]) -> list[list[str]]:
    return [[name, *(show(size) for size in sizes)] for name, show in ROWS]


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.frontier", description="Measure the frontier as it grows.")
    parser.add_argument("--urls", type=int, nargs="+", default=list(SIZES), metavar="N")
    parser.add_argument("--pages", type=int, default=PAGES, metavar="N")
    add_option(parser)
    arguments = parser.parse_args()
    with take_turn():
        machine = describe_machine()
        require_quiet(machine, is_load_allowed=arguments.loaded)
        sizes = [measure(urls, arguments.pages, WORK / "frontier") for urls in sorted(arguments.urls)]
    verdicts = judge(sizes)
    header, *rows = _table(sizes)
    print(format_text_table(header, rows))
    print()
    goals = [(verdict.goal, verdict.measured, verdict.word) for verdict in verdicts]
    print(format_text_table(("goal", "measured", ""), goals))
    if (*arguments.urls,) == SIZES and arguments.pages == PAGES:
        save_section("frontier", format_section(sizes, machine, arguments.pages))
    return 0


if __name__ == "__main__":
    sys.exit(main())
