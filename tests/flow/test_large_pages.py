"""Pages that are too large for a worker are read beside it, whole, one at a time on a machine."""

from pathlib import Path

import pytest

from tests.flow.conftest import MakeCrawler
from tests.support.crawler import Where, assert_at_rest, assert_sound, query, read_pages
from tests.support.large import FIRST, LAST, large_pages, large_web

QUICK = ("--delay", "0", "--max-depth", "1")
WORKER_BYTES = 300_000_000


@pytest.fixture(params=["sqlite", "postgres"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> Where:
    """Where a crawl is kept."""
    return tmp_path / "data" if request.param == "sqlite" else request.getfixturevalue("url")


def options(where: Where) -> tuple[str, ...]:
    return (*QUICK, "--store", where) if isinstance(where, str) else QUICK


def test_large_pages_are_fetched_whole_with_default_settings(where: Where, make_crawler: MakeCrawler) -> None:
    pages = large_pages()
    with large_web(pages) as web:
        ended = make_crawler(web, *options(where), seeds=[web.url("a.test")]).run()
        assert (ended.code, ended.report["state"]) == (0, "done"), ended.stderr
        stored = read_pages(where)
        for path, large in pages.items():
            found = stored[web.url("a.test", path)]
            assert found.text.split("\n")[0].strip() == FIRST, path
            assert found.text.strip().endswith(LAST), path
            assert [link.url for link in found.links] == [web.url("a.test", link) for link in large.links], (
                path
            )
        assert len(stored) == 1 + 3 + len(pages)
        assert max(large.body.count(b"<") for large in pages.values()) > 250_000
    assert ended.report["peak_rss_bytes"] <= WORKER_BYTES
    assert query(where, "SELECT count(*) FROM urls WHERE crashes > 0 OR fate = 'dead'") == [(0,)]
    assert_sound(where)
    assert_at_rest(where)
