"""What the flow tests share: a crawler that leaves no process behind, and databases."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tenax.stores.place import Place
from tenax.stores.postgres.backend import migrate
from tests.support.crawler import Crawler, Machine
from tests.support.postgres import fresh_database
from tests.support.servers import PostgresServer
from tests.support.web import TestWeb

MakeCrawler = Callable[..., Crawler]
MakeMachine = Callable[..., Machine]


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


@pytest.fixture
def make_machine(tmp_path: Path) -> Iterator[MakeMachine]:
    """make_machine(name, store=None, workers=2)"""
    machines: list[Machine] = []

    def make(name: str, store: str | None = None, workers: int = 2) -> Machine:
        machines.append(Machine(tmp_path / name, store, workers))
        return machines[-1]

    yield make
    for machine in machines:
        machine.close()


@pytest.fixture
def url() -> Iterator[str]:
    """A database of the server that all tests share."""
    with fresh_database() as url:
        yield url


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    """One of the test's own, that keeps what it has committed when it crashes; with the schema."""
    server = PostgresServer("fsync=off")
    server.start()
    migrate(Place(folder=Path("/nowhere"), url=server.url))
    yield server
    server.close()
