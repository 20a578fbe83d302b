"""Hostile pages and hostile handlers in one crawl with parsers: each costs its own items, a bounded time and
memory, and never a worker.
"""

import time
from pathlib import Path

import orjson
import pytest

from tests.support.crawler import Crawler, assert_at_rest, assert_sound, query, read_pages
from tests.support.scripted import HTML, Reply, ScriptedWeb, page

MB = 1_000_000
TIMEOUT_S = 1.0
MOST_S = 120.0  # for the whole crawl, on a busy machine

PARSERS = """
import ctypes, time
from tenax import Parser


class Facts(Parser):
    name = "facts"

    def parse(self, page):
        yield {"title": page.title, "objects": len(page.json_ld), "spans": len(page.css("span"))}


class Handler(Parser):
    name = "handler"
    patterns = ("/raises", "/loops", "/allocates", "/blocks", "/nonsense")

    def parse(self, page):
        what = page.url.rsplit("/", 1)[1]
        if what == "raises":
            raise KeyError("price")
        if what == "loops":
            while True:
                pass
        if what == "allocates":
            return {"held": [bytes(100_000_000) for _ in range(1_000)]}
        if what == "blocks":
            ctypes.PyDLL(None).usleep(100_000_000)  # holds the lock of the interpreter
        return object()
"""
ERRORS = {
    "/raises": "KeyError",
    "/loops": "Timeout",
    "/allocates": "MemoryError",
    "/blocks": "Timeout",
    "/nonsense": "Nonsense",
}


def html(title: str, body: bytes) -> Reply:
    return Reply(
        body=b"<!doctype html><title>%b</title>%b<p>end" % (title.encode(), body),
        headers={"Content-Type": HTML},
    )


def nest_json(depth: int) -> bytes:
    inner = b'{"@type":"Product","offers":' * depth + b"1" + b"}" * depth
    return b'<script type="application/ld+json">%b</script>' % inner


HOSTILE_PAGES = {
    "/json": html("Deep", nest_json(100_000)),
    "/script": html("Long", b"<script>" + b"var a = '</b>';\n" * (10 * MB // 16) + b"</script>"),
    "/attributes": html("Wide", b"<p %b>" % b" ".join(b"a%d=1" % number for number in range(1_000_000))),
}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, float, int]:
    """Where it is stored, the address of the site, how long it took, and the memory of its worker."""
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "hostile_parsers.py").write_text(PARSERS)
    paths = {path: page(path) for path in (*ERRORS, *(f"/good{number}" for number in range(5)))}
    site = {"/": page("Home", *paths, *HOSTILE_PAGES), **paths, **HOSTILE_PAGES}
    with ScriptedWeb({"a.test": site}) as web:
        crawler = Crawler(folder / "data", web, "--delay", "0", seeds=[web.url("a.test")])  # type: ignore[arg-type]
        started = time.monotonic()
        ended = crawler.run(
            TENAX_PARSERS__FILES=orjson.dumps([str(folder / "hostile_parsers.py")]).decode(),
            TENAX_PARSERS__USE='["facts", "handler"]',
            TENAX_PARSERS__TIMEOUT_S=str(TIMEOUT_S),
            TENAX_PARSERS__MEMORY_MB="400",
            TENAX_FETCH__MAX_BYTES=str(20 * MB),
        )
        taken_s = time.monotonic() - started
        assert ended.code == 0, ended.stderr
        return folder / "data", web.url("a.test", "/").rstrip("/"), taken_s, ended.report["peak_rss_bytes"]


Crawled = tuple[Path, str, float, int]


def test_they_cost_a_bounded_time_and_memory_and_no_worker(crawled: Crawled) -> None:
    data, _, taken_s, memory_bytes = crawled
    assert taken_s < MOST_S
    assert memory_bytes < 250 * MB
    assert query(data, "SELECT count(*) FROM workers") == [(1,)]
    assert_sound(data)
    assert_at_rest(data)


@pytest.mark.parametrize("path", ERRORS)
def test_a_hostile_handler_costs_its_own_items(crawled: Crawled, path: str) -> None:
    data, site, *_ = crawled
    url = site + path
    assert url in read_pages(data)
    rows = query(
        data,
        f"SELECT e.type, e.parser FROM errors e JOIN urls u ON u.id = e.url_id WHERE u.url = '{url}'",
    )
    assert rows == [(ERRORS[path], "handler")]
    assert query(data, f"SELECT kind FROM items WHERE key = '{url}'") == [("facts",)]


@pytest.mark.parametrize("path", HOSTILE_PAGES)
def test_a_hostile_page_is_kept_with_its_items_or_said_to_be_too_much(crawled: Crawled, path: str) -> None:
    data, site, *_ = crawled
    url = site + path
    ((fate, detail),) = query(data, f"SELECT fate, detail FROM urls WHERE url = '{url}'")
    items = query(data, f"SELECT data FROM items WHERE key = '{url}'")
    assert (fate == "fetched" and len(items) == 1) or (fate == "dead" and detail), (fate, detail, items)


def test_all_other_pages_have_their_items(crawled: Crawled) -> None:
    data, site, *_ = crawled
    good = {f"{site}/good{number}" for number in range(5)}
    assert good <= {key for (key,) in query(data, "SELECT key FROM items WHERE kind = 'facts'")}
