"""Domains that never answer stand beside healthy ones: these keep their pace."""

import asyncio
import signal
from pathlib import Path
from typing import Any

import uvloop

from tenax.records.runs import RunState
from tenax.runtime.engine import open_engine
from tenax.stores.place import Place
from tests.flow.conftest import MakeCrawler
from tests.support.crawler import assert_sound, count_fates, wait_until
from tests.support.nameserver import Reply, name_server
from tests.support.running import build_settings, crawl
from tests.support.slow_hosts import SlowHosts
from tests.support.web import TestWeb, assert_polite

SILENT, HEALTHY, PAGES_PER_HOST = 500, 500, 5
# A pace that leaves the machine time: the slots are what is short.
DELAY_S = 2.0
KEPT = 0.8  # of their throughput
# Nobody who is silent is given up before the end.
PATIENT = {"TENAX_ROBOTS__TIMEOUT_S": "300", "TENAX_FETCH__TIMEOUT_S": "300", "TENAX_WORKER__DRAIN_S": "1"}

FEW = {"concurrency": 4, "batch_s": 0.1, "drain_s": 1}
FEW_SILENT = 24  # six times the slots


ATTEMPTS = 3  # other work on the machine slows the larger crawl more; slots that are taken slow every attempt


def test_healthy_domains_keep_their_throughput_beside_as_many_silent_ones(
    make_crawler: MakeCrawler, tmp_path: Path
) -> None:
    """Measured against the same crawl without them, at the same time on the same machine."""
    took: list[tuple[float, float]] = []
    for attempt in range(ATTEMPTS):
        took.append(crawl_beside_silent_ones(make_crawler, tmp_path / str(attempt)))
        took_alone_s, took_s = took[-1]
        if took_alone_s >= KEPT * took_s:
            return
    raise AssertionError(took)


def crawl_beside_silent_ones(make_crawler: MakeCrawler, folder: Path) -> tuple[float, float]:
    """How long both crawls took."""
    shape: dict[str, Any] = {"hosts": HEALTHY, "pages_per_host": PAGES_PER_HOST, "paragraphs_per_page": 1}
    with SlowHosts() as slow_hosts, TestWeb(**shape) as web, TestWeb(**shape) as web_alone:
        seeds = [url for pair in zip(slow_hosts.seeds(SILENT), web.seeds(), strict=True) for url in pair]
        options = ("--delay", str(DELAY_S))
        alone = make_crawler(web_alone, *options, workers=2, data=folder / "alone").start(**PATIENT)
        beside = make_crawler(web, *options, seeds=seeds, workers=2, data=folder / "beside")
        process = beside.start(**PATIENT)
        requests = HEALTHY * (PAGES_PER_HOST + 1)
        wait_until(lambda: web_alone.count_requests() >= requests, "all is asked for")
        wait_until(lambda: web.count_requests() >= requests, "all is asked for, beside the silent ones")
        took_alone_s, took_s = measure_s(web_alone), measure_s(web)
        process.send(signal.SIGINT)
        process.wait()
        alone.wait()
        assert slow_hosts.asked >= SILENT
        assert count_fates(beside.data)["fetched"] == HEALTHY * PAGES_PER_HOST
        assert_polite(web.requests(), DELAY_S)
        assert_sound(beside.data)
        return took_alone_s, took_s


def measure_s(web: TestWeb) -> float:
    starts = [request.started_at for request in web.requests()]
    return max(starts) - min(starts)


def test_names_that_no_server_tells_take_no_slot_from_others(tmp_path: Path) -> None:
    def zone(name: str, kind: int, before: int) -> Reply:
        return Reply(is_silent=name.startswith("mute"), ips=["127.0.0.1"], ttl_s=60)

    async def run(seeds: list[str], web: TestWeb, servers: list[str]) -> None:
        names = {"dns_servers": servers, "resolve": [], "dns_timeout_s": 300, "timeout_s": 300}
        settings = build_settings(fetch=names, robots={"timeout_s": 300}, worker=FEW)
        async with open_engine(Place(folder=tmp_path), settings) as engine, asyncio.timeout(60):
            crawling = asyncio.create_task(engine.crawl(seeds))
            while web.count_requests() < len(web.expected_urls()) + len(web.hosts):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            assert (await engine.look(at_store=True)).in_flight >= FEW_SILENT
            engine.stop(ends_run=True)
            await crawling

    with name_server(zone) as server, TestWeb(hosts=4, pages_per_host=4) as web:
        seeds = [f"http://mute{number}.test/" for number in range(FEW_SILENT)]
        uvloop.run(run([*seeds, *web.seeds()], web, [server.address]))


def test_a_run_has_exactly_its_pages_however_many_domains_are_silent(tmp_path: Path) -> None:
    """Those that are silent before their first page are waited for in vain until long after its end, and
    those that have pages set aside give them back."""
    with SlowHosts() as slow_hosts, TestWeb(hosts=4, pages_per_host=5) as web:
        crawled = crawl(
            tmp_path,
            [*slow_hosts.seeds(FEW_SILENT), *web.seeds()],
            robots={"timeout_s": 300},
            fetch={"timeout_s": 3},
            limits={"max_pages": 18},
            worker=FEW,
        )
    assert crawled.ended.state is RunState.BUDGET
    assert len(crawled.fetched) == 18
    assert_sound(tmp_path)
