"""The network of the crawler itself goes away: no site is blamed, and the crawl goes on when it is back."""

import contextlib
import json
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pysqlite3 import dbapi2 as sqlite

from tenax.stores.layout import METRICS_NAME
from tests.support.command import run_tenax
from tests.support.crawler import Process, Where, assert_complete, query, read_pages, wait_until
from tests.support.nameserver import NXDOMAIN, NameServer, name_server
from tests.support.nameserver import Reply as Answer
from tests.support.namespaces import Cable
from tests.support.running import crawl
from tests.support.scripted import ScriptedWeb, page
from tests.support.site import HostBehavior
from tests.support.web import TestWeb

HOSTS = [f"site{number}.test" for number in range(20)]
# How long the network is away: minutes in a soak, seconds here.
CUT_S = float(os.environ.get("TENAX_TEST_CUT_S", "8"))
QUICK = {
    "TENAX_NETWORK__CHECK_S": "1",
    "TENAX_NETWORK__TIMEOUT_S": "1",
    "TENAX_NETWORK__QUIET_S": "2",
    "TENAX_FETCH__TIMEOUT_S": "3",
    "TENAX_FETCH__CONNECT_TIMEOUT_S": "2",
    "TENAX_ROBOTS__TIMEOUT_S": "3",
}
TOUCHED = (
    "status <> 'exhausted' OR breaker_failures > 0 OR breaker_trips > 0 OR total_errors > 0 OR retries > 0"
)


class Lab:
    """A crawler, a web, and the cable between them."""

    def __init__(self, cable: Cable, data: Path) -> None:
        self.cable = cable
        self.data = data
        self._started: list[Process] = []

    def make_web(self, hosts: list[str] = HOSTS, pages: int = 12) -> TestWeb:
        return TestWeb(hosts=hosts, pages_per_host=pages, address=self.cable.far_ip, launcher=self.cable.far)

    def start(self, web: TestWeb, *options: str, seeds: list[str] | None = None, **settings: str) -> Process:
        arguments = [
            *(web.seeds() if seeds is None else seeds),
            *("--data", str(self.data), "--delay", "0.5", "--workers", "1", "--json"),
            *("--resolve", f"*:{self.cable.far_ip}", "--allow-private"),
            *options,
        ]
        outputs = self.data.with_name("outputs")
        self._started.append(Process(arguments, {**QUICK, **settings}, outputs, launcher=self.cable.near))
        return self._started[-1]

    def read_waiting(self) -> str:
        """What its worker has told the store about the network."""
        with contextlib.suppress(sqlite.OperationalError):  # the store is being made
            rows = query(self.data, "SELECT trouble FROM workers WHERE ended_at IS NULL")
            return "".join(row[0] or "" for row in rows)
        return ""

    def close(self) -> None:
        for process in self._started:
            if process.is_running:
                process.kill()


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    with Cable() as cable:
        lab = Lab(cable, tmp_path / "data")
        yield lab
        lab.close()


def assert_nobody_blamed(where: Where) -> None:
    assert query(where, f"SELECT name, status FROM domains WHERE {TOUCHED}") == []
    assert query(where, "SELECT url FROM urls WHERE attempts > 0") == []
    assert query(where, "SELECT DISTINCT cause FROM domain_events ORDER BY cause") == [
        ("all_done",),
        ("answered",),
    ]


@pytest.mark.parametrize("at_near", [False, True], ids=["silence", "no route"])
def test_a_network_that_is_away_for_a_while_costs_no_site_and_no_page(lab: Lab, at_near: bool) -> None:
    data = lab.data
    with lab.make_web() as web:
        process = lab.start(web)
        wait_until(lambda: web.count_requests() > 60, "it is at work")
        lab.cable.cut(at_near=at_near)
        wait_until(lambda: "network" in lab.read_waiting(), "it waits for the network")
        asked = len(web.requests())
        time.sleep(CUT_S)
        assert len(web.requests()) == asked, "it goes on asking"
        assert process.is_running
        lab.cable.mend(at_near=at_near)
        ended = process.wait(240)
        assert ended.code == 0, ended.stderr
        assert_complete(data, web)
    assert_nobody_blamed(data)


def test_a_crawl_that_begins_without_a_network_begins_when_there_is_one(lab: Lab) -> None:
    data = lab.data
    with lab.make_web(HOSTS[:5], pages=3) as web:
        lab.cable.cut(at_near=True)
        process = lab.start(web)
        wait_until(lambda: "network" in lab.read_waiting(), "it waits")
        lab.cable.mend(at_near=True)
        assert process.wait(120).code == 0
        assert_complete(data, web)
    assert_nobody_blamed(data)


