"""Pages that failed are well again: `tenax retry` has them fetched, by the run under way or the next one."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from pysqlite3 import dbapi2 as sqlite

from tenax.failpoints import EXIT_CODE
from tests.flow.conftest import MakeCrawler
from tests.support.command import COMMAND
from tests.support.crawler import DEADLINE_S, Where, assert_sound, count_fates, query, wait_until
from tests.support.postgres import Console, fresh_database
from tests.support.site import HostBehavior
from tests.support.web import TestWeb, assert_polite

HOST = "a.test"
BROKEN = dict.fromkeys(range(1, 7), 400)
DEAD = 4_500  # more than two steps


@pytest.fixture(params=["sqlite", "postgres"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Where]:
    if request.param == "sqlite":
        yield tmp_path / "data"
        return
    with fresh_database() as url:
        yield url


def name_store(where: Where) -> tuple[str, ...]:
    return ("--store", where) if isinstance(where, str) else ()


def retry(where: Where, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    place = ("--store", where) if isinstance(where, str) else ("--data", str(where))
    return subprocess.run(
        [str(COMMAND), "retry", *words, *place],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=DEADLINE_S,
    )


def test_pages_that_recovered_are_fetched_by_the_next_run(where: Where, make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=[HOST], pages_per_host=40, behaviors={HOST: HostBehavior(error_pages=BROKEN)}) as web:
        crawler = make_crawler(web, "--delay", "0", *name_store(where))
        assert crawler.run().code == 0
        assert count_fates(where)["dead"] == len(BROKEN)
        web.set_behavior(HOST, HostBehavior())
        done = retry(where, "--dead")
        assert done.stdout.startswith("6 urls queued for another visit: 6 http_status.\n"), done.stderr
        assert "No run is active" in done.stdout
        assert_sound(where)
        assert crawler.run().code == 0
        assert set(count_fates(where)) == {"fetched"}
        assert count_fates(where)["fetched"] == 40
        assert_sound(where)


def test_the_run_under_way_visits_them_and_its_worker_keeps_its_domain(
    where: Where, make_crawler: MakeCrawler
) -> None:
    slow = HostBehavior(delay_s=0.1, error_pages={1: 400})
    with TestWeb(hosts=[HOST], pages_per_host=60, behaviors={HOST: slow}) as web:
        crawler = make_crawler(web, "--delay", "0.1", *name_store(where))
        process = crawler.start()
        wait_until(lambda: is_dead(where), "a page was given up")
        web.set_behavior(HOST, HostBehavior(delay_s=0.1))
        done = retry(where, "--reason", "http_4xx")
        assert done.stdout.splitlines()[-1] == "Run 1 will visit them.", done.stderr
        ended = process.wait()
        assert ended.code == 0, ended.stderr
        assert count_fates(where) == {"fetched": 60}
        assert query(where, "SELECT count(*) FROM runs") == [(1,)]
        assert_sound(where)
        assert_polite(web.requests(), 0.1)


def is_dead(where: Where) -> bool:
    """The store may not be there yet."""
    try:
        return query(where, "SELECT count(*) FROM urls WHERE fate = 'dead'") != [(0,)]
    except sqlite.OperationalError:
        return False


def test_pages_that_are_named_are_asked_for_conditionally(where: Where, make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=[HOST], pages_per_host=5, behaviors={HOST: HostBehavior(has_validators=True)}) as web:
        crawler = make_crawler(web, "--delay", "0", *name_store(where))
        assert crawler.run().code == 0
        asked = len(web.requests())
        named = web.seeds()[0]
        assert retry(where, named).returncode == 0
        assert_sound(where)
        assert crawler.run().code == 0
        (request,) = [each for each in web.requests()[asked:] if each.path != "/robots.txt"]
        assert (request.path, request.status) == ("/", 304)
        assert count_fates(where) == {"fetched": 5}
        assert_sound(where)


def test_killed_in_the_middle_the_same_command_goes_on(where: Where, make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=[HOST], pages_per_host=3) as web:
        assert make_crawler(web, "--delay", "0", *name_store(where)).run().code == 0
    give_up_many(where)
    assert retry(where, "--dead", TENAX_FAILPOINT="retry.after:1").returncode == EXIT_CODE
    queued = count_fates(where)["queued"]
    assert 0 < queued < DEAD
    assert_sound(where)
    rest = retry(where, "--dead")
    assert rest.stdout.startswith(f"{DEAD - queued:,} urls queued for another visit"), rest.stderr
    assert count_fates(where) == {"fetched": 3, "queued": DEAD}
    assert_sound(where)


def give_up_many(where: Where) -> None:
    """Past the store's own methods: a crawl that fails so often would take minutes."""
    rows = f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {DEAD})"
    add = (
        "INSERT INTO urls (domain_id, key, url, depth, priority, fate, reason, discovered_at)"
        f" {rows} SELECT 1, i, 'http://{HOST}/' || i, 1, 2, 'dead', 'timeout', 0 FROM n"
    )
    count = f"UPDATE domains SET pages_discovered = pages_discovered + {DEAD}"
    if isinstance(where, str):
        with closing(Console(where)) as console:
            console.execute(f"{add}; {count}")
        return
    assert isinstance(where, Path)
    with closing(sqlite.connect(where / "tenax.db", isolation_level=None)) as connection:
        connection.execute(add)
        connection.execute(count)
