"""`worker.memory_mb` is a promise: whatever the web serves, a worker takes no more memory."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.crawler import DEADLINE_S, Process, assert_sound, query
from tests.support.memory_pressure import (
    Make,
    MemoryPressureWeb,
    large_body,
    many_links,
    many_tags,
    wide_body,
)

MB = 1_000_000
MEMORY_MB = 140  # the least for these settings is 133
HOSTS = 16


def crawl(web: MemoryPressureWeb, data: Path, **settings: str) -> dict[str, Any]:
    arguments = [*web.seeds(), "--data", str(data), "--resolve", "*:127.0.0.1", "--allow-private", "--json"]
    arguments += ["--workers", "1"]  # which gets all of the load
    environment = {
        "TENAX_WORKER__MEMORY_MB": str(MEMORY_MB),
        "TENAX_WORKER__CONCURRENCY": "64",
        "TENAX_FETCH__MAX_BYTES": str(2 * MB),
        "TENAX_POLITENESS__DELAY_S": "0",
        "TENAX_POLITENESS__PER_DOMAIN": "8",
        "TENAX_LIMITS__MAX_PAGES": str(web.pages),
        **settings,
    }
    ended = Process(arguments, environment, data.with_name("outputs")).wait(2 * DEADLINE_S)
    assert ended.code == 0, ended.stderr
    return ended.report


@pytest.mark.parametrize(("make", "pages_per_host"), [(wide_body, 8), (many_tags, 2)])
def test_a_worker_takes_no_more_memory_than_it_was_given(
    make: Make, pages_per_host: int, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    with MemoryPressureWeb(hosts=HOSTS, pages_per_host=pages_per_host, make=make) as web:
        report = crawl(web, data)
    assert query(data, "SELECT count(*) FROM pages") == [(web.pages,)]
    assert report["peak_rss_bytes"] <= MEMORY_MB * MB
    assert_sound(data)


@pytest.mark.parametrize(("make", "loads"), [(large_body, (6, 12)), (many_links, (6, 20))])
def test_more_load_takes_no_more_memory(make: Make, loads: tuple[int, int], tmp_path: Path) -> None:
    peaks = []
    for pages_per_host in loads:
        data = tmp_path / str(pages_per_host)
        with MemoryPressureWeb(hosts=HOSTS, pages_per_host=pages_per_host, make=make) as web:
            report = crawl(web, data)
        assert query(data, "SELECT count(*) FROM pages") == [(web.pages,)]
        peaks.append(report["peak_rss_bytes"])
    assert (
        peaks[1] <= peaks[0] + 15 * MB
    )  # caches that were not full yet; bodies and urls are 60 MB more at least
    assert peaks[1] <= MEMORY_MB * MB


def test_documents_that_do_not_fit_are_read_beside_the_worker(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with MemoryPressureWeb(hosts=HOSTS, pages_per_host=2, make=lambda name: many_tags(name) * 3) as web:
        report = crawl(web, data)
    assert query(data, "SELECT count(*) FROM pages") == [(web.pages,)]
    assert report["peak_rss_bytes"] <= MEMORY_MB * MB
    assert_sound(data)
