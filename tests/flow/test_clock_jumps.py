"""Clocks that are set forward or back while a crawl goes on, or between two: the machine's for a file, the
server's for a database. No gap gets shorter, no page is fetched again, and nothing is left undone."""

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import uvloop

from tenax.clock import SystemClock
from tenax.crawl.engine import Engine
from tenax.records.runs import RunState
from tenax.runtime.engine import open_engine
from tenax.stores.place import Place
from tests.support.postgres import Console, fresh_database
from tests.support.running import DEADLINE_S, build_settings
from tests.support.web import TestWeb, assert_polite

DELAY_S = 0.2
HOUR_S = 3600.0
SETTINGS = build_settings(politeness={"delay_s": DELAY_S}, worker={"batch_s": 0.1})


@dataclass
class Scene:
    """A store whose clock can be set."""

    place: Place
    on_set: Callable[[float], None] = lambda ahead_s: None
    is_machine: bool = True  # it is the machine's clock that is set
    ahead_s: float = field(default=0.0)

    def set_clock(self, by_s: float) -> None:
        self.ahead_s += by_s
        self.on_set(self.ahead_s)

    def make_clock(self) -> SystemClock:
        return SystemClock(lambda: time.time() + self.ahead_s * self.is_machine)


@pytest.fixture(params=["sqlite", "postgres"])
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Scene]:
    if request.param == "sqlite":
        yield Scene(Place(folder=tmp_path))
        return
    with fresh_database() as url, closing(Console(url)) as console:

        def set_server(ahead_s: float) -> None:
            console.execute(
                "CREATE OR REPLACE FUNCTION tenax_now() RETURNS double precision LANGUAGE sql VOLATILE"
                f" AS 'SELECT extract(epoch FROM clock_timestamp())::double precision + {ahead_s}'"
            )

        yield Scene(Place(folder=tmp_path, url=url), set_server, is_machine=False)


async def crawl(
    scene: Scene, web: TestWeb, *, workers: int = 1, then: Callable[[list[Engine]], None] | None = None
) -> list[RunState]:
    """Crawl to the end; `then` happens once some pages of every host have been asked for."""
    async with contextlib.AsyncExitStack() as stack:
        engines = [
            await stack.enter_async_context(open_engine(scene.place, SETTINGS, scene.make_clock()))
            for _ in range(workers)
        ]
        watching = asyncio.create_task(watch(web, engines, then)) if then else None
        run = await engines[0].open(web.seeds())
        ended = await asyncio.wait_for(asyncio.gather(*(each.work(run) for each in engines)), DEADLINE_S)
        if watching is not None:
            await watching
        return [each.state for each in ended]


async def watch(web: TestWeb, engines: list[Engine], then: Callable[[list[Engine]], None]) -> None:
    wanted = len(web.requests()) + 4 * len(web.seeds())
    async with asyncio.timeout(DEADLINE_S):
        while len(web.requests()) < wanted:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    then(engines)


def assert_whole_and_polite(web: TestWeb) -> None:
    asked = Counter(request.host + request.path for request in web.requests())
    assert {url for url, times in asked.items() if times > 1} == set()
    assert len(asked) == len(web.expected_urls()) + len(web.seeds())  # robots.txt of each host
    assert_polite(web.requests(), delay_s=DELAY_S)


@pytest.mark.parametrize("by_s", [HOUR_S, -HOUR_S])
def test_a_clock_that_is_set_while_workers_crawl_changes_nothing(scene: Scene, by_s: float) -> None:
    with TestWeb(hosts=3, pages_per_host=10) as web:
        states = uvloop.run(crawl(scene, web, workers=2, then=lambda _: scene.set_clock(by_s)))
        assert_whole_and_polite(web)
    assert set(states) == {RunState.DONE}


@pytest.mark.parametrize("by_s", [HOUR_S, -HOUR_S])
def test_a_clock_that_is_set_between_two_starts_changes_nothing(scene: Scene, by_s: float) -> None:
    with TestWeb(hosts=3, pages_per_host=10) as web:
        stopped = uvloop.run(crawl(scene, web, then=lambda engines: engines[0].stop(ends_run=True)))
        scene.set_clock(by_s)
        states = uvloop.run(crawl(scene, web))
        assert_whole_and_polite(web)
    assert (stopped, states) == ([RunState.STOPPED], [RunState.DONE])
