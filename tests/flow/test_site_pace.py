"""All subdomains of a site share one pace, whoever holds them: as the origin's own log shows."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from tests.flow.conftest import MakeCrawler
from tests.support.crawler import assert_asked_once, assert_complete, assert_sound, wait_until
from tests.support.postgres import fresh_database
from tests.support.site import HostBehavior
from tests.support.web import LoggedRequest, TestWeb

DELAY_S = 0.3
SHOPS = [f"{name}.shop.co.uk" for name in "abc"]
OTHERS = [f"other{number}.co.uk" for number in range(8)]


@pytest.fixture(params=["sqlite", "postgres"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path | str]:
    """The store of a crawl: a data directory, or a database."""
    if request.param == "sqlite":
        yield tmp_path / "data"
    else:
        with fresh_database() as url:
            yield url


def options_of(where: Path | str) -> tuple[str, ...]:
    pace = ("--delay", str(DELAY_S), "--share-pace", "site")
    return pace if isinstance(where, Path) else (*pace, "--store", where)


def of_site(requests: Iterable[LoggedRequest], site: str) -> list[LoggedRequest]:
    found = [request for request in requests if request.host.endswith(site)]
    return sorted(found, key=lambda each: each.started_at)


def assert_one_pace(requests: list[LoggedRequest]) -> None:
    """Never two at a time, and never one within the delay, to whichever of its domains."""
    for earlier, later in pairwise(requests):
        gap = later.started_at - earlier.started_at
        assert gap >= DELAY_S - 0.02, f"{later.host} came {gap:.3f} s after {earlier.host}"
        assert earlier.ended_at is not None
        assert earlier.ended_at <= later.started_at


def test_two_workers_share_the_pace_of_a_site(where: Path | str, make_crawler: MakeCrawler) -> None:
    # They last as long as the site does: whoever starts late finds work, too.
    slow = dict.fromkeys(OTHERS, HostBehavior(robots="User-agent: *\nCrawl-delay: 1\n"))
    with TestWeb(hosts=[*SHOPS, *OTHERS], pages_per_host=12, behaviors=slow) as web:
        # With few slots a worker takes few domains at a time: some are left for the other one.
        crawler = make_crawler(web, "--concurrency", "2", *options_of(where))
        processes = [crawler.start("--user-agent", name) for name in ("one", "two")]
        ends = [process.wait() for process in processes]
        assert [ended.code for ended in ends] == [0, 0], [ended.stderr for ended in ends]
        shop = of_site(web.requests(), "shop.co.uk")
        assert len(shop) == 3 * 13
        assert_one_pace(shop)
        assert {each.user_agent for each in web.requests()} == {"one", "two"}, "only one of them worked"
        other = of_site(web.requests(), "other0.co.uk")
        assert other[0].started_at < shop[-1].started_at, "other sites do not wait for this one"
        assert_asked_once(web.requests())
        assert_complete(where, web)
        assert_sound(where)


def test_who_takes_over_from_a_dead_worker_keeps_the_pace_of_the_site(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=SHOPS, pages_per_host=8) as web:
        crawler = make_crawler(web, "--delay", str(DELAY_S), "--share-pace", "site")
        victim = crawler.start()
        wait_until(lambda: len(web.requests()) > 6, "the victim works")
        survivor = crawler.start()
        victim.kill()
        assert survivor.wait().code == 0
        assert_one_pace(of_site(web.requests(), "shop.co.uk"))
        assert_complete(crawler.data, web)


def test_without_it_subdomains_are_asked_side_by_side(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=SHOPS, pages_per_host=6) as web:
        assert make_crawler(web, "--delay", str(DELAY_S)).run().code == 0
        requests = of_site(web.requests(), "shop.co.uk")
    assert min(later.started_at - earlier.started_at for earlier, later in pairwise(requests)) < DELAY_S / 2
