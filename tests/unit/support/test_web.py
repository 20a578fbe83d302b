import http.client
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from tenax.web.urls import parse_url
from tests.support.site import HostBehavior
from tests.support.web import LoggedRequest, TestWeb, assert_polite, gaps, max_overlap

SPECIAL = HostBehavior(
    error_pages={3: 410},
    noindex_pages=[4],
    nofollow_pages=[1],
    canonical_pages={6: 5},
    redirects=[5],
    chain_length=3,
    has_loop=True,
    has_pdf=True,
    has_trap=True,
    has_validators=True,
)


@pytest.fixture(scope="module")
def web() -> Iterator[TestWeb]:
    behaviors = {"h1.test": SPECIAL}
    with TestWeb(hosts=3, pages_per_host=20, cross_host=True, behaviors=behaviors) as running:
        yield running


def get(
    web: TestWeb, url: str, headers: dict[str, str] | None = None, timeout_s: float = 5.0
) -> tuple[int, dict[str, str], bytes]:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection("127.0.0.1", web.port, timeout=timeout_s)
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    try:
        connection.request("GET", target, headers={"Host": parts.netloc, **(headers or {})})
        response = connection.getresponse()
        return response.status, dict(response.getheaders()), response.read()
    finally:
        connection.close()


def logged(*, start: float, end: float | None, host: str = "h0.test") -> LoggedRequest:
    return LoggedRequest(
        id=1,
        host=host,
        path="/",
        method="GET",
        started_at=start,
        ended_at=end,
        status=200,
        connection=1,
        user_agent="",
        if_none_match=None,
        if_modified_since=None,
    )


def test_every_page_is_reachable_from_one_home_page_when_hosts_are_linked(web: TestWeb) -> None:
    web_without_faults = TestWeb(hosts=3, pages_per_host=200, cross_host=True)
    assert len(web_without_faults.expected_urls(web_without_faults.seeds()[:1])) == 600


def test_expected_urls_stay_in_the_domains_of_the_seeds(web: TestWeb) -> None:
    urls = web.expected_urls(web.seeds()[:1], scope="domain")
    assert urls == {web.url("h0.test", "/")} | {
        web.url("h0.test", f"/p/{number}.html") for number in range(1, 20)
    }


def test_expected_urls_leave_out_errors_and_noindex_pages(web: TestWeb) -> None:
    urls = web.expected_urls()
    assert web.url("h1.test", "/p/3.html") not in urls
    assert web.url("h1.test", "/p/4.html") not in urls
    assert web.url("h1.test", "/p/5.html") in urls


def test_equal_arguments_make_equal_pages() -> None:
    url = "http://h0.test:0/p/7.html"
    assert TestWeb(hosts=1).expected_page(url) == TestWeb(hosts=1).expected_page(url)


def test_pages_are_served_as_expected(web: TestWeb) -> None:
    page = web.expected_page(web.url("h2.test", "/p/7.html"))
    status, _, body = get(web, page.url)
    html = body.decode()
    assert status == 200
    assert f"<title>{page.title}</title>" in html
    assert all(paragraph in html for paragraph in page.paragraphs)


def test_links_lead_to_their_urls(web: TestWeb) -> None:
    for url in web.expected_urls():
        for link in web.expected_page(url).links:
            assert parse_url(link.href, url) == link.url


@pytest.mark.parametrize(
    ("path", "status", "location"),
    [
        ("/p/3.html", 410, None),
        ("/p/99.html", 404, None),
        ("/nothing", 404, None),
        ("/r/5", 301, "/p/5.html"),
        ("/chain/3", 301, "/chain/2"),
        ("/chain/1", 301, "/"),
        ("/loop/a", 301, "/loop/b"),
        ("/loop/b", 301, "/loop/a"),
        ("/calendar?month=4", 200, None),
    ],
)
def test_special_paths_answer(web: TestWeb, path: str, status: int, location: str | None) -> None:
    answered, headers, _ = get(web, web.url("h1.test", path))
    assert (answered, headers.get("Location")) == (status, location)


