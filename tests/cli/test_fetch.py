import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Ended, run_tenax
from tests.support.large import LAST, contents, large_web, table
from tests.support.pdfs import scanned_pdf, text_pdf
from tests.support.scripted import Reply, ScriptedWeb
from tests.support.site import HostBehavior
from tests.support.web import TestWeb, assert_polite

BEHAVIOURS = {
    "plain.test": HostBehavior(
        redirects=(3,), has_pdf=True, has_loop=True, chain_length=6, noindex_pages=(2,)
    ),
    "closed.test": HostBehavior(robots="User-agent: *\nAllow: /p/\nDisallow: /\n"),
    "broken.test": HostBehavior(robots_status=503),
    "slow.test": HostBehavior(robots="User-agent: tenax\nCrawl-delay: 0.4\n", redirects=(1,)),
    "moved.test": HostBehavior(robots_location="/p/1.html"),
}


@pytest.fixture(scope="module")
def web() -> Iterator[TestWeb]:
    with TestWeb(hosts=list(BEHAVIOURS), pages_per_host=8, behaviors=BEHAVIOURS) as running:
        yield running


@pytest.fixture(scope="module")
def pdfs() -> Iterator[ScriptedWeb]:
    bodies = {
        "/report.pdf": text_pdf("Words", title="The report", links=("https://b.test/",)),
        "/scan.pdf": scanned_pdf(),
    }
    paths = {
        path: Reply(body=body, headers={"Content-Type": "application/pdf"}) for path, body in bodies.items()
    }
    with ScriptedWeb({"docs.test": paths}) as running:
        yield running


@pytest.fixture(autouse=True)
def no_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENAX_POLITENESS__DELAY_S", "0")


def fetch(url: str, *options: str) -> Ended:
    return run_tenax("fetch", url, "--resolve", "*:127.0.0.1", "--allow-private", *options)


