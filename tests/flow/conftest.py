"""What the flow tests share: a crawler that leaves no process behind."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.crawler import Crawler
from tests.support.web import TestWeb

MakeCrawler = Callable[..., Crawler]


@pytest.fixture
def make_crawler(tmp_path: Path) -> Iterator[MakeCrawler]:
    """make_crawler(web, *options, seeds=None, data=None, workers=1, command="crawl")"""
    crawlers: list[Crawler] = []

    def make(
        web: TestWeb,
        *options: str,
        seeds: list[str] | None = None,
        data: Path | None = None,
        workers: int = 1,
        command: str = "crawl",
    ) -> Crawler:
        folder = data or tmp_path / "data"
        crawlers.append(Crawler(folder, web, *options, seeds=seeds, workers=workers, command=command))
        return crawlers[-1]

    yield make
    for crawler in crawlers:
        crawler.close()
