"""The process dies at each point of a visit's way into the store (F2); the same command goes on."""

from itertools import count

import pytest

from tenax.failpoints import EXIT_CODE
from tests.flow.conftest import MakeCrawler
from tests.support.crawler import assert_complete, assert_sound, query
from tests.support.site import HostBehavior
from tests.support.web import TestWeb

# Small batches, so that every point is reached more than once.
SMALL = {"TENAX_WORKER__BATCH_PAGES": "4", "TENAX_WORKER__CONCURRENCY": "2"}
QUICK = ("--delay", "0")
POINTS = [
    f"{step}.{side}:{time}"
    for step in ("claim", "fetch", "settle", "release", "commit")
    for side in ("before", "after")
    for time in (1, 3)
]


# Hosts of different speed are done, and released, one after the other.
SPEEDS = {f"h{number}.test": HostBehavior(delay_s=0.03 * number) for number in range(3)}


@pytest.mark.parametrize("point", POINTS)
def test_death_at_a_point_loses_nothing(make_crawler: MakeCrawler, point: str) -> None:
    with TestWeb(hosts=3, pages_per_host=8, behaviors=SPEEDS) as web:
        crawler = make_crawler(web, *QUICK)
        assert crawler.run(**SMALL, TENAX_FAILPOINT=point).code == EXIT_CODE
        assert_sound(crawler.data)
        assert crawler.run(**SMALL).code == 0
        assert_complete(crawler.data, web)


@pytest.mark.parametrize("side", ["before", "after"])
def test_death_at_every_commit_of_one_crawl_loses_nothing(make_crawler: MakeCrawler, side: str) -> None:
    with TestWeb(hosts=2, pages_per_host=6, cross_host=True) as web:
        crawler = make_crawler(web, *QUICK)
        for commit in count(1):
            ended = crawler.run(**SMALL, TENAX_FAILPOINT=f"commit.{side}:{commit}")
            assert_sound(crawler.data)
            if ended.code != EXIT_CODE:
                break
        assert ended.code == 0
        assert commit > 6
        assert_complete(crawler.data, web)


@pytest.mark.parametrize("commit", range(1, 7))
def test_death_while_changed_rules_are_applied_loses_nothing(make_crawler: MakeCrawler, commit: int) -> None:
    with TestWeb(hosts=3, pages_per_host=8, cross_host=True) as web:
        crawler = make_crawler(web, *QUICK, seeds=web.seeds()[:1])
        assert crawler.run("--max-depth", "1").code == 0
        assert crawler.run("--scope", "any", TENAX_FAILPOINT=f"commit.after:{commit}").code == EXIT_CODE
        assert crawler.run("--scope", "any").code == 0
        assert_complete(crawler.data, web)


def test_run_that_was_never_left_is_joined_again(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=2, pages_per_host=6) as web:
        crawler = make_crawler(web, *QUICK)
        crawler.run(TENAX_FAILPOINT="settle.after:1")
        assert crawler.run().report["run"] == 1
        assert query(crawler.data, "SELECT id, state FROM runs") == [(1, "done")]
