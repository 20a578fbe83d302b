"""What a new url takes in SQLite's file."""

import asyncio
from pathlib import Path

from tenax.stores.sqlite.connection.database import Connection, SqliteDatabase
from tenax.stores.sqlite.frontier.urls import insert_urls
from tests.support.clock import FakeClock
from tests.support.store import new_url

HALF_A_SECOND = 0.5


def test_instants_of_a_new_url_are_whole_seconds_that_have_passed(tmp_path: Path) -> None:
    """A fraction would double the bytes of each, in the row and in the index."""
    clock = FakeClock()
    clock.advance(HALF_A_SECOND)

    def add(connection: Connection) -> tuple[float, float]:
        insert_urls(connection, [new_url("https://a.example/")], clock.now())
        found: tuple[float, float] = connection.execute("SELECT due_at, discovered_at FROM urls").fetchone()
        return found

    async def main() -> tuple[float, float]:
        async with SqliteDatabase(tmp_path / "tenax.db", clock) as database:
            return await database.write(add)

    assert asyncio.run(main()) == (clock.now() - HALF_A_SECOND, clock.wall() - HALF_A_SECOND)
