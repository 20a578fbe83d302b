"""Measures the frontier at 100 million urls, and writes its section of docs/benchmarks.md.

    python -m bench.frontier.large [--urls N] [--pages N] [--steps STEP …] [--keep] [--loaded]

Filling takes most of the time. With --keep, the store and the figures stay in bench/work, and the next run
only takes the steps that are missing, or those that it is told to take again.
"""

import argparse
import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import asdict
from operator import itemgetter
from typing import Any

from bench.document import save_section
from bench.frontier import steps
from bench.frontier.large_report import format_section, format_terminal
from bench.machine import describe_machine
from bench.paths import WORK
from bench.quiet import add_option, require_quiet
from bench.turns import take_turn

URLS, SMALL_URLS = 100_000_000, 100_000
PAGES = 20_000
REPEAT = 2

FOLDER = WORK / "frontier-large"
DATA, SMALL = FOLDER / "data", FOLDER / "small"
FIGURES = FOLDER / "figures.json"

Step = Callable[[int, int], dict[str, Any]]


def fill(urls: int, pages: int) -> dict[str, Any]:
    return steps.fill(DATA, urls)


def crawl(urls: int, pages: int) -> dict[str, Any]:
    """Crawl the large store and a small one in turns: a machine is faster at some times than at others."""
    small, large = [], []
    for _ in range(REPEAT):
        filled = steps.fill(SMALL, SMALL_URLS)
        small.append(steps.crawl(SMALL, SMALL_URLS, pages))
        large.append(steps.crawl(DATA, urls, pages))
    first_claim_s = steps.time_resume(SMALL, SMALL_URLS)
    return {
        "small": {"filled": filled, "crawl": _cheapest(small), "first_claim_s": first_claim_s},
        "large": {"crawl": _cheapest(large), "first_claim_s": steps.time_resume(DATA, urls)},
    }


def workers(urls: int, pages: int) -> dict[str, Any]:
    return {str(count): steps.crawl_together(DATA, urls, pages, count) for count in (1, 2)}


def start_cold(urls: int, pages: int) -> dict[str, Any]:
    """The last step: the others want what is cached by now."""
    steps.forget_cached(DATA)
    crawled = steps.crawl(DATA, urls, pages)
    return {"crawl": crawled, "first_claim_s": steps.time_resume(DATA, urls, is_cached=False)}


STEPS: dict[str, Step] = {"fill": fill, "crawl": crawl, "workers": workers, "cold": start_cold}


def _cheapest(crawls: list[steps.Figures]) -> steps.Figures:
    return min(crawls, key=itemgetter("cpu_ms_per_page"))


def take_steps(names: list[str] | None, urls: int, pages: int) -> dict[str, Any]:
    """Take the given steps, or those without figures; returns the figures of all that were ever taken."""
    figures: dict[str, Any] = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    if figures.get("urls") != urls:
        figures = {"urls": urls}
    for name, step in STEPS.items():
        if name in figures if names is None else name not in names:
            continue
        machine = describe_machine()
        figures[name] = {**step(urls, pages), "machine": asdict(machine)}
        FOLDER.mkdir(parents=True, exist_ok=True)
        FIGURES.write_text(json.dumps(figures, indent=2))
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.frontier.large", description=__doc__.partition("\n")[0])
    parser.add_argument("--urls", type=int, default=URLS, metavar="N")
    parser.add_argument("--pages", type=int, default=PAGES, metavar="N")
    parser.add_argument("--steps", choices=STEPS, nargs="+")
    parser.add_argument("--keep", action="store_true", help="keep the store for the next run")
    add_option(parser)
    given = parser.parse_args()
    with take_turn():
        require_quiet(describe_machine(), is_load_allowed=given.loaded)
        figures = take_steps(given.steps, given.urls, given.pages)
    if not given.keep:
        shutil.rmtree(FOLDER, ignore_errors=True)
    if missing := STEPS.keys() - figures:
        print(f"Not measured yet: {', '.join(sorted(missing))}.")
        return 0
    print(format_terminal(figures))
    if (given.urls, given.pages) == (URLS, PAGES):
        save_section("frontier-large", format_section(figures, PAGES))
    return 0


if __name__ == "__main__":
    sys.exit(main())
