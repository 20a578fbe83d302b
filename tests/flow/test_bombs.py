"""Gzip bombs beside healthy pages: each ends as too large, and nobody else notices."""

import gzip
from pathlib import Path

import pytest

from tests.support.crawler import Crawler, assert_sound, query, read_pages
from tests.support.hostile import Peer, hostile_origin
from tests.support.web import TestWeb

MISSING = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
BOMB = gzip.compress(b"<p>" + bytes(50_000_000), 9)
BOMB_HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n"
)


def serve_bombs(peer: Peer) -> None:
    while True:
        is_robots = peer.read_request().startswith(b"GET /robots.txt ")
        peer.send(MISSING if is_robots else BOMB_HEAD % len(BOMB) + BOMB)


@pytest.mark.parametrize(("workers", "bombs"), [(1, 8), (2, 40)])
def test_bombs_end_as_too_large_and_healthy_pages_come(workers: int, bombs: int, tmp_path: Path) -> None:
    data = tmp_path / "data"
    with TestWeb(hosts=5, pages_per_host=10) as web, hostile_origin(serve_bombs) as origin:
        hosts = [f"http://bomb{number}.test:{origin.port}/" for number in range(bombs)]
        crawler = Crawler(data, web, "--delay", "0", seeds=[*hosts, *web.seeds()], workers=workers)
        ended = crawler.run()
        assert (ended.code, "Traceback" in ended.stderr, "died" in ended.stderr) == (0, False, False)
        assert set(read_pages(data)) == web.expected_urls()
    assert_sound(data)
    fates = query(data, "SELECT url, fate, reason FROM urls WHERE url LIKE 'http://bomb%'")
    assert sorted(fates) == sorted((url, "dead", "too_large") for url in hosts)
    assert query(data, "SELECT name FROM domains WHERE status = 'unreachable' OR breaker_trips > 0") == []
