"""Kills processes of crawls with parsers at random, for long, and checks that each item is there once with a
true history.

    python -m tests.soak.item_kills [--kills 100] [--seed 19] [--postgresql]
"""

import argparse
import contextlib
import random
import sys
import tempfile
import time
from pathlib import Path

from tests.support.crawler import Crawler, query
from tests.support.item_kills import HOSTS, PAGES, Kills
from tests.support.postgres import fresh_database
from tests.support.web import TestWeb


def kill_for_long(folder: Path, store: str | None, kills: int, seed: int) -> str:
    """What was done, in one line. Raises AssertionError with what does not hold."""
    crawlers: list[Crawler] = []

    def make(web: TestWeb, *options: str, workers: int, **others: object) -> Crawler:
        crawlers.append(Crawler(folder / "data", web, *options, workers=workers, **others))  # type: ignore[arg-type]
        return crawlers[-1]

    where = store or folder / "data"
    started = time.monotonic()
    try:
        with TestWeb(hosts=HOSTS, pages_per_host=PAGES) as web:
            series = Kills(folder, where, web, random.Random(seed), make, store=store)
            series.run(kills)
            ((items, changes, errors),) = query(
                where,
                "SELECT (SELECT count(*) FROM items), (SELECT count(*) FROM item_changes),"
                " (SELECT count(*) FROM errors)",
            )
            said = ", ".join(f"{count} × {kind}" for kind, count in sorted(series.killed.items()))
            return (
                f"{series.killed.total()} kills ({said}) in {time.monotonic() - started:.0f} s:"
                f" {web.count_requests():,} requests, {items} items, {changes:,} changes, {errors} errors"
            )
    finally:
        for crawler in crawlers:
            crawler.close()


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.soak.item_kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=19)
    parser.add_argument("--postgresql", action="store_true", help="instead of a directory")
    arguments = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        store = stack.enter_context(fresh_database()) if arguments.postgresql else None
        print(kill_for_long(folder, store, arguments.kills, arguments.seed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
