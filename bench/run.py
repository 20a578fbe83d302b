"""Crawls the benchmark web with each crawler in turn, prints the costs and writes docs/benchmarks.md.

    python -m bench.run [--pages small|heavy|both] [--only NAMES] [--repeat N] [--quick] [--json] [--loaded]

Only a complete run writes the page: all crawlers, both webs, full size.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict

from bench.crawlers import CRAWLERS, TWO_WORKERS, Crawler
from bench.document import save_section
from bench.goals import judge
from bench.machine import describe_machine
from bench.measure import measure_all, prepare, serve_webs
from bench.quiet import add_option, require_quiet
from bench.report import Findings, format_section, format_terminal
from bench.startup import measure_startup
from bench.store_lock import measure_locks
from bench.turns import take_turn
from bench.web import HEAVY, QUICK_HEAVY, QUICK_SMALL, SMALL, Web


def parse_arguments() -> argparse.Namespace:
    names = [crawler.name for crawler in CRAWLERS]
    parser = argparse.ArgumentParser(prog="bench.run", description="Compare crawlers.")
    parser.add_argument("--pages", choices=["small", "heavy", "both"], default="both")
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="NAME")
    parser.add_argument(
        "--repeat", type=int, default=3, metavar="N", help="runs of each; the cheapest counts"
    )
    parser.add_argument("--quick", action="store_true", help="a third of the pages; does not write the page")
    parser.add_argument("--json", action="store_true", help="print a JSON array instead of a table")
    add_option(parser)
    return parser.parse_args()


def choose_webs(arguments: argparse.Namespace) -> list[Web]:
    webs = (QUICK_SMALL, QUICK_HEAVY) if arguments.quick else (SMALL, HEAVY)
    return [web for web in webs if arguments.pages in (web.name, "both")]


def choose_crawlers(names: Sequence[str]) -> list[Crawler]:
    return [crawler for crawler in CRAWLERS if crawler.name in names]


def run(arguments: argparse.Namespace) -> int:
    machine = describe_machine()
    require_quiet(machine, is_load_allowed=arguments.loaded)
    webs = choose_webs(arguments)
    peers = prepare(choose_crawlers(arguments.only))
    crawlers = [peer.crawler for peer in peers if not peer.missing]
    with serve_webs(webs) as nginx:
        results = measure_all(crawlers, webs, nginx, arguments.repeat)
        locks = measure_locks(webs, nginx) if TWO_WORKERS in crawlers else {}
    found = Findings(results=results, peers=peers, locks=locks, startup=measure_startup())
    if arguments.json:
        print(json.dumps([asdict(result) for result in results], indent=1))
    else:
        print(format_terminal(found, judge(results, found.startup)))
    is_whole = set(arguments.only) == {crawler.name for crawler in CRAWLERS} and webs == [SMALL, HEAVY]
    if is_whole:
        save_section("crawl", format_section(found, webs, machine, arguments.repeat))
    return 1 if any(result.problem for result in results) else 0


def main() -> int:
    arguments = parse_arguments()
    with take_turn():
        return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
