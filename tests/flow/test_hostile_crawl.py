"""Whole crawls among hostile origins: they end, the healthy hosts are complete, memory is bounded, and
every url has a fate (F20-F25)."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.support import hostile
from tests.support.crawler import KEPT, Crawler, Ended, assert_sound, query, read_pages
from tests.support.hostile import Behavior, HostileOrigin, Peer, hostile_origin
from tests.support.hostile_documents import DOCUMENTS
from tests.support.scripted import HTML, Reply, ScriptedWeb, page
from tests.support.site import HostBehavior
from tests.support.web import TestWeb

MISSING = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
MEGABYTE = 1_000_000

# Small limits, so that the tests end soon; what is tested is that there are limits.
IMPATIENT = {
    "TENAX_FETCH__TIMEOUT_S": "1",
    "TENAX_FETCH__CONNECT_TIMEOUT_S": "1",
    "TENAX_FETCH__MAX_BYTES": str(MEGABYTE),
    "TENAX_ROBOTS__TIMEOUT_S": "0.5",
    "TENAX_RETRY__ATTEMPTS": "1",
    "TENAX_RETRY__BASE_S": "0.1",
    "TENAX_BREAKER__OPEN_S": "0.3",
    "TENAX_BREAKER__TRIPS": "2",
}

BEHAVIOURS: dict[str, Behavior] = {
    name: getattr(hostile, name)
    for name in (
        "slow_headers", "stall_before_headers", "stall_after_headers", "slow_body", "endless_body",
        "endless_pdf", "endless_chunks", "short_body", "long_body", "huge_headers", "endless_header",
        "endless_interim", "stall_in_gzip", "truncated_gzip", "broken_gzip", "plain_as_gzip", "double_gzip",
        "gzip_bomb", "gzip_bomb_on_redirect", "garbage", "close_at_once", "reset_at_once", "reset_in_body",
    )
}  # fmt: skip


class Replayed(Peer):
    """A peer whose first request was read already."""

    def __init__(self, peer: Peer, head: bytes) -> None:
        super().__init__(peer._origin, peer._socket)
        self._head: bytes | None = head

    def read_request(self) -> bytes:
        head, self._head = self._head, None
        return super().read_request() if head is None else head


def without_robots(behavior: Behavior) -> Behavior:
    """The behavior for pages; robots.txt is missing, which is fine."""

    def behave(peer: Peer) -> None:
        while (head := peer.read_request()).startswith(b"GET /robots.txt "):
            peer.send(MISSING)
        behavior(Replayed(peer, head))

    return behave


@contextmanager
def origins(behaviors: dict[str, Behavior]) -> Iterator[dict[str, HostileOrigin]]:
    with ExitStack() as stack:
        yield {name: stack.enter_context(hostile_origin(each)) for name, each in behaviors.items()}


def crawl_among(data: Path, bad: dict[str, Behavior]) -> tuple[Ended, dict[str, str], set[str]]:
    """The end, the name of each hostile seed, and the healthy urls that are missing."""
    with TestWeb(hosts=3, pages_per_host=15) as web, origins(bad) as found:
        names = {origin.url: name for name, origin in found.items()}
        crawler = Crawler(data, web, "--delay", "0.05", seeds=[*web.seeds(), *names])
        ended = crawler.start(**IMPATIENT).wait()
        return ended, names, web.expected_urls() - set(read_pages(data))


@pytest.mark.parametrize("is_robots_hostile", [False, True])
def test_hostile_origins_harm_nobody_else(is_robots_hostile: bool, tmp_path: Path) -> None:
    bad = (
        BEHAVIOURS if is_robots_hostile else {name: without_robots(each) for name, each in BEHAVIOURS.items()}
    )
    ended, names, missing = crawl_among(tmp_path / "data", bad)
    assert (ended.code, missing) == (0, set())
    assert ended.report["peak_rss_bytes"] < 150 * MEGABYTE
    assert_sound(tmp_path / "data")
    fates: dict[str, str] = dict(query(tmp_path / "data", "SELECT url, fate FROM urls"))
    assert all(fates[url] for url in names)


def test_what_a_hostile_page_ends_as_is_said(tmp_path: Path) -> None:
    names = ("stall_after_headers", "endless_body", "gzip_bomb", "garbage", "truncated_gzip", "reset_in_body")
    _, seeds, _ = crawl_among(tmp_path / "data", {name: without_robots(BEHAVIOURS[name]) for name in names})
    rows = query(tmp_path / "data", "SELECT url, fate, reason, detail FROM urls")
    found = {seeds[url]: (fate, reason) for url, fate, reason, detail in rows if url in seeds and detail}
    assert found == {
        "stall_after_headers": ("dead", "timeout"),
        "endless_body": ("dead", "too_large"),
        "gzip_bomb": ("dead", "too_large"),
        "garbage": ("dead", "protocol"),
        "truncated_gzip": ("dead", "encoding"),
        "reset_in_body": ("dead", "reset"),
    }


def test_documents_made_to_exhaust_a_parser_do_not(tmp_path: Path) -> None:
    paths = {
        f"/{quote(name)}": Reply(body=build(), headers={"Content-Type": HTML})
        for name, build in DOCUMENTS.items()
    }
    good = {f"/good{number}": page(f"Good {number}") for number in range(10)}
    data = tmp_path / "data"
    with ScriptedWeb({"a.test": {"/": page("Home", *paths, *good), **paths, **good}}) as scripted:
        with TestWeb(hosts=1, pages_per_host=30) as web:
            seeds = [*web.seeds(), scripted.url("a.test")]
            ended = Crawler(data, web, "--delay", "0", "--max-depth", "1", seeds=seeds).run()
            kept = read_pages(data)
        assert ended.code == 0
        assert {scripted.url("a.test", path) for path in good} <= set(kept)
        fates: dict[str, str] = dict(query(data, "SELECT url, fate FROM urls"))
        assert {fates[scripted.url("a.test", path)] for path in paths} <= {
            *KEPT,
            "dead",
            "refused",
            "rejected",
        }
    assert ended.report["peak_rss_bytes"] < 200 * MEGABYTE
    assert_sound(data)


def test_a_calendar_without_end_stops_at_the_budget(tmp_path: Path) -> None:
    trap = {"trap.test": HostBehavior(has_trap=True)}
    with TestWeb(hosts=["trap.test", "good.test"], pages_per_host=5, behaviors=trap) as web:
        data = tmp_path / "data"
        ended = Crawler(data, web, "--delay", "0").run(
            TENAX_LIMITS__PAGES_PER_DOMAIN="40", TENAX_LIMITS__MAX_DEPTH="1000"
        )
        assert (ended.code, ended.report["leftover"]["capped"] > 0) == (3, True)
        pages = read_pages(data)
        assert web.expected_urls() <= set(pages)
        assert sum("trap.test" in url for url in pages) == 40
