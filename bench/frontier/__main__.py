"""Measures the frontier at several sizes, prints a table and writes its section of docs/benchmarks.md.

    python -m bench.frontier [--urls N …] [--pages N] [--loaded]

The store of a size is deleted before the next one is filled.
"""

import argparse
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.document import format_markdown_table, format_text_table, save_section
from bench.frontier import steps
from bench.frontier.sizes import Limits, Size, format_verdicts, judge, list_rows
from bench.frontier.web import describe_web
from bench.machine import Machine, describe_machine
from bench.paths import WORK
from bench.quiet import add_option, require_quiet
from bench.turns import take_turn

SIZES = (100_000, 1_000_000, 10_000_000)
PAGES = 20_000
LIMITS = Limits(cpu_growth=1.3, rss_mb=300, extra_bytes=130, first_claim_s=2.0, urls_per_s=40_000)


def measure(urls: int, pages: int, data: Path) -> Size:
    try:
        return Size(
            filled=steps.fill(data, urls),
            crawl=steps.crawl(data, urls, pages),
            first_claim_s=steps.time_resume(data, urls),
        )
    finally:
        shutil.rmtree(data, ignore_errors=True)


def format_section(sizes: Sequence[Size], machine: Machine, pages: int) -> str:
    header, *rows = list_rows(sizes)
    return f"""## The frontier as it grows

{machine.describe()}

{pages:,} pages are crawled without a network by one worker, on stores with different numbers of queued urls
and with warm caches. {describe_web()}

{format_markdown_table(header, rows)}"""


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
    header, *rows = list_rows(sizes)
    print(format_text_table(header, rows))
    print()
    print(format_verdicts(judge(sizes, LIMITS)))
    if (*arguments.urls,) == SIZES and arguments.pages == PAGES:
        save_section("frontier", format_section(sizes, machine, arguments.pages))
    return 0


if __name__ == "__main__":
    sys.exit(main())
