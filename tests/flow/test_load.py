"""A service that is watched by many while it crawls; `make soak` does it at length."""

import contextlib
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from tests.soak.measuring import ENVIRONMENT, RUNS, make_tokens
from tests.support.crawler import wait_until
from tests.support.load_clients import LoadClients
from tests.support.service import Service, find_url, set_up
from tests.support.web import TestWeb

READERS, LISTENERS, FOR_S = 20, 5, 4.0
HOSTS, DELAY_S = 10, 0.2


def test_many_who_watch_a_crawl_get_their_answers_and_do_not_stop_it(tmp_path: Path) -> None:
    with (
        contextlib.closing(Service(tmp_path / "data")) as service,
        TestWeb(hosts=HOSTS, pages_per_host=500) as web,
    ):
        process = service.start(**ENVIRONMENT)
        with set_up(process) as admin:
            tokens = make_tokens(process, admin, users=2)
            server = psutil.Process(process.pid)
            clients = LoadClients(
                url=find_url(process), tokens=tokens, readers=READERS, listeners=LISTENERS, every_s=1.0
            )
            clients.gather(1.0)
            admin.post(RUNS, json={"urls": web.seeds(), "delay_s": DELAY_S}).raise_for_status()
            wait_until(lambda: len(web.requests()) > HOSTS, "it crawls")
            sockets, before = count_sockets(server), len(web.requests())
            found = clients.gather(FOR_S)
            crawled = len(web.requests()) - before
            assert not found.errors
            assert len(found.waits_s) >= READERS * 3
            assert len(found.events) == LISTENERS
            # Half of what the delay allows: the machine has other things to do.
            assert crawled >= HOSTS * FOR_S / DELAY_S / 2
            wait_until(lambda: count_sockets(server) <= sockets, "whoever left is gone")


def count_sockets(process: psutil.Process) -> int:
    """Not all descriptors: the busier a server is, the more often it has its store open."""
    return len(process.net_connections())