def test_the_outage_can_be_seen_everywhere(lab: Lab) -> None:
    data = lab.data
    with lab.make_web() as web:
        process = lab.start(web)
        wait_until(lambda: web.count_requests() > 60, "it is at work")
        lab.cable.cut()
        wait_until(lambda: "network" in lab.read_waiting(), "it waits for the network")
        doctor = json.loads(run_tenax("doctor", "--data", data, "--json").out)
        assert doctor["code"] == "network"
        assert doctor["since"]
        status = run_tenax("status", "--data", data).out
        assert re.search(r"network open for [\d.]+ s.* \(1 worker: no reference answers\)", status), status
        wait_until(lambda: "waiting: the network, which has been down since " in process.stderr, "it is said")
        wait_until(lambda: read_metric(data) > 0, "it is measured")
        lab.cable.mend()
        wait_until(lambda: read_metric(data) == 0, "it is over")
        assert process.wait(240).code == 0


def read_metric(data: Path) -> float:
    path = data / METRICS_NAME
    text = path.read_text() if path.exists() else ""
    found = re.search(r"^crawler_network_down_since_seconds (.+)$", text, re.M)
    return float(found[1]) if found else -1.0


def test_a_dead_site_among_others_is_judged_as_ever(lab: Lab) -> None:
    """Its address is one that nobody has."""
    data = lab.data
    with lab.make_web(HOSTS[:5], pages=10) as web:
        dead = f"http://dead.test:{web.port}/"
        process = lab.start(web, "--resolve", "dead.test:198.18.0.77", seeds=[*web.seeds(), dead])
        ended = process.wait(120)
        assert ended.code in (0, 1), ended.stderr
        pages = read_pages(data)
        assert set(pages) == web.expected_urls()
    assert query(data, "SELECT status, block_code FROM domains WHERE name LIKE 'dead.test%'") == [
        ("unreachable", "connection_failed")
    ]


def test_when_all_sites_are_dead_and_references_answer_they_are_judged(lab: Lab) -> None:
    data = lab.data
    with lab.make_web(HOSTS[:1], pages=1) as web:
        seeds = [f"http://dead{number}.test:{web.port}/" for number in range(4)]
        names = [option for number in range(4) for option in ("--resolve", f"dead{number}.test:198.18.0.77")]
        hosts = json.dumps([f"{lab.cable.far_ip}:{web.port}"])
        lab.start(web, *names, seeds=seeds, TENAX_NETWORK__HOSTS=hosts).wait(120)
    assert query(data, "SELECT DISTINCT status, block_code FROM domains") == [
        ("unreachable", "connection_failed")
    ]


def test_a_captive_portal_is_waited_out(lab: Lab) -> None:
    data = lab.data
    with lab.make_web(HOSTS[:8]) as web:
        process = lab.start(web)
        wait_until(lambda: web.count_requests() > 30, "it is at work")
        lab.cable.cut()  # it comes for all of them at the same moment
        for host in web.hosts:
            web.set_behavior(host, HostBehavior(captured_by="http://portal.example/login"))
        lab.cable.mend()
        wait_until(lambda: "captive portal (portal.example)" in lab.read_waiting(), "it waits")
        for host in web.hosts:
            web.set_behavior(host, HostBehavior())
        ended = process.wait(120)
        assert ended.code == 0, ended.stderr
        assert_complete(data, web)
    assert_nobody_blamed(data)


# --- name servers ----------------------------------------------------------------------------------------


def build_fetch(dns: NameServer) -> dict[str, object]:
    return {"resolve": [], "dns_servers": [dns.address], "dns_timeout_s": 0.5}


NAMES_NETWORK = {"check_s": 0.5, "timeout_s": 0.5}


def test_name_servers_that_are_silent_for_a_while_cost_no_site_and_no_page(tmp_path: Path) -> None:
    hosts = [f"n{number}.test" for number in range(10)]
    back_at = time.monotonic() + 4.0

    def find(name: str, kind: int, asked: int) -> Answer:
        if time.monotonic() < back_at:
            return Answer(is_silent=True)
        return Answer(ips=["127.0.0.1"]) if name in hosts else Answer(code=NXDOMAIN)

    with ScriptedWeb({host: {"/": page(host)} for host in hosts}) as web, name_server(find) as dns:
        crawled = crawl(
            tmp_path, [web.url(host) for host in hosts], fetch=build_fetch(dns), network=NAMES_NETWORK
        )
    assert crawled.fates == {"fetched": 10}
    assert {domain.status for domain in crawled.domains.values()} == {"exhausted"}
    assert {url.attempts for url in crawled.urls.values()} == {0}


def test_a_name_that_does_not_exist_is_judged_when_name_servers_answer(tmp_path: Path) -> None:
    with (
        ScriptedWeb({"a.test": {"/": page("Home")}}) as web,
        name_server(lambda name, kind, asked: Answer(code=NXDOMAIN)) as dns,
    ):
        crawled = crawl(tmp_path, [web.url("a.test")], fetch=build_fetch(dns), network=NAMES_NETWORK)
    (domain,) = crawled.domains.values()
    assert (domain.status, domain.block_code) == ("unreachable", "dns_failure")
    assert crawled.duration_s < 20
