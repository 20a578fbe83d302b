"""Fails if a page has become more expensive: compares the ratio of Tenax's CPU per page to Scrapy's with the
recorded one.

    python -m bench.guard [--record] [--loaded]

Both crawl a third of the benchmark web twice in one run, and the cheaper run of each counts. A ratio within
one run can be compared across machines and loads; milliseconds cannot.
"""

import argparse
import sys

from bench.crawlers import ONE_WORKER, SCRAPY
from bench.goals import find_ratio, get_cost
from bench.machine import describe_machine
from bench.measure import Result, measure_all, prepare, serve_webs
from bench.paths import GUARD
from bench.quiet import add_option, require_quiet
from bench.recorded import Recorded
from bench.turns import take_turn
from bench.web import QUICK_HEAVY, QUICK_SMALL

RECORDED = Recorded(path=GUARD, program="bench.guard", title="Tenax ÷ Scrapy", tolerance=0.15)
ROUNDS = 2
WEBS = (QUICK_SMALL, QUICK_HEAVY)


def measure_ratios() -> dict[str, float]:
    """Measure the ratios by web. Ends the program if there is nothing to compare."""
    peers = prepare([ONE_WORKER, SCRAPY])
    if missing := [f"{peer.crawler.name}: {peer.missing}" for peer in peers if peer.missing]:
        raise SystemExit(f"The guard cannot compare: {missing[0]}")
    with serve_webs(WEBS) as nginx:
        results = measure_all([ONE_WORKER, SCRAPY], WEBS, nginx, ROUNDS)
    if problems := [f"{each.crawler}: {each.problem}" for each in results if each.problem]:
        raise SystemExit(f"The guard cannot compare: {problems[0]}")
    return {web.name: _ratio(results, web.name) for web in WEBS}


def _ratio(results: list[Result], web: str) -> float:
    ratio = find_ratio(results, web, ONE_WORKER.name, SCRAPY.name, get_cost)
    assert ratio is not None
    return ratio


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.guard", description="Guard the cost of a page.")
    parser.add_argument(
        "--record", action="store_true", help="record this run as the reference for later ones"
    )
    add_option(parser)
    arguments = parser.parse_args()
    with take_turn():
        require_quiet(describe_machine(), is_load_allowed=arguments.loaded)
        found = measure_ratios()
    if arguments.record:
        RECORDED.save(found)
        return 0
    return RECORDED.judge(found)


if __name__ == "__main__":
    sys.exit(main())