def fetch_json(url: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(fetch(url, "--json").out)
    return found


def test_a_page_is_shown_with_what_would_be_kept(web: TestWeb) -> None:
    url = web.url("plain.test", "/p/1.html")
    ended = fetch(url)
    page = web.expected_page(url)
    assert ended.code == 0
    assert f"title        {page.title}" in ended.out
    assert "status        200 (HTTP/1.1 from 127.0.0.1)" in ended.out
    assert "allowed by line 2, 'Allow: /', for agent *" in ended.out
    assert page.links[0].url in ended.out


def test_json_has_hops_timings_page_and_links(web: TestWeb) -> None:
    url = web.url("plain.test", "/p/1.html")
    found = fetch_json(url)
    (hop,) = found["hops"]
    assert hop["verdict"]["is_allowed"]
    assert hop["exchange"]["status"] == 200
    assert hop["exchange"]["timings"]["total_s"] > 0
    assert {link["url"] for link in found["links"]} == {link.url for link in web.expected_page(url).links}


def test_the_text_is_that_of_what_counts(web: TestWeb) -> None:
    url = web.url("plain.test", "/p/1.html")
    whole = fetch_json(url)["page"]
    found = json.loads(fetch(url, "--json", "--only", "h1", "--only", "title").out)
    heading, _, rest = whole["text"].partition("\n")
    assert rest
    assert found["page"]["text"] == heading
    assert found["links"] == fetch_json(url)["links"]
    rest_of_it = json.loads(fetch(url, "--json", "--without", "h1").out)["page"]
    assert (rest_of_it["text"], rest_of_it["title"]) == (rest, whole["title"])


def test_a_bad_selector_is_refused_before_any_request(web: TestWeb) -> None:
    asked = len(web.requests())
    ended = fetch(web.url("plain.test", "/p/1.html"), "--only", "p:hover")
    assert ended.code != 0
    assert "The selector 'p:hover' cannot be used" in ended.err
    assert len(web.requests()) == asked


def test_redirects_are_followed_hop_by_hop(web: TestWeb) -> None:
    found = fetch_json(web.url("plain.test", "/r/3"))
    assert [hop["url"] for hop in found["hops"]] == [
        web.url("plain.test", "/r/3"),
        web.url("plain.test", "/p/3.html"),
    ]
    assert [len(hop["robots"]) for hop in found["hops"]] == [1, 0]


def test_what_robots_txt_forbids_is_not_fetched(web: TestWeb) -> None:
    url = web.url("closed.test", "/")
    ended = fetch(url)
    assert ended.code == 1
    assert "forbidden by line 3, 'Disallow: /', for agent *" in ended.out
    assert [request.path for request in web.requests("closed.test")] == ["/robots.txt"]


def test_without_a_usable_robots_txt_nothing_is_fetched(web: TestWeb) -> None:
    ended = fetch(web.url("broken.test", "/"))
    assert ended.code == 1
    assert "No page: robots.txt could not be read: robots.txt answered 503." in ended.out
    assert [request.path for request in web.requests("broken.test")] == ["/robots.txt"]


def test_a_moved_robots_txt_is_followed(web: TestWeb) -> None:
    (hop,) = fetch_json(web.url("moved.test", "/"))["hops"]
    assert [exchange["status"] for exchange in hop["robots"]] == [302, 200]


def test_requests_keep_the_crawl_delay_apart(web: TestWeb) -> None:
    assert fetch(web.url("slow.test", "/r/1")).code == 0
    assert_polite(web.requests("slow.test"), delay_s=0.4)


def test_a_redirect_loop_ends(web: TestWeb) -> None:
    assert fetch_json(web.url("plain.test", "/loop/a"))["trouble"] == "it redirects in a loop"


def test_too_many_redirects_end(web: TestWeb) -> None:
    found = fetch_json(web.url("plain.test", "/chain/6"))
    assert (found["trouble"], len(found["hops"])) == ("it redirects more than 5 times", 6)


def test_other_types_are_named_and_not_read(web: TestWeb) -> None:
    ended = fetch(web.url("plain.test", "/file.pdf"))
    assert ended.code == 0
    assert "Not HTML" in ended.out
    assert "With --pdf, it would read its text." in ended.out


def test_a_pdf_is_shown_if_wanted(pdfs: ScriptedWeb) -> None:
    ended = fetch(pdfs.url("docs.test", "/report.pdf"), "--pdf")
    assert ended.code == 0, ended.err
    lines = [" ".join(line.split()) for line in ended.out.splitlines()]
    for expected in ("title The report", "type PDF", "text 5 characters", "Words", "https://b.test/"):
        assert expected in lines


def test_a_pdf_that_cannot_be_read_says_why(pdfs: ScriptedWeb) -> None:
    ended = fetch(pdfs.url("docs.test", "/scan.pdf"), "--pdf")
    said = "No page: the PDF has no text: its pages are probably scans."
    assert (ended.code, ended.out.splitlines()[-1]) == (1, said)


def test_parsers_are_not_for_pdfs(pdfs: ScriptedWeb, monkeypatch: pytest.MonkeyPatch) -> None:
    local = ("--resolve", "*:127.0.0.1", "--allow-private")
    url = pdfs.url("docs.test", "/report.pdf")
    for types in ("[]", '["application/pdf"]'):
        monkeypatch.setenv("TENAX_EXTRACT__CONTENT_TYPES", types)
        ended = run_tenax("parse", url, *local)
        assert ended.code == 1
        assert "No page: parsers are for HTML, and this is application/pdf." in ended.err


def test_a_content_type_that_is_not_supported_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENAX_EXTRACT__CONTENT_TYPES", '["application/msword"]')
    ended = fetch("http://docs.test/")
    assert ended.code != 0
    assert "input should be 'application/pdf'" in ended.err
    assert "Traceback" not in ended.err


def test_an_error_status_ends_with_code_1(web: TestWeb) -> None:
    ended = fetch(web.url("plain.test", "/missing"))
    assert (ended.code, ended.out.splitlines()[-1]) == (1, "No page: the server answered 404.")


def test_a_page_that_asks_not_to_be_stored_says_so(web: TestWeb) -> None:
    assert "it asks not to be stored" in fetch(web.url("plain.test", "/p/2.html")).out


def test_private_addresses_are_refused_by_default(web: TestWeb) -> None:
    ended = run_tenax("fetch", web.url("plain.test"), "--resolve", "*:127.0.0.1")
    assert ended.code == 1
    assert "forbidden address (loopback); --allow-private allows it" in ended.out


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("example.com/a", "did you mean https://example.com/a?"),
        ("ftp://example.com/", "is not the URL of a page"),
    ],
)
def test_a_typo_in_the_url_is_a_usage_error(text: str, hint: str) -> None:
    ended = run_tenax("fetch", text)
    assert ended.code == 2
    assert hint in ended.err


def test_a_large_page_is_read_as_a_crawl_would_read_it() -> None:
    large = contents(2_600_000)
    with large_web({"/large": large}) as site:
        ended = fetch(site.url("a.test", "/large"), "--json")
    assert ended.code == 0
    found = json.loads(ended.out)
    assert found["page"]["text"].strip().endswith(LAST)
    assert len(found["links"]) == 1000


def test_a_page_beyond_a_limit_is_given_up_in_the_words_of_a_crawl(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TENAX_READER__MEMORY_MB", "100")
    options = ("--resolve", "*:127.0.0.1", "--allow-private")
    with large_web({"/large": table(2_600_000)}) as site:
        url = site.url("a.test", "/large")
        ended = fetch(url)
        run_tenax("crawl", url, "--data", str(tmp_path), *options)
    explained = run_tenax("explain", url, "--data", str(tmp_path)).out
    assert ended.code == 1
    sentence = "eading it takes more than 100 MB of memory: raise reader.memory_mb to"
    assert f"No page: r{sentence}" in ended.out
    assert f"It was given up: r{sentence}" in explained