def test_pdf_has_its_type_and_a_big_body(web: TestWeb) -> None:
    _, headers, body = get(web, web.url("h1.test", "/file.pdf"))
    assert headers["Content-Type"] == "application/pdf"
    assert len(body) > 1_000_000


def test_page_with_the_same_etag_is_not_sent_again(web: TestWeb) -> None:
    url = web.url("h1.test", "/p/5.html")
    _, headers, _ = get(web, url)
    assert get(web, url, {"If-None-Match": headers["ETag"]})[0] == 304
    assert get(web, url, {"If-Modified-Since": headers["Last-Modified"]})[0] == 304
    assert get(web, url, {"If-None-Match": '"another"'})[0] == 200


def test_meta_robots_and_canonical_are_in_the_page(web: TestWeb) -> None:
    assert b'content="noindex"' in get(web, web.url("h1.test", "/p/4.html"))[2]
    assert b'content="nofollow"' in get(web, web.url("h1.test", "/p/1.html"))[2]
    canonical = f'rel="canonical" href="{web.url("h1.test", "/p/5.html")}"'
    assert canonical.encode() in get(web, web.url("h1.test", "/p/6.html"))[2]


def test_behavior_changes_while_the_web_runs(web: TestWeb) -> None:
    web.set_behavior("h2.test", HostBehavior(robots="changed", limited_requests=1))
    assert get(web, web.url("h2.test", "/robots.txt"))[2] == b"changed"
    status, headers, _ = get(web, web.url("h2.test"))
    assert (status, headers["Retry-After"]) == (429, "1")
    assert get(web, web.url("h2.test"))[0] == 200
    web.set_behavior("h2.test", HostBehavior())


def test_hanging_robots_file_never_answers_and_ends_with_the_client() -> None:
    hangs = {"h0.test": HostBehavior(robots_hangs=True)}
    with TestWeb(hosts=1, behaviors=hangs) as web:
        with pytest.raises(TimeoutError):
            get(web, web.url("h0.test", "/robots.txt"), timeout_s=0.05)
        get(web, web.url("h0.test"))
        first = web.requests()[0]
    assert first.status is None
    assert first.ended_at


def test_the_log_has_the_requests() -> None:
    with TestWeb(hosts=["a.test"], behaviors={"a.test": HostBehavior(delay_s=0.02)}) as web:
        get(web, web.url("www.A.test", "/?q=1"), {"User-Agent": "x", "If-None-Match": '"e"'})
        (request,) = web.requests()
        assert web.requests("b.test") == []
    assert (request.host, request.domain, request.path) == ("www.a.test", "a.test", "/?q=1")
    assert (request.user_agent, request.if_none_match, request.status) == ("x", '"e"', 200)
    assert request.ended_at
    assert request.ended_at - request.started_at >= 0.02


def test_gaps_run_from_start_to_start_within_a_domain() -> None:
    requests = [
        logged(start=3.0, end=3.5, host="www.h0.test"),
        logged(start=1.0, end=2.5),
        logged(start=1.5, end=2.0, host="h1.test"),
    ]
    assert gaps(requests) == [2.0]


def test_max_overlap_counts_per_domain_and_takes_open_requests_as_running() -> None:
    requests = [
        logged(start=1.0, end=None),
        logged(start=2.0, end=3.0),
        logged(start=3.0, end=4.0),
        logged(start=1.0, end=9.0, host="h1.test"),
    ]
    assert max_overlap(requests) == 2


def test_assert_polite_finds_a_short_gap() -> None:
    requests = [logged(start=1.0, end=1.1), logged(start=1.5, end=1.6)]
    assert_polite(requests, delay_s=0.5)
    with pytest.raises(AssertionError, match=r"came 0\.500 s after"):
        assert_polite(requests, delay_s=1.0)


def test_assert_polite_finds_an_overlap() -> None:
    requests = [logged(start=1.0, end=3.0), logged(start=2.0, end=3.0)]
    assert_polite(requests, delay_s=1.0, per_domain=2)
    with pytest.raises(AssertionError, match="2 requests at the same time"):
        assert_polite(requests, delay_s=1.0)
