import http.client
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from tenax.demo.web import BUSY_PATH, DemoWeb, build_replies


@pytest.fixture
def demo() -> Iterator[DemoWeb]:
    with DemoWeb() as running:
        yield running


def get(demo: DemoWeb, path: str) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection(urlsplit(demo.url).netloc, timeout=5)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, dict(response.getheaders()), response.read()
    finally:
        connection.close()


def test_demo_web_has_the_size_of_a_small_site() -> None:
    assert 60 <= len(build_replies("http://x/")) <= 80


def test_home_page_is_html_and_links_to_the_sections(demo: DemoWeb) -> None:
    status, headers, body = get(demo, "/")
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert b'href="/journal"' in body


@pytest.mark.parametrize(
    ("path", "status"),
    [("/opening-hours", 301), ("/old", 410), ("/summer-fair", 404), ("/floor-plan.pdf", 200)],
)
def test_unusual_paths_have_their_status(demo: DemoWeb, path: str, status: int) -> None:
    assert get(demo, path)[0] == status


def test_busy_page_answers_the_second_time(demo: DemoWeb) -> None:
    status, headers, _ = get(demo, BUSY_PATH)
    assert (status, headers["Retry-After"]) == (503, "1")
    assert get(demo, BUSY_PATH)[0] == 200


def test_robots_file_forbids_a_page_and_names_the_sitemap(demo: DemoWeb) -> None:
    _, _, body = get(demo, "/robots.txt")
    assert b"Disallow: /staff/" in body
    assert f"Sitemap: {demo.url}sitemap.xml".encode() in body
