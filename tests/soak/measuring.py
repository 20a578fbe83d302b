"""A service that crawls, first alone and then while many watch it."""

import contextlib
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import httpx
import psutil  # type: ignore[import-untyped]

from tests.support.crawler import Process
from tests.support.load_clients import Findings, LoadClients
from tests.support.service import PASSWORD, find_url, open_client
from tests.support.web import TestWeb

RUNS = "/api/v1/runs"
POLITE_HOSTS = 40
USERS = 10
READERS, LISTENERS, EVERY_S = 200, 50, 5.0
WARM_S, SETTLE_S, LEAVE_S = 10.0, 20.0, 8.0
IDLE_S = 15.0
# So many clients behind so few accounts would be turned away, which is not what is measured.
# They all come from one address, with one account.
ENVIRONMENT = {
    **{f"TENAX_SERVER__{role}_PER_MIN": "1000000" for role in ("ANONYMOUS", "USER", "ADMIN")},
    "TENAX_SERVER__REQUESTS_AT_ONCE": "1000",
    "TENAX_SERVER__CONNECTIONS_PER_ADDRESS": "1000",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """A crawl without and with load."""

    alone_per_s: float
    loaded_per_s: float
    found: Findings
    rss_bytes: tuple[int, int]  # after a while, and in the end
    cpu_share: float  # of a core, by the server
    fds_left: int  # more than before the clients connected

    @property
    def kept(self) -> float:
        return self.loaded_per_s / self.alone_per_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    process: Process
    admin: httpx.Client
    tokens: Sequence[str]
    length_s: float
    server: psutil.Process = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "server", psutil.Process(self.process.pid))

    def measure_idle(self) -> Findings:
        """Nobody crawls, and one client asks."""
        return self._make_clients(readers=1, listeners=0, every_s=0.05).gather(IDLE_S)

    def measure_crawl(self, web: TestWeb, delay_s: float) -> Load:
        answer = self.admin.post(RUNS, json={"urls": web.seeds(), "delay_s": delay_s})
        answer.raise_for_status()
        # Whatever is opened once is open from now on.
        self._make_clients(readers=20, listeners=0, every_s=0.1).gather(1)
        time.sleep(WARM_S)
        with counting(web) as alone:
            time.sleep(self.length_s)
        fds, cpu_s = self.server.num_fds(), sum(self.server.cpu_times()[:2])
        with counting(web) as loaded, weighing(self.server) as weights:
            found = self._make_clients(readers=READERS, listeners=LISTENERS, every_s=EVERY_S).gather(
                self.length_s
            )
        cpu_share = (sum(self.server.cpu_times()[:2]) - cpu_s) / self.length_s
        time.sleep(LEAVE_S)
        left = self.server.num_fds() - fds
        self.admin.post(f"{RUNS}/{answer.json()['id']}/cancel").raise_for_status()
        return Load(
            alone_per_s=alone[0],
            loaded_per_s=loaded[0],
            found=found,
            rss_bytes=(weights[min(int(SETTLE_S), len(weights) - 1)], weights[-1]),
            cpu_share=cpu_share,
            fds_left=left,
        )

    def _make_clients(self, readers: int, listeners: int, every_s: float) -> LoadClients:
        return LoadClients(
            url=find_url(self.process),
            tokens=self.tokens,
            readers=readers,
            listeners=listeners,
            every_s=every_s,
        )


def make_tokens(process: Process, admin: httpx.Client, users: int = USERS) -> list[str]:
    """Of users who only read, one each."""
    return [_make_token(process, admin, f"reader{number}") for number in range(users)]


def _make_token(process: Process, admin: httpx.Client, name: str) -> str:
    body = {"name": name, "password": PASSWORD}
    admin.post("/api/v1/users", json={**body, "role": "user"}).raise_for_status()
    with open_client(process) as client:
        session = client.post("/api/v1/auth/login", json=body).raise_for_status().json()
        made = client.post(
            "/api/v1/tokens",
            json={"name": "soak", "scopes": ["read"]},
            headers={"X-CSRF-Token": session["csrf_token"]},
        )
        token: str = made.raise_for_status().json()["token"]
        return token


@contextlib.contextmanager
def counting(web: TestWeb) -> Iterator[list[float]]:
    """Requests a second that the web had to answer meanwhile."""
    rates: list[float] = []
    began_at, before = time.monotonic(), web.count_requests()
    yield rates
    ended_at = time.monotonic()
    rates.append((web.count_requests() - before) / (ended_at - began_at))


@contextlib.contextmanager
def weighing(server: psutil.Process) -> Iterator[list[int]]:
    """Its memory, every second."""
    weights: list[int] = []
    is_over = threading.Event()

    def weigh() -> None:
        while not is_over.wait(1.0):
            weights.append(server.memory_info().rss)

    scale = threading.Thread(target=weigh)
    scale.start()
    try:
        yield weights
    finally:
        is_over.set()
        scale.join()
