"""Compares crawls on PostgreSQL and SQLite, prints tables and writes a section of docs/benchmarks.md.

    python -m bench.scale [--quick] [--repeat N] [--loaded]

A complete run also saves its figures in bench/scale.json, for bench.capacity.
"""

import argparse
import sys

from bench.capacity import save_capacity
from bench.document import save_section
from bench.machine import Machine, describe_machine
from bench.measure import serve_webs
from bench.paths import WORK
from bench.quiet import add_option, require_quiet
from bench.scale.crawls import BY_MANY, ON_POSTGRES, ON_SQLITE, measure_crawls
from bench.scale.figures import collect, save_figures
from bench.scale.large import measure_large
from bench.scale.report import format_section, format_terminal, judge
from bench.scale.server import start_server
from bench.turns import take_turn
from bench.web import HEAVY, QUICK_HEAVY, QUICK_SMALL, SMALL

URLS, PAGES = 1_000_000, 20_000
QUICK_URLS, QUICK_PAGES = 100_000, 5_000


def run(machine: Machine, *, is_quick: bool, rounds: int) -> int:
    small, heavy = (QUICK_SMALL, QUICK_HEAVY) if is_quick else (SMALL, HEAVY)
    urls, pages = (QUICK_URLS, QUICK_PAGES) if is_quick else (URLS, PAGES)
    with start_server() as server:
        with serve_webs([small, heavy]) as nginx:
            costs = measure_crawls([ON_SQLITE, ON_POSTGRES, BY_MANY], small, nginx, server, rounds)
            costs += measure_crawls([ON_SQLITE, ON_POSTGRES], heavy, nginx, server, rounds)
        large = measure_large(urls, pages, server, WORK / "scale")
    verdicts = judge(costs)
    print(format_terminal(costs, large, verdicts))
    is_good = not any(cost.result.problem for cost in costs)
    if is_good and not is_quick:
        text = format_section(costs, large, machine, server.version, rounds)
        save_section("scale", text)
        on_server = [cost for cost in costs if cost.crawl.is_on_server]
        save_figures(collect(on_server, large, machine, f"PostgreSQL {server.version}"))
        save_capacity()
    return 0 if is_good else 1


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.scale", description="Measure scaling out on PostgreSQL.")
    parser.add_argument("--quick", action="store_true", help="a third of the pages; does not write the page")
    parser.add_argument(
        "--repeat", type=int, default=3, metavar="N", help="runs of each; the cheapest counts"
    )
    add_option(parser)
    arguments = parser.parse_args()
    with take_turn():
        machine = describe_machine()
        require_quiet(machine, is_load_allowed=arguments.loaded)
        return run(machine, is_quick=arguments.quick, rounds=arguments.repeat)


if __name__ == "__main__":
    sys.exit(main())
