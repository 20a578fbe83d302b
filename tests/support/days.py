"""Crawls into a store of either kind, days apart: time is real during a crawl and is moved between two
crawls."""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import uvloop
from pysqlite3 import dbapi2 as sqlite

from tenax.clock import Instant
from tenax.crawl.engine import Engine, EngineResult
from tenax.runtime.backends import find_backend
from tenax.runtime.engine import open_engine
from tenax.stores.contracts.domains import DomainStore
from tenax.stores.layout import STORE_NAME
from tenax.stores.place import Place
from tests.support.postgres import Console, fresh_database
from tests.support.running import DEADLINE_S, build_settings
from tests.support.store import Rows

T = TypeVar("T")
DAY_S = 86_400.0


@dataclass
class MovedClock:
    """The machine's clock, ahead by `ahead_s` seconds."""

    ahead_s: float = 0.0

    @property
    def boot(self) -> str:
        """A new boot id per day: the machine is switched off between two days."""
        return f"{self.ahead_s:g} s later"

    def now(self) -> Instant:
        return time.time() + self.ahead_s

    def wall(self) -> Instant:
        return self.now()

    def uptime(self) -> float:
        return time.monotonic()


@dataclass(kw_only=True)
class Calendar:
    """A store and the day on which it is crawled."""

    place: Place
    query: Callable[[str], Rows]
    on_move: Callable[[float], None] = lambda ahead_s: None
    clock: MovedClock = field(default_factory=MovedClock)

    def pass_days(self, days: float) -> None:
        self.clock.ahead_s += days * DAY_S
        self.on_move(self.clock.ahead_s)

    def crawl(
        self,
        seeds: Sequence[str] = (),
        until: Callable[[], bool] | None = None,
        **sections: dict[str, Any],
    ) -> EngineResult:
        """Crawl to the end, or until the condition holds; without seeds, continue with what is queued."""
        return uvloop.run(self._crawl(seeds, until, sections))

    async def _crawl(
        self, seeds: Sequence[str], until: Callable[[], bool] | None, sections: dict[str, dict[str, Any]]
    ) -> EngineResult:
        async with open_engine(self.place, build_settings(**sections), self.clock) as engine:
            stopping = asyncio.create_task(_stop_when(engine, until)) if until else None
            ended = await asyncio.wait_for(engine.crawl(seeds), DEADLINE_S)
            if stopping is not None:
                stopping.cancel()
            return ended

    def change_domains(self, work: Callable[[DomainStore], Awaitable[T]]) -> T:
        """Call a method of the domain store."""

        async def carry_out() -> T:
            async with find_backend(self.place).open_stores(self.place, self.clock) as stores:
                return await work(stores.domains)

        return asyncio.run(carry_out())

    def status(self, host: str) -> tuple[str, str | None]:
        (row,) = self.query(f"SELECT status, block_code FROM domains WHERE name LIKE '{host}%'")
        return row[0], row[1]

    def rests_days(self, host: str) -> float:
        """How long the domain is blocked from now on, in days."""
        (row,) = self.query(f"SELECT next_crawl_after FROM domains WHERE name LIKE '{host}%'")
        return (float(row[0]) - self.clock.now()) / DAY_S

    def history(self, host: str) -> list[str]:
        """The causes of all status changes of the domain."""
        rows = self.query(
            "SELECT e.cause FROM domain_events e JOIN domains d ON d.id = e.domain_id"
            f" WHERE d.name LIKE '{host}%' ORDER BY e.id"
        )
        return [row[0] for row in rows]

    def pages(self) -> dict[str, int]:
        """Stored pages by host."""
        rows = self.query("SELECT name, pages_crawled FROM domains")
        return {name.partition(":")[0]: count for name, count in rows}


async def _stop_when(engine: Engine, until: Callable[[], bool]) -> None:
    while not until():  # noqa: ASYNC110
        await asyncio.sleep(0.02)
    engine.stop(ends_run=True)


@contextlib.contextmanager
def open_calendar(kind: str, folder: Path) -> Iterator[Calendar]:
    """`kind`: sqlite or postgres."""
    if kind == "sqlite":
        place = Place(folder=folder)
        find_backend(place).migrate(place)
        with closing(sqlite.connect(folder / STORE_NAME)) as connection:
            yield Calendar(place=place, query=lambda sql: connection.execute(sql).fetchall())
        return
    with fresh_database() as url, closing(Console(url)) as console:

        def move(ahead_s: float) -> None:
            console.execute(
                "CREATE OR REPLACE FUNCTION tenax_now() RETURNS double precision LANGUAGE sql VOLATILE"
                f" AS 'SELECT extract(epoch FROM clock_timestamp())::double precision + {ahead_s}'"
            )

        yield Calendar(place=Place(folder=folder, url=url), query=console.query, on_move=move)
