"""Random kills of a worker, a reader, a host, a supervisor or all, again and again: each item is there once,
with a true history. `python -m tests.soak.item_kills` does it for long.
"""

import random
from pathlib import Path

from tests.flow.conftest import MakeCrawler
from tests.support.item_kills import HOSTS, PAGES, Kills
from tests.support.web import TestWeb

KILLS = 6
SEED = 19


def test_random_kills_in_a_directory(make_crawler: MakeCrawler, tmp_path: Path) -> None:
    with TestWeb(hosts=HOSTS, pages_per_host=PAGES) as web:
        chance = random.Random(SEED)
        Kills(tmp_path, tmp_path / "data", web, chance, make_crawler).run(KILLS)


def test_random_kills_with_a_database(make_crawler: MakeCrawler, tmp_path: Path, url: str) -> None:
    with TestWeb(hosts=HOSTS, pages_per_host=PAGES) as web:
        chance = random.Random(SEED + 1)
        Kills(tmp_path, url, web, chance, make_crawler, store=url).run(KILLS)
