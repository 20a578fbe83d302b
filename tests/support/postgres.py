"""Databases for tests, a console to query them directly, and a clock that tests can move."""

import asyncio
import contextlib
import functools
import threading
import uuid
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import asyncpg

from tenax.stores.place import Place
from tenax.stores.postgres.backend import migrate
from tests.support.clock import FakeClock
from tests.support.servers import find_server
from tests.support.store import Rows

T = TypeVar("T")


@functools.cache
def _get_loop() -> asyncio.AbstractEventLoop:
    """The loop of a separate thread: tests may or may not be coroutines themselves."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True, name="postgres-console").start()
    return loop


def _wait(coroutine: Coroutine[Any, Any, T]) -> T:
    return asyncio.run_coroutine_threadsafe(coroutine, _get_loop()).result(60)


class Console:
    """A connection that can be used synchronously from any thread."""

    def __init__(self, url: str) -> None:
        self._connection = _wait(asyncpg.connect(url))

    def query(self, sql: str, *arguments: Any) -> Rows:
        return [tuple(row) for row in _wait(self._connection.fetch(sql, *arguments))]

    def execute(self, sql: str) -> None:
        """One statement or several."""
        _wait(self._connection.execute(sql))

    def close(self) -> None:
        _wait(self._connection.close())


@contextlib.contextmanager
def snapshot(url: str) -> Iterator[Callable[[str], Rows]]:
    """Query a consistent snapshot, even while others write."""
    with contextlib.closing(Console(url)) as console:
        console.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield console.query


def name_database(name: str) -> str:
    return f"{find_server().rpartition('/')[0]}/{name}"


@contextlib.contextmanager
def _console(url: str) -> Iterator[Console]:
    console = Console(url)
    try:
        yield console
    finally:
        console.close()


@functools.cache
def _get_template() -> str:
    """The name of a database that contains only the schema."""
    name = f"tenax_template_{uuid.uuid4().hex[:8]}"
    create_empty(name)
    migrate(Place(folder=Path("/nowhere"), url=name_database(name)))
    return name


def create_empty(name: str) -> str:
    with _console(find_server()) as console:
        console.execute(f"CREATE DATABASE {name} ENCODING 'UTF8' TEMPLATE template0")
    return name_database(name)


def drop(name: str) -> None:
    with _console(find_server()) as console:
        console.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextlib.contextmanager
def fresh_database() -> Iterator[str]:
    """Create a database with the schema and yield its address; drop it afterwards."""
    name = f"tenax_{uuid.uuid4().hex[:12]}"
    template = _get_template()
    with _console(find_server()) as console:
        console.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
        try:
            yield name_database(name)
        finally:
            console.execute(f"DROP DATABASE {name} WITH (FORCE)")


def use_fake_clock(console: Console, clock: FakeClock) -> None:
    """Make the database use the fake clock from now on."""
    console.execute(
        "DELETE FROM store_clock; CREATE TABLE fake_clock (now double precision);"
        f"INSERT INTO fake_clock VALUES ({clock.now()!r});"
        "CREATE OR REPLACE FUNCTION tenax_now() RETURNS double precision LANGUAGE sql VOLATILE"
        " AS 'SELECT now FROM fake_clock'"
    )
    clock.follow(lambda now: console.execute(f"UPDATE fake_clock SET now = {now!r}"))


def use_real_clock(console: Console) -> None:
    """Make the database use its own clock again."""
    console.execute(
        "CREATE OR REPLACE FUNCTION tenax_now() RETURNS double precision LANGUAGE sql VOLATILE"
        " AS 'SELECT extract(epoch FROM clock_timestamp())::double precision';"
        "DROP TABLE fake_clock; DELETE FROM store_clock"
    )
