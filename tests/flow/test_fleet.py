"""Eight workers on one PostgreSQL, 200 domains: each page once, politely, in equal parts, and nobody idle."""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.crawler import Crawler, Ended, query
from tests.support.invariants import assert_whole
from tests.support.postgres import Console, fresh_database
from tests.support.web import TestWeb

MACHINES = 2
WORKERS = 8
DELAY_S = 1.0
DEADLINE_S = 90.0
SAMPLE_EVERY_S = 0.25
# Until the others settle, hear that somebody is hungry and give domains back, and he asks again: 1.5 s, and
# more while eight processes start on two cores. Without sharing it would be the whole crawl, 10 s.
LONGEST_IDLE_S = 5.0
HELD = (
    "SELECT w.id, count(d.id) FROM workers w LEFT JOIN domains d ON d.claimed_by = w.id"
    " WHERE w.ended_at IS NULL GROUP BY w.id"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    at: float
    waiting: int  # domains with urls to be asked for
    held: dict[int, int]  # domains by worker


@dataclass(frozen=True, slots=True, kw_only=True)
class Crawled:
    url: str
    web: TestWeb
    ends: list[Ended]
    samples: list[Sample]


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    folder = tmp_path_factory.mktemp("fleet")
    with fresh_database() as url, TestWeb(hosts=200, pages_per_host=8, cross_host=True) as web:
        crawlers = [start_machine(folder / str(number), web, url) for number in range(MACHINES)]
        try:
            yield watch(crawlers, web, url)
        finally:
            for crawler in crawlers:
                crawler.close()


def start_machine(data: Path, web: TestWeb, url: str) -> Crawler:
    options = ("--store", url, "--delay", str(DELAY_S))
    return Crawler(data, web, *options, workers=WORKERS // MACHINES)


def watch(crawlers: list[Crawler], web: TestWeb, url: str) -> Crawled:
    processes = [crawler.start() for crawler in crawlers]
    samples = []
    with closing(Console(url)) as console:
        deadline = time.monotonic() + DEADLINE_S
        while any(process.is_running for process in processes) and time.monotonic() < deadline:
            samples.append(take_sample(console))
            time.sleep(SAMPLE_EVERY_S)
    ends = [process.wait() for process in processes]
    return Crawled(url=url, web=web, ends=ends, samples=samples)


def take_sample(console: Console) -> Sample:
    ((waiting,),) = console.query("SELECT count(*) FROM domains WHERE queued > 0")
    return Sample(at=time.monotonic(), waiting=waiting, held=dict(console.query(HELD)))


def find_longest_idle(samples: list[Sample], worker: int) -> float:
    """Seconds that the worker held no domain, although there were two for everybody."""
    longest, since = 0.0, None
    for sample in samples:
        is_idle = sample.held.get(worker) == 0 and sample.waiting >= 2 * WORKERS
        since = (sample.at if since is None else since) if is_idle else None
        longest = max(longest, sample.at - since if since is not None else 0.0)
    return longest


def test_every_page_is_fetched_once_and_politely(crawled: Crawled) -> None:
    assert [ended.code for ended in crawled.ends] == [0] * MACHINES, [each.stderr for each in crawled.ends]
    assert_whole(crawled.url, crawled.web, delay_s=DELAY_S, tolerance_s=0.1)
    assert query(crawled.url, "SELECT state FROM runs") == [("done",)]


def test_each_worker_does_a_fair_part(crawled: Crawled) -> None:
    rows = query(crawled.url, "SELECT worker_id, count(*) FROM visits WHERE outcome = 'fetched' GROUP BY 1")
    parts: Counter[int] = Counter(dict(rows))
    assert len(parts) == WORKERS
    assert min(parts.values()) >= 0.5 * parts.total() / WORKERS, parts


def test_no_worker_is_idle_while_domains_wait(crawled: Crawled) -> None:
    workers = {worker for sample in crawled.samples for worker in sample.held}
    idle = {worker: find_longest_idle(crawled.samples, worker) for worker in workers}
    assert len(idle) == WORKERS
    assert max(idle.values()) <= LONGEST_IDLE_S, idle
