"""A deterministic test web on loopback: many virtual hosts, a known link graph, an access log.

with TestWeb(hosts=3, pages_per_host=50) as web:
    crawl(web.seeds())          # resolve every host to 127.0.0.1, allow private addresses
    assert stored_urls == web.expected_urls()
    assert_polite(web.requests(), delay_s=0.1)
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from math import inf
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from tests.support.network import Network
from tests.support.site import (
    ExpectedPage,
    HostBehavior,
    PageLink,
    Site,
    SiteShape,
    canonical_host,
)

__all__ = [
    "ExpectedPage",
    "HostBehavior",
    "LoggedRequest",
    "PageLink",
    "TestWeb",
    "assert_polite",
    "gaps",
    "max_overlap",
]

_REPOSITORY = Path(__file__).resolve().parents[2]
_STOP_TIMEOUT_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedRequest:
    """A request as received by the origin."""

    id: int
    host: str  # lower case, without port
    path: str  # with the query
    method: str
    started_at: float  # when its head had arrived
    ended_at: float | None  # before its response was sent, or when its client disconnected; None: neither yet
    status: int | None  # None: not answered
    connection: int
    user_agent: str
    if_none_match: str | None
    if_modified_since: str | None

    @property
    def domain(self) -> str:
        return canonical_host(self.host)


class TestWeb:
    """Runs the origin inside the `with` block."""

    __test__ = False  # a name for tests to use, not a test for pytest to collect

    def __init__(
        self,
        *,
        hosts: int | Sequence[str] = 5,
        pages_per_host: int = 20,
        links_per_page: int = 10,
        paragraphs_per_page: int = 4,
        cross_host: bool = False,
        seed: int = 1,
        behaviors: Mapping[str, HostBehavior] | None = None,
        network: Network | None = None,
        address: str = "127.0.0.1",
        launcher: Sequence[str] = (),
    ) -> None:
        """`network`: a network in front of it. `launcher`: a command that runs the one that follows it."""
        self._network = network
        self._address = address
        self._launcher = launcher
        names = [f"h{i}.test" for i in range(hosts)] if isinstance(hosts, int) else hosts
        self._shape = SiteShape(
            hosts=tuple(names),
            pages_per_host=pages_per_host,
            links_per_page=links_per_page,
            paragraphs_per_page=paragraphs_per_page,
            cross_host=cross_host,
            seed=seed,
        )
        self._site = Site(self._shape, 0, behaviors or {})

    def __enter__(self) -> Self:
        self._directory = tempfile.TemporaryDirectory(prefix="tenax-test-web-")
        self._log = Path(self._directory.name) / "access.jsonl"
        self._log.touch()
        # In its own session: a signal to the test's process group does not reach the origin.
        self._process = subprocess.Popen(
            [*self._launcher, sys.executable, "-m", "tests.support.origin"],
            cwd=_REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        behaviors = {host: asdict(each) for host, each in self._site.behaviors.items()}
        orders = {
            "shape": asdict(self._shape),
            "behaviors": behaviors,
            "log": str(self._log),
            "address": self._address,
            "public_port": self._network and self._network.port,
        }
        port = int(self._order(orders))
        if self._network is not None:
            self._network.to_port = port
        self._site.port = self._network.port if self._network else port
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            self._process.communicate(timeout=_STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()
        self._directory.cleanup()

    @property
    def port(self) -> int:
        return self._site.port

    @property
    def hosts(self) -> tuple[str, ...]:
        return self._shape.hosts

    def url(self, host: str, path: str = "/") -> str:
        return self._site.url(host, path)

    def seeds(self) -> list[str]:
        """The home page of every host."""
        return [self.url(host) for host in self.hosts]

    def expected_urls(
        self, seeds: Sequence[str] | None = None, scope: Literal["any", "domain"] = "any"
    ) -> set[str]:
        """See Site.expected_urls; without seeds, from all home pages."""
        return self._site.expected_urls(self.seeds() if seeds is None else seeds, scope)

    def expected_page(self, url: str) -> ExpectedPage:
        page = self._site.find_page(url)
        assert page, f"{url} is not a page of the test web"
        return page

    def set_behavior(self, host: str, behavior: HostBehavior) -> None:
        """Change the behavior of a host. It is in effect when this returns; counts of limited requests
        restart."""
        self._site.set_behavior(host, behavior)
        self._order({"host": host, "behavior": asdict(behavior)})

    def requests(self, host: str | None = None) -> list[LoggedRequest]:
        """All requests so far in the order of their arrival, including robots.txt."""
        merged: dict[int, dict[str, Any]] = {}
        whole, _, _ = self._log.read_bytes().rpartition(b"\n")  # the last line may be half written
        for line in whole.splitlines():
            fields = json.loads(line)
            merged.setdefault(fields["id"], {"ended_at": None, "status": None}).update(fields)
        found = [LoggedRequest(**fields) for fields in merged.values()]
        return [request for request in found if host is None or request.host == host]

    def count_requests(self) -> int:
        """Number of answered requests; cheap, however many there are."""
        return self._log.read_bytes().count(b'"ended_at"')

    def _order(self, order: dict[str, Any]) -> str:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline().strip()
        assert answer, "the origin of the test web died"
        return answer


def gaps(requests: Iterable[LoggedRequest]) -> list[float]:
    """Seconds from start to start of successive requests to the same domain."""
    return [
        later.started_at - earlier.started_at
        for group in _by_domain(requests).values()
        for earlier, later in pairwise(group)
    ]


def max_overlap(requests: Iterable[LoggedRequest]) -> int:
    """Maximum number of concurrent requests to one domain."""
    return max((_overlap(group) for group in _by_domain(requests).values()), default=0)


def assert_polite(
    requests: Iterable[LoggedRequest],
    delay_s: float,
    per_domain: int = 1,
    tolerance_s: float = 0.02,
) -> None:
    """Check the pace. The tolerance allows for a busy machine that delivers a request late and the next in
    time."""
    for domain, group in _by_domain(requests).items():
        overlap = _overlap(group)
        assert overlap <= per_domain, f"{domain}: {overlap} requests at the same time"
        for earlier, later in pairwise(group):
            gap = later.started_at - earlier.started_at
            assert gap >= delay_s - tolerance_s, (
                f"{domain}: {later.path} came {gap:.3f} s after {earlier.path}, delay {delay_s} s"
            )


def _by_domain(requests: Iterable[LoggedRequest]) -> dict[str, list[LoggedRequest]]:
    groups: dict[str, list[LoggedRequest]] = {}
    for request in sorted(requests, key=lambda each: each.started_at):
        groups.setdefault(request.domain, []).append(request)
    return groups


def _overlap(requests: Iterable[LoggedRequest]) -> int:
    # At the same instant an end counts before a start: the origin logs the end first.
    events = sorted(
        event for request in requests for event in ((request.started_at, 1), (request.ended_at or inf, -1))
    )
    running = most = 0
    for _, change in events:
        running += change
        most = max(most, running)
    return most
