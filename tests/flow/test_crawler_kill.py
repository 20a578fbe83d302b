"""kill -9 of a program with all its processes at random moments, and the same program again: each item once
in the store, with a true history, and the last run tells every one of them.
"""

import json
import random
import time
from pathlib import Path
from typing import Any

from tests.support.crawler import Where, query, wait_until
from tests.support.programs import PROGRAM, RunningProgram
from tests.support.site import HostBehavior
from tests.support.web import TestWeb

KILLS = 6
SEED = 19
PAGES = 180

# A follow-up each, too: its data is settled with the page that asks for it.
FOLLOWING = PROGRAM.replace(
    '    yield {"title": page.title}\n',
    """    yield {"title": page.title}
    yield page.follow(page.url, again, {"title": page.title})

@crawler.followed()
def again(page):
    yield {"title": page.data["title"]}
""",
)


def kill_at_random_moments(folder: Path, script: str, web: TestWeb) -> list[Any]:
    """What the programs had printed when they died. Moments follow what has happened, not the clock: a busy
    machine needs seconds to start a program."""
    chance = random.Random(SEED)
    told: list[Any] = []
    for turn in range(KILLS):
        asked = web.count_requests() + chance.randrange(1, 20)
        program = RunningProgram(folder, script)
        if turn % 2:
            wait_until(lambda program=program: program.lines, "an item is told")  # type: ignore[misc]
        else:
            wait_until(lambda asked=asked: web.count_requests() >= asked, "it crawls")  # type: ignore[misc]
        time.sleep(chance.uniform(0, 0.6))
        assert program.kill_group() == -9, f"it ended before its death: make it longer; {program.stderr}"
        told += program.lines
    return told


def assert_true_history(where: Where, keys: list[str]) -> None:
    """Each item once, and new once: no page has changed."""
    kinds = ("again", "product")
    expected = sorted((kind, key) for kind in kinds for key in keys)
    assert sorted(query(where, "SELECT kind, key FROM items WHERE gone_at IS NULL")) == expected
    changes = "SELECT i.kind, i.key, c.kind FROM item_changes c JOIN items i ON i.id = c.item_id"
    assert sorted(query(where, changes)) == [(kind, key, "new") for kind, key in expected]
    logged = "SELECT topic, count(*) FROM change_log GROUP BY topic"
    assert sorted(query(where, logged)) == [("item", len(expected)), ("run", 1)]
    assert query(where, "SELECT count(*) FROM observations") == [(len(expected),)]


def check_kills(folder: Path, where: Where, options: dict[str, Any]) -> None:
    names = [f"h{number}.test" for number in range(6)]
    slow = dict.fromkeys(names, HostBehavior(delay_s=0.25))
    with TestWeb(hosts=names, pages_per_host=PAGES // 6, behaviors=slow) as web:
        given = {"seeds": web.seeds(), "delay": 0, "workers": 2, **options}
        script = FOLLOWING.replace("OPTIONS", repr(json.dumps(given)))
        told = kill_at_random_moments(folder, script, web)
        last = RunningProgram(folder, script)
        assert last.wait() == 0, last.stderr
        keys = [url for url in web.expected_urls() if "/p/" in url]
    assert_true_history(where, keys)
    delivered = [(key, change) for key, change, _ in last.lines]
    assert sorted(delivered) == sorted((key, "new") for key in keys for _ in range(2))
    # The change log is the same for all of them: nothing that was told has vanished or moved.
    assert {tuple(line) for line in told} <= {tuple(line) for line in last.lines}
    assert query(where, "SELECT count(*), min(state) FROM runs") == [(1, "done")]


def test_kills_in_a_directory(tmp_path: Path) -> None:
    check_kills(tmp_path / "program", tmp_path / "data", {"data": str(tmp_path / "data")})


def test_kills_with_a_database(tmp_path: Path, url: str) -> None:
    check_kills(tmp_path / "program", url, {"store": url, "data": str(tmp_path / "data")})
